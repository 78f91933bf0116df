/* host.h - the machine and the build that a figure comes from: what the heads of quire-bench and quire-accuracy say of
 * them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_HOST_H
#define QUIRE_BENCH_HOST_H

#include <stddef.h>

/* Each writes at most size bytes, a zero at the end among them. */
void host_compiler(char *value, size_t size);                       /* the one that this program was compiled with */
void host_cpu(char *value, size_t size);                            /* the processor's name, and how many there are */
void host_date(char *value, size_t size);                           /* now, in UTC, as ISO 8601 */
void host_command(char *value, size_t size, int argc, char **argv); /* the command line, less the program's folder */

/* Bytes that can be had without swapping; SIZE_MAX where the system does not say. */
size_t host_free_memory(void);

#endif
