/* element.h - how numbers are stored in a file, and what that is called.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_ELEMENT_H
#define QUIRE_CLI_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>

#include <quire/quire.h>

struct element {
    int type; /* the quire_type that they are read as: integers as F64; 0: opaque bytes, which is how NumPy writes types
                 that others taught it */
    size_t size; /* bytes of one */
    bool integer;
    bool is_signed;
    bool foreign; /* they are in the other byte order */
};

/* How numbers of a type are stored in this machine. */
struct element element_of(quire_type type);

/* The type of integers as the library has them. */
quire_type element_integer(const struct element *element);

/* As the command line names it: "f32", "i64". */
const char *element_name(const struct element *element);

/* How NumPy writes the type in an .npy header of this machine: "<f4", "|V2"; of floats, and of QUIRE_INT64. */
const char *type_descr(quire_type type);

#define ELEMENT_NAMES "f16, bf16, f32, f64, e5m2, e4m3, i8, i16, i32, i64, u8, u16, u32 or u64"

/* A type as the command line names it: f32, float32, float, f4, <f4; i32, int32, >i4. False for a name that is none. */
bool element_named(const char *name, struct element *element);

/* A type as NumPy's descr has it, such as <f4; false for what is none of ours. */
bool element_described(const char *descr, struct element *element);

/* Whether the machine stores the last bits first. */
bool little_endian(void);

#endif
