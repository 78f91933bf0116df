/* place.h - where a test runs. A suite hands in host memory and takes host memory back; the place carries it to where
 * the context works and calls the public function there. The environment variable QUIRE_TEST_PLACE names the place
 * ("cpu" if it is unset), so every suite that goes through here runs unchanged on any backend. Free of Check. */
#ifndef QUIRE_TESTS_PLACE_H
#define QUIRE_TESTS_PLACE_H

#include <stddef.h>
#include <stdint.h>

#include <quire/quire.h>

#include "operation.h"

/* Segments of rows that are found through an index, as quire_reduce_gathered has them. */
typedef struct place_rows {
    size_t segments, entries; /* entries: of each order */
    quire_index index;
    const void *begin, *end, *x_order, *y_order;
} place_rows;

/* --------------------------------------------------------------------------------------------------- for the suites */

/* NULL, or why the place cannot be had on this machine. Asks the place itself, never the library. */
const char *place_unavailable(void);
const char *place_name(void);

/* Takes the place of that name for the calls to come, whatever QUIRE_TEST_PLACE says; what others opened stays open.
 * Answers 0, with nothing changed, if this build has none of that name. */
int place_choose(const char *name);

/* NULL, or why x and y cannot be lent with so many bytes each. Asks once; lending then allocates no more. */
const char *place_reserve(size_t bytes);

/* The public function of that operation (quire_reduce where it has none of its own), with host pointers; y is read by
 * dot alone. A place that copies leaves *result untouched if the call fails, as the library does. */
quire_status place_reduce(operation op, quire_type type, size_t n, const void *x, const void *y, quire_method method,
                          quire_type result_type, void *result);

/* The same by quire_reduce, of one contiguous vector. */
quire_status place_reduction(const quire_reduction *what, size_t n, const void *x, const void *y, void *result);

quire_status place_accumulate(quire_accumulator *accumulator, quire_type type, size_t n, const void *x);
quire_status place_accumulate_magnitudes(quire_accumulator *accumulator, quire_type type, size_t n, const void *x);
quire_status place_accumulate_products(quire_accumulator *accumulator, quire_type type, size_t n, const void *x,
                                       const void *y);

/* The terms of op into the accumulator: x[i] for sum and mean, |x[i]|, x[i] y[i], or x[i]^2 for nrm2 and sumsq. */
quire_status place_accumulate_terms(operation op, quire_accumulator *accumulator, quire_type type, size_t n,
                                    const void *x, const void *y);

/* quire_finish_many with host pointers; squares may be NULL. */
quire_status place_finish(const quire_reduction *what, size_t count, const quire_accumulator *sums,
                          const quire_accumulator *squares, void *results);

/* quire_reduce with host pointers; layouts as there. All memory between the least and the greatest address that a
 * layout reaches is lent, gaps too. Where y is x it is the same memory, of which it reaches no more. */
quire_status place_layouts(const quire_reduction *what, const quire_layout *x_layout, const void *x,
                           const quire_layout *y_layout, const void *y, void *results);

/* quire_reduce_segments with host pointers, of arrays of so many elements from x and y on. */
quire_status place_segments(const quire_reduction *what, size_t segments, quire_index index, const void *begin,
                            const void *end, size_t elements, const void *x, const void *y, void *results);

/* Sums by key with host pointers; the workspace has just the bytes that the library asks for. */
quire_status place_order_by_key(size_t groups, quire_index index, size_t n, const void *keys, void *order,
                                void *offsets);
quire_status place_by_key(const quire_reduction *what, size_t groups, quire_index index, const void *keys,
                          const quire_layout *x_layout, const void *x, const quire_layout *y_layout, const void *y,
                          void *results, int64_t *counts);

/* quire_reduce_gathered with host pointers; the orders have so many entries. */
quire_status place_gathered(const quire_reduction *what, const place_rows *rows, const quire_layout *x_layout,
                            const void *x, const quire_layout *y_layout, const void *y, void *results);

/* quire_scan with host pointers. All memory between the least and the greatest address that the results' layout reaches
 * is lent, too; where results is x it is the same memory. */
quire_status place_scan(const quire_reduction *what, quire_scan_kind kind, const quire_layout *x_layout, const void *x,
                        const quire_layout *results_layout, void *results);

/* Ways to run that must not show in the bits: tiers and threads on a CPU, launch shapes on a GPU. Variant 0 is the
 * default context. place_use makes a variant the current one and answers its name, or NULL if this machine lacks it. */
size_t place_variants(void);
const char *place_use(size_t variant);

/* The context in use (opened at the first call; NULL on a CPU is a context too), and another in its stead: the test's
 * own, which the test closes, after place_use(0). */
quire_context *place_context(void);
void place_set_context(quire_context *context);

/* Closes what the places opened. */
void place_close(void);

/* --------------------------------------------------------------------------------------------------- for the places */

/* Arrays that a call works on at a time. */
typedef enum place_slot {
    PLACE_X,
    PLACE_Y,
    PLACE_RESULT,
    PLACE_BEGIN,
    PLACE_END,
    PLACE_KEYS,
    PLACE_X_ORDER,
    PLACE_Y_ORDER,
    PLACE_COUNTS,
    PLACE_WORKSPACE,
    PLACE_SLOT_COUNT
} place_slot;

/* What a place must offer. A new place is one file that defines such a table, and one line in place.c. */
typedef struct place {
    const char *name;

    const char *(*unavailable)(void); /* as place_unavailable */

    size_t variants;
    quire_status (*open)(size_t variant, quire_context **context); /* QUIRE_TIER_UNAVAILABLE: this machine lacks it */
    const char *(*variant_name)(size_t variant);

    const char *(*reserve)(size_t bytes); /* as place_reserve */

    /* Bytes of host memory, at an address the context can use that is the same modulo 64; NULL stays NULL. The address
     * is good until the slot is lent again. */
    void *(*lend)(place_slot slot, void *host, size_t size);

    /* Waits for the context's work and copies what was lent back to the host. */
    void (*collect)(place_slot slot, void *host, size_t size);
} place;

extern const place PLACE_CPU;
extern const place PLACE_CUDA; /* where the build found CUDA (QUIRE_TEST_CUDA) */

#endif
