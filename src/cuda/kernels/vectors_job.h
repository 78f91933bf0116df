/* vectors_job.h - one array, or many vectors at once: what the host hands to the kernels, and the memory they share.
 *
 * A vector is shared by "threads" neighbouring threads, a power of two, or by as many as a kernel finds right: then a
 * warp takes "turns" vectors at a time, looks how long they are, and a lane finishes each. Long vectors are cut into
 * parts, a unit of work each; the last unit of a vector to end brings its parts together. No unit waits for another.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_VECTORS_JOB_H
#define QUIRE_CUDA_KERNELS_VECTORS_JOB_H

#include <stdbool.h>

#include "arithmetic.h"
#include "backend.h"
#include "cuda/vectors_policy.h"
#include "format/formats.h"
#include "operation/term_count.h"
#include "order/order.h"

/* Places in the workspace, and what a sum and a part are made of. */
#define VECTORS_PLACES (1 << 17) /* parts there can be in all */
#define VECTORS_IN_PARTS 65536   /* vectors that are cut */
#define VECTORS_LIMBS 2048       /* of those, as many as have limbs of their own for what parts cannot tell */
#define LONG_SEGMENTS 8192       /* segments that are cut at a time; they share the places for parts */
#define GATHERED_RUNS 16384      /* parts of runs of long segments of rows, that can be listed */
#define MARKED_LISTED 4096 /* results that can be listed as marked; where there are more, all results are looked at */
#define VECTORS_WORDS 3    /* the most numbers a sum consists of */
#define PART_WORDS 5       /* the same of a part: of moments those of the squares begin at */
#define PART_SQUARES 2
#define PART_SUMS 2

/* What the order, the hardware and the bounds of sums give. */
#define VECTORS_LANES 8 /* of the canonical order, that a thread has */
#define ROWS_CHUNK 16   /* bytes that are copied at a time, from a multiple of it */
#define ROWS_LINE 128   /* bytes of a line of memory */

/* n, and the correction, of exact_rows.cuh at most: doubles hold their sum. */
#define GROUPS_COUNTS ((int64_t)1 << 52)

/* Chunks that are on their way to a thread of exact_rows.cuh: what registers hold, with as many sums. has_two: sums, or
 * arrays. */
QUIRE_CONSTANT unsigned group_loads(bool has_two) { return has_two ? GROUPS_LOADS / 2 : GROUPS_LOADS; }

/* Elements of a marked vector, for each of the threads that share it: what registers hold. */
QUIRE_CONSTANT unsigned again_elements(bool is_pair) { return is_pair ? AGAIN_ELEMENTS / 2 : AGAIN_ELEMENTS; }

/* Bytes of a block's room for a stretch of rows (block/stretch.cuh), which may begin within a chunk and end within
 * another; of each of two arrays half; and of a thread's share of it. */
#define STRETCH_BYTES (GROUPS_THREADS * GROUPS_SHARE + 6 * ROWS_CHUNK)
QUIRE_CONSTANT unsigned stretch_share(bool is_pair) { return is_pair ? GROUPS_SHARE / 2 : GROUPS_SHARE; }

/* Chunks of a row of lanes that a thread of ordered_rows.cuh has, of elements of size bytes: 16 lanes, of doubles 8. */
QUIRE_CONSTANT int ordered_slots(int size) { return size > 4 ? 4 : size; }

/* Neighbouring lanes of a tile that a thread of ordered_array.cuh has, of elements of size bytes: what it loads
 * together, 8 or 16 bytes. More would have a short sum wait for additions. */
QUIRE_CONSTANT int array_lanes(int size) { return size > 4 ? 2 : size > 1 ? 4 : 8; }

/* Chunks that are on their way to a thread of ordered_columns.cuh, 2^this of them. */
QUIRE_CONSTANT unsigned panel_loads_log(bool is_product) { return is_product ? PANEL_LOADS_LOG - 1 : PANEL_LOADS_LOG; }
#define PANEL_LANES_LOG 8 /* lanes of a tile are 2^this */

/* Whether a format has two ends alone: its terms have so few bits that their ends are one number, mostly, and tell
 * doubles, too. What they do not tell then is done again. Products have twice as many bits; are_numbers: there are
 * none. */
QUIRE_CONSTANT bool has_ends_alone(format_description format, bool are_numbers) {
    return format.precision <= (are_numbers ? 11 : 4);
}

/* Places where those that have ended are counted. */
enum { ENDED_SEGMENTS = VECTORS_IN_PARTS, ENDED_MARKED, ENDED_ARRAY, ENDED_COUNT };

/* What a part brings: numbers whose sum it is, or a state of the canonical order; and of that sum, and the squares',
 * the width (thread/long_sum.cuh). Or a record (grid/records.cuh). */
typedef struct {
    double word[PART_WORDS], width[PART_SUMS];
} part_state;

/* A part of a run of chunks of a segment of rows (kernels/gathered.cu): that which begins with vector "first", in so
 * many parts, of which it is this; 0: none. place: of what they leave, for each column as many. */
typedef struct {
    size_t first;
    unsigned part, parts, place;
} run_part;

/* Everything is zero between calls, but for places and parts of runs, which are written before they are read. */
typedef struct {
    part_state place[VECTORS_PLACES];
    unsigned ended[ENDED_COUNT]; /* units, of each bundle; and blocks of kernels */
    unsigned marked;             /* how many results have been; from MARKED_LISTED on, at least as many */
    size_t marked_vector[MARKED_LISTED];
    unsigned long_segments; /* how many have been met */
    size_t long_segment[LONG_SEGMENTS];
    quire_accumulator limbs[VECTORS_LIMBS];
    unsigned undecided;                  /* exact_array.cuh has not told the result */
    unsigned users;                      /* calls that are at work on one array here (grid/tickets.cuh) */
    unsigned long long runs, run_places; /* parts of runs that have been met, and places for them: of any number */
    run_part run[GATHERED_RUNS];
} vectors_workspace;

/* Where the vectors stand: a layout, in elements; or segments. */
typedef struct {
    const void *x, *y;
    quire_layout x_layout, y_layout;
    const void *begin, *end; /* of segments; NULL: a layout */
    bool is_64_bit;          /* an index */
} vectors_at;

/* How the blocks of ordered_columns.cuh share columns, and those of exact_columns.cuh, of which a tile is a part: a row
 * of a matrix has panels of so many columns each, the last may have fewer, and of a panel at most so many chunks. A
 * block takes the panels of a bundle. So many threads share each chunk, and each of them has as many lanes of the
 * canonical order. */
typedef struct {
    size_t columns, panels, bundles;
    size_t apart;                                   /* elements from a row to the next, at least */
    unsigned tiles, tiles_of_part, tile, last_tile; /* rows of a tile, and of the last one */
    unsigned chunks, bundle, threads, lanes;
    unsigned lanes_at_once;    /* whose loads are under way together; 1: lanes have many rows */
    unsigned join;             /* parts that become one at a time */
    unsigned records, tickets; /* of a bundle in parts: places for what they leave, and for counting those that have */
    bool by_elements;          /* chunks do not stand at multiples of their bytes, or not as those of y do */
} panel_share;

/* Which vectors a kernel takes: all, those whose results are marked, or those that have been put aside. */
typedef enum { VECTORS_ALL, VECTORS_MARKED, VECTORS_ASIDE } which_vectors;

/* How exact_rows.cuh takes rows. */
typedef enum { ROWS_TOGETHER, ROWS_ONE_BY_ONE, ROWS_STAGED, ROWS_ASIDE } rows_shape;

typedef struct {
    vectors_at at;
    size_t vectors;
    bool magnitude; /* the terms are |x| */
    order_rows rows;
    finish_kind finish;
    quire_rounding rounding;
    int64_t correction;
    format_description format; /* of the results */
    uint64_t none;             /* the result of no elements */
    bool is_number;            /* a result is the sum itself, and the hardware rounds to its format */
    void *results;
    quire_accumulator *accumulator; /* or NULL; then there is one vector, which is added to it */
    unsigned *clash;         /* memory of the host: to be set where two calls were at work on arrays here at once */
    unsigned threads, turns; /* see above */
    size_t part;             /* elements of a part: with the ordered methods a power of two of tiles; 0: all */
    unsigned parts;          /* of a vector */
    unsigned join;           /* how many of them, at most, become one */
    size_t first_place;      /* of the parts, for those who bring them together */
    vectors_workspace *workspace;
    bool is_pair;          /* terms are products of two arrays */
    bool few_doubles;      /* the device has few units for them: exact_limbs.cuh does without */
    bool is_short;         /* one block may find all bits of exact_array.cuh's */
    size_t tile;           /* elements of a tile, for ordered_array.cuh */
    rows_shape shape;      /* of exact_rows.cuh */
    bool is_strided;       /* one by one, and at any stride */
    unsigned rows_of_item; /* that a block takes at a time, where they are staged */
    which_vectors source;
    bool by_cells;      /* by_element.cuh takes all bits at once */
    quire_type type;    /* of the elements, */
    unsigned log_size;  /* of which each has 2^this bytes */
    unsigned slots;     /* chunks of a row that a thread of a group has, at most; 0: any number */
    bool is_aligned;    /* rows begin at multiples of 16 bytes; for ordered_rows.cuh */
    term_count terms;   /* of each vector, for exact_rows.cuh */
    panel_share panels; /* of ordered_columns.cuh, and exact_columns.cuh */
} vectors_job;

#ifdef __CUDACC__
/* The kernels of a format, by whether terms are products and by method. One file each. */
struct vectors_kernels {
    const void *rows, *pair_rows, *columns; /* of the canonical order, or NULL; rows of one array, and of two */
    const void *array, *pair_array;         /* the same of one array, or of two; */
    const void *elements, *pair_elements;   /* and where they do not stand at multiples of what a thread loads */
};
/* By one kind of sums: of one array, or of two. NULL: there is none. */
struct sum_kernels {
    const void *rows[2], *segments[2], *columns[2], *array[2];
};
struct row_kernels {
    sum_kernels by_ends, by_sums;         /* two ends; wider sums, for results of any precision */
    const void *limbs;                    /* of one array, or of long vectors */
    unsigned limbs_threads, limbs_blocks; /* of a block; of a multiprocessor */
};
#define QUIRE_VECTORS_FORMAT(name, NAME, number, real, unused)                                                         \
    QUIRE_PRIVATE vectors_kernels quire_vectors_##name(bool is_product, quire_method method);                          \
    QUIRE_PRIVATE row_kernels quire_rows_##name(quire_term term, bool has_moments);
QUIRE_FORMATS(QUIRE_VECTORS_FORMAT, )
#undef QUIRE_VECTORS_FORMAT
#endif

#endif
