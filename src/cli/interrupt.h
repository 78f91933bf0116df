/* interrupt.h - what the command says and removes when it is interrupted.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_INTERRUPT_H
#define QUIRE_CLI_INTERRUPT_H

/* From here on Ctrl-C, or a request to terminate, prints a line that says how far the work was, leaves no file that is
 * half written, and ends the process by the signal: a shell sees 130, or 143. A signal that is ignored stays so. */
void interrupt_watch(void);

#endif
