/* window.cuh - a warp's window (method/window.h): where it is, its bins, what they have counted, and how it moves.
 *
 * A window is the same in all lanes of a warp, and so is every decision about it; what the bins of a lane have counted
 * is the lane's. It is placed at a top, from which its units and its limit follow, and takes elements that are below
 * 2^top, and multiples of its last unit. When it moves it deposits what it has counted, and starts anew elsewhere.
 *
 * Whether it moves, and what takes its counts, is a policy, of which there are two: tolerant_window.cuh lets a few
 * lanes have outliers, and deposits in limbs; eager_window.cuh moves for whatever does not fit, and deposits in an
 * integer of 128 bits.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_WARP_WINDOW_CUH
#define QUIRE_CUDA_WARP_WINDOW_CUH

#include <limits.h>

#include "cuda/thread/bins.cuh"

#define NO_WINDOW INT_MIN /* the top of none */

/* Where a window for elements below 2^top belongs: on a multiple of a step, so that warps mostly agree, whose sums then
 * are quickly added up. */
static __device__ __forceinline__ int window_top(int top, int step) { return (top + step - 1) & -step; }

/* What all windows have. Window is the one that is made of it, which has:
 *   bins()        the bins of a lane, if they do not stand here
 *   unit(s, k)    the exponent of the unit that bin k of a stream counts in
 *   placed()      does what else follows from a new top; the bins start behind it
 *   deposit(to)   adds to that what the bins have counted */
template <class Window, int STREAMS, int BINS> struct window {
    window_bins<STREAMS, BINS> own_bins;
    int top;
    uint32_t limit; /* magnitudes from here on are too large; 0: there is no window yet */

    __device__ __forceinline__ Window &self() { return static_cast<Window &>(*this); }

    __device__ __forceinline__ window_bins<STREAMS, BINS> &bins() { return own_bins; }

    __device__ __forceinline__ double start(int s, int k) { return window_bin_start(self().unit(s, k)); }

    __device__ __forceinline__ void place(int new_top) {
        top = new_top;
        self().placed();
        for (int s = 0; s < STREAMS; s++)
            for (int k = 0; k < BINS; k++) self().bins().at[s][k] = start(s, k);
    }

    /* How many units a bin of this lane has counted since it started. */
    __device__ __forceinline__ int64_t counted(int s, int k) {
        return window_count_f64(self().bins().at[s][k], start(s, k));
    }

    /* Moves there, if that is a window; answers whether. */
    template <class To> __device__ __forceinline__ bool move(int new_top, To to) {
        if (new_top == NO_WINDOW) return false;
        self().deposit(to);
        place(new_top);
        return true;
    }
};

#endif
