/* fault.c - faults to be found: linked in front of the library, they spoil the last bit of some results, on the CPU. A
 * check that cannot fail is none, so the tests run quire-accuracy with them, too.
 *
 * SPDX-License-Identifier: MIT
 */
#include <quire/quire.h>

quire_status __real_quire_dot(quire_context *context, quire_type type, size_t n, const void *x, const void *y,
                              quire_method method, quire_type result_type, void *result);
quire_status __wrap_quire_dot(quire_context *context, quire_type type, size_t n, const void *x, const void *y,
                              quire_method method, quire_type result_type, void *result);
quire_status __real_quire_reduce(quire_context *context, const quire_reduction *what, const quire_layout *x_layout,
                                 const void *x, const quire_layout *y_layout, const void *y, void *results);
quire_status __wrap_quire_reduce(quire_context *context, const quire_reduction *what, const quire_layout *x_layout,
                                 const void *x, const quire_layout *y_layout, const void *y, void *results);
quire_status __real_quire_reduce_segments(quire_context *context, const quire_reduction *what, size_t segments,
                                          quire_index index, const void *begin, const void *end, const void *x,
                                          const void *y, void *results);
quire_status __wrap_quire_reduce_segments(quire_context *context, const quire_reduction *what, size_t segments,
                                          quire_index index, const void *begin, const void *end, const void *x,
                                          const void *y, void *results);

quire_status __wrap_quire_dot(quire_context *context, quire_type type, size_t n, const void *x, const void *y,
                              quire_method method, quire_type result_type, void *result) {
    const quire_status status = __real_quire_dot(context, type, n, x, y, method, result_type, result);
    if (!status && type == QUIRE_F32 && result_type == QUIRE_F32 && n > 100) *(uint32_t *)result ^= 1;
    return status;
}

/* Of many vectors, one. */
static void spoil(quire_status status, const quire_reduction *what, size_t vectors, void *results) {
    if (!status && what->operation == QUIRE_DOT && what->type == QUIRE_F32 && what->result_type == QUIRE_F32 &&
        vectors > 100)
        ((uint32_t *)results)[77] ^= 1;
}

quire_status __wrap_quire_reduce(quire_context *context, const quire_reduction *what, const quire_layout *x_layout,
                                 const void *x, const quire_layout *y_layout, const void *y, void *results) {
    const quire_status status = __real_quire_reduce(context, what, x_layout, x, y_layout, y, results);
    spoil(status, what, x_layout->outer * x_layout->inner, results);
    return status;
}

quire_status __wrap_quire_reduce_segments(quire_context *context, const quire_reduction *what, size_t segments,
                                          quire_index index, const void *begin, const void *end, const void *x,
                                          const void *y, void *results) {
    const quire_status status = __real_quire_reduce_segments(context, what, segments, index, begin, end, x, y, results);
    spoil(status, what, segments, results);
    return status;
}
