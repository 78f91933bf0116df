/* notes.h - which peers take part in a run, and what is left out and why: said in the facts of every output.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_NOTES_H
#define QUIRE_BENCH_NOTES_H

#define NOTES_SIZE 1024 /* the bytes of all notes of a kind; what has no room is cut off */

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void note_peer(const char *format, ...);
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void note_left_out(const char *format, ...);

/* All notes so far, with semicolons between them; "" if there is none. */
const char *notes_of_peers(void);
const char *notes_of_left_out(void);

#endif
