/* quire/device/accumulate.cuh - many threads and blocks into one accumulator. Part of device.cuh, whose first comment
 * is the contract.
 *
 * An accumulator (quire/accumulator.h) is an exact sum in fixed point: whoever adds to it, and when, its result is the
 * same. So split-K products, histograms, scattered gradients and losses over a grid have the same bits in every run.
 *
 *   to        an accumulator in memory that the device can write: device memory, or shared memory. It begins as zeros
 *             (cudaMemset to 0), and is finished by quire_finish_many on the device, or by quire_finish on the host.
 *   CARRIES   Between two carries all threads together may add up to 2^26 elements or products, or 2^28 sums: those of
 *             threads, and those of block_accumulate. quire_accumulate carries, with n = 0 too, and so do quire_carry
 *             and quire_merge on the host. Carry before accumulators are added word by word (NCCL, MPI).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_DEVICE_ACCUMULATE_CUH
#define QUIRE_DEVICE_ACCUMULATE_CUH

#include <quire/device/collectives.cuh>

namespace quire {
namespace detail {

/* A sum of n terms as two numbers, of which one may be 0. */
static __device__ __forceinline__ void atomic_add_numbers(quire_accumulator *to, const double (&number)[2], size_t n) {
    for (double one : number)
        if (one != 0) atomic_add_number(to, one);
    atomic_add_word(&to->count, (int64_t)n);
}

} // namespace detail

/* Adds x, or x * y, exactly: up to four atomic additions of 64 bits, of a product of doubles up to seven. */
template <class T> static __device__ __forceinline__ void atomic_add(quire_accumulator *to, T x) {
    detail::atomic_add_number(to, detail::element_of<T>::number(x));
    detail::atomic_add_word(&to->count, 1);
}
template <class T> static __device__ __forceinline__ void atomic_add_product(quire_accumulator *to, T x, T y) {
    detail::atomic_add_product_of(to, detail::element_of<T>::number(x), detail::element_of<T>::number(y));
    detail::atomic_add_word(&to->count, 1);
}

/* Adds a thread's sum of n terms, if it is known exactly and is not 0 (whose sign would be lost). Else false, and
 * nothing is added: an interval can not go into an accumulator, but its elements can. */
template <class T, class R>
static __device__ __forceinline__ bool atomic_add(quire_accumulator *to, const exact<T, R> &sum, size_t n) {
    double number[2];
    if (!sum.numbers(number) || (number[0] == 0 && number[1] == 0)) return false;
    detail::atomic_add_numbers(to, number, n);
    return true;
}

namespace detail {

/* Adds the limbs of a block's scratch. */
template <class Group> static __device__ __forceinline__ void add_limbs(const Group &group, quire_accumulator *to) {
    const quire_accumulator &sum = group.scratch.limbs;
    for (unsigned i = group.rank; i < QUIRE_ACCUMULATOR_LIMBS; i += group.size)
        atomic_add_word(&to->limb[i], sum.limb[i]);
    if (group.rank != 0) return;
    atomic_add_word(&to->count, sum.count);
    if (sum.other) atomic_set(&to->other, sum.other);
    if (sum.nan) atomic_set(&to->nan, 1);
    if (sum.positive_infinity) atomic_set(&to->positive_infinity, 1);
    if (sum.negative_infinity) atomic_set(&to->negative_infinity, 1);
}

template <terms TERMS, class Group, class X, class Y>
static __device__ __noinline__ void accumulate_again(const Group group, quire_accumulator *to, size_t n, const X x,
                                                     const Y y) {
    add_to_limbs<TERMS>(group, n, x, y);
    add_limbs(group, to);
    group.sync();
}

/* A sum that is known exactly is two numbers; any other goes by limbs. */
template <terms TERMS, class Group, class X, class Y>
static __device__ __forceinline__ void accumulate(const Group &group, quire_accumulator *to, size_t n, const X &x,
                                                  const Y &y) {
    typedef std::decay_t<decltype(x((size_t)0))> T;
    static_assert(std::is_same_v<T, std::decay_t<decltype(y((size_t)0))>>, "x and y give elements of one type");
    thread_sum<T, exact_sum<2>> s;
    double number[2];
    add_terms<TERMS, LOADS_AHEAD>(s, group.rank, n, group.size, x, y);
    s = group.total(s);
    const bool is_known = group.rank == 0 && s.numbers(number) && (number[0] != 0 || number[1] != 0);
    if (is_known) atomic_add_numbers(to, number, n);
    if (!group.share(is_known)) accumulate_again<TERMS>(group, to, n, x, y);
}

} // namespace detail

/* Adds x(0), ..., x(n - 1), or x(k) * y(k), by a whole block: mostly a few atomic additions a call. Arguments as for
 * the collectives; THREADS is that of the scratch. */
template <int THREADS, class X>
static __device__ __forceinline__ void block_accumulate(block_scratch<THREADS> &scratch, quire_accumulator *to,
                                                        size_t n, const X &x) {
    detail::accumulate<terms::elements>(detail::block_group<THREADS>(scratch), to, n, x, x);
}
template <int THREADS, class X, class Y>
static __device__ __forceinline__ void block_accumulate_products(block_scratch<THREADS> &scratch, quire_accumulator *to,
                                                                 size_t n, const X &x, const Y &y) {
    detail::accumulate<terms::products>(detail::block_group<THREADS>(scratch), to, n, x, y);
}

} // namespace quire

#endif
