/* stubs.c - the CUDA calls of a library that was built without CUDA. SPDX-License-Identifier: MIT */
#include "quire/quire.h"

quire_status quire_open_cuda(quire_context **context, int device, struct CUstream_st *stream) {
    (void)device, (void)stream;
    return context ? QUIRE_NO_DEVICE : QUIRE_NULL_POINTER;
}

int quire_has_cuda(void) { return 0; }
