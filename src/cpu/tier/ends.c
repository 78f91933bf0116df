/* ends.c - sums by two ends in one tier: an instance of block/ends.h for every format that floats hold, and every term.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/block/ends.h"

/* Whether a vector's y is not its x. */
static int reads_others(const ends_vector *v, size_t count) {
    int others = 0;
    for (size_t i = 0; i < count; i++) others |= v[i].x != v[i].y;
    return others;
}

/* Products of an array with itself are read once. Never inlined: what calls it is in another rounding mode. */
#define INSTANCE(term, TERM, product, pair, flag, format, FORMAT)                                                      \
    static __attribute__((noinline)) void format##_##term##_ends(const ends_vector *v, size_t count, sum_ends *ends) { \
        const int sure = !product && have_sure_sums((format_description)FORMAT##_DESCRIPTION);                         \
        const ends_choice                                                                                              \
            one = { sizeof(format##_element), product, 0, flag, sure, format##_widen, format##_first_v_f32 },          \
            two = { sizeof(format##_element), product, 1, flag, sure, format##_widen, format##_first_v_f32 };          \
        if (pair && reads_others(v, count))                                                                            \
            ends_of_all(two, v, count, ends);                                                                          \
        else                                                                                                           \
            ends_of_all(one, v, count, ends);                                                                          \
    }
#define OF_FORMAT(format, FORMAT, type, real, unused) OF_##real(format, FORMAT)
#define OF_f32(format, FORMAT) QUIRE_TERMS(INSTANCE, format, FORMAT)
#define OF_f64(format, FORMAT)
QUIRE_FORMATS(OF_FORMAT, )

#define ENTRY(term, TERM, product, pair, flag, format, type) [type][TERM] = format##_##term##_ends,
#define ENTRIES_OF_FORMAT(format, FORMAT, type, real, unused) ENTRIES_##real(format, type)
#define ENTRIES_f32(format, type) QUIRE_TERMS(ENTRY, format, type)
#define ENTRIES_f64(format, type)

const ends_function QUIRE_NAME(ends_table,
                               SIMD_TIER)[FORMAT_NUMBERS][TERM_COUNT] = { QUIRE_FORMATS(ENTRIES_OF_FORMAT, ) };
