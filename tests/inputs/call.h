/* call.h - the calls of one vector, by operation: the one switch over them that tests and benchmarks share. Free of
 * Check.
 */
#ifndef QUIRE_TESTS_CALL_H
#define QUIRE_TESTS_CALL_H

#include <stddef.h>

#include <quire/quire.h>

#include "operation.h"

/* By the operation's own function; by quire_reduce where it has none. y counts for a dot product alone. */
quire_status call_operation(quire_context *context, operation op, quire_type type, size_t n, const void *x,
                            const void *y, quire_method method, quire_type result_type, void *result);

#endif
