/* integers.h - what the CPU does with elements that are integers, by slot of the backend (backend.h): each is called
 * with the arguments of that slot, for a job whose type is one.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_INTEGERS_H
#define QUIRE_CPU_INTEGERS_H

#include "cpu/context.h"

QUIRE_PRIVATE void integers_reduce(const cpu_context *context, const quire_job *job);
QUIRE_PRIVATE void integers_reduce_many(const cpu_context *context, const quire_job *job, const quire_layout *x_layout,
                                        const quire_layout *y_layout);
QUIRE_PRIVATE quire_status integers_reduce_segments(const cpu_context *context, const quire_job *job,
                                                    const quire_segments *segments);
QUIRE_PRIVATE void integers_reduce_gathered(const cpu_context *context, const quire_job *job,
                                            const quire_gathered *rows);

/* The same of elements strides of bytes apart. */
QUIRE_PRIVATE void integers_accumulate(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                                       ptrdiff_t y_stride, quire_accumulator *accumulator);

#endif
