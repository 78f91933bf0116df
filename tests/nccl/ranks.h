/* ranks.h - of test_nccl.c: devices as ranks, data, and TAP. SPDX-License-Identifier: MIT */
#ifndef QUIRE_TESTS_NCCL_RANKS_H
#define QUIRE_TESTS_NCCL_RANKS_H

#include <quire/nccl.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts.h"

#define MOST_RANKS 8
#define MOST 3000                 /* elements of a vector that is not long */
#define LONGEST ((size_t)3000000) /* of one that is */
#define ROOM ((size_t)32 << 20)   /* bytes of each buffer: host and device */
#define UNTOUCHED UINT64_C(0x5555555555555555)

/* A rank: a device with a context, a stream, a communicator, and buffers of ROOM bytes. */
typedef struct rank_state {
    int rank, ranks, device;
    quire_context *context;
    cudaStream_t stream;
    ncclComm_t comm;
    void *x, *y, *results, *workspace;
} rank_state;

/* All elements, in host memory: ROOM bytes each. */
extern void *x, *y, *zeros;

/* What is reduced. */
enum { TYPES = 6, OPERATIONS = 8 };
extern const quire_type types[TYPES];
extern const quire_operation operations[OPERATIONS];

typedef enum { ORDINARY, WIDE, PAIRS, ZEROS, NEGATIVE_ZEROS, SUBNORMAL, HUGE_ONES, FAMILIES } family;
void fill(family f, quire_type type, size_t n); /* n elements of x and of y */

/* Opens the test: the number of devices to be used, at most MOST_RANKS; 0: it has printed why it is skipped. */
int open_test(void);
int close_test(void);

void open_ranks(rank_state *all, int ranks); /* ends the program if it cannot */
void close_ranks(rank_state *all, int ranks);

/* Copies between host and device, in the order of the rank's stream, and waits. Of 0 bytes, nothing. */
void put(rank_state *r, void *device, const void *host, size_t bytes);
void get(rank_state *r, void *host, const void *device, size_t bytes);

/* The steps of a job a rank, in groups. */
void run_jobs(const quire_nccl_job *jobs, int ranks);

void must(cudaError_t error, const char *what);
void must_start(int error); /* of pthread_create */

/* Of the case under way. */
__attribute__((format(printf, 2, 3))) void expect(int condition, const char *format, ...);
void expect_status(quire_status status, quire_status right, const char *what);
__attribute__((format(printf, 1, 2))) void done(const char *format, ...);

/* What the CPU says of n elements of x (and y), as bits; and whether a rank's result is that. */
uint64_t expected_of(const quire_reduction *what, size_t n);
void expect_scalar(rank_state *r, const quire_reduction *what, size_t n, int split, uint64_t right, const char *name);

/* Whether a rank's results are those of the ranks' arrays of n elements, which stand one behind the other in x. */
void expect_columns(rank_state *r, const quire_reduction *what, size_t n, int ranks, const char *name);

/* calls.c: the three calls as users make them, a thread a rank, or captured; a graph of one rank; and statuses. */
void plain_calls(rank_state *all, int ranks, int captured);
void replay(rank_state *r);
void bad_arguments(rank_state *r);

#endif
