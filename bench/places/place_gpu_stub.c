/* stub.c - in place of the rest of this folder where the library is built without CUDA.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "place.h"

static bool put(data *d, job *j, bool shifted) {
    (void)d, (void)j, (void)shifted;
    return false;
}

const place place_gpu = { "gpu", put, NULL, NULL, NULL, NULL };

const char *gpu_open(contenders *all, const options *o) {
    (void)all, (void)o;
    return "this quire-bench was built without CUDA";
}

void gpu_close(void) {}

bool gpu_reserve(size_t bytes, bool wants_y) {
    (void)bytes, (void)wants_y;
    return false;
}

void gpu_describe(char *text, size_t size) { snprintf(text, size, "none"); }

bool reducer_takes(const struct reducer *r, job *j) {
    (void)r, (void)j;
    return false;
}
