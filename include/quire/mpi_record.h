/* quire/mpi_record.h - the compact form in which mpi.h sends an exact sum: 56 bytes where an accumulator has 1120.
 *
 * An accumulator spans 4320 bits, for any doubles at all; of a sum of ordinary numbers a few hundred of them differ
 * from the sign. A record holds a window of 384 bits and says where it lies, so that two records with different windows
 * can be added. If the windows of all ranks together reach over more than 384 bits the merged record says so ("wide"),
 * and its sum must be had in another way. Whether that happens depends on the least and the greatest end of the windows
 * alone: not on the order of merging. So merging is associative and commutative in every bit, and all ranks come to the
 * same record.
 *
 * Of 384 bits at least 289 are there for the numbers, wherever they lie: the window begins at a multiple of 64, and its
 * last limb has the sign. With 2^30 terms on a rank that is enough for sums of any format but double, and of doubles
 * that lie at most 206 binades apart; for products of halves and of the 8-bit formats, of bfloat16 at most 122 binades
 * apart, of floats 106, of doubles 77. (Elements e binades apart with significands of p bits have products that reach
 * over 2 e + 2 p bits, and 2^30 of them over 30 more. Their last bit has an even exponent, so that 290 bits are there.)
 *
 * This header is part of mpi.h, and may change with it: a record is not a format to be stored.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_MPI_RECORD_H
#define QUIRE_MPI_RECORD_H

#include <string.h>

#include <quire/quire.h>

#define QUIRE_RECORD_WORDS 6

/* Goes up with every change of what ranks send each other: records, calls, and accumulators (whose layout changes with
 * QUIRE_API_VERSION alone). All ranks must have the same, or get QUIRE_RANKS_DIFFER. */
#define QUIRE_RECORD_VERSION 0

/* The head has two bytes that merging takes the greatest of, and flags that it or-s. With the window at bit 64 l of
 * the accumulator, the low byte is 255 - l, and the high byte 1 + the number of its last 64 bits, sign and headroom
 * included; both are 0 if it is empty. */
#define QUIRE_RECORD_LOW(head) ((int)((head)&0xff))
#define QUIRE_RECORD_HIGH(head) ((int)((head) >> 8 & 0xff))
#define QUIRE_RECORD_NAN ((uint64_t)1 << 32)
#define QUIRE_RECORD_POSITIVE_INFINITY ((uint64_t)1 << 33)
#define QUIRE_RECORD_NEGATIVE_INFINITY ((uint64_t)1 << 34)
#define QUIRE_RECORD_OTHER ((uint64_t)1 << 35)   /* the word "other" is not 0 */
#define QUIRE_RECORD_NONZERO ((uint64_t)1 << 36) /* and 2^32 - 1 or more */
#define QUIRE_RECORD_WIDE ((uint64_t)1 << 37)
#define QUIRE_RECORD_FLAGS ((uint64_t)0x3f << 32)
#define QUIRE_RECORD_CALL ((uint64_t)1 << 38) /* no sum: what a rank says of its call, see below */

typedef struct quire_record {
    uint64_t head;
    uint64_t word[QUIRE_RECORD_WORDS]; /* two's complement, the least first */
} quire_record;

static inline uint64_t quire_record_window(int low, int high) {
    const uint64_t wide = high - low >= QUIRE_RECORD_WORDS ? QUIRE_RECORD_WIDE : 0;
    return (uint64_t)(255 - low) | (uint64_t)(high + 1) << 8 | wide;
}

/* A carried accumulator, of terms that a rank added: limb 134 is 0 or -1 then. The window ends with the limb above the
 * leading one. That has the sign, and room for the sums of 2^31 ranks. */
static inline quire_record quire_record_of(const quire_accumulator *a) {
    const uint32_t sign = a->limb[QUIRE_ACCUMULATOR_LIMBS - 1] < 0 ? 0xffffffff : 0;
    int first = 0, last = QUIRE_ACCUMULATOR_LIMBS - 1;
    quire_record r = { 0, { 0, 0, 0, 0, 0, 0 } };
    while (first < QUIRE_ACCUMULATOR_LIMBS && !a->limb[first]) first++;
    if (first < QUIRE_ACCUMULATOR_LIMBS) {
        while (last >= first && (uint32_t)a->limb[last] == sign) last--;
        r.head = quire_record_window(first / 2, (last + 1) / 2);
        for (int i = 0; i < 2 * QUIRE_RECORD_WORDS; i++) {
            const int place = first / 2 * 2 + i;
            r.word[i / 2] |= (uint64_t)(place <= last ? (uint32_t)a->limb[place] : sign) << 32 * (i % 2);
        }
    }
    if (a->nan) r.head |= QUIRE_RECORD_NAN;
    if (a->positive_infinity) r.head |= QUIRE_RECORD_POSITIVE_INFINITY;
    if (a->negative_infinity) r.head |= QUIRE_RECORD_NEGATIVE_INFINITY;
    if (a->other) r.head |= QUIRE_RECORD_OTHER;
    if (a->other > 1) r.head |= QUIRE_RECORD_NONZERO;
    return r;
}

/* One double, without an accumulator: a whole number m below 2^53, at bit `place` of the accumulator. The window is
 * that of quire_record_of, but may end 64 bits later for a negative power of two. */
static inline quire_record quire_record_of_double(const void *x) {
    quire_record r = { 0, { 0, 0, 0, 0, 0, 0 } };
    uint64_t bits, m;
    memcpy(&bits, x, sizeof bits);
    const int exponent = (int)(bits >> 52 & 0x7ff), negative = bits >> 63 != 0;
    m = (bits & 0xfffffffffffff) | (uint64_t)(exponent != 0) << 52;
    if (bits != (uint64_t)1 << 63) r.head |= QUIRE_RECORD_OTHER; /* not -0 */
    if (m) r.head |= QUIRE_RECORD_NONZERO;
    if (exponent == 0x7ff) {
        r.head |= bits << 12 ? QUIRE_RECORD_NAN
                  : negative ? QUIRE_RECORD_NEGATIVE_INFINITY
                             : QUIRE_RECORD_POSITIVE_INFINITY;
        return r;
    }
    if (!m) return r;
    int place = (exponent ? exponent : 1) - 1075 + 2148;
    for (int zeros = 32; zeros; zeros /= 2)
        if (!(m & (((uint64_t)1 << zeros) - 1))) m >>= zeros, place += zeros;
    r.word[0] = m << place % 64;
    r.word[1] = place % 64 ? m >> (64 - place % 64) : 0;
    const int more =
        r.word[1] >> 32 ? 2 : r.word[1] || r.word[0] >> 32; /* words until the limb above the leading one */
    r.head |= quire_record_window(place / 64, place / 64 + more);
    if (negative) {
        r.word[0] = 0 - r.word[0];
        r.word[1] = ~r.word[1] + !r.word[0];
        for (int i = 2; i < QUIRE_RECORD_WORDS; i++) r.word[i] = ~(uint64_t)0;
    }
    return r;
}

/* What a rank says of its call, in the place of a record: its number of terms, its status, and what must be the same on
 * all ranks: how many vectors there are, what is computed of them, and the correction. Merging adds the terms up, and
 * takes the greatest of all else. A number is the same on all ranks if its greatest, and the greatest of its
 * complement, are complements: so a number stands there twice. */
enum { QUIRE_CALL_TERMS, QUIRE_CALL_STATUS, QUIRE_CALL_WHAT, QUIRE_CALL_CORRECTION = QUIRE_CALL_WHAT + 2 };

static inline void quire_record_say(quire_record *call, int word, uint64_t number) {
    call->word[word] = number;
    call->word[word + 1] = ~number;
}

/* Whether an operation needs the sum of the squares, too; it alone reads the correction. */
static inline int quire_record_has_squares(const quire_reduction *what) {
    return what->operation == QUIRE_VARIANCE || what->operation == QUIRE_STDDEV;
}

/* Whether an operation needs the sums of two arrays beside that of their products: records have no place for them. */
static inline int quire_record_has_pair_sums(const quire_reduction *what) {
    return what->operation == QUIRE_AVERAGE || what->operation == QUIRE_COVARIANCE ||
           what->operation == QUIRE_CORRELATION;
}

/* What is computed, as one number. vectors are fewer than 2^48: more results than memory holds. All bits of another
 * version's number differ at random (by the golden ratio's digits), so that no two calls are taken for the same. */
static inline uint64_t quire_record_what(uint64_t version, uint64_t vectors, const quire_reduction *what) {
    const uint64_t operation = what->operation ? what->operation : QUIRE_SUM;
    const uint64_t result_type = what->result_type ? what->result_type : what->type;
    return (vectors << 16 | (uint64_t)what->rounding << 12 | operation << 8 | result_type << 4 | what->type) ^
           version * 0x9e3779b97f4a7c15;
}

static inline quire_record quire_record_of_call(quire_status status, uint64_t terms, uint64_t vectors,
                                                const quire_reduction *what) {
    quire_record call = { QUIRE_RECORD_CALL, { 0, 0, 0, 0, 0, 0 } };
    call.word[QUIRE_CALL_TERMS] = terms;
    call.word[QUIRE_CALL_STATUS] = (uint64_t)status;
    quire_record_say(&call, QUIRE_CALL_WHAT, quire_record_what(QUIRE_RECORD_VERSION, vectors, what));
    quire_record_say(&call, QUIRE_CALL_CORRECTION, quire_record_has_squares(what) ? (uint64_t)what->correction : 0);
    return call;
}

static inline void quire_record_merge_calls(quire_record *into, const quire_record *from) {
    into->word[QUIRE_CALL_TERMS] += from->word[QUIRE_CALL_TERMS];
    for (int i = QUIRE_CALL_STATUS; i < QUIRE_RECORD_WORDS; i++)
        if (into->word[i] < from->word[i]) into->word[i] = from->word[i];
}

/* What all ranks together say: the greatest status; else whether they agree. */
static inline quire_status quire_record_status(const quire_record *call) {
    if (call->word[QUIRE_CALL_STATUS]) return (quire_status)call->word[QUIRE_CALL_STATUS];
    for (int i = QUIRE_CALL_WHAT; i < QUIRE_RECORD_WORDS; i += 2)
        if (call->word[i] != ~call->word[i + 1]) return QUIRE_RANKS_DIFFER;
    return QUIRE_OK;
}

/* Has a record's window begin lower by a number of words; what reaches beyond it is lost. */
static inline void quire_record_lower(quire_record *r, int words) {
    for (int i = QUIRE_RECORD_WORDS; i-- > 0;) r->word[i] = i < words ? 0 : r->word[i - words];
    r->head += (uint64_t)words;
}

/* Adds from, shifted up by a number of words. */
static inline void quire_record_add(uint64_t *into, const uint64_t *from, int shift) {
    uint64_t carry = 0;
    for (int i = shift; i < QUIRE_RECORD_WORDS; i++) {
        const uint64_t x = into[i], sum = x + from[i - shift];
        into[i] = sum + carry;
        carry = (sum < x) | (sum + carry < sum);
    }
}

/* Adds a record to another. */
static inline void quire_record_merge(quire_record *into, const quire_record *from) {
    if (into->head & QUIRE_RECORD_CALL) {
        quire_record_merge_calls(into, from);
        return;
    }
    const int lower = QUIRE_RECORD_LOW(from->head) - QUIRE_RECORD_LOW(into->head);
    if (lower > 0) quire_record_lower(into, lower);
    if (lower < 0)
        quire_record_add(into->word, from->word, -lower);
    else
        quire_record_add(into->word, from->word, 0); /* mostly: and unrolled */
    const uint64_t high = (into->head & 0xff00) > (from->head & 0xff00) ? into->head & 0xff00 : from->head & 0xff00;
    const uint64_t low = into->head & 0xff;
    into->head = low | high | ((into->head | from->head) & QUIRE_RECORD_FLAGS);
    if ((int)(high >> 8) - 1 - (255 - (int)low) >= QUIRE_RECORD_WORDS) into->head |= QUIRE_RECORD_WIDE;
}

/* Makes an accumulator that is zero one with a record's value, which must not be wide, and a count of terms; not
 * carried. */
static inline void quire_record_to(const quire_record *r, uint64_t count, quire_accumulator *a) {
    const int place = 2 * (255 - QUIRE_RECORD_LOW(r->head));
    for (int i = 0; QUIRE_RECORD_LOW(r->head) && i < 2 * QUIRE_RECORD_WORDS && place + i < QUIRE_ACCUMULATOR_LIMBS;
         i++) {
        const uint32_t digit = (uint32_t)(r->word[i / 2] >> 32 * (i % 2));
        const int top = i == 2 * QUIRE_RECORD_WORDS - 1 || place + i == QUIRE_ACCUMULATOR_LIMBS - 1;
        a->limb[place + i] = (int64_t)digit - (top && digit >> 31 ? (int64_t)1 << 32 : 0);
    }
    a->count = (int64_t)count;
    a->other = r->head & QUIRE_RECORD_NONZERO ? ((int64_t)1 << 32) - 1 : (r->head & QUIRE_RECORD_OTHER) != 0;
    a->nan = (r->head & QUIRE_RECORD_NAN) != 0;
    a->positive_infinity = (r->head & QUIRE_RECORD_POSITIVE_INFINITY) != 0;
    a->negative_infinity = (r->head & QUIRE_RECORD_NEGATIVE_INFINITY) != 0;
}

/* Makes the limbs zero again: 12 in place of an accumulator's 135. */
static inline void quire_record_undo(const quire_record *r, quire_accumulator *a) {
    const int place = 2 * (255 - QUIRE_RECORD_LOW(r->head));
    for (int i = 0; i < 2 * QUIRE_RECORD_WORDS && place + i < QUIRE_ACCUMULATOR_LIMBS; i++) a->limb[place + i] = 0;
}

#endif
