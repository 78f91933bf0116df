/* lanes.h - the arithmetic of the methods that add down the lanes, for one real type. Included once per type with REAL
 * and SUFFIX defined, behind term.h for the same type, by C and CUDA alike.
 *
 * SPDX-License-Identifier: MIT
 */
#include "accumulator/limbs.h"
#include "method/methods.h"

#include "method/plain.h"

#include "method/pairwise.h"

#include "method/kahan.h"

#undef REAL
#undef SUFFIX
