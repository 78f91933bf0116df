/* array_plan.h - how one array is summed: which kernels, in which passes, and their launches. A pure function of the
 * job, of what the device is, and of how the kernels like to be launched. No result depends on it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_HOST_ARRAY_PLAN_H
#define QUIRE_CUDA_HOST_ARRAY_PLAN_H

#include "cuda/host/array_launch.h"
#include "order/order.h"

/* All of a call. The last block of each grid gathers what the others publish. */
typedef struct {
    unsigned launches; /* 1; or 2: the second does it again if the first, which may drop bits, was not enough */
    array_launch launch[2];
    size_t tile;      /* elements of a tile of the canonical order */
    bool overlaps;    /* kernels may be started before those ahead of them have ended */
    bool ahead;       /* and may prefetch the arrays before that */
    bool needs_zero;  /* whether the exact sum is 0 decides on its sign */
    bool tells_zeros; /* so zeros_kernel is launched behind, or because an accumulator keeps that sign */
} array_plan;

/* ------------------------------------------------------------------------------------------------- which kernels */

/* Whether floats should do what they can of an exact sum, and they can. */
static inline bool plan_takes_floats(const device_facts *d, const cuda_kernel *kernels) {
    return d->ratio >= FEW_DOUBLES && kernels[LENGTH_LONG_FLOATS].adds_floats;
}

/* Whether an exact sum is long: neither short nor, of products that short.cuh has not got, spread. */
static inline bool plan_is_long_sum(const array_call *call, const device_facts *d, const cuda_kernel *kernels) {
    const cuda_kernel *kernel = &kernels[LENGTH_MANY_BATCHES];
    if (d->wish.bytes && plan_bytes(call) >= d->wish.bytes) return true;
    if (plan_takes_floats(d, kernels) && plan_bytes(call) >= EXACT_FLOATS) return true;
    if (kernel->driver != DRIVER_SHORT) return call->job->n > SPREAD_BYTES / plan_element_size(call);
    const size_t of_block = plan_short_threads(d, kernel) * (size_t)kernel->batch * kernel->most_batches;
    return plan_short_elements(call) > plan_short_blocks(d) * of_block;
}

/* Whether a method of the canonical order takes direct.cuh: ring.cuh is not there, or not worth it. */
static inline bool plan_is_direct(const array_call *call, const device_facts *d, const cuda_kernel *kernels) {
    return !d->has_bulk || plan_bytes(call) < (d->wish.bytes ? d->wish.bytes : kernels[LENGTH_ONE_BATCH].ring);
}

/* Whether a first kernel may be approximate, with a second behind it, if the data is wide-range; norms always are. */
static inline bool plan_may_be_approximate(const array_call *call, const device_facts *d, const cuda_kernel *kernels,
                                           const cuda_kernel *kernel) {
    const bool is_root = call->job->finish == FINISH_ROOT;
    if (is_root && plan_takes_floats(d, kernels) && !d->wish.bytes) return false;
    const size_t least = !is_root                      ? EXACT_APPROXIMATE
                         : plan_element_size(call) > 2 ? EXACT_APPROXIMATE_NORM
                                                       : EXACT_APPROXIMATE_NARROW_NORM;
    return call->job->n && kernel->approximate >= (unsigned)describe_format(call->job->result_type).precision &&
           plan_bytes(call) >= (d->wish.bytes ? d->wish.bytes : least);
}

/* Short arrays that make more blocks than are wanted, if threads take one batch, take a kernel whose threads take more;
 * those that are expected to be of wide-range data a long array's, if that may be approximate, or is quicker where all
 * bits are wanted. Of short.cuh the launch, too. */
static inline array_launch plan_first_kernel(const array_call *call, const device_facts *d,
                                             const cuda_kernel *kernels) {
    const cuda_length long_one = plan_takes_floats(d, kernels) ? LENGTH_LONG_FLOATS : LENGTH_LONG;
    array_launch launch = { long_one, PASS_ALL_BITS, false, 0, 0, 0, 0, 0, { SHARES_EQUAL, 0, 0, 0, 0, 0, 0 } };
    const bool is_exact = call->job->method == QUIRE_EXACT;
    if (is_exact ? plan_is_long_sum(call, d, kernels) : !plan_is_direct(call, d, kernels)) return launch;
    const bool pays = !call->accumulates || d->wish.bytes || plan_bytes(call) >= EXACT_WIDE;
    if (call->was_wide && pays && plan_may_be_approximate(call, d, kernels, &kernels[long_one])) return launch;
    launch.length = LENGTH_ONE_BATCH;
    if (kernels[LENGTH_ONE_BATCH].driver != DRIVER_SHORT) return launch;
    plan_short(call, d, &kernels[LENGTH_ONE_BATCH], &launch);
    if (launch.sharers <= plan_short_blocks(d)) return launch;
    launch.length = LENGTH_MANY_BATCHES;
    plan_short(call, d, &kernels[LENGTH_MANY_BATCHES], &launch);
    return launch;
}

/* Which kernels a call takes, in which passes. kernels: those of its format, term, method and access, by length. */
static inline array_plan plan_kernels(const array_call *call, const device_facts *d, const cuda_kernel *kernels) {
    const quire_job *job = call->job;
    const array_launch first = plan_first_kernel(call, d, kernels);
    const cuda_kernel *kernel = &kernels[first.length];
    const bool is_root = job->finish == FINISH_ROOT, is_exact = job->method == QUIRE_EXACT,
               is_short = kernel->driver == DRIVER_SHORT;
    const bool may_be_approximate = plan_may_be_approximate(call, d, kernels, kernel);
    const bool is_approximate =
        may_be_approximate && !call->accumulates && (is_root || call->was_wide || d->wish.bytes);
    array_plan plan = { 1, { first, first }, 0, false, false, false, false };
    plan.launch[0].has_hint = !is_root && (may_be_approximate || (is_short && plan_bytes(call) >= EXACT_APPROXIMATE));
    if (is_approximate) {
        const unsigned precision = (unsigned)describe_format(job->result_type).precision;
        plan.launches = 2;
        plan.launch[0].pass = PASS_APPROXIMATE, plan.launch[1].pass = PASS_AGAIN;
        /* which tells results of few bits alone */
        if (is_root && kernels[LENGTH_LONG_NORM].approximate >= precision) plan.launch[0].length = LENGTH_LONG_NORM;
    }
    plan.tile = order_tile(job->n, order_rows_of(job->method));
    plan.overlaps = d->has_bulk;
    plan.ahead = d->has_bulk && job->n && !call->is_apart && /* of no elements, x may be anything */
                 (is_short || plan_bytes(call) <= DIRECT_AHEAD);
    plan.needs_zero = is_exact && !call->accumulates && job->n && job->rounding == QUIRE_DOWNWARD;
    plan.tells_zeros = plan.needs_zero || (call->accumulates && job->n);
    return plan;
}

/* --------------------------------------------------------------------------------------------------- the launches */

static inline size_t plan_tiles(const array_call *call, const array_plan *plan) {
    return call->job->n ? plan_divide_up(call->job->n, plan->tile) : 1;
}

/* Whether plan_launches must know how many blocks of a launch's kernel fit a multiprocessor: CUDA takes its time. */
static inline bool plan_asks_resident(const array_call *call, const device_facts *d, const array_plan *plan,
                                      const array_launch *launch, const cuda_kernel *kernel) {
    if (kernel->driver == DRIVER_RING)
        return !d->wish.blocks && plan_wants_ring_pieces(call, d, plan_tiles(call, plan));
    return kernel->driver == DRIVER_EXACT && launch->length >= LENGTH_LONG;
}

/* The grids, and what each block has; kernels[].resident is known of those that plan_asks_resident. */
static inline void plan_launches(array_plan *plan, const array_call *call, const device_facts *d,
                                 const cuda_kernel *kernels) {
    for (unsigned i = 0; i < plan->launches; i++) {
        array_launch *launch = &plan->launch[i];
        const cuda_kernel *kernel = &kernels[launch->length];
        if (kernel->driver != DRIVER_SHORT) launch->threads = plan_long_threads(d, kernel);
        switch (kernel->driver) {
        case DRIVER_SHORT: break; /* planned with the choice of the kernel */
        case DRIVER_EXACT: plan_exact(call, d, kernel, launch); break;
        case DRIVER_RING: plan_ring(call, d, kernel, plan_tiles(call, plan), launch); break;
        case DRIVER_DIRECT: plan_direct(d, kernel, plan_tiles(call, plan), launch); break;
        }
        launch->shared = plan_shared(kernel, launch->threads);
    }
}

/* Tells a kernel of its launch. */
static inline void plan_to_job(const array_plan *plan, const array_launch *launch, cuda_job *job) {
    job->tile = plan->tile, job->ahead = plan->ahead;
    job->pass = launch->pass;
    job->cluster = launch->cluster > 0, job->is_alone = launch->blocks == 1;
    job->sharers = launch->sharers, job->gathers = launch->blocks > launch->sharers;
    job->shares = launch->shares;
}

#endif
