#include <quire/quire.h>
#include <stdint.h>

/* The same calls with addresses as numbers, as arrays on a device tell them. */

static int reduce_at(quire_context *context, const quire_reduction *what, const quire_layout *x_layout, uintptr_t x,
                     const quire_layout *y_layout, uintptr_t y, uintptr_t results) {
    return (int)quire_reduce(context, what, x_layout, (const void *)x, y_layout, (const void *)y, (void *)results);
}

static int reduce_vector_at(quire_context *context, const quire_reduction *what, size_t n, uintptr_t x,
                            uintptr_t results) {
    const quire_layout layout = { 1, n, 1, 0, 1, 0 };
    return (int)quire_reduce(context, what, &layout, (const void *)x, NULL, NULL, (void *)results);
}

static int reduce_segments_at(quire_context *context, const quire_reduction *what, size_t segments, int index,
                              uintptr_t offsets, uintptr_t x, uintptr_t results) {
    const uintptr_t ends = offsets + (index == QUIRE_I64 ? 8 : 4);
    return (int)quire_reduce_segments(context, what, segments, (quire_index)index, (const void *)offsets,
                                      (const void *)ends, (const void *)x, NULL, (void *)results);
}
