/* oracle_words.c - exact sums in integers: nothing here depends on how floating-point numbers are added or rounded. */
#include "oracle_words.h"

#include <math.h>
#include <string.h>

void words_open(words_sum *s) {
    memset(s, 0, sizeof *s);
    s->low = WORDS;
}

/* --------------------------------------------------------------------------------------------------------- addition */

void words_add(words_sum *s, bool negative, uint128 m, int e) {
    uint64_t *row = negative ? s->negative : s->positive;
    const int place = e - WORDS_LEAST, word = place / 64, shift = place % 64;
    const uint128 low = m << shift, high = shift ? m >> (128 - shift) : 0;
    uint128 sum = (uint128)row[word] + (uint64_t)low;
    int w = word + 1;
    row[word] = (uint64_t)sum;
    for (uint128 rest = (low >> 64) + (high << 64) + (sum >> 64); rest; rest = (rest >> 64) + (sum >> 64)) {
        sum = (uint128)row[w] + (uint64_t)rest;
        row[w++] = (uint64_t)sum;
    }
    if (word < s->low) s->low = word;
    if (w > s->high) s->high = w;
}

/* A number taken apart: m * 2^e, or no finite number. */
typedef struct parts {
    uint64_t m;
    int e;
    bool negative, infinite, nan;
} parts;

static inline parts take_apart(const number_format *f, uint64_t bits) {
    const int width = f->precision - 1;
    const uint64_t sign = (uint64_t)1 << (8 * f->size - 1), magnitude = bits & (sign - 1);
    const int field = (int)(magnitude >> width);
    parts p = { magnitude & (((uint64_t)1 << width) - 1), f->least, (bits & sign) != 0, false, false };
    if (field) {
        p.m |= (uint64_t)1 << width;
        p.e += field - 1;
    }
    if (f->infinity) {
        p.infinite = magnitude == f->infinity;
        p.nan = magnitude > f->infinity;
    } else {
        p.nan = magnitude == sign - 1;
    }
    return p;
}

void words_add_double(words_sum *s, double value) {
    const parts p = take_apart(type_format(QUIRE_F64), double_bits(value));
    if (p.m) words_add(s, p.negative, p.m, p.e);
}

/* Terms that are not finite, and what they were. */
static void note(words_sum *s, const parts *p) {
    s->other = s->nonzero = true;
    if (p->nan)
        s->nan = true;
    else
        *(p->negative ? &s->negative_infinity : &s->positive_infinity) = true;
}

static inline void add_term(words_sum *s, const parts *p) {
    if (p->infinite || p->nan) {
        note(s, p);
        return;
    }
    s->other |= p->m != 0 || !p->negative;
    s->nonzero |= p->m != 0;
    if (p->m) words_add(s, p->negative, p->m, p->e);
}

static inline void add_product(words_sum *s, const parts *a, const parts *b) {
    parts p = { 0, 0, a->negative != b->negative, false, false };
    if (a->infinite || a->nan || b->infinite || b->nan) {
        const bool zero = (!a->infinite && !a->nan && !a->m) || (!b->infinite && !b->nan && !b->m);
        p.nan = a->nan || b->nan || zero;
        p.infinite = !p.nan;
        note(s, &p);
        return;
    }
    const uint128 m = (uint128)a->m * b->m;
    s->other |= m != 0 || !p.negative;
    s->nonzero |= m != 0;
    if (m) words_add(s, p.negative, m, a->e + b->e);
}

static inline uint64_t load(size_t size, const void *x, size_t i) {
    switch (size) {
    case 1: return ((const uint8_t *)x)[i];
    case 2: return ((const uint16_t *)x)[i];
    case 4: return ((const uint32_t *)x)[i];
    default: return ((const uint64_t *)x)[i];
    }
}

void words_add_terms(words_sum *s, operation op, quire_type type, size_t n, const void *x, const void *y) {
    const number_format *f = type_format(type);
    const bool products = operation_multiplies(op);
    for (size_t i = 0; i < n; i++) {
        parts a = take_apart(f, load(f->size, x, i));
        const parts b = op == OPERATION_DOT ? take_apart(f, load(f->size, y, i)) : a;
        if (op == OPERATION_ASUM) a.negative = false;
        if (products)
            add_product(s, &a, &b);
        else
            add_term(s, &a);
    }
}

/* -------------------------------------------------------------------------------------------------------- the total */

/* A finite total that is not 0: (-1)^negative * (top + t) * 2^exponent, top's highest bit set, t in (0, 1) if sticky.
 */
typedef struct total {
    uint128 top;
    int exponent;
    bool negative, sticky;
} total;

/* The rows' difference takes the place of the positive row. Answers whether it is negative; its magnitude is there
 * then. */
static bool subtract(words_sum *s) {
    uint64_t borrow = 0;
    int top = s->high - 1;
    while (top >= s->low && s->positive[top] == s->negative[top]) top--;
    const bool negative = top >= s->low && s->positive[top] < s->negative[top];
    for (int w = s->low; w < s->high; w++) {
        const uint64_t a = negative ? s->negative[w] : s->positive[w], b = negative ? s->positive[w] : s->negative[w];
        const uint128 difference = (uint128)a - b - borrow;
        s->positive[w] = (uint64_t)difference;
        borrow = (uint64_t)(difference >> 64) & 1;
    }
    return negative;
}

static uint64_t word_at(const words_sum *s, int w) { return w < s->low ? 0 : s->positive[w]; }

/* Answers false if the total is 0. The sum is empty afterwards. */
static bool take_total(words_sum *s, total *t) {
    *t = (total){ .negative = subtract(s) };
    int w = s->high - 1, shift = 0;
    while (w >= s->low && !s->positive[w]) w--;
    const bool any = w >= s->low;
    if (any) {
        const uint64_t third = word_at(s, w - 2);
        while (!(s->positive[w] << shift >> 63)) shift++;
        t->top = (uint128)s->positive[w] << 64 | word_at(s, w - 1);
        t->top = shift ? t->top << shift | third >> (64 - shift) : t->top;
        t->exponent = 64 * (w - 1) - shift + WORDS_LEAST;
        t->sticky = third << shift != 0;
        for (int i = s->low; i < w - 2; i++) t->sticky |= s->positive[i] != 0;
    }
    for (int i = s->low; i < s->high; i++) s->positive[i] = s->negative[i] = 0;
    s->low = WORDS;
    s->high = 0;
    return any;
}

/* The greatest integer whose square is not beyond t >= 2^126, by Newton's steps from above: they fall until they are
 * there. The first guess is a double's root, off by 2^12 at most in any rounding mode, and lifted above the true one.
 */
static uint64_t whole_root(uint128 t) {
    uint128 root, next = (uint128)sqrt((double)t) + 8192;
    do {
        root = next;
        next = (root + t / root) / 2;
    } while (next < root);
    return (uint64_t)root;
}

static unrounded root_of(const total *t) {
    uint128 square = t->top;
    int exponent = t->exponent;
    bool sticky = t->sticky;
    if (exponent % 2) {
        sticky |= square & 1;
        square >>= 1;
        exponent++;
    }
    const uint64_t root = whole_root(square);
    sticky |= (uint128)root * root != square;
    return (unrounded){ .sticky = sticky, .lead = root, .exponent = exponent / 2 + 63 };
}

/* The n-th part has 64 bits at least, since n is below 2^64. */
static unrounded part_of(const total *t, uint64_t n) {
    uint128 part = n == 1 ? t->top : t->top / n;
    int exponent = t->exponent + 127;
    bool sticky = t->sticky || part * n != t->top;
    while (!(part >> 127)) part <<= 1, exponent--;
    sticky |= (uint64_t)part != 0;
    return (
        unrounded){ .negative = t->negative, .sticky = sticky, .lead = (uint64_t)(part >> 64), .exponent = exponent };
}

unrounded words_finish(words_sum *s, operation op, size_t n) {
    total t;
    if (!take_total(s, &t)) return (unrounded){ .kind = UNROUNDED_ZERO, .cancelled = true };
    if (op == OPERATION_NRM2) return t.negative ? (unrounded){ .kind = UNROUNDED_NAN } : root_of(&t);
    return part_of(&t, op == OPERATION_MEAN ? n : 1);
}

/* ----------------------------------------------------------------------------------------------------- the contract */

static void forget(words_sum *s) {
    total unused;
    take_total(s, &unused);
    s->other = s->nonzero = s->nan = s->positive_infinity = s->negative_infinity = false;
}

unrounded words_reduce(words_sum *s, operation op, quire_type type, size_t n, const void *x, const void *y) {
    unrounded u = { .kind = UNROUNDED_NAN };
    words_add_terms(s, op, type, n, x, y);
    const bool infinite = s->positive_infinity || s->negative_infinity;
    if (s->nan || (s->positive_infinity && s->negative_infinity) || (op == OPERATION_MEAN && n == 0))
        u.kind = UNROUNDED_NAN;
    else if (infinite)
        u = (unrounded){ .kind = UNROUNDED_INFINITY, .negative = s->negative_infinity };
    else if (s->nonzero)
        u = words_finish(s, op, n);
    else
        u = (unrounded){ .kind = UNROUNDED_ZERO, .negative = n > 0 && !s->other };
    forget(s);
    return u;
}

/* ---------------------------------------------------------------------------------------------------------- moments */

/* A sum of elements is a multiple of 2^-1074, bit 50 of word 16: its square is one of 2^-2148. */
#define UNIT_WORDS 16
#define UNIT_BITS 50

/* The magnitude of a sum of elements in units of 2^-1074. Its digits from *low up to the end that it answers are not 0.
 */
static int in_units(words_sum *s, uint64_t to[WORDS], int *low) {
    subtract(s);
    const int end = s->high > UNIT_WORDS ? s->high - UNIT_WORDS : 0;
    *low = s->low > UNIT_WORDS ? s->low - UNIT_WORDS - 1 : 0;
    for (int i = *low; i < end; i++) {
        const int w = i + UNIT_WORDS;
        to[i] = s->positive[w] >> UNIT_BITS | (w + 1 < WORDS ? s->positive[w + 1] << (64 - UNIT_BITS) : 0);
    }
    return end;
}

/* d = n * squares - sum^2, in words from 2^-2148 up, which is never negative. Answers the end of its digits. */
static int spread_of(words_sum *sum, words_sum *squares, uint64_t n, uint64_t d[2 * WORDS]) {
    uint64_t s[WORDS], square[2 * WORDS] = { 0 }, borrow = 0;
    uint128 carry = 0;
    int low = 0;
    const int end = in_units(sum, s, &low), top = (squares->high > 2 * end ? squares->high : 2 * end) + 1;
    subtract(squares);
    for (int w = squares->low; w < WORDS && w <= squares->high; w++)
        d[w] = (uint64_t)(carry += (uint128)n * squares->positive[w]), carry >>= 64;
    for (int i = low; i < end; i++, carry = 0) {
        for (int k = low; k < end; k++) {
            carry += (uint128)s[i] * s[k] + square[i + k];
            square[i + k] = (uint64_t)carry;
            carry >>= 64;
        }
        square[i + end] = (uint64_t)carry;
    }
    for (int w = 0; w < top; w++) {
        const uint128 difference = (uint128)d[w] - square[w] - borrow;
        d[w] = (uint64_t)difference;
        borrow = (uint64_t)(difference >> 64) & 1;
    }
    return top;
}

/* The 128 leading bits of d / by, found bit by bit; by is below 2^127. Answers false if d is 0. */
static bool divide(const uint64_t *d, int end, uint128 by, total *t) {
    uint128 rest = 0;
    int bit = 64 * end;
    *t = (total){ .top = 0 };
    while (bit > 0 && !(d[(bit - 1) / 64] >> (bit - 1) % 64 & 1)) bit--;
    if (!bit) return false;
    while (!(t->top >> 127)) {
        bit--;
        rest = rest << 1 | (bit >= 0 ? d[bit / 64] >> bit % 64 & 1 : 0);
        const bool fits = rest >= by;
        rest -= fits ? by : 0;
        t->top = t->top << 1 | fits;
    }
    t->exponent = bit + WORDS_LEAST;
    t->sticky = rest != 0;
    for (int b = 0; b < bit && !t->sticky; b += 64)
        t->sticky = (bit - b < 64 ? d[b / 64] & (((uint64_t)1 << (bit - b)) - 1) : d[b / 64]) != 0;
    return true;
}

unrounded words_moment(words_sum *sum, words_sum *squares, operation op, quire_type type, size_t n, const void *x,
                       int64_t correction) {
    const bool positive = n > 0 && (correction < 0 || n > (uint64_t)correction);
    unrounded u = { .kind = UNROUNDED_NAN };
    uint64_t d[2 * WORDS] = { 0 };
    total t;
    words_add_terms(sum, OPERATION_SUM, type, n, x, NULL);
    words_add_terms(squares, OPERATION_SUMSQ, type, n, x, NULL);
    if (positive && !sum->nan && !sum->positive_infinity && !sum->negative_infinity) {
        const int end = spread_of(sum, squares, n, d);
        if (!divide(d, end, (uint128)n * ((uint64_t)n - (uint64_t)correction), &t))
            u = (unrounded){ .kind = UNROUNDED_ZERO };
        else
            u = op == OPERATION_STDDEV ? root_of(&t) : part_of(&t, 1);
    }
    forget(sum);
    forget(squares);
    return u;
}

/* --------------------------------------------------------------------------------------------------------- rounding */

/* Whether magnitudes grow in that direction. */
static bool leads_away(quire_rounding rounding, bool negative) {
    return rounding == (negative ? QUIRE_DOWNWARD : QUIRE_UPWARD);
}

static bool rounds_up(quire_rounding rounding, bool negative, uint64_t kept, bool half, bool rest) {
    if (rounding == QUIRE_TO_NEAREST) return half && (rest || kept & 1);
    return (half || rest) && leads_away(rounding, negative);
}

static uint64_t beyond(quire_type type, quire_rounding rounding, bool negative) {
    if (rounding == QUIRE_TO_NEAREST || leads_away(rounding, negative)) return type_beyond(type, negative);
    return type_greatest(type) | (negative ? type_sign(type) : 0);
}

/* The last bit kept is worth 2^(exponent + 1 - precision), or 2^least if that is more. */
static uint64_t round_number(const unrounded *u, quire_type type, quire_rounding rounding) {
    const number_format *f = type_format(type);
    const int normal = u->exponent + f->bias - 1; /* below 0: subnormal */
    const int cut = 64 - f->precision - (normal < 0 ? normal : 0);
    const uint64_t kept = cut < 64 ? u->lead >> cut : 0;
    const bool half = cut <= 64 && u->lead >> (cut - 1) & 1;
    const bool rest = u->sticky || cut > 64 || (u->lead & (((uint64_t)1 << (cut - 1)) - 1)) != 0;
    if (u->exponent > f->greatest) return beyond(type, rounding, u->negative);
    /* the hidden bit of a normal number adds one to the field of the exponent, and so does a carry */
    const uint64_t bits = kept + (normal > 0 ? (uint64_t)normal << (f->precision - 1) : 0) +
                          rounds_up(rounding, u->negative, kept, half, rest);
    if (bits > type_greatest(type)) return beyond(type, rounding, u->negative);
    return bits | (u->negative ? type_sign(type) : 0);
}

uint64_t unrounded_bits(const unrounded *u, quire_type type, quire_rounding rounding) {
    switch (u->kind) {
    case UNROUNDED_NAN: return type_nan(type);
    case UNROUNDED_INFINITY: return type_beyond(type, u->negative);
    case UNROUNDED_ZERO: return (u->cancelled ? rounding == QUIRE_DOWNWARD : u->negative) ? type_sign(type) : 0;
    default: return round_number(u, type, rounding);
    }
}
