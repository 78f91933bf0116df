/* formats.h - the list of formats. A new one is a file like half.h, and a line here.
 *
 * X(name, type, real): name_element is the stored type, name_to_real decodes it; real (f32 or f64) is what the lanes
 * accumulate in; type is the number users know it by.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_FORMAT_FORMATS_H
#define QUIRE_FORMAT_FORMATS_H

#include "format/bfloat16.h"
#include "format/double.h"
#include "format/float.h"
#include "format/half.h"
#include "quire/quire.h"

typedef float f32_type;
typedef double f64_type;

#define QUIRE_FORMATS(X, ...)                                                                                               \
    X(half, HALF, QUIRE_F16, f32, __VA_ARGS__)                                                                              \
    X(bfloat16, BFLOAT16, QUIRE_BF16, f32, __VA_ARGS__)                                                                     \
    X(float, FLOAT, QUIRE_F32, f32, __VA_ARGS__)                                                                            \
    X(double, DOUBLE, QUIRE_F64, f64, __VA_ARGS__)

/* The description of a type, by value so that device code has it too; .size is 0 where the type is none. */
QUIRE_INLINE format_description describe_format(quire_type type) {
#define QUIRE_CASE(name, NAME, number, real, unused)                                                                        \
    case number: {                                                                                                          \
        format_description d = NAME##_DESCRIPTION;                                                                          \
        return d;                                                                                                           \
    }
    switch (type) { QUIRE_FORMATS(QUIRE_CASE, ) }
#undef QUIRE_CASE
    format_description none = { 0, 0, 0, 0, 0, 0 };
    return none;
}

/* Writes the bits of a number where an element of so many bytes stands, whatever type the caller gave that place. */
QUIRE_INLINE void format_store(uint64_t bits, int size, void *to) {
    const uint16_t bits_16 = (uint16_t)bits;
    const uint32_t bits_32 = (uint32_t)bits;
    if (size == 2)
        memcpy(__builtin_assume_aligned(to, 2), &bits_16, 2);
    else if (size == 4)
        memcpy(__builtin_assume_aligned(to, 4), &bits_32, 4);
    else
        memcpy(__builtin_assume_aligned(to, 8), &bits, 8);
}

/* name_load(p): the element at p, decoded. */
#define QUIRE_LOAD(name, NAME, number, real, unused)                                                                        \
    QUIRE_INLINE real##_type name##_load_##real(const void *p) {                                                            \
        name##_element element;                                                                                             \
        memcpy(&element, p, sizeof element);                                                                                \
        return name##_to_##real(element);                                                                                   \
    }
QUIRE_FORMATS(QUIRE_LOAD, )
#undef QUIRE_LOAD

#endif
