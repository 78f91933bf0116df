/* accumulators.c - accumulators in a file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "accumulators.h"

#include <stdint.h>
#include <string.h>

#define TERMS 3
#define FOR_TWO 8 /* flags beside the terms */
#define OF_INTEGERS 16
#define TYPES 6
#define OPERATIONS 8
#define LIMB ((int64_t)1 << 32)
#define TOP ((int64_t)1 << 31) /* the last limb of 2^64 terms is 0 or -1; merging 2^31 of these does not overflow */

/* The checksum of zip, gzip and PNG: ISO 3309, ITU-T V.42, the polynomial 0xedb88320, bit by bit. */
static uint32_t checksum(const unsigned char *bytes, size_t length) {
    uint32_t sum = UINT32_MAX;
    for (size_t i = 0; i < length; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
    }
    return ~sum;
}

static void put(unsigned char *at, uint64_t number, int bytes) {
    for (int i = 0; i < bytes; i++) at[i] = (unsigned char)(number >> 8 * i);
}

static uint64_t take(const unsigned char *at, int bytes) {
    uint64_t number = 0;
    while (bytes-- > 0) number = number << 8 | at[bytes];
    return number;
}

static int64_t take_word(const unsigned char *at) {
    const uint64_t bits = take(at, 8);
    int64_t word;
    memcpy(&word, &bits, sizeof word);
    return word;
}

size_t accumulators_encode(const struct accumulators *accumulators, unsigned char bytes[ACCUMULATORS_MOST]) {
    size_t at = ACCUMULATORS_HEAD;
    memcpy(bytes, ACCUMULATORS_MAGIC, ACCUMULATORS_MAGIC_SIZE);
    put(bytes + 8, ACCUMULATORS_VERSION, 4);
    put(bytes + 12,
        (uint64_t)(accumulators->terms | (accumulators->products_of_two ? FOR_TWO : 0) |
                   (accumulators->integers ? OF_INTEGERS : 0)),
        4);
    put(bytes + 16, (uint64_t)accumulators->type, 4);
    put(bytes + 20, (uint64_t)accumulators->operation, 4);
    for (int i = 0; i < TERMS; i++) {
        int64_t words[QUIRE_ACCUMULATOR_WORDS];
        if (!(accumulators->terms & 1 << i)) continue;
        memcpy(words, &accumulators->sum[i], sizeof words);
        for (int k = 0; k < QUIRE_ACCUMULATOR_WORDS; k++, at += 8) put(bytes + at, (uint64_t)words[k], 8);
    }
    put(bytes + at, checksum(bytes, at), 4);
    return at + 4;
}

/* Whether an accumulator is as quire_carry leaves one. */
static bool is_carried(const quire_accumulator *sum) {
    for (int i = 0; i + 1 < QUIRE_ACCUMULATOR_LIMBS; i++)
        if (sum->limb[i] < 0 || sum->limb[i] >= LIMB) return false;
    const int64_t last = sum->limb[QUIRE_ACCUMULATOR_LIMBS - 1];
    const int64_t flags = sum->nan | sum->positive_infinity | sum->negative_infinity;
    return last > -TOP && last < TOP && (flags == 0 || flags == 1) &&
           (sum->other == 0 || sum->other == 1 || sum->other == LIMB - 1);
}

static const char *read_head(struct accumulators *accumulators, const unsigned char *bytes, size_t length) {
    if (length < ACCUMULATORS_MAGIC_SIZE || memcmp(bytes, ACCUMULATORS_MAGIC, ACCUMULATORS_MAGIC_SIZE))
        return "not a file of accumulators (quire accumulate writes them)";
    if (length < ACCUMULATORS_HEAD) return "truncated";
    if (take(bytes + 8, 4) != ACCUMULATORS_VERSION) return "accumulators of another version of the format";
    const uint64_t terms = take(bytes + 12, 4), type = take(bytes + 16, 4), operation = take(bytes + 20, 4);
    const bool two = terms & FOR_TWO;
    if (!(terms & 7) || terms > 31 || (two && (terms & 7) != 4)) return "damaged: its sums are of an unknown kind";
    if (type < 1 || type > TYPES) return "damaged: its type is unknown";
    if (operation < 1 || operation > OPERATIONS) return "damaged: its operation is unknown";
    accumulators->terms = (int)(terms & 7);
    accumulators->products_of_two = two;
    accumulators->integers = terms & OF_INTEGERS;
    accumulators->type = (quire_type)type;
    accumulators->operation = (quire_operation)operation;
    return NULL;
}

const char *accumulators_decode(struct accumulators *accumulators, const unsigned char *bytes, size_t length) {
    memset(accumulators, 0, sizeof *accumulators);
    const char *problem = read_head(accumulators, bytes, length);
    if (problem) return problem;
    size_t expected = ACCUMULATORS_HEAD + 4;
    for (int i = 0; i < TERMS; i++)
        if (accumulators->terms & 1 << i) expected += 8 * QUIRE_ACCUMULATOR_WORDS;
    if (length < expected) return "truncated";
    if (length > expected) return "trailing garbage behind the accumulators";
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION /* a fuzzer would never come past it */
    if (take(bytes + length - 4, 4) != checksum(bytes, length - 4)) return "damaged: the checksum is wrong";
#endif
    size_t at = ACCUMULATORS_HEAD;
    int64_t count = 0;
    for (int i = 0; i < TERMS; i++) {
        int64_t words[QUIRE_ACCUMULATOR_WORDS];
        if (!(accumulators->terms & 1 << i)) continue;
        for (int k = 0; k < QUIRE_ACCUMULATOR_WORDS; k++, at += 8) words[k] = take_word(bytes + at);
        memcpy(&accumulators->sum[i], words, sizeof words);
        if (!is_carried(&accumulators->sum[i])) return "damaged: a limb or a counter is not carried";
        if (at > ACCUMULATORS_HEAD + sizeof words && accumulators->sum[i].count != count)
            return "damaged: the sums are of different numbers of elements";
        count = accumulators->sum[i].count;
    }
    return NULL;
}
