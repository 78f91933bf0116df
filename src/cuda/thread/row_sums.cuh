/* row_sums.cuh - a thread's exact sums of a column, as cheap as the format's elements allow: of numbers, of products,
 * or of numbers and their squares at once. Each is a few doubles and a width: the sum is what the doubles add up to, or
 * less by the width at most. It is exact where that is 0, and not known where that is NaN or infinite.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_ROW_SUMS_CUH
#define QUIRE_CUDA_THREAD_ROW_SUMS_CUH

#include "cuda/thread/ends.cuh"
#include "cuda/thread/exact_terms.cuh"
#include "cuda/thread/shifted.cuh"

/* What is added up. */
enum row_terms { ROW_NUMBERS, ROW_PRODUCTS, ROW_MOMENTS };

/* One double, of terms whose sums all are doubles. */
struct sure_sum {
    static constexpr int words = 1;
    double sum;

    __device__ __forceinline__ void clear() { sum = -0.0; }
    __device__ __forceinline__ void add(double term) { sum += term; }
    __device__ __forceinline__ void merge(unsigned threads, unsigned apart = 1) {
        for (unsigned lanes = threads / 2 * apart; lanes >= apart; lanes /= 2)
            sum += __shfl_xor_sync(WHOLE_WARP, sum, lanes);
    }
    __device__ __forceinline__ double width() const { return sum - sum; } /* NaN of what is not finite */
    __device__ __forceinline__ double word(int) const { return sum; }
};

/* Two doubles or three (exact_sum.cuh). */
template <int WORDS> struct long_sum : exact_sum<WORDS> {
    static constexpr int words = WORDS;

    __device__ __forceinline__ void add_product(double a, double b) { this->add(a * b); } /* which is a double */
    __device__ __forceinline__ void merge(unsigned threads, unsigned apart = 1) {
        *(exact_sum<WORDS> *)this = merge_threads(*this, threads, apart);
    }
    __device__ __forceinline__ void join(const long_sum &other) { exact_sum<WORDS>::merge(other); }
    /* That of another lane, by a whole warp. */
    __device__ __forceinline__ long_sum of_lane(unsigned lane) const {
        long_sum other = *this;
        for (int i = 0; i < WORDS - 1; i++)
            other.exact_sum<WORDS>::word[i] = __shfl_sync(WHOLE_WARP, exact_sum<WORDS>::word[i], lane);
        other.down = __shfl_sync(WHOLE_WARP, this->down, lane), other.up = __shfl_sync(WHOLE_WARP, this->up, lane);
        return other;
    }
    __device__ __forceinline__ double word(int i) const { return i < WORDS - 1 ? exact_sum<WORDS>::word[i] : this->up; }
    /* Two numbers as one, and wider, if the second is none; the first is what is left of it then. An infinity stays. */
    __device__ __forceinline__ void shorten() {
        double &first = exact_sum<WORDS>::word[0];
        if (this->is_one_number() || !double_is_finite(first)) return;
        const double all = add_up(first, this->up);
        this->down = add_down(add_down(first, this->down), -all), this->up = 0;
        first = all;
    }
};

/* Sums of items, which end with close(): each is a double, and all of them together are two. A sum that has never been
 * closed is that of its one item. */
template <class Item> struct sum_of_items {
    static constexpr int words = 2;
    Item item;
    long_sum<2> all;
    bool has_closed;

    __device__ __forceinline__ void clear() {
        item.clear(), all.clear();
        has_closed = false;
    }
    __device__ __forceinline__ void add(double term) { item.add(term); }
    __device__ __forceinline__ void close() {
        all.add(item.word(0));
        all.widen(item.width(), 0);
        item.clear();
        has_closed = true;
    }
    /* The threads have closed alike. */
    __device__ __forceinline__ void merge(unsigned threads, unsigned apart = 1) {
        if (has_closed)
            all.merge(threads, apart);
        else
            item.merge(threads, apart);
    }
    __device__ __forceinline__ double width() const { return has_closed ? all.width() : item.width(); }
    __device__ __forceinline__ double word(int i) const { return has_closed ? all.word(i) : i ? 0 : item.word(0); }
};

/* BY_ITEMS: terms come in items that are closed. */
template <class Format, bool BY_ITEMS> struct row_arithmetic {
    static constexpr format_description is = Format::description;
    static constexpr bool is_shifted = sizeof(typename Format::element) <= 2;
    static constexpr int exponents = exact_terms<Format, false>::range; /* numbers are below 2^exponents of the least */
    /* A column, or a part of one, has less than 2^ROW_COUNT_BITS elements. */
    static constexpr bool is_sure = exponents + ROW_COUNT_BITS <= 53;
    /* Less than 2^ROW_ITEM_BITS elements of an item are a thread's, or all threads' where it is merged unclosed. */
    typedef std::conditional_t<exponents + ROW_ITEM_BITS <= 53, sure_sum, ends> item_sum;
    static constexpr bool has_items = BY_ITEMS && !is_sure && is.precision <= 24;
    typedef std::conditional_t<is_sure, sure_sum,
                               std::conditional_t<has_items, sum_of_items<item_sum>,
                                                  std::conditional_t<is.precision <= 24, ends, long_sum<2>>>>
        number_sum;
    static constexpr int product_bits = 2 * is.precision;
    /* Products of 8 or 16 bits may need more bits than a double has. But a sum that is known to some 2^-50 of its terms
     * tells results of up to 24 bits; for doubles as results it is not asked (needs_long_products, host/rows.cuh). */
    static constexpr bool has_short_products = product_bits <= 24;
    /* Whether half of a float's bits are left where it holds a product, so that numbers are shifted floats. */
    static constexpr bool in_floats = product_bits + 4 <= 12;
    typedef std::conditional_t<has_short_products, ends,
                               std::conditional_t<product_bits <= 48, long_sum<2>, long_sum<3>>>
        product_sum;
};

template <class Format, row_terms TERMS, bool BY_ITEMS = true> struct row_sums {
    typedef row_arithmetic<Format, BY_ITEMS> arithmetic;
    typedef typename Format::real real;
    static constexpr bool has_numbers = TERMS != ROW_PRODUCTS, has_products = TERMS != ROW_NUMBERS;
    static constexpr int sums = has_numbers + has_products;
    static constexpr int number_words = has_numbers ? arithmetic::number_sum::words : 0;
    static constexpr int words = number_words + (has_products ? arithmetic::product_sum::words : 0);
    /* Where products want numbers as they are, the sum of numbers takes the same; those of shifted numbers of 8 bits
     * are floats. */
    static constexpr bool is_shifted = arithmetic::is_shifted && (!has_products || arithmetic::in_floats);
    static constexpr bool looks_for_special = is_shifted;
    static constexpr bool overflows = exact_terms<Format, false>::is_double;
    typedef shifted<Format> to;
    typename arithmetic::number_sum numbers;
    typename arithmetic::product_sum products;
    uint32_t special;

    __device__ __forceinline__ void clear() {
        special = 0;
        if (has_numbers) numbers.clear();
        if (has_products) products.clear();
    }

    template <int COUNT>
    static __device__ __forceinline__ double number(const element_group<Format, COUNT> &x, int i, bool magnitude) {
        if constexpr (is_shifted) {
            constexpr int per_word = 32 / to::bits;
            return to::element(x.word[i / per_word], i % per_word, magnitude ? to::mask & 0x7fffffff : to::mask);
        } else {
            return element_term<Format, false>::linear(decode(Format(), x.of[i]), magnitude);
        }
    }
    __device__ __forceinline__ void add_product(real a, real b) {
        if constexpr (sizeof(real) == 8) {
            products.add_long_product(a, b);
        } else if constexpr (arithmetic::has_short_products) {
            products.add_product(a, b);
        } else {
            products.add((double)a * (double)b);
        }
    }
    /* Not 0 in the format's signs if an element is an infinity or NaN, which sums of shifted numbers do not tell. */
    template <int COUNT>
    static __device__ __forceinline__ uint32_t special_of(const element_group<Format, COUNT> &x,
                                                          const element_group<Format, COUNT> &y) {
        uint32_t any = 0;
        if constexpr (looks_for_special) {
#pragma unroll
            for (int w = 0; w < element_group<Format, COUNT>::WORDS; w++)
                any |= to::special(x.word[w]) | (TERMS == ROW_PRODUCTS ? to::special(y.word[w]) : 0);
        }
        return any;
    }
    /* A number of 8 bits as a shifted float; a product of two, exactly, shifted as one of them is. */
    template <int COUNT>
    static __device__ __forceinline__ float float_number(const element_group<Format, COUNT> &x, int i, uint32_t keep) {
        return to::float_element(x.word[i / 4], i % 4, keep);
    }
    template <int COUNT>
    static __device__ __forceinline__ float float_product(const element_group<Format, COUNT> &x,
                                                          const element_group<Format, COUNT> &y, int i) {
        const float a = float_number(x, i, to::mask);
        return a * to::float_scale * (TERMS == ROW_PRODUCTS ? float_number(y, i, to::mask) : a);
    }
    /* The terms of element i of a group. */
    template <int COUNT>
    __device__ __forceinline__ void add_element(const element_group<Format, COUNT> &x,
                                                const element_group<Format, COUNT> &y, int i, bool magnitude) {
        if constexpr (has_numbers) numbers.add(number(x, i, magnitude));
        if constexpr (has_products && is_shifted) {
            products.add(to::from_float(float_product(x, y, i)));
        } else if constexpr (has_products) {
            const real a = decode(Format(), x.of[i]), b = TERMS == ROW_PRODUCTS ? decode(Format(), y.of[i]) : a;
            add_product(a, b);
        }
    }

    /* At the end of an item, if there is more than one. */
    __device__ __forceinline__ void close() {
        if constexpr (has_numbers && arithmetic::has_items) numbers.close();
    }
    /* Of "threads" threads, a power of two, that stand "apart"; by whole warps, of closed sums. */
    __device__ __forceinline__ void merge(unsigned threads, unsigned apart = 1) {
        if constexpr (has_numbers) numbers.merge(threads, apart);
        if constexpr (has_products) products.merge(threads, apart);
        if constexpr (looks_for_special)
            for (unsigned lanes = threads / 2 * apart; lanes >= apart; lanes /= 2)
                special |= __shfl_xor_sync(WHOLE_WARP, special, lanes);
    }
    /* What makes numbers of the sums. */
    static __device__ __forceinline__ double scale() { return is_shifted ? to::scale() : 1; }

    /* Of sum number i: of numbers, of products. */
    __device__ __forceinline__ double width(int i) const {
        if constexpr (looks_for_special)
            if (special & to::signs) return double_of_bits(double_format::description.quiet_nan);
        if constexpr (has_numbers)
            if (i == 0) return numbers.width() * scale();
        if constexpr (has_products) return products.width() * scale();
        return 0;
    }
    __device__ __forceinline__ double word(int i) const {
        if constexpr (has_numbers)
            if (i < number_words) return numbers.word(i) * scale();
        if constexpr (has_products) return products.word(i - number_words) * scale();
        return 0;
    }
};

#endif
