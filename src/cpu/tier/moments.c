/* moments.c - both sums of variances in one tier: instances of moment_sums.h and moment_floats.h for every format, and
 * the table of them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/block/moment_floats.h"
#include "cpu/block/moment_sums.h"
#include "cpu/tier/tier.h"

#define VECTOR_LOAD_f32(format) format##_load_v_f32
#define VECTOR_LOAD_f64(format) NULL

/* Numbers of 53 bits are split always. */
QUIRE_INLINE int moments_by(format_description f, moment_elements e, moment_float_elements floats, moment_way way,
                            const char *x, size_t n, moment_sums *sums) {
    if (way == MOMENTS_SPLIT || f.precision > 24) return moments_of(e, 1, x, n, sums);
    if (way == MOMENTS_UNSPLIT || f.precision > MOMENTS_FLOAT_BITS) return moments_of(e, 0, x, n, sums);
    return moments_in_floats(floats, x, n, sums);
}

#define MOMENTS_INSTANCE(format, FORMAT, type, real, unused)                                                           \
    static int format##_moments(const char *x, size_t n, moment_way way, moment_sums *sums) {                          \
        return moments_by(                                                                                             \
            (format_description)FORMAT##_DESCRIPTION, (moment_elements){ sizeof(format##_element), format##_widen },   \
            (moment_float_elements){ sizeof(format##_element), VECTOR_LOAD_##real(format) }, way, x, n, sums);         \
    }
QUIRE_FORMATS(MOMENTS_INSTANCE, )

#define MOMENTS_ENTRY(format, FORMAT, type, real, unused) [type] = format##_moments,
const moments_function QUIRE_NAME(moments_table, SIMD_TIER)[FORMAT_NUMBERS] = { QUIRE_FORMATS(MOMENTS_ENTRY, ) };
