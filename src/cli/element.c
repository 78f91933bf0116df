/* element.c - how numbers are stored in a file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "element.h"

#include <stdint.h>
#include <string.h>

#include "vocabulary.h"

#define FLOATS(NUMBER, name, numpy, size, ...)                                                                         \
    { name, numpy, { __VA_ARGS__ }, { QUIRE_##NUMBER, size, false, true, false } },

/* The first name is the one that is printed. */
static const struct {
    const char *name, *numpy, *others[6];
    struct element element;
} types[] = {
    /* clang-format off */
    TYPE_NAMES(FLOATS)
    /* clang-format on */
    { "i8", "i1", { "int8" }, { QUIRE_F64, 1, true, true, false } },
    { "i16", "i2", { "int16", "short" }, { QUIRE_F64, 2, true, true, false } },
    { "i32", "i4", { "int32", "int" }, { QUIRE_F64, 4, true, true, false } },
    { "i64", "i8", { "int64", "long" }, { QUIRE_F64, 8, true, true, false } },
    { "u8", "u1", { "uint8" }, { QUIRE_F64, 1, true, false, false } },
    { "u16", "u2", { "uint16" }, { QUIRE_F64, 2, true, false, false } },
    { "u32", "u4", { "uint32", "uint" }, { QUIRE_F64, 4, true, false, false } },
    { "u64", "u8", { "uint64" }, { QUIRE_F64, 8, true, false, false } },
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define FLOATS_COUNT 6

/* The six floats stand first, in the order of their numbers, and then integers in that of theirs. */
struct element element_of(quire_type type) {
    return types[type < QUIRE_INT8 ? type - 1 : FLOATS_COUNT + type - QUIRE_INT8].element;
}

quire_type element_integer(const struct element *element) {
    int type = element->is_signed ? QUIRE_INT8 : QUIRE_UINT8;
    for (size_t size = 1; size < element->size; size *= 2) type++;
    return (quire_type)type;
}

bool little_endian(void) {
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

const char *type_descr(quire_type type) {
    static const char *const little[] = { "<f2", "|V2", "<f4", "<f8", "|f1", "|V1" };
    static const char *const big[] = { ">f2", "|V2", ">f4", ">f8", "|f1", "|V1" };
    if (type == QUIRE_INT64) return little_endian() ? "<i8" : ">i8";
    return (little_endian() ? little : big)[type - 1];
}

const char *element_name(const struct element *element) {
    for (size_t i = 0; i < COUNT(types); i++) {
        const struct element *one = &types[i].element;
        if (one->type == element->type && one->size == element->size && one->integer == element->integer &&
            one->is_signed == element->is_signed)
            return types[i].name;
    }
    return "opaque";
}

bool element_described(const char *descr, struct element *element) {
    const char order = *descr && strchr("<>=|", *descr) ? *descr++ : '=';
    if (!strcmp(descr, "b1")) descr = "u1"; /* NumPy writes False and True as bytes 0 and 1 */
    for (size_t i = 0; i < COUNT(types); i++) {
        if (strcmp(descr, types[i].numpy)) continue;
        *element = types[i].element;
        element->foreign = element->size > 1 && (order == '<' || order == '>') && (order == '<') != little_endian();
        if (*descr == 'V') element->type = 0;
        return order != '|' || element->size == 1 || *descr == 'V';
    }
    return false;
}

/* "u8" and "i8" are the bytes of the command line, not the 64 bits of NumPy, whose names of integers need their order.
 */
bool element_named(const char *name, struct element *element) {
    for (size_t i = 0; i < COUNT(types); i++) {
        bool found = !strcmp(name, types[i].name);
        for (size_t j = 0; j < COUNT(types[i].others) && types[i].others[j]; j++)
            found = found || !strcmp(name, types[i].others[j]);
        if (!found) continue;
        *element = types[i].element;
        return true;
    }
    const bool ordered = *name && strchr("<>=|", *name);
    return (ordered || *name == 'f') && element_described(name, element) && element->type;
}
