/* layouts.h - slots of the backend for many vectors.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_LAYOUTS_H
#define QUIRE_CPU_LAYOUTS_H

#include "backend.h"

QUIRE_PRIVATE quire_status cpu_reduce_many(quire_context *context, const quire_job *job, const quire_layout *x_layout,
                                           const quire_layout *y_layout);
QUIRE_PRIVATE quire_status cpu_reduce_segments(quire_context *context, const quire_job *job,
                                               const quire_segments *segments);

#endif
