/* lanes.h - the arithmetic of the methods that add down the lanes, for one real type. Included once per type (a float,
 * a double, a SIMD vector of either) with REAL and SUFFIX defined and abs_SUFFIX and fma_SUFFIX at hand, by C and CUDA
 * alike.
 *
 * SPDX-License-Identifier: MIT
 */
#include "accumulator/limbs.h"
#include "method/methods.h"

#include "operation/term.h"

#include "method/two_sum.h"

#include "method/plain.h"

#include "method/pairwise.h"

#include "method/kahan.h"

#undef REAL
#undef SUFFIX
#undef SUBTRACT
