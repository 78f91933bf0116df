/* key_order.c - see groups.h. A stable counting sort: rows are counted, then each goes to its place. Of many groups
 * that is done twice, since counters beyond the caches take longer than a second pass: first by buckets of neighbouring
 * groups, then within each bucket. Threads take ranges of neighbouring rows, then buckets.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/context.h"
#include "cpu/gather.h"
#include "cpu/groups.h"

#define DIRECT_GROUPS ((size_t)1 << 13) /* the most groups, with that of rows of no group, that are sorted at once */
#define BUCKETS ((size_t)1 << 9)        /* the most buckets */
#define RANGES ((size_t)64)             /* the most ranges of rows */

/* An element that has gone to its bucket, as an integer. */
typedef struct {
    uint32_t group, element;
} short_pair;
typedef struct {
    uint64_t group, element;
} long_pair;

typedef enum { TO_PLACES, TO_SHORT_PAIRS, TO_LONG_PAIRS } element_target;

typedef struct {
    const quire_keys *keys;
    keyed_elements elements;
    element_target target;
    size_t buckets, ranges, range; /* range: rows of one */
    unsigned shift;                /* groups of a bucket are 2^this */
    int is_64_bit;                 /* the offsets */
    void *to, *offsets;
    size_t *next; /* of each range and bucket: how many rows; then where the next one goes */
    void *pairs;
} order_work;

static order_work order_work_of(const cpu_context *context, const quire_keys *keys, keyed_elements elements) {
    order_work w = { .keys = keys, .elements = elements };
    const size_t groups = keys->groups + 1; /* the last is that of rows of no group */
    const int are_short = elements.x ? elements.size <= sizeof(uint32_t) : keys->n <= UINT32_MAX;
    if (groups > DIRECT_GROUPS) {
        while (keys->groups >> w.shift >= BUCKETS) w.shift++;
        w.target = groups <= UINT32_MAX && are_short ? TO_SHORT_PAIRS : TO_LONG_PAIRS;
    }
    w.buckets = (keys->groups >> w.shift) + 1;
    w.ranges = (size_t)cpu_threads(context, keys->n * sizeof(int64_t), RANGES);
    w.range = keys->n / w.ranges + 1;
    return w;
}

static size_t pair_size(const order_work *w) {
    return w->target == TO_PLACES ? 0 : w->target == TO_SHORT_PAIRS ? sizeof(short_pair) : sizeof(long_pair);
}

size_t key_order_workspace(const cpu_context *context, const quire_keys *keys, keyed_elements elements) {
    const order_work w = order_work_of(context, keys, elements);
    const size_t groups = keys->groups < DIRECT_GROUPS ? keys->groups + 1 : DIRECT_GROUPS; /* of fewer, most counters */
    size_t bytes = 0;
    return workspace_add(&bytes, w.ranges * groups, sizeof *w.next) && workspace_add(&bytes, keys->n, pair_size(&w))
               ? bytes
               : 0;
}

/* ----------------------------------------------------------------------------------------------- ranges of the rows */

/* The group of a row; that behind the last one if it has none. is_64_bit is a constant for each caller. */
QUIRE_INLINE uint64_t group_at(const quire_keys *keys, size_t row, int is_64_bit) {
    const uint64_t key = (uint64_t)index_at(keys->keys, (ptrdiff_t)row, is_64_bit);
    return key < keys->groups ? key : keys->groups;
}

QUIRE_INLINE void count_rows(const order_work *w, size_t first, size_t last, size_t *count, int is_64_bit) {
    for (size_t row = first; row < last; row++) count[group_at(w->keys, row, is_64_bit) >> w->shift]++;
}

QUIRE_INLINE uint64_t element_at(keyed_elements e, size_t row) {
    uint64_t wide;
    uint32_t four;
    uint16_t two;
    if (!e.x) return row;
    const char *from = e.x + (ptrdiff_t)row * e.row;
    switch (e.size) {
    case 1: return (unsigned char)*from;
    case 2: memcpy(&two, from, sizeof two); return two;
    case 4: memcpy(&four, from, sizeof four); return four;
    default: memcpy(&wide, from, sizeof wide); return wide;
    }
}

QUIRE_INLINE void put_element(void *to, size_t at, size_t size, uint64_t element) {
    switch (size) {
    case 1: ((uint8_t *)to)[at] = (uint8_t)element; break;
    case 2: ((uint16_t *)to)[at] = (uint16_t)element; break;
    case 4: ((uint32_t *)to)[at] = (uint32_t)element; break;
    default: ((uint64_t *)to)[at] = element; break;
    }
}

/* The target is a constant, too. */
QUIRE_INLINE void move_rows(const order_work *w, size_t first, size_t last, size_t *next, int is_64_bit,
                            element_target target) {
    for (size_t row = first; row < last; row++) {
        const uint64_t group = group_at(w->keys, row, is_64_bit);
        const size_t to = next[group >> w->shift]++;
        const uint64_t element = element_at(w->elements, row);
        if (target == TO_SHORT_PAIRS)
            ((short_pair *)w->pairs)[to] = (short_pair){ (uint32_t)group, (uint32_t)element };
        else if (target == TO_LONG_PAIRS)
            ((long_pair *)w->pairs)[to] = (long_pair){ group, element };
        else
            put_element(w->to, to, w->elements.size, element);
    }
}

QUIRE_INLINE void move_to_target(const order_work *w, size_t first, size_t last, size_t *next, int is_64_bit) {
    switch (w->target) {
    case TO_PLACES: move_rows(w, first, last, next, is_64_bit, TO_PLACES); break;
    case TO_SHORT_PAIRS: move_rows(w, first, last, next, is_64_bit, TO_SHORT_PAIRS); break;
    case TO_LONG_PAIRS: move_rows(w, first, last, next, is_64_bit, TO_LONG_PAIRS); break;
    }
}

static size_t range_begin(const order_work *w, size_t range) {
    return range * w->range < w->keys->n ? range * w->range : w->keys->n;
}

static void count_ranges(const void *work, size_t first, size_t last) {
    const order_work *w = work;
    for (size_t r = first; r < last; r++) {
        size_t *count = w->next + r * w->buckets;
        memset(count, 0, w->buckets * sizeof *count);
        if (w->keys->index == QUIRE_I64)
            count_rows(w, range_begin(w, r), range_begin(w, r + 1), count, 1);
        else
            count_rows(w, range_begin(w, r), range_begin(w, r + 1), count, 0);
    }
}

static void move_ranges(const void *work, size_t first, size_t last) {
    const order_work *w = work;
    for (size_t r = first; r < last; r++) {
        size_t *next = w->next + r * w->buckets;
        if (w->keys->index == QUIRE_I64)
            move_to_target(w, range_begin(w, r), range_begin(w, r + 1), next, 1);
        else
            move_to_target(w, range_begin(w, r), range_begin(w, r + 1), next, 0);
    }
}

/* From how many rows there are to where they go: bucket by bucket, and in each range by range. */
static void place_ranges(const order_work *w) {
    size_t at = 0;
    for (size_t b = 0; b < w->buckets; b++) {
        if (w->target == TO_PLACES) index_put(w->offsets, b, w->is_64_bit, (int64_t)at);
        for (size_t r = 0; r < w->ranges; r++) {
            size_t *next = w->next + r * w->buckets + b;
            const size_t count = *next;
            *next = at;
            at += count;
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------- buckets */

/* One of a bucket. */
QUIRE_INLINE long_pair pair_at(const order_work *w, size_t at, element_target target) {
    if (target == TO_LONG_PAIRS) return ((const long_pair *)w->pairs)[at];
    const short_pair p = ((const short_pair *)w->pairs)[at];
    return (long_pair){ p.group, p.element };
}

/* The rows begin to end - 1 are those of groups first to last - 1, whose offsets count them, and then say where the
 * next one goes: at the end they are what those of the groups behind are to be. */
#define SORT_BUCKET(type)                                                                                              \
    do {                                                                                                               \
        type *next = w->offsets, at = (type)begin;                                                                     \
        memset(next + first, 0, (last - first) * sizeof *next);                                                        \
        for (size_t i = begin; i < end; i++) next[pair_at(w, i, target).group]++;                                      \
        for (size_t g = first; g < last; g++) {                                                                        \
            const type count = next[g];                                                                                \
            next[g] = at;                                                                                              \
            at = (type)(at + count);                                                                                   \
        }                                                                                                              \
        for (size_t i = begin; i < end; i++) {                                                                         \
            const long_pair p = pair_at(w, i, target);                                                                 \
            put_element(w->to, (size_t)next[p.group]++, w->elements.size, p.element);                                  \
        }                                                                                                              \
        memmove(next + first + 1, next + first, (last - first - 1) * sizeof *next);                                    \
        next[first] = (type)begin;                                                                                     \
    } while (0)

QUIRE_INLINE void sort_bucket(const order_work *w, size_t begin, size_t end, size_t first, size_t last,
                              element_target target) {
    if (w->is_64_bit)
        SORT_BUCKET(int64_t);
    else
        SORT_BUCKET(int32_t);
}
#undef SORT_BUCKET

/* A bucket ends where its last range's rows do, once they are moved. */
static size_t bucket_end(const order_work *w, size_t bucket) { return w->next[(w->ranges - 1) * w->buckets + bucket]; }

static void sort_buckets(const void *work, size_t first, size_t last) {
    const order_work *w = work;
    for (size_t b = first; b < last; b++) {
        const size_t begin = b ? bucket_end(w, b - 1) : 0, end = bucket_end(w, b), groups = (size_t)1 << w->shift;
        const size_t from = b << w->shift, left = w->keys->groups + 1 - from,
                     to = from + (left < groups ? left : groups);
        if (w->target == TO_SHORT_PAIRS)
            sort_bucket(w, begin, end, from, to, TO_SHORT_PAIRS);
        else
            sort_bucket(w, begin, end, from, to, TO_LONG_PAIRS);
    }
}

/* --------------------------------------------------------------------------------------------------------- the call */

void key_order(const cpu_context *context, const quire_keys *keys, keyed_elements elements, quire_index index, void *to,
               void *offsets, void *workspace) {
    order_work w = order_work_of(context, keys, elements);
    const cpu_context silent = context_silent(context);
    size_t bytes = 0;
    w.is_64_bit = index == QUIRE_I64;
    w.to = to, w.offsets = offsets;
    w.next = workspace;
    workspace_add(&bytes, w.ranges * w.buckets, sizeof *w.next);
    w.pairs = (char *)workspace + bytes;
    units_run(&silent, count_ranges, &w, w.ranges, 1, (int)w.ranges);
    place_ranges(&w);
    units_run(&silent, move_ranges, &w, w.ranges, 1, (int)w.ranges);
    if (w.target != TO_PLACES) units_run(&silent, sort_buckets, &w, w.buckets, 1, (int)w.ranges);
}
