/* registers.cuh - what the compiler may know of values in registers. Nothing is computed here.
 *
 * A compiler that knows how a value was computed may keep in registers what else follows from it, over a long stretch;
 * or compute the value again at each use; or compute an address for each load where an offset would do. Where that is
 * slower, the value is made opaque: from there on the compiler knows nothing of it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_DEVICE_REGISTERS_CUH
#define QUIRE_CUDA_DEVICE_REGISTERS_CUH

#include <stddef.h>
#include <stdint.h>

/* The same value, opaque. */
static __device__ __forceinline__ uint32_t opaque(uint32_t x) {
    asm volatile("" : "+r"(x));
    return x;
}
template <class T> static __device__ __forceinline__ T *opaque(T *p) {
    asm volatile("" : "+l"(p));
    return p;
}

/* Several values become opaque at the same place: by one statement each the code is another. */
template <class T> static __device__ __forceinline__ void make_opaque(T *&p, size_t &n) {
    asm volatile("" : "+l"(p), "+l"(n));
}
template <class T> static __device__ __forceinline__ void make_opaque(int &a, int &b, int &c, int &d, T *&p) {
    asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+l"(p));
}
template <class T, class U> static __device__ __forceinline__ void make_opaque(int &a, int &b, T *&p, U *&q) {
    asm volatile("" : "+r"(a), "+r"(b), "+l"(p), "+l"(q));
}

/* Has values computed here, not where they are first used. */
static __device__ __forceinline__ void compute_now(const void *p, int x) { asm volatile("" ::"l"(p), "r"(x)); }

#endif
