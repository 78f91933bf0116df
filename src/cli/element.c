/* element.c - how numbers are stored in a file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "element.h"

#include <stdint.h>
#include <string.h>

/* The first name is the one that is printed. NumPy's own name (of ml_dtypes for the 8-bit ones) may have a byte order. */
static const struct {
    const char *name, *numpy, *others[6];
    struct element element;
} types[] = {
    { "f16", "f2", { "float16", "half", "fp16", "binary16" }, { QUIRE_F16, 2, false, true, false } },
    { "bf16", "V2", { "bfloat16", "bfloat" }, { QUIRE_BF16, 2, false, true, false } },
    { "f32", "f4", { "float32", "float", "single", "fp32", "binary32" }, { QUIRE_F32, 4, false, true, false } },
    { "f64", "f8", { "float64", "double", "fp64", "binary64" }, { QUIRE_F64, 8, false, true, false } },
    { "e5m2", "f1", { "float8_e5m2", "fp8_e5m2" }, { QUIRE_E5M2, 1, false, true, false } },
    { "e4m3", "V1", { "float8_e4m3fn", "e4m3fn", "fp8_e4m3" }, { QUIRE_E4M3, 1, false, true, false } },
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

/* The six floats stand first, in the order of their numbers. */
struct element element_of(quire_type type) {
    return types[type - 1].element;
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
    for (size_t i = 0; i < COUNT(types); i++) {
        if (strcmp(descr, types[i].numpy)) continue;
        *element = types[i].element;
        element->foreign = element->size > 1 && (order == '<' || order == '>') && (order == '<') != little_endian();
        if (*descr == 'V') element->type = 0;
        return order != '|' || element->size == 1 || *descr == 'V';
    }
    return false;
}

/* "u8" and "i8" are the bytes of the command line, not the 64 bits of NumPy, whose names of integers need their order. */
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
