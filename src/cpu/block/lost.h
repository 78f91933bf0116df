/* lost.h - how far a sum of what additions lost may be off. SPDX-License-Identifier: MIT */
#ifndef QUIRE_CPU_BLOCK_LOST_H
#define QUIRE_CPU_BLOCK_LOST_H

#include "cpu/simd/scalar.h"

/* lost: the sum; off: the magnitudes of what its own additions lost. These were rounded as they were added, by less
 * than themselves, of fewer than 2^50 (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 2002, (4.4)),
 * and so is the radius when it is taken from the sum and added to it, by 2^-53 of them. lost_ends in pairs.h is the
 * same of many lanes. */
QUIRE_INLINE double lost_radius(double lost, double off) { return off != 0 ? 2 * off + abs_f64(lost) * 0x1p-51 : 0; }

#endif
