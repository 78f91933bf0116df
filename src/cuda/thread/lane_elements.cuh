/* lane_elements.cuh - the elements of a tile of the canonical order, as one thread takes them; and those that a thread
 * adds to its lanes, loaded one by one: of a format that is known when a kernel runs. In place of what is missing
 * stands the zero that changes no sum.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_LANE_ELEMENTS_CUH
#define QUIRE_CUDA_THREAD_LANE_ELEMENTS_CUH

#include "cuda/thread/lane_sums.cuh"
#include "cuda/thread/strided_vector.cuh"
#include "order/order.h"

/* Steps through the elements of a tile lane by lane, in the order in which a binary counter merges lanes: that of
 * their numbers with all bits reversed. */
struct lane_turns {
    size_t from;
    unsigned lanes, rows, turn, row; /* lanes: a power of two */

    __device__ __forceinline__ lane_turns(size_t begin, size_t n)
        : from(begin), lanes(1), rows((unsigned)((n + ORDER_LANES - 1) / ORDER_LANES)), turn(0), row(0) {
        while (lanes < ORDER_LANES && lanes < n) lanes *= 2;
        if (rows == 0) rows = 1;
    }
    __device__ __forceinline__ bool are_left() const { return turn < lanes; }
    __device__ __forceinline__ size_t element() const {
        const unsigned lane = lanes > 1 ? __brev(turn) >> (__clz((int)lanes) + 1) : 0;
        return are_left() ? from + lane + (size_t)row * ORDER_LANES : SIZE_MAX;
    }
    /* Answers whether that was a lane's last element. */
    __device__ __forceinline__ bool advance() {
        if (++row < rows) return false;
        row = 0, turn++;
        return true;
    }
};

/* Elements first, first + step, ... of a vector, of which "count" are before its end; step: a power of two. */
struct lane_steps {
    size_t first;
    unsigned step, count;

    __device__ __forceinline__ lane_steps(size_t from, size_t end, unsigned apart) : first(from), step(apart) {
        const size_t left = from < end ? end - from : 0;
        count = (unsigned)(min(left, (size_t)VECTORS_LANES * apart) + apart - 1) >> (31 - __clz((int)apart));
    }
};

/* A segment: a vector whose elements stand side by side, in both arrays at the same place. */
struct segment_vector {
    ptrdiff_t x;
    size_t entries;
    static constexpr ptrdiff_t x_step = 1, y_step = 1;

    __device__ __forceinline__ ptrdiff_t y_at() const { return x; }
    __device__ __forceinline__ segment_vector of_lane(unsigned lane) const {
        return { __shfl_sync(WHOLE_WARP, x, (int)lane), __shfl_sync(WHOLE_WARP, entries, (int)lane) };
    }
};

/* As they stand in memory, in as few registers as the widest format of such lanes takes. */
template <class Real> struct lane_words {
    typedef std::conditional_t<sizeof(Real) == 8, uint64_t, uint32_t> word;
    word of[VECTORS_LANES];

    /* Calls use(p), p: the elements at "from", of their size. */
    template <class Use>
    static __device__ __forceinline__ void by_size(const vectors_job &job, const void *from, Use use) {
        if constexpr (sizeof(Real) == 8)
            use((const uint64_t *)from);
        else if (job.log_size == 2)
            use((const uint32_t *)from);
        else if (job.log_size == 1)
            use((const uint16_t *)from);
        else
            use((const uint8_t *)from);
    }
    /* -0, or if plus +0, of elements of 2^log_size bytes, whose first bit is the sign. */
    static __device__ __forceinline__ word zero(const vectors_job &job, bool plus) {
        return plus ? 0 : (word)1 << ((8 << job.log_size) - 1);
    }
    /* Those of a strided vector: from place "first" on, "apart" from each other. */
    __device__ __forceinline__ void load(const vectors_job &job, const void *from, ptrdiff_t first, ptrdiff_t apart,
                                         const lane_steps &steps, bool plus) {
        const word missing = zero(job, plus);
        by_size(job, from, [&](auto *p) {
            p += first;
#pragma unroll
            for (unsigned u = 0; u < VECTORS_LANES; u++, p += apart) of[u] = u < steps.count ? *p : missing;
        });
    }
    /* Those at places of their own, and a bit for each that is there. */
    __device__ __forceinline__ void load(const vectors_job &job, const void *from, const ptrdiff_t (&at)[VECTORS_LANES],
                                         unsigned present, bool plus) {
        const word missing = zero(job, plus);
        by_size(job, from, [&](auto *p) {
#pragma unroll
            for (int u = 0; u < VECTORS_LANES; u++) of[u] = present >> u & 1 ? p[at[u]] : missing;
        });
    }
    template <class Format> __device__ __forceinline__ void numbers_of(Real (&x)[VECTORS_LANES], word kept) const {
#pragma unroll
        for (int u = 0; u < VECTORS_LANES; u++) {
            typename Format::element element;
            const word bits = of[u] & kept;
            memcpy(&element, &bits, sizeof element);
            x[u] = decode(Format(), element);
        }
    }
    /* magnitudes: without their signs. */
    __device__ __forceinline__ void numbers(const vectors_job &job, bool magnitudes, Real (&x)[VECTORS_LANES]) const {
        const word kept = magnitudes ? ~zero(job, false) : ~(word)0;
        if constexpr (sizeof(Real) == 8) {
            numbers_of<double_format>(x, kept);
        } else {
            if (job.type == QUIRE_F32) return numbers_of<float_format>(x, kept);
#define NUMBERS(name, NAME, type_number, real, unused)                                                                 \
    case type_number:                                                                                                  \
        if constexpr (sizeof(typename name##_format::element) < 4) numbers_of<name##_format>(x, kept);                 \
        break;
            switch ((int)job.type) { QUIRE_FORMATS(NUMBERS, ) }
#undef NUMBERS
        }
    }
};

/* A thread's loads that are under way together. */
template <class Real, bool PRODUCT> struct lane_loads {
    lane_words<Real> x, y;

    /* Elements of a segment, or of a strided vector. Answers whether all of these are there: always. */
    template <class Vector>
    __device__ __forceinline__ bool load(const vectors_job &job, const Vector &v, const lane_steps &steps) {
        const ptrdiff_t first = (ptrdiff_t)steps.first, apart = steps.step;
        x.load(job, job.at.x, v.x + first * v.x_step, apart * v.x_step, steps, false);
        if (PRODUCT && job.is_pair) y.load(job, job.at.y, v.y_at() + first * v.y_step, apart * v.y_step, steps, true);
        return true;
    }
    /* The two factors of each term, or its number, or magnitude. A square of a missing one is +0, which changes no sum
     * of squares. */
    __device__ __forceinline__ void numbers(const vectors_job &job, Real (&a)[VECTORS_LANES],
                                            Real (&b)[VECTORS_LANES]) const {
        x.numbers(job, !PRODUCT && job.magnitude, a);
        if (PRODUCT && job.is_pair)
            y.numbers(job, false, b);
        else
            for (int u = 0; u < VECTORS_LANES; u++) b[u] = a[u];
    }
    /* To the lanes from "lane" on; FIRST: which have none before. */
    template <bool FIRST, class Lanes>
    __device__ __forceinline__ void add_to(Lanes &lanes, int lane, const vectors_job &job) const {
        Real a[VECTORS_LANES], b[VECTORS_LANES];
        numbers(job, a, b);
        lanes.template add_numbers<FIRST, PRODUCT>(lane, a, b, false);
    }
};

#endif
