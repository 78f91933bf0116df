/* running.c - see running.h.
 *
 * As long as the state of floats is exact it is all that is known of the elements before a block: limbs, where a block
 * needs them, begin with it. From where it is not, limbs take every element, until they fit a state again. So no
 * element is read again once results are stored, which may stand in the place of elements.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/running.h"

/* ----------------------------------------------------------------------------------------------------------- floats */

static void floats_begin(running_floats *r) {
    r->state = (scan_state){ -0.0, 0, 0, 0, ~(uint64_t)0 };
    r->is_held = 0, r->last = 0, r->count = 0;
}

/* A block's elements, as doubles, and the ends of their running sums. */
typedef struct {
    double value[RUNNING_BLOCK];
    many_ends ends;
} float_block;

static int is_exact(const scan_state *s) {
    return s->off == 0 && double_is_finite(s->sum) && double_is_finite(s->lost);
}

/* ------------------------------------------------------------------------------------------------------ their limbs */

static void limbs_take(running_floats *r, double value) {
    accumulator_note(&r->limbs, value);
    if (double_is_finite(value)) limbs_add_double(r->limbs.limb, value);
    accumulator_count(&r->limbs, 1);
    if (++r->since_carry <= CARRY_ELEMENTS) return;
    limbs_carry(r->limbs.limb);
    r->since_carry = 0;
}

/* Limbs begin with an exact state. */
static void limbs_begin(running_floats *r) {
    const scan_state *s = &r->state;
    memset(&r->limbs, 0, sizeof r->limbs);
    limbs_add_double(r->limbs.limb, s->sum);
    limbs_add_double(r->limbs.limb, s->lost);
    accumulator_count(&r->limbs, r->count);
    if (r->count) r->limbs.other = s->magnitudes ? OTHER_NONZERO : !(s->signs >> 63);
    r->since_carry = 2;
    r->is_held = 1;
}

static int is_special(const quire_accumulator *a) { return a->nan || a->positive_infinity || a->negative_infinity; }

/* Adds a block's elements to limbs, which settle the results that are open, a bit for each. */
static void settle_block(running_floats *r, const double *value, size_t n, uint64_t open, const running_work *w,
                         char *results) {
    if (!r->is_held) limbs_begin(r);
    for (size_t k = 0; k < n; k++) {
        limbs_take(r, value[k]);
        if (!(open >> k & 1)) continue;
        const quire_total total =
            is_special(&r->limbs) ? accumulator_total_of(&r->limbs, total_zero(0)) : accumulator_total(&r->limbs);
        format_store(total_round(total, w->format, w->job->rounding), w->format.size,
                     results + k * (size_t)w->format.size);
    }
}

/* A state of what limbs hold; exact, if two doubles can be. Of what is not finite, or no double, the sum is infinite,
 * and all that follows is open. */
static void state_of_limbs(running_floats *r) {
    const format_description f64 = describe_format(QUIRE_F64);
    quire_accumulator left = r->limbs;
    scan_state *s = &r->state;
    if (is_special(&left)) return;
    s->sum = double_of_bits(total_round(accumulator_total(&left), f64, QUIRE_TO_NEAREST));
    s->lost = s->off = 0;
    if (!double_is_finite(s->sum)) return;
    limbs_add_double(left.limb, -s->sum);
    s->lost = double_of_bits(total_round(limbs_total(left.limb), f64, QUIRE_TO_NEAREST));
    limbs_add_double(left.limb, -s->lost);
    quire_total off = limbs_total(left.limb);
    off.negative = 0;
    s->off = double_of_bits(total_round(off, f64, QUIRE_UPWARD));
    r->is_held = s->off != 0;
}

static void floats_resume(running_floats *r, const quire_accumulator *from, const running_work *w) {
    floats_begin(r);
    r->limbs = *from, r->count = (size_t)from->count;
    r->is_held = 1, r->since_carry = 0;
    if (!r->count) return;
    r->state.magnitudes = from->other >= OTHER_NONZERO, r->state.signs = from->other ? 0 : ~(uint64_t)0;
    if (is_special(from)) r->state.sum = NAN; /* which leaves all that follows to limbs */
    state_of_limbs(r);
    format_store(total_round(accumulator_total(from), w->format, w->job->rounding), w->format.size, &r->last);
}

/* The results of a block, behind that before it. */
static void add_floats(running_floats *r, float_block *b, size_t n, const running_work *w, char *room) {
    const size_t size = (size_t)w->format.size;
    char *results = room + size;
    scan_state after = r->state;
    w->tier->scan->ends(&after, b->value, n, &b->ends);
    const uint64_t open = ends_results(w->tier, ENDS_ALONE, &b->ends, NULL, n, w->job, w->format, results);
    const int by_limbs = r->is_held || open || !is_exact(&after);
    if (by_limbs) settle_block(r, b->value, n, open, w, results);
    r->state = after;
    if (by_limbs) state_of_limbs(r);
    r->count += n;
    memcpy(room, &r->last, size);
    memcpy(&r->last, room + n * size, size);
}

static const char *floats_block(running_floats *r, const running_work *w, const char *x, ptrdiff_t stride, size_t n,
                                char *room) {
    float_block b;
    w->tier->scan->values[w->job->type](b.value, x, stride, n);
    if (w->job->term == TERM_MAGNITUDE)
        for (size_t k = 0; k < n; k++) b.value[k] = abs_f64(b.value[k]);
    add_floats(r, &b, n, w, room);
    return w->kind == QUIRE_EXCLUSIVE ? room : room + w->format.size;
}

/* --------------------------------------------------------------------------------------------------------- integers */

/* A block's elements, as 64 bits each; and the sums before each of them, and behind the last. */
typedef struct {
    uint64_t value[RUNNING_BLOCK];
    running_integers sum[RUNNING_BLOCK + 1];
} integer_block;

static void integers_resume(running_integers *r, const quire_accumulator *from) {
    integer_sum s;
    integer_of_limbs(from->limb, &s); /* which holds one, of 128 bits */
    *r = (running_integers){ s.word[0], s.word[1], from->other >= OTHER_NONZERO };
}

/* Those that have a sign keep it. */
static void load_integers(quire_type type, const char *x, ptrdiff_t stride, size_t n, uint64_t *value) {
#define LOAD(name, number, element, is_signed, unused)                                                                 \
    case number:                                                                                                       \
        for (size_t k = 0; k < n; k++) {                                                                               \
            element e;                                                                                                 \
            memcpy(&e, x + (ptrdiff_t)k * stride, sizeof e);                                                           \
            value[k] = (uint64_t)(int64_t)e;                                                                           \
        }                                                                                                              \
        break;
    switch ((int)type) { QUIRE_INTEGERS(LOAD, ) }
#undef LOAD
}

static void add_integers(running_integers *r, const quire_job *job, integer_block *b, size_t n) {
    const uint64_t has_sign = job->type == QUIRE_UINT64 ? 0 : ~(uint64_t)0; /* shorter ones have none in 64 bits */
    const uint64_t is_magnitude = job->term == TERM_MAGNITUDE ? ~(uint64_t)0 : 0;
    running_integers now = *r;
    for (size_t k = 0; k < n; k++) {
        const uint64_t value = b->value[k], sign = (0 - (value >> 63)) & has_sign, turns = sign & is_magnitude;
        const uint64_t term = (value ^ turns) - turns;
        b->sum[k] = now;
        now.low += term;
        now.high += (sign & ~turns) + (now.low < term);
        now.seen |= term;
    }
    b->sum[n] = *r = now;
}

/* Doubles that hold the sum are the result in any direction. */
static int is_a_double(const running_integers *r) {
    return (r->low | r->high) && r->high + ((r->low + ((uint64_t)1 << 53)) < r->low) == 0 &&
           r->low + ((uint64_t)1 << 53) <= (uint64_t)1 << 54;
}

static void round_sum(const running_integers *r, const running_work *w, char *result) {
    const integer_sum all = { { r->low, r->high, r->high >> 63 ? ~(uint64_t)0 : 0 } };
    uint64_t bits;
    if (w->format.precision == 53 && is_a_double(r))
        bits = bits_of_double((double)(int64_t)r->low);
    else
        bits = total_round(integer_total(&all, r->seen != 0), w->format, w->job->rounding);
    format_store(bits, w->format.size, result);
}

static const char *integers_block(running_integers *r, const running_work *w, const char *x, ptrdiff_t stride, size_t n,
                                  char *room) {
    integer_block b;
    load_integers(w->job->type, x, stride, n, b.value);
    add_integers(r, w->job, &b, n);
    const running_integers *sum = w->kind == QUIRE_EXCLUSIVE ? b.sum : b.sum + 1;
    if (w->job->result_type == QUIRE_INT128)
        for (size_t k = 0; k < n; k++) {
            const integer_sum all = { { sum[k].low, sum[k].high, 0 } };
            integer_store(&all, room + k * INT128_SIZE);
        }
    else
        for (size_t k = 0; k < n; k++) round_sum(&sum[k], w, room + k * (size_t)w->format.size);
    return room;
}

/* ----------------------------------------------------------------------------------------------------------- either */

void running_begin(running_sum *r, const running_work *w) {
    if (is_integer(w->job->type))
        r->integers = (running_integers){ 0, 0, 0 };
    else
        floats_begin(&r->floats);
}

void running_resume(running_sum *r, const quire_accumulator *from, const running_work *w) {
    if (is_integer(w->job->type))
        integers_resume(&r->integers, from);
    else
        floats_resume(&r->floats, from, w);
}

const char *running_block(running_sum *r, const running_work *w, const char *x, ptrdiff_t stride, size_t n,
                          char *room) {
    return is_integer(w->job->type) ? integers_block(&r->integers, w, x, stride, n, room)
                                    : floats_block(&r->floats, w, x, stride, n, room);
}
