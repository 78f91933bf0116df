/* job.c - the bytes of a job.
 *
 * SPDX-License-Identifier: MIT
 */
#include "job.h"

#include "number.h"

quire_type accumulation_type(quire_type type) { return type == QUIRE_F64 ? QUIRE_F64 : QUIRE_F32; }

size_t job_bytes(const job *j) { return j->n * type_size(j->type) * (j->operation == OPERATION_DOT ? 2 : 1); }
