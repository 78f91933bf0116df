/* methods.h - the list of methods.
 *
 * A method that adds down the lanes is a file like kahan.h (add, merge, total), an include of it in lanes.h, and its
 * lines here. exact is not among them: it needs no order, and has drivers of its own on limbs, bins and windows.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_METHOD_METHODS_H
#define QUIRE_METHOD_METHODS_H

#include "quire/quire.h"

/* X(name, METHOD, words, rows): words of state a lane; rows of a tile, ROWS_FIXED or ROWS_GROW (src/order/order.h).
 *
 * Drivers rely on this: a merge with a state of -0 in each word changes no result. The total of one word is that word.
 * Those of a GPU rely on more: the total of two words is as kahan_total makes it; the first is the plain sum, and the
 * second is a zero while no addition has rounded; the sign of that zero shows in no result, and nothing of it shows
 * once the sum is not finite. On a CPU only kahan goes the ways that take this for granted. */
#define QUIRE_LANE_METHODS(X, ...)                                                                                     \
    X(plain, QUIRE_PLAIN, 1, ROWS_GROW, __VA_ARGS__)                                                                   \
    X(pairwise, QUIRE_PAIRWISE, 1, ROWS_FIXED, __VA_ARGS__)                                                            \
    X(kahan, QUIRE_KAHAN, 2, ROWS_GROW, __VA_ARGS__)

/* Whose arithmetic a method has, and those that have their own: pairwise is plain in tiles of another size. */
#define ARITHMETIC_plain plain
#define ARITHMETIC_pairwise plain
#define ARITHMETIC_kahan kahan
#define QUIRE_LANE_ARITHMETICS(X, ...)                                                                                 \
    X(plain, 1, __VA_ARGS__)                                                                                           \
    X(kahan, 2, __VA_ARGS__)

#define QUIRE_STATE_WORDS 2 /* the most words a lane's state has */

/* Tables of methods are indexed by their numbers, which are below this. */
#define METHOD_NUMBERS 8

#endif
