/* formats.h - the list of formats. A new one is a file like e4m3.h, and a line here.
 *
 * X(name, NAME, type, real): name_element is the stored type, name_to_real decodes it, NAME_DESCRIPTION describes it;
 * real (f32 or f64) is what the lanes accumulate in; type is the number users know it by.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_FORMAT_FORMATS_H
#define QUIRE_FORMAT_FORMATS_H

#include "format/bfloat16.h"
#include "format/double.h"
#include "format/e4m3.h"
#include "format/e5m2.h"
#include "format/float.h"
#include "format/half.h"
#include "quire/quire.h"

typedef float f32_type;
typedef double f64_type;

/* Formats that the CPU has ways of its own for: it loads whole vectors, and exact sums have windows for their bits.
 * What such a format must have is checked below. */
#define QUIRE_WINDOWED_FORMATS(X, ...)                                                                                 \
    X(half, HALF, QUIRE_F16, f32, __VA_ARGS__)                                                                         \
    X(bfloat16, BFLOAT16, QUIRE_BF16, f32, __VA_ARGS__)                                                                \
    X(float, FLOAT, QUIRE_F32, f32, __VA_ARGS__)                                                                       \
    X(double, DOUBLE, QUIRE_F64, f64, __VA_ARGS__)

/* Formats that need nothing but their decoding, to a float: the generic way serves them. */
#define QUIRE_DECODED_FORMATS(X, ...)                                                                                  \
    X(e5m2, E5M2, QUIRE_E5M2, f32, __VA_ARGS__)                                                                        \
    X(e4m3, E4M3, QUIRE_E4M3, f32, __VA_ARGS__)

#define QUIRE_FORMATS(X, ...) QUIRE_WINDOWED_FORMATS(X, __VA_ARGS__) QUIRE_DECODED_FORMATS(X, __VA_ARGS__)

/* Tables of formats are indexed by their numbers, which are below this. */
#define FORMAT_NUMBERS 8

/* What tables and format_store rely on. */
#define QUIRE_CHECK_FORMAT(name, NAME, number, real, unused)                                                           \
    QUIRE_STATIC_ASSERT((int)number < FORMAT_NUMBERS, "FORMAT_NUMBERS is too small");                                  \
    QUIRE_STATIC_ASSERT(sizeof(name##_element) == 1 || sizeof(name##_element) == 2 || sizeof(name##_element) == 4 ||   \
                            sizeof(name##_element) == 8,                                                               \
                        "format_store does not know the size");
QUIRE_FORMATS(QUIRE_CHECK_FORMAT, )
#undef QUIRE_CHECK_FORMAT

/* What windows rely on, which take elements apart by their bits. A description is split into its members as arguments
 * of a macro: a member of a constant is no constant expression. */
#define QUIRE_CHECK_EXPONENTS(bits, description) QUIRE_CHECK_EXPONENTS_OF(bits, description)
#define QUIRE_CHECK_EXPONENTS_OF(bits, open_size, precision, least_exponent, has_infinity, infinity, nan, close_sign)  \
    QUIRE_STATIC_ASSERT(has_infinity &&                                                                                \
                            (uint64_t)(infinity) == ((uint64_t)1 << (bits - 1)) - ((uint64_t)1 << (precision - 1)),    \
                        "a windowed format has infinities and NaNs where all exponent bits are ones, as IEEE 754");    \
    QUIRE_STATIC_ASSERT(least_exponent == 3 - (1 << (bits - precision - 1)) - precision,                               \
                        "a windowed format has the exponent bias of IEEE 754, half of the field's range");
#define QUIRE_CHECK_WINDOWED(name, NAME, number, real, unused)                                                         \
    QUIRE_STATIC_ASSERT(sizeof(name##_element) >= 2,                                                                   \
                        "a windowed format has elements of 2, 4 or 8 bytes; what is smaller is a decoded format");     \
    QUIRE_CHECK_EXPONENTS(8 * (int)sizeof(name##_element), NAME##_DESCRIPTION)
QUIRE_WINDOWED_FORMATS(QUIRE_CHECK_WINDOWED, )
#undef QUIRE_CHECK_WINDOWED
#undef QUIRE_CHECK_EXPONENTS
#undef QUIRE_CHECK_EXPONENTS_OF

/* The description of a type, by value so that device code has it too; .size is 0 where the type is none. In C it comes
 * from a table: what a switch stores member by member is read as a whole, which takes longer than a few additions. */
#ifndef __cplusplus
QUIRE_INLINE format_description describe_format(quire_type type) {
#define QUIRE_ENTRY(name, NAME, number, real, unused) [number] = NAME##_DESCRIPTION,
    static const format_description of[FORMAT_NUMBERS + 1] = { QUIRE_FORMATS(QUIRE_ENTRY, ) };
#undef QUIRE_ENTRY
    return of[(unsigned)type < FORMAT_NUMBERS ? (unsigned)type : FORMAT_NUMBERS];
}
#else
QUIRE_INLINE format_description describe_format(quire_type type) {
#define QUIRE_CASE(name, NAME, number, real, unused)                                                                   \
    case number: {                                                                                                     \
        format_description d = NAME##_DESCRIPTION;                                                                     \
        return d;                                                                                                      \
    }
    switch ((int)type) { QUIRE_FORMATS(QUIRE_CASE, ) }
#undef QUIRE_CASE
    format_description none = { 0, 0, 0, 0, 0, 0, 0 };
    return none;
}
#endif

/* Whether the lanes of a type accumulate in double, not in float. */
#define QUIRE_IS_DOUBLE_f32 0
#define QUIRE_IS_DOUBLE_f64 1
QUIRE_INLINE int has_double_lanes(quire_type type) {
#define QUIRE_CASE(name, NAME, number, real, unused)                                                                   \
    case number: return QUIRE_IS_DOUBLE_##real;
    switch ((int)type) { QUIRE_FORMATS(QUIRE_CASE, ) }
#undef QUIRE_CASE
    return 0;
}

/* Whether a CPU makes floats of its elements before it adds them. */
QUIRE_INLINE int is_decoded(quire_type type) {
#define QUIRE_CASE(name, NAME, number, real, unused)                                                                   \
    case number: return 1;
    switch ((int)type) { QUIRE_DECODED_FORMATS(QUIRE_CASE, ) }
#undef QUIRE_CASE
    return 0;
}

/* Writes the bits of a number where an element of size bytes stands, whatever type the caller gave that place. The
 * compile-time check below sees to it that every format has one of these sizes. */
QUIRE_INLINE void format_store(uint64_t bits, int size, void *to) {
    const uint8_t bits_8 = (uint8_t)bits;
    const uint16_t bits_16 = (uint16_t)bits;
    const uint32_t bits_32 = (uint32_t)bits;
    switch (size) {
    case 1: memcpy(to, &bits_8, 1); break;
    case 2: memcpy(__builtin_assume_aligned(to, 2), &bits_16, 2); break;
    case 4: memcpy(__builtin_assume_aligned(to, 4), &bits_32, 4); break;
    case 8: memcpy(__builtin_assume_aligned(to, 8), &bits, 8); break;
    default: break;
    }
}

/* name_load(p): the element at p, decoded. */
#define QUIRE_LOAD(name, NAME, number, real, unused)                                                                   \
    QUIRE_INLINE real##_type name##_load_##real(const void *p) {                                                       \
        name##_element element;                                                                                        \
        memcpy(&element, p, sizeof element);                                                                           \
        return name##_to_##real(element);                                                                              \
    }
QUIRE_FORMATS(QUIRE_LOAD, )
#undef QUIRE_LOAD

#endif
