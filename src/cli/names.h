/* names.h - what the command line can name: operations, methods, roundings, types, tiers.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_NAMES_H
#define QUIRE_CLI_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include <quire/quire.h>

/* The methods in the order in which --method all tries them. */
#define METHODS 4
extern const quire_method every_method[METHODS];

#define TIERS 4
extern const quire_tier every_tier[TIERS];

/* How numbers are stored in a file. */
struct element {
    int type;    /* the quire_type that they are read as: integers as F64; 0: opaque bytes, which is how NumPy writes types
                    that others taught it                                                                                */
    size_t size; /* bytes of one                                                                                         */
    bool integer;
    bool is_signed;
    bool foreign; /* they are in the other byte order                                                                     */
};

const char *method_name(quire_method method);
const char *operation_name(quire_operation operation);
const char *rounding_name(quire_rounding rounding);
const char *type_name(quire_type type);
size_t type_size(quire_type type);

/* As the command line names it: "f32", "i64". */
const char *element_name(const struct element *element);

/* How NumPy writes the type in an .npy header of this machine: "<f4", "|V2". */
const char *type_descr(quire_type type);

/* The number a name stands for; -1 for a name that stands for none. */
int method_named(const char *name);
int operation_named(const char *name);
int rounding_named(const char *name);
int tier_named(const char *name);

/* A type as the command line names it: f32, float32, float, f4, <f4; i32, int32, >i4. False for a name that is none. */
bool element_named(const char *name, struct element *element);

/* A type as NumPy's descr has it, such as <f4; false for what is none of ours. */
bool element_described(const char *descr, struct element *element);

/* Whether the machine stores the last bits first. */
bool little_endian(void);

#endif
