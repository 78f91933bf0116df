/* counted_carries.h - stands before every source of the library that test_carries.c is linked with: limbs take fewer
 * additions, so that arrays that fit memory need carries, and each carry is counted. */
#ifndef QUIRE_TESTS_COUNTED_CARRIES_H
#define QUIRE_TESTS_COUNTED_CARRIES_H

#include <stddef.h>

#define LIMB_ADDITIONS ((size_t)1 << 20) /* about the fewest that AVX2's driver asserts */
#include "accumulator/limbs.h"

void count_carry(void);
#define limbs_carry(limb) (count_carry(), limbs_carry(limb))

#endif
