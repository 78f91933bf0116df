/* check.h - the checks that all calls share, in the order the header promises.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_API_CHECK_H
#define QUIRE_API_CHECK_H

#include "backend.h"

/* Whether p may be read or written as elements of this many bytes, a power of two. */
QUIRE_PRIVATE quire_status check_pointer(const void *p, size_t size);

/* Type, n and inputs; y may be x. */
QUIRE_PRIVATE quire_status check_input(quire_type type, size_t n, const void *x, const void *y);

/* What two checks in a row find: a NULL of the second comes before a misalignment of the first. */
QUIRE_PRIVATE quire_status both_checks(quire_status first, quire_status second);

/* Whether a method adds in the canonical order: all that there are do, but QUIRE_EXACT. */
QUIRE_PRIVATE int follows_order(quire_method method);

QUIRE_PRIVATE quire_status check_accumulator(const quire_accumulator *accumulator);

QUIRE_PRIVATE quire_status check_result(quire_type result_type, const void *result);

/* A reduction with its defaults in place of zeros, and whether all it names is there. */
QUIRE_PRIVATE quire_reduction reduction_with_defaults(quire_reduction what);
QUIRE_PRIVATE quire_status check_reduction(const quire_reduction *what);

/* Bytes of an index; 0 if there is no such type. */
QUIRE_PRIVATE size_t size_of_index(quire_index index);

/* Whether all elements of a layout, of size bytes each, lie within PTRDIFF_MAX bytes, and so would those of a vector if
 * they stood side by side. */
QUIRE_PRIVATE int layout_fits(const quire_layout *l, size_t size);

/* Whether there is at least one. */
QUIRE_INLINE int has_elements(const quire_layout *l) { return l->outer && l->n && l->inner; }

/* All arguments of a reduction of one vector. */
QUIRE_PRIVATE quire_status check_job(const quire_job *job);

/* The backend behind a context, NULL included. */
QUIRE_INLINE const quire_backend *backend_of(const quire_context *context) {
    return context ? context->backend : &quire_cpu_backend;
}

#endif
