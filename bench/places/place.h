/* place.h - where contenders work: how the vectors get there, how time is taken, how one result is had.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_PLACE_H
#define QUIRE_BENCH_PLACE_H

#include "contenders/contender.h"
#include "jobs/data.h"
#include "timing/timing.h"

typedef struct place {
    const char *name; /* "cpu", "gpu" */
    /* Brings the vectors there and makes the job point at them; shifted: at another alignment. What was there before
     * may be gone. Complains and answers false if it cannot be done. */
    bool (*put)(data *d, job *j, bool shifted);
    /* Of a job of many vectors: brings their offsets there, and makes room for the results. Both stay until the next
     * call. Complains and answers false if it cannot be done. */
    bool (*hold)(job *j);
    /* The results of the last run, in host memory; NULL if that cannot be done. */
    const void *(*results)(const job *j);
    /* Times the contenders of the list for which in[i] at a job that was put. */
    void (*time)(const contenders *all, const bool *in, const job *j, const options *o, timing *of);
    /* One more result; other: with another number of threads, or another launch. Answers what went wrong, or NULL. */
    const char *(*run)(const contender *c, const job *j, bool other, uint64_t *bits);
} place;

extern const place place_cpu, place_gpu;

/* Opens the GPU and lists who works there: the ceiling, the baseline, quire's methods, and as the options ask peers and
 * the ladder. Answers why there are no GPU rows, or NULL. What is missing besides is noted (notes.h). */
const char *gpu_open(contenders *all, const options *o);
void gpu_close(void);

/* Device memory for vectors of so many bytes. Complains and answers false if there is too little. */
bool gpu_reserve(size_t bytes, bool wants_y);

/* The device in words, and what its software is. */
void gpu_describe(char *text, size_t size);

#endif
