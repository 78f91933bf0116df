/* methods.h - the list of methods.
 *
 * A method that adds down the lanes is a file like kahan.h (add, merge, total), an include of it in lanes.h, and a line
 * here. exact is not among them: it needs no order, and has drivers of its own on limbs, bins and windows.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_METHOD_METHODS_H
#define QUIRE_METHOD_METHODS_H

#include "quire/quire.h"

/* X(name, METHOD, words, rows): words of state a lane, the sum and perhaps what its additions lost, which is 0 while they
 * lose nothing; rows of a tile, ROWS_FIXED or ROWS_GROW (src/order/order.h). A state of -0 in each word is the identity of
 * merge. */
#define QUIRE_LANE_METHODS(X, ...)                                                                                          \
    X(plain, QUIRE_PLAIN, 1, ROWS_GROW, __VA_ARGS__)                                                                        \
    X(pairwise, QUIRE_PAIRWISE, 1, ROWS_FIXED, __VA_ARGS__)                                                                 \
    X(kahan, QUIRE_KAHAN, 2, ROWS_GROW, __VA_ARGS__)

#define QUIRE_STATE_WORDS 2 /* the most words a lane's state has */

#endif
