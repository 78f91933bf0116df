/* job.h - what the host hands to a kernel, and the memory that a context keeps on its device.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_JOB_H
#define QUIRE_CUDA_JOB_H

#include <stdalign.h>
#include <stdbool.h>

#include "backend.h"
#include "cuda/policy.h"
#include "format/formats.h"
#include "method/methods.h"

/* Between calls all bits of the places are set, and everything else is zero: the last block of a kernel leaves it so.
 */
typedef struct {
    quire_accumulator sum; /* of exact: blocks add to its words */
    int above_least;       /* of the radius of an approximate sum (method/ball.h): its unit, less the least */
    int64_t dropped;       /* and its count */
    unsigned undecided;    /* an approximate sum did not tell its result */
    unsigned zero;         /* see cuda_job */
    unsigned wide;         /* a warp of an exact sum has met what no window holds */
    unsigned users;        /* grids that are at work here (grid/users.cuh) */
    alignas(16) double places[LANE_GROUPS * QUIRE_STATE_WORDS]; /* gather.cuh: one a block */
} cuda_workspace;

/* Norms of long arrays, and sums that are expected to be of wide-range data, have two kernels: the first is
 * approximate; the second does it again, if that was not enough. */
typedef enum { PASS_ALL_BITS, PASS_APPROXIMATE, PASS_AGAIN } cuda_pass;

/* How the blocks of a grid share an array. */
typedef enum {
    SHARES_EQUAL,  /* each has the same number of units (direct.cuh, ring.cuh) */
    SHARES_PIECES, /* each has a piece; pieces become smaller (ring.cuh, exact.cuh) */
    SHARES_TURNS,  /* none has a part of its own: the warps of all blocks take turns (exact.cuh) */
    SHARES_BATCHES /* each takes a batch of loads, the next behind those of all blocks, and so on (short.cuh) */
} shares_kind;

/* What they have. A unit is a tile, or a batch of exact.cuh.
 *
 * Pieces: the first largest_pieces blocks have units_per_block units each, the next pieces_per_size blocks half as
 * many, the next pieces_per_size half of that. There are as many such sizes as smaller_sizes says, and all blocks that
 * are left have the last of them. */
typedef struct {
    shares_kind kind;
    unsigned loads_per_batch;                                /* of a thread of short.cuh */
    unsigned units_per_block;                                /* equal shares, or the largest pieces; a power of two */
    unsigned largest_pieces, pieces_per_size, smaller_sizes; /* 0 where there are no pieces */
    size_t elements_per_turn;                                /* of a warp of exact.cuh */
} block_shares;

typedef struct {
    const void *x, *y;
    size_t n;
    finish_kind finish;
    quire_rounding rounding;
    format_description format; /* of the result */
    bool is_number;            /* the result is the sum itself, and the hardware rounds to its format */
    unsigned *zero;            /* or NULL: is to be set where the exact sum is 0 and its terms decide on the sign */
    void *result;              /* NULL: the sum goes to accumulator */
    quire_accumulator *accumulator;
    cuda_workspace *workspace;
    size_t tile; /* elements of a tile */
    block_shares shares;
    bool ahead;       /* the arrays may be prefetched before the kernels ahead have ended */
    bool cluster;     /* the grid is a cluster */
    bool is_alone;    /* it is one block */
    unsigned sharers; /* the blocks that have a share */
    bool gathers;     /* the last, by number, has none, and gathers */
    cuda_pass pass;
    unsigned *hint; /* memory of the host, or NULL: to be set to whether the data is wide-range; was_wide: what it is */
    bool was_wide;
    unsigned *clash; /* memory of the host: to be set where two grids were at work in the workspace at once */
} cuda_job;

/* The file of a kernel, which says how a grid is shaped. */
typedef enum { DRIVER_DIRECT, DRIVER_RING, DRIVER_EXACT, DRIVER_SHORT } cuda_driver;

/* A kernel and how it likes to be launched. */
typedef struct {
    const void *function;
    cuda_driver driver;
    unsigned threads;      /* of a block, at most */
    unsigned shared;       /* bytes of dynamic shared memory of a block */
    unsigned tile_threads; /* direct: that take a tile */
    unsigned most_blocks;  /* ring: that share an array without pieces */
    unsigned most_batches; /* short: of a thread */
    unsigned load;         /* exact, short: elements that a warp, or a thread, loads at once */
    unsigned batch;        /* and those it takes at a time, at most; a multiple */
    unsigned approximate;  /* may be approximate for results of this number of bits, at most; 0: never */
    bool once;             /* short: threads load once, and the grid may be a cluster */
    bool adds_floats;      /* exact: ordinary numbers cost no double */
    size_t ring;           /* direct: from how many bytes on ring.cuh is better, where it is there */
    unsigned resident;     /* blocks that fit a multiprocessor; the host asks CUDA where a plan wants to know */
} cuda_kernel;

/* How the arrays may be read: one by one; 16 bytes at a time; so, and y is x. */
typedef enum { ACCESS_ELEMENTS, ACCESS_VECTORS, ACCESS_SAME } cuda_access;

/* How much a kernel is for: a batch for each thread of a few blocks, or less; or many batches; or more than that; or as
 * much on a GPU with few units for doubles; or the first pass of a norm of as much. */
typedef enum {
    LENGTH_ONE_BATCH,
    LENGTH_MANY_BATCHES,
    LENGTH_LONG,
    LENGTH_LONG_FLOATS,
    LENGTH_LONG_NORM,
    LENGTH_COUNT
} cuda_length;

/* The kernel of a format for a term and a method. One file each. */
#define QUIRE_CUDA_FORMAT(name, NAME, number, real, unused)                                                            \
    QUIRE_PRIVATE cuda_kernel quire_cuda_##name(quire_term term, quire_method method, cuda_access access,              \
                                                cuda_length length);
QUIRE_WINDOWED_FORMATS(QUIRE_CUDA_FORMAT, )
#undef QUIRE_CUDA_FORMAT

#endif
