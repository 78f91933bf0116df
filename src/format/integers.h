/* integers.h - the list of integers that elements may be, and the sizes of all that elements and results may be.
 *
 * Integers have no description as formats have, and stand in none of their tables: they have ways of their own.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_FORMAT_INTEGERS_H
#define QUIRE_FORMAT_INTEGERS_H

#include "format/formats.h"

/* X(name, number, element, is_signed) */
#define QUIRE_INTEGERS(X, ...)                                                                                         \
    X(int8, QUIRE_INT8, int8_t, 1, __VA_ARGS__)                                                                        \
    X(int16, QUIRE_INT16, int16_t, 1, __VA_ARGS__)                                                                     \
    X(int32, QUIRE_INT32, int32_t, 1, __VA_ARGS__)                                                                     \
    X(int64, QUIRE_INT64, int64_t, 1, __VA_ARGS__)                                                                     \
    X(uint8, QUIRE_UINT8, uint8_t, 0, __VA_ARGS__)                                                                     \
    X(uint16, QUIRE_UINT16, uint16_t, 0, __VA_ARGS__)                                                                  \
    X(uint32, QUIRE_UINT32, uint32_t, 0, __VA_ARGS__)                                                                  \
    X(uint64, QUIRE_UINT64, uint64_t, 0, __VA_ARGS__)

/* Tables of integers are indexed by how far their numbers are from the first one. */
#define INTEGER_NUMBERS 8
#define INTEGER_PLACE(type) ((unsigned)(type) - (unsigned)QUIRE_INT8)

QUIRE_INLINE int is_integer(quire_type type) { return INTEGER_PLACE(type) < INTEGER_NUMBERS; }

/* Bytes of an element; 0 where the type is none of an element. */
QUIRE_INLINE int element_size(quire_type type) {
#define QUIRE_CASE(name, number, element, is_signed, unused)                                                           \
    case number: return (int)sizeof(element);
    switch ((int)type) { QUIRE_INTEGERS(QUIRE_CASE, ) }
#undef QUIRE_CASE
    return describe_format(type).size;
}

/* Bytes of a result; 0 where the type is none of a result; and what it is aligned to. */
#define INT128_SIZE 16
#define INT128_ALIGNMENT 8
QUIRE_INLINE int result_size(quire_type type) {
    return type == QUIRE_INT128 ? INT128_SIZE : describe_format(type).size;
}

QUIRE_INLINE int result_alignment(quire_type type) {
    return type == QUIRE_INT128 ? INT128_ALIGNMENT : describe_format(type).size;
}

#endif
