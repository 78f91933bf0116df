/* quire/types.h - the words that all calls share: what they answer, the formats of numbers, what is computed and how.
 *
 * Part of quire.h, whose first comment is the contract. Numbers of enumerations are pinned: they never change.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_TYPES_H
#define QUIRE_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define QUIRE_API __attribute__((visibility("default")))
#else
#define QUIRE_API
#endif

/* --------------------------------------------------------------------------------------------------------- statuses */

/* What a call answers. The numbers are pinned: they never change their meaning, and gaps are left for newcomers. */
typedef enum quire_status {
    QUIRE_OK = 0,

    QUIRE_INVALID_TYPE = 10,        /* type is none of quire_type that elements have here */
    QUIRE_INVALID_RESULT_TYPE = 11, /* result_type is none of quire_type that results have */
    QUIRE_INVALID_METHOD = 12,      /* method is none of quire_method, or the elements have none but QUIRE_EXACT */
    QUIRE_INVALID_TIER = 13,        /* tier is none of quire_tier, or QUIRE_TIER names none */
    QUIRE_INVALID_THREADS = 14,     /* the number of threads is negative, or beyond QUIRE_MAX_THREADS */
    QUIRE_INVALID_OPERATION = 15,   /* operation is none of quire_operation, or a reserved word is not 0 */
    QUIRE_INVALID_ROUNDING = 16,    /* rounding is none of quire_rounding */
    QUIRE_INVALID_INDEX = 17,       /* index is none of quire_index */
    QUIRE_INVALID_LAYOUT = 18,      /* the layouts differ in size, or reach further than memory does */
    QUIRE_INVALID_MOMENTS = 19,     /* accumulators are not of the same numbers: their counts differ, or no numbers have
                                       such sums */

    QUIRE_NULL_POINTER = 20,  /* a pointer that is needed is NULL */
    QUIRE_MISALIGNED = 21,    /* a pointer is not a multiple of the size of what it points to, or a workspace of 256 */
    QUIRE_SIZE_OVERFLOW = 22, /* n elements of this type are over PTRDIFF_MAX bytes, or more than an index counts */
    QUIRE_WRONG_CONTEXT = 23, /* the call does not fit the context: a stream for a CPU, a tier for a GPU */
    QUIRE_NO_INTEGER = 24, /* QUIRE_INT128 is asked of what has no such result: elements that are no integers, a mean,
                              products of 64-bit integers; or an accumulator that holds none, or a greater one */

    QUIRE_OUT_OF_MEMORY = 30,    /* the context could not be allocated, or a workspace is too small */
    QUIRE_TIER_UNAVAILABLE = 31, /* this processor, or this build, lacks the tier */

    QUIRE_NO_DEVICE = 40,         /* no CUDA device, no driver, or a library built without CUDA. Which of them:
                                     quire_has_cuda() is 0 without CUDA, and cudaDriverGetVersion tells 0 without a
                                     driver; "quire info" shows both */
    QUIRE_INVALID_DEVICE = 41,    /* there are devices, but none of this number, or none this build has code for */
    QUIRE_NOT_DEVICE_MEMORY = 42, /* a CUDA context was given a pointer that its device cannot read or write */
    QUIRE_INVALID_STREAM = 43,    /* the stream belongs to another device, or is none, or is being captured
                                     (quire_set_stream) */
    QUIRE_DEVICE_FAULT = 44,      /* the device reports an error, perhaps left by an earlier kernel of the caller; or
                                     graphs of this context have run at the same time (quire_open_cuda) */

    QUIRE_COMMUNICATION_FAULT = 50, /* a call of MPI or NCCL failed (quire/mpi.h, quire/nccl.h) */
    QUIRE_RANKS_DIFFER = 51         /* ranks passed different arguments where all must pass the same (quire/mpi.h) */
} quire_status;

/* One line of English for a status, without a full stop or newline; for an unknown number "unknown status".
 * Never NULL; static storage. */
QUIRE_API const char *quire_status_string(quire_status status);

/* ------------------------------------------------------------------------------------------------ types and methods */

/* The format of an element or of a result. Half and bfloat16 are passed as their 16 bits (uint16_t, __half, _Float16,
 * __nv_bfloat16: any type of that size), the 8-bit formats as bytes (uint8_t, __nv_fp8_e5m2, __nv_fp8_e4m3). All are
 * little- or big-endian as the machine is. */
typedef enum quire_type {
    QUIRE_F16 = 1,  /* IEEE 754 binary16: 11 bits of precision, up to 65504 */
    QUIRE_BF16 = 2, /* bfloat16: 8 bits of precision, the exponents of float */
    QUIRE_F32 = 3,  /* IEEE 754 binary32, float */
    QUIRE_F64 = 4,  /* IEEE 754 binary64, double */
    QUIRE_E5M2 = 5, /* OCP 8-bit: 3 bits of precision, the exponents of half, up to 57344, with infinities */
    QUIRE_E4M3 = 6, /* OCP 8-bit (e4m3fn): 4 bits of precision, up to 448, NaN but no infinities: a result beyond 448
                       that rounds to no finite number is the NaN 0x7f */

    /* Integers, of elements alone, by QUIRE_EXACT alone: nothing of them is rounded before the result, and
     * nothing overflows. A 0 is +0, and so is a product that is 0. docs/integers.md has more. */
    QUIRE_INT8 = 16, /* int8_t, and so on */
    QUIRE_INT16 = 17,
    QUIRE_INT32 = 18,
    QUIRE_INT64 = 19,
    QUIRE_UINT8 = 20, /* also bool, as 0 and 1 */
    QUIRE_UINT16 = 21,
    QUIRE_UINT32 = 22,
    QUIRE_UINT64 = 23,
    /* An integer as a result: 128 bits, two's complement, the two words of 64 bits in the machine's order, as __int128
     * has them, but aligned to 8 bytes. Of QUIRE_SUM and QUIRE_ASUM of integers; of QUIRE_DOT and QUIRE_SUMSQ of those
     * of 32 bits and less; and of accumulators. Exact, so that no rounding shows. */
    QUIRE_INT128 = 24
} quire_type;

/* Bytes of an element, or of a result; 0 for a number that is none of quire_type. */
QUIRE_API size_t quire_type_size(quire_type type);

/* How a sum is made. u is the unit roundoff of the accumulation: 2^-53 for F64 input, which accumulates in double,
 * 2^-24 for every other, which accumulates in float. The bounds are on the total before its one rounding to the result
 * type (which adds half an ulp of that), barring overflow and, for products, underflow; c is the longest chain of
 * additions an element can pass: c = rows + 8 + ceil(log2(tiles)), of the canonical order in docs/order.md. Sources and
 * proofs: docs/accuracy.md. */
typedef enum quire_method {
    QUIRE_EXACT = 1,    /* fixed-point accumulation, rounded once: the number of the result type nearest to the true
                           result, ties to even. Nothing overflows on the way. [Kulisch, Miranker 1986] */
    QUIRE_KAHAN = 2,    /* Kahan-Babuska-Neumaier compensation in every lane and every merge; dot and nrm2 also add the
                           rounding error of each product. error <= (c u)^2 sum|x| [after Ogita, Rump, Oishi 2005, Sum2
                           and Dot2; merges counted in docs/accuracy.md] */
    QUIRE_PAIRWISE = 3, /* tiles of 16 rows under a balanced tree. error <= c u sum|x| + O(u^2), c = 24 +
                           ceil(log2(ceil(n/4096))) [Higham 1993]; dot and nrm2 alike */
    QUIRE_PLAIN = 4     /* long lanes under the same tree. error <= c u sum|x| + O(u^2) [Higham 1993, for any order
                           of additions]; dot and nrm2 alike */
} quire_method;

/* The c of a method's error bound (quire_method) for a sum of n terms, a number of additions; 0 for QUIRE_EXACT and for
 * an unknown method. n = 0 and n = 1 give the c of one tile. */
QUIRE_API size_t quire_chain_length(quire_method method, size_t n);

/* ------------------------------------------------------------------------------------------------- what is computed */

/* What is computed of a vector x, or of two. The numbers are pinned. */
typedef enum quire_operation {
    QUIRE_SUM = 1,      /* the sum of x[i] */
    QUIRE_ASUM = 2,     /* of |x[i]| */
    QUIRE_DOT = 3,      /* of x[i] * y[i] */
    QUIRE_NRM2 = 4,     /* the square root of the sum of x[i]^2 */
    QUIRE_MEAN = 5,     /* the sum of x[i], divided by n */
    QUIRE_VARIANCE = 6, /* see quire_variance; QUIRE_EXACT alone */
    QUIRE_STDDEV = 7,   /* see quire_stddev; QUIRE_EXACT alone */
    QUIRE_SUMSQ = 8,    /* the sum of x[i]^2, by every method as QUIRE_DOT of x with itself */

    /* Of two vectors, by QUIRE_EXACT alone; quire/pairs.h says what they are. */
    QUIRE_AVERAGE = 9,     /* the sum of x[i] * y[i], divided by that of y[i], which are the weights */
    QUIRE_COVARIANCE = 10, /* of x and y */
    QUIRE_CORRELATION = 11 /* of x and y */
} quire_operation;

/* Of the one rounding, after IEEE 754-2019, 4.3. In a directed mode a result beyond the greatest finite number becomes
 * that number where the direction leads back to it, and a result of magnitude below the least becomes the least where
 * the direction leads away from 0. An exact zero of anything but zeros is -0 in QUIRE_DOWNWARD, else +0; a
 * variance, its root, a covariance or a correlation that is zero is +0 in all modes. The ordered methods add to
 * nearest, whatever the mode (1 - 1 is +0 then), and round their total once in it. */
typedef enum quire_rounding {
    QUIRE_TO_NEAREST = 0, /* ties to even */
    QUIRE_DOWNWARD = 1,   /* towards -Inf */
    QUIRE_UPWARD = 2,     /* towards +Inf */
    QUIRE_TOWARD_ZERO = 3
} quire_rounding;

/* What quire_reduce computes. Set all of it to 0 first: 0 is a default, in every field but type. */
typedef struct quire_reduction {
    quire_operation operation; /* 0: QUIRE_SUM */
    quire_type type;           /* of the elements of x and y; must be named */
    quire_type result_type;    /* 0: as type; of integers QUIRE_F64 */
    quire_method method;       /* 0: QUIRE_EXACT */
    quire_rounding rounding;   /* of the one rounding of each result */
    int64_t correction;        /* of QUIRE_VARIANCE, QUIRE_STDDEV and QUIRE_COVARIANCE; no other operation reads it */
    int64_t reserved[4];       /* must be 0 */
} quire_reduction;

/* --------------------------------------------------------------------------------------------- where it is computed */

/* Where the work runs. NULL in place of a context is always allowed and means: the CPU, the calling thread alone, and
 * the tier that the environment variable QUIRE_TIER names when such a call is first made, or the best if it names none
 * that is there. */
typedef struct quire_context quire_context;

#ifdef __cplusplus
}
#endif

#endif
