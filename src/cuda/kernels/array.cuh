/* array.cuh - the kernels of a format for one array, found by the lists of terms and methods.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_ARRAY_CUH
#define QUIRE_CUDA_KERNELS_ARRAY_CUH

#include "cuda/kernels/direct.cuh"
#include "cuda/kernels/exact.cuh"
#include "cuda/kernels/ring.cuh"
#include "cuda/kernels/short.cuh"

/* The method whose kernels serve a method: pairwise is plain in other tiles, which the host makes. */
template <class Method> struct kernels_for { typedef Method method; };
template <> struct kernels_for<pairwise_method> { typedef plain_method method; };

static cuda_kernel kernel_that_is(const void *function, cuda_driver driver, unsigned threads, unsigned shared) {
    cuda_kernel kernel = {};
    kernel.function = function, kernel.driver = driver, kernel.threads = threads, kernel.shared = shared;
    return kernel;
}

template <class Format, class Term, class Method, int E> static cuda_kernel lane_kernel_of(cuda_length length) {
    constexpr int together = E > 1 ? direct_elements<Format> : 1;
    const void *direct = (const void *)direct_kernel<Format, Term, Method, together>;
    if constexpr (E > 1)
        if (length >= LENGTH_LONG) {
            cuda_kernel ring =
                kernel_that_is((const void *)ring_kernel<Format, Term, Method>, DRIVER_RING, RING_THREADS, 0);
            ring.most_blocks = LANE_STATES / Method::words;
            return ring;
        }
    constexpr bool sooner = Method::words > 1 && !adds_by_bounds<Format, Term, Method>;
    cuda_kernel kernel = kernel_that_is(direct, DRIVER_DIRECT, DIRECT_THREADS, 0);
    kernel.tile_threads = ORDER_LANES / together;
    kernel.ring = sooner ? RING_SOONER : RING_BYTES;
    return kernel;
}

template <class Format, class Term, int E, exact_kind KIND> static cuda_kernel exact_kernel_of() {
    typedef exact_choice<Format, Term, KIND> Choice;
    cuda_kernel kernel = kernel_that_is((const void *)exact_kernel<Format, Term, E, KIND>, DRIVER_EXACT,
                                        (unsigned)Choice::threads, Choice::shared);
    kernel.load = WARP * E;
    kernel.batch = WARP * E * Choice::template packs<E>;
    kernel.approximate = Choice::approximate == APPROXIMATE_TERMS    ? 64u
                         : Choice::approximate == APPROXIMATE_TOTALS ? APPROXIMATE_TOTAL_PRECISION
                                                                     : 0u;
    kernel.adds_floats = Choice::float_count > 0;
    return kernel;
}

template <class Format, class Term, bool MANY> static cuda_kernel short_kernel_of() {
    typedef short_choice<Format, Term, MANY> Choice;
    if constexpr (Choice::is_there) {
        cuda_kernel kernel = kernel_that_is((const void *)short_kernel<Format, Term, MANY>, DRIVER_SHORT,
                                            (unsigned)Choice::threads, Choice::shared);
        kernel.most_batches = Choice::batches;
        kernel.load = Choice::E;
        kernel.batch = Choice::E * Choice::packs;
        kernel.once = !MANY;
        return kernel;
    } else
        return exact_kernel_of<Format, Term, Choice::E, EXACT_SPREAD>();
}

template <class Format, class Term, int E>
static cuda_kernel kernel_of_method(quire_method method, cuda_length length) {
    switch (method) {
    case QUIRE_EXACT:
        if constexpr (E > 1 && std::is_same<Term, square_term>::value)
            if (length == LENGTH_LONG_NORM) return exact_kernel_of<Format, Term, E, EXACT_APPROXIMATE_ONLY>();
        if constexpr (E > 1)
            if (length < LENGTH_LONG)
                return length == LENGTH_ONE_BATCH ? short_kernel_of<Format, Term, false>()
                                                  : short_kernel_of<Format, Term, true>();
        if constexpr (E > 1 && exact_choice<Format, Term, EXACT_LONG>::quicker_by_doubles)
            if (length == LENGTH_LONG_FLOATS) return exact_kernel_of<Format, Term, E, EXACT_LONG_FLOATS>();
        if constexpr (E > 1 || Term::is_pair) return exact_kernel_of<Format, Term, E, EXACT_LONG>();
        break; /* of one array, what is not aligned is taken off the front */
#define METHOD_CASE(name, METHOD, words, rows, unused)                                                                 \
    case METHOD: return lane_kernel_of<Format, Term, kernels_for<name##_method>::method, E>(length);
        QUIRE_LANE_METHODS(METHOD_CASE, )
#undef METHOD_CASE
    }
    return {};
}

template <class Format, class Term>
static cuda_kernel kernel_of_term(quire_method method, cuda_access access, cuda_length length) {
    if (access == ACCESS_ELEMENTS) return kernel_of_method<Format, Term, 1>(method, length);
    if constexpr (Term::is_pair)
        if (access == ACCESS_SAME)
            return kernel_of_method<Format, square_term, vector_elements<Format>>(method, length);
    return kernel_of_method<Format, Term, vector_elements<Format>>(method, length);
}

template <class Format>
static cuda_kernel kernel_of(quire_term term, quire_method method, cuda_access access, cuda_length length) {
#define TERM_CASE(name, TERM, product, pair, sign, unused)                                                             \
    case TERM: return kernel_of_term<Format, name##_term>(method, access, length);
    switch (term) {
        QUIRE_TERMS(TERM_CASE, )
    case TERM_COUNT: break;
    }
#undef TERM_CASE
    return {};
}

#endif
