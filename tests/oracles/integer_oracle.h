/* integer_oracle.h - what is true of integers: their sums in GMP, rounded once by MPFR. Nothing here comes from the
 * library but the names of types. */
#ifndef QUIRE_TESTS_INTEGER_ORACLE_H
#define QUIRE_TESTS_INTEGER_ORACLE_H

#include <gmp.h>
#include <stddef.h>
#include <stdint.h>

#include <quire/quire.h>

#define INTEGER_TYPES 8
extern const quire_type INTEGERS[INTEGER_TYPES];

size_t integer_size(quire_type type);
int integer_is_signed(quire_type type);

/* The least and the greatest, as 64 bits. */
uint64_t integer_least(quire_type type);
uint64_t integer_greatest(quire_type type);

void integer_put(quire_type type, void *x, size_t i, uint64_t value);

/* Ways to fill an array. */
typedef enum {
    INTEGERS_RANDOM,
    INTEGERS_GREATEST,
    INTEGERS_LEAST,
    INTEGERS_ZERO,
    INTEGERS_EXTREMES, /* the least, the greatest, 0, 1, and -1 or 2 */
    INTEGERS_CANCEL,   /* the sum is 0, of a signed type; else as random */
    INTEGERS_ONE,      /* zeros, and a 1 at the end */
    INTEGER_FAMILIES
} integer_family;
void integer_fill(integer_family family, quire_type type, void *x, size_t n);

/* The sums of what an operation adds up, under way. */
typedef struct {
    mpz_t sum, squares, a, b;
    mpz_t of_x, of_y, squares_y; /* beside squares, those of x */
    uint64_t n;
    int has_terms; /* one was not zero */
} integer_oracle;

void integer_oracle_open(integer_oracle *o);
void integer_oracle_close(integer_oracle *o);
void integer_oracle_reset(integer_oracle *o);
void integer_oracle_add(integer_oracle *o, quire_operation operation, quire_type type, const void *x, const void *y);

/* The bits of the one right result, of a floating-point format. */
uint64_t integer_oracle_bits(const integer_oracle *o, const quire_reduction *what);

/* Whether 16 bytes are the sum. */
int integer_oracle_is(const integer_oracle *o, const void *result);

/* All that there are for integers, and those that add up products of elements. */
#define INTEGER_OPERATION_COUNT 11
extern const quire_operation INTEGER_OPERATIONS[INTEGER_OPERATION_COUNT];
int integer_is_product(quire_operation operation);

/* Any result type, direction and correction that there are for it; an integer every second time it has one. */
quire_reduction integer_reduction(quire_type type, quire_operation operation);
size_t integer_result_size(quire_type result_type);

/* Fails the test unless a result is the oracle's. */
void integer_check(const integer_oracle *o, const quire_reduction *what, const void *result, const char *where);

#endif
