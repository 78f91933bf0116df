/* probe.cu - whether this nvcc and its host compiler get along; compiled when the build is set up, and for nothing
 * else.
 *
 * SPDX-License-Identifier: MIT
 */
#include <cmath>
#include <cuda_runtime.h>

static __global__ void probe(float *x) { *x = 1; }

void launch_probe(float *x) { probe<<<1, 1>>>(x); }
