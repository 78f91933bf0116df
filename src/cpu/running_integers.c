/* running_integers.c - see running.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/running.h"

/* A block's elements, as 64 bits each; and the sums before each of them, and behind the last. */
typedef struct {
    uint64_t value[RUNNING_BLOCK];
    running_integers sum[RUNNING_BLOCK + 1];
} integer_block;

void running_integers_begin(running_integers *r) { *r = (running_integers){ 0, 0, 0 }; }

void running_integers_resume(running_integers *r, const quire_accumulator *from) {
    integer_sum s;
    integer_of_limbs(from->limb, &s); /* which holds one, of 128 bits */
    *r = (running_integers){ s.word[0], s.word[1], from->other >= OTHER_NONZERO };
}

/* ----------------------------------------------------------------------------------------------------------- blocks */

/* Those that have a sign keep it. */
static void load_block(quire_type type, const char *x, ptrdiff_t stride, size_t n, uint64_t *value) {
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

static void add_block(running_integers *r, const quire_job *job, integer_block *b, size_t n) {
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

/* ---------------------------------------------------------------------------------------------------------- results */

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

const char *running_integers_block(running_integers *r, const running_work *w, const char *x, ptrdiff_t stride,
                                   size_t n, char *room) {
    integer_block b;
    load_block(w->job->type, x, stride, n, b.value);
    add_block(r, w->job, &b, n);
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
