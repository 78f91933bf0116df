/* many.h - what the suites of layouts and of segments share: reductions drawn at random, and the single call that each
 * of their vectors is compared with. */
#ifndef QUIRE_TESTS_MANY_H
#define QUIRE_TESTS_MANY_H

#include "families.h"
#include "number.h"
#include "operation.h"

/* Operation, method, type, result type and rounding, all at random. */
quire_reduction draw_reduction(generator *g);

/* A family at random for that operation. */
family draw_family(generator *g);

/* A special element of either sign: NaN, an infinity if the type has one, the greatest number, the least subnormal, or
 * zero. */
uint64_t draw_special(generator *g, quire_type type);

/* One element copied from anywhere. */
void copy_element(quire_type type, void *to, size_t i, const void *from, ptrdiff_t at);

/* The elements from the least to the greatest that a layout reaches, both included; and which of them, counted from the
 * least, is the element of index 0. */
size_t layout_elements(const quire_layout *l, size_t *origin);

/* The bits of a reduction of one contiguous vector, by the place's context; y is read by operations of two arrays
 * alone. */
uint64_t single_call(const quire_reduction *what, size_t n, const void *x, const void *y);

/* "exact sum of f32 to f64, rounding 0": in static memory, until the next call. */
const char *reduction_text(const quire_reduction *what);

#endif
