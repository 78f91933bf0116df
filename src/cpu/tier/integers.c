/* integers.c - exact sums of integers in one tier: the loops of block/integer_terms.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/block/integer_terms.h"
#include "cpu/simd/types.h"
#include "cpu/tier/tier.h"

#define INTEGERS_ENTRY(name, number, element, is_signed, unused)                                                       \
    [INTEGER_PLACE(number)] = { name##_elements, name##_magnitudes, name##_products },

const integer_function QUIRE_NAME(integers_table,
                                  SIMD_TIER)[INTEGER_NUMBERS][INTEGER_WAYS] = { QUIRE_INTEGERS(INTEGERS_ENTRY, ) };
