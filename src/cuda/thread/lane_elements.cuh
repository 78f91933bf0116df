/* lane_elements.cuh - the elements that a thread adds to its lanes of the canonical order, loaded one by one: of a
 * format that is known when a kernel runs. In place of what is missing stands the zero that changes no sum.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_LANE_ELEMENTS_CUH
#define QUIRE_CUDA_THREAD_LANE_ELEMENTS_CUH

#include "cuda/thread/lane_sums.cuh"
#include "cuda/thread/strided_vector.cuh"

/* Elements first, first + step, ... of a vector, of those before end, which are left of "step" each. */
struct lane_steps {
    size_t first;
    unsigned step, left; /* from the first on */

    __device__ __forceinline__ lane_steps(size_t from, size_t end, unsigned apart)
        : first(from), step(apart), left(from < end ? (unsigned)min(end - from, (size_t)UINT32_MAX) : 0) {}
    __device__ __forceinline__ bool has(unsigned u) const { return u * step < left; }
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
            for (int u = 0; u < VECTORS_LANES; u++) of[u] = steps.has(u) ? p[u * apart] : missing;
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
    template <class Format> __device__ __forceinline__ void numbers_of(Real (&x)[VECTORS_LANES]) const {
#pragma unroll
        for (int u = 0; u < VECTORS_LANES; u++) {
            typename Format::element element;
            memcpy(&element, &of[u], sizeof element);
            x[u] = decode(Format(), element);
        }
    }
    __device__ __forceinline__ void numbers(quire_type type, Real (&x)[VECTORS_LANES]) const {
        if constexpr (sizeof(Real) == 8) {
            numbers_of<double_format>(x);
        } else {
            if (type == QUIRE_F32) return numbers_of<float_format>(x);
#define NUMBERS(name, NAME, type_number, real, unused)                                                                 \
    case type_number:                                                                                                  \
        if constexpr (sizeof(typename name##_format::element) < 4) numbers_of<name##_format>(x);                       \
        break;
            switch ((int)type) { QUIRE_FORMATS(NUMBERS, ) }
#undef NUMBERS
        }
    }
};

/* A thread's loads that are under way together. */
template <class Real, bool PRODUCT> struct lane_loads {
    lane_words<Real> x, y;

    /* Elements of a strided vector. Answers whether all of these are there: always. */
    __device__ __forceinline__ bool load(const vectors_job &job, const strided_vector &v, const lane_steps &steps) {
        const ptrdiff_t first = (ptrdiff_t)steps.first, apart = steps.step;
        x.load(job, job.at.x, v.x + first * v.x_step, apart * v.x_step, steps, false);
        if (PRODUCT && job.is_pair) y.load(job, job.at.y, v.y + first * v.y_step, apart * v.y_step, steps, true);
        return true;
    }
    /* The two factors of each term, or its number. A square of a missing one is +0, which changes no sum of squares. */
    __device__ __forceinline__ void numbers(const vectors_job &job, Real (&a)[VECTORS_LANES],
                                            Real (&b)[VECTORS_LANES]) const {
        x.numbers(job.type, a);
        if (PRODUCT && job.is_pair)
            y.numbers(job.type, b);
        else
            for (int u = 0; u < VECTORS_LANES; u++) b[u] = a[u];
    }
    /* To the lanes from "lane" on. */
    template <class Lanes>
    __device__ __forceinline__ void add_to(Lanes &lanes, int lane, const vectors_job &job) const {
        Real a[VECTORS_LANES], b[VECTORS_LANES];
        numbers(job, a, b);
        lanes.template add_numbers<false, PRODUCT>(lane, a, b, job.magnitude);
    }
};

#endif
