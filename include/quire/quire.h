/* quire.h - the correctly rounded sum, the same bits everywhere, at the speed of memory.
 *
 *     #include <quire/quire.h>
 *
 *     float x[4] = {1e20f, 1.0f, -1e20f, 1.0f};
 *     float s = quire_sumf(x, 4);                                            // 2, not 1 and not 0
 *
 *     double m;
 *     quire_status status = quire_mean(NULL, QUIRE_F32, 4, x, QUIRE_EXACT, QUIRE_F64, &m);    // 0.5
 *     if (status) fprintf(stderr, "%s\n", quire_status_string(status));
 *
 * THE CONTRACT. The bits of a result are a function of the input values, their order, n, the type, the operation, the
 * method, the result type and its quire_rounding, and of nothing else: not of the machine, the instruction set, the
 * number of threads, the alignment of the arrays, the compiler, nor the caller's rounding mode or flush-to-zero bits.
 * QUIRE_EXACT does not depend on the order of the input either.
 *
 * SPECIAL VALUES, in every method. Any NaN gives the canonical quiet NaN (sign clear, only the quiet bit set). +Inf and
 * -Inf together give that NaN, and so does Inf times 0; one kind of Inf gives it. The empty sum is +0, the mean of
 * nothing NaN; a sum of only -0 is -0; an exact zero from anything else is +0 (but see quire_rounding). A result that
 * is not 0 and rounds to 0 keeps its sign. Subnormals count in full, in and out. In all methods but QUIRE_EXACT a
 * partial sum may overflow, and counts as an infinity then, and a product too small for the accumulation format counts
 * as a zero of the product's sign.
 *
 * BEHAVIOUR OF EVERY CALL. Arguments are checked first. The statuses of a call are listed with it in the order in which
 * they are checked, and the first that applies is returned: so a NULL among the pointers is found before any
 * misalignment. A call that returns anything but QUIRE_OK has written nothing, and the context stays usable. Nothing is
 * printed, nothing aborts, nothing allocates (but quire_open_*), and there is no global state. A context serves one
 * thread at a time; NULL, and different contexts, may be used from any number of threads.
 *
 * This header needs only version.h beside it and no CUDA header, and compiles as C99 and later and as C++.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_QUIRE_H
#define QUIRE_QUIRE_H

#include <stddef.h>
#include <stdint.h>

#include <quire/version.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define QUIRE_API __attribute__((visibility("default")))
#else
#define QUIRE_API
#endif

/* ------------------------------------------------------------------------------------------------------------ statuses
 */

/* What a call answers. The numbers are pinned: they never change their meaning, and gaps are left for newcomers. */
typedef enum quire_status {
    QUIRE_OK = 0,

    QUIRE_INVALID_TYPE = 10,        /* type is none of quire_type */
    QUIRE_INVALID_RESULT_TYPE = 11, /* result_type is none of quire_type */
    QUIRE_INVALID_METHOD = 12,      /* method is none of quire_method */
    QUIRE_INVALID_TIER = 13,        /* tier is none of quire_tier, or QUIRE_TIER names none */
    QUIRE_INVALID_THREADS = 14,     /* the number of threads is negative, or beyond QUIRE_MAX_THREADS */
    QUIRE_INVALID_OPERATION = 15,   /* operation is none of quire_operation, or a reserved word is not 0 */
    QUIRE_INVALID_ROUNDING = 16,    /* rounding is none of quire_rounding */
    QUIRE_INVALID_INDEX = 17,       /* index is none of quire_index */
    QUIRE_INVALID_LAYOUT = 18,      /* the layouts differ in size, or reach further than memory does */
    QUIRE_INVALID_MOMENTS = 19,     /* accumulators are not of the same numbers: their counts differ, or no numbers have
                                       such sums */

    QUIRE_NULL_POINTER = 20,  /* a pointer that is needed is NULL */
    QUIRE_MISALIGNED = 21,    /* a pointer is not a multiple of the size of what it points to */
    QUIRE_SIZE_OVERFLOW = 22, /* n elements of this type are more than PTRDIFF_MAX bytes */
    QUIRE_WRONG_CONTEXT = 23, /* the call does not fit the context: a stream for a CPU, a tier for a GPU */

    QUIRE_OUT_OF_MEMORY = 30,    /* the context could not be allocated */
    QUIRE_TIER_UNAVAILABLE = 31, /* this processor, or this build, lacks the tier */

    QUIRE_NO_DEVICE = 40,         /* no CUDA device, no driver, or a library built without CUDA. Which of them:
                                     quire_has_cuda() is 0 without CUDA, and cudaDriverGetVersion tells 0 without a
                                     driver; "quire info" shows both */
    QUIRE_INVALID_DEVICE = 41,    /* there are devices, but none of this number, or none this build has code for */
    QUIRE_NOT_DEVICE_MEMORY = 42, /* a CUDA context was given a pointer that its device cannot read or write */
    QUIRE_INVALID_STREAM = 43,    /* the stream belongs to another device, or is none */
    QUIRE_DEVICE_FAULT = 44,      /* the device reports an error, perhaps left by an earlier kernel of the caller */

    QUIRE_COMMUNICATION_FAULT = 50 /* a call of MPI or NCCL failed (quire/mpi.h, quire/nccl.h) */
} quire_status;

/* One line of English for a status, without a full stop or newline; for an unknown number "unknown status".
 * Never NULL; static storage. */
QUIRE_API const char *quire_status_string(quire_status status);

/* --------------------------------------------------------------------------------------------------- types and methods
 */

/* The format of an element or of a result. Half and bfloat16 are passed as their 16 bits (uint16_t, __half, _Float16,
 * __nv_bfloat16: any type of that size), the 8-bit formats as bytes (uint8_t, __nv_fp8_e5m2, __nv_fp8_e4m3). All are
 * little- or big-endian as the machine is. */
typedef enum quire_type {
    QUIRE_F16 = 1,  /* IEEE 754 binary16: 11 bits of precision, up to 65504 */
    QUIRE_BF16 = 2, /* bfloat16: 8 bits of precision, the exponents of float */
    QUIRE_F32 = 3,  /* IEEE 754 binary32, float */
    QUIRE_F64 = 4,  /* IEEE 754 binary64, double */
    QUIRE_E5M2 = 5, /* OCP 8-bit: 3 bits of precision, the exponents of half, up to 57344, with infinities */
    QUIRE_E4M3 = 6  /* OCP 8-bit (e4m3fn): 4 bits of precision, up to 448, NaN but no infinities: a result beyond 448
                       that rounds to no finite number is the NaN 0x7f */
} quire_type;

/* Bytes of an element; 0 for a number that is none of quire_type. */
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

/* ------------------------------------------------------------------------------------------------------------ contexts
 */

/* Where the work runs. NULL in place of a context is always allowed and means: the CPU, the calling thread alone, and
 * the tier that the environment variable QUIRE_TIER names, or the best if it names none that is there. (For sums of a
 * few elements the variable is read once.) */
typedef struct quire_context quire_context;

/* Instruction sets for the CPU, from the one that runs anywhere to the fastest. They differ in speed, never in bits. */
typedef enum quire_tier {
    QUIRE_TIER_BEST = 0,      /* the last of these that the processor has */
    QUIRE_TIER_PORTABLE = 1,  /* plain C */
    QUIRE_TIER_AVX2 = 2,      /* x86-64 with AVX2, FMA and F16C */
    QUIRE_TIER_AVX512 = 3,    /* x86-64 with AVX-512 F, BW, DQ and VL */
    QUIRE_TIER_AVX512VNNI = 4 /* and VNNI, which exact sums of 16-bit elements gain by */
} quire_tier;

#define QUIRE_MAX_THREADS 4096

/* Opens a context on the CPU and stores it in *context.
 *   threads  how many threads a large reduction may use; 0: as many as OpenMP would (OMP_NUM_THREADS, or the number of
 *            processors), but no more than there are processors that this process may run on. A library built without
 *            OpenMP uses one, whatever is asked.
 * A thread is started only for 4 MiB of input or more, about a third of a millisecond's work; by default for 64 MiB,
 * since where other programs keep the processors busy a thread waits some milliseconds for its turn, and the sum waits
 * for it. The tier is the one the environment variable QUIRE_TIER names, as quire_tier_name does; unset or empty, it is
 * "best". QUIRE_NULL_POINTER (context is NULL), QUIRE_INVALID_THREADS, QUIRE_INVALID_TIER or QUIRE_TIER_UNAVAILABLE
 * (what QUIRE_TIER names), QUIRE_OUT_OF_MEMORY. On any of these *context is untouched. */
QUIRE_API quire_status quire_open_cpu(quire_context **context, int threads);

/* The CUDA stream type, cudaStream_t, without its header. */
struct CUstream_st;

/* Opens a context on CUDA device number device (as cudaSetDevice counts), whose work goes to stream (a cudaStream_t;
 * NULL: the default stream). Later calls take device pointers, results too, and are asynchronous on the stream.
 * QUIRE_NULL_POINTER, QUIRE_NO_DEVICE, QUIRE_INVALID_DEVICE, QUIRE_INVALID_STREAM, QUIRE_OUT_OF_MEMORY (host or
 * device), QUIRE_DEVICE_FAULT. A library built without CUDA has this call too, and answers QUIRE_NO_DEVICE, but to NULL
 * in place of context QUIRE_NULL_POINTER, as any library does. */
QUIRE_API quire_status quire_open_cuda(quire_context **context, int device, struct CUstream_st *stream);

/* Sends the later work of a CUDA context to another stream of its device. What is under way is not waited for, but
 * later work of this context is ordered behind it. QUIRE_NULL_POINTER (context), QUIRE_WRONG_CONTEXT (a CPU context),
 * QUIRE_INVALID_STREAM, QUIRE_DEVICE_FAULT. */
QUIRE_API quire_status quire_set_stream(quire_context *context, struct CUstream_st *stream);

/* Makes a CPU context use a tier. QUIRE_NULL_POINTER (context), QUIRE_INVALID_TIER, QUIRE_WRONG_CONTEXT (a CUDA
 * context), QUIRE_TIER_UNAVAILABLE; on any of these the tier stays as it was. */
QUIRE_API quire_status quire_set_tier(quire_context *context, quire_tier tier);

/* 1 if this processor and this build have the tier (PORTABLE and BEST: always), else 0. */
QUIRE_API int quire_tier_available(quire_tier tier);

/* The name of a tier, as QUIRE_TIER takes it: "best", "portable", "avx2", "avx512", "avx512vnni"; NULL for an unknown
 * number. */
QUIRE_API const char *quire_tier_name(quire_tier tier);

/* Calls report(user, done, total) now and then during later reductions with this CPU context, always from the thread
 * that called the reduction: done of total elements are summed, or of total parts of the work if there are many
 * vectors; the last call of a reduction has done == total. A reduction of fewer than 2^20 elements may not report at
 * all. With several threads a report may find the library's floating-point environment (rounding to nearest, nothing
 * trapped), and flags that it raises may be lost. report == NULL turns it off. QUIRE_NULL_POINTER (context),
 * QUIRE_WRONG_CONTEXT (a CUDA context). */
QUIRE_API quire_status quire_set_progress(quire_context *context, void (*report)(void *user, size_t done, size_t total),
                                          void *user);

/* Frees a context; NULL is allowed. Work already queued on a stream is finished first. */
QUIRE_API void quire_close(quire_context *context);

/* ---------------------------------------------------------------------------------------------------------- reductions
 */

/* What these have in common:
 *   context      where to work; NULL: the CPU, this thread
 *   type         the format of the elements of x (and y)
 *   n            how many elements; 0 is allowed, and x and y may then be anything, NULL too
 *   x, y         n contiguous elements each, in memory the context can read; aligned to the size of one element; they
 * may overlap. Not modified. method       how to sum result_type  the format of *result; the total is rounded to it
 * once, ties to even, never through another format result       one element of result_type, aligned to its size, in
 * memory the context can write Statuses, checked in this order: QUIRE_INVALID_TYPE, QUIRE_INVALID_METHOD,
 * QUIRE_INVALID_RESULT_TYPE, QUIRE_SIZE_OVERFLOW, QUIRE_NULL_POINTER, QUIRE_MISALIGNED; on a CUDA context also
 * QUIRE_NOT_DEVICE_MEMORY and QUIRE_DEVICE_FAULT. Bounds: at quire_method, where x stands for the terms. */

/* The sum of x[i]. */
QUIRE_API quire_status quire_sum(quire_context *context, quire_type type, size_t n, const void *x, quire_method method,
                                 quire_type result_type, void *result);

/* The sum of |x[i]|. */
QUIRE_API quire_status quire_asum(quire_context *context, quire_type type, size_t n, const void *x, quire_method method,
                                  quire_type result_type, void *result);

/* The sum of x[i] * y[i]. QUIRE_EXACT takes each product with all its bits, and so does QUIRE_KAHAN, but for what
 * underflows of a product or of its rounding error. QUIRE_PAIRWISE and QUIRE_PLAIN round it to the accumulation format
 * first (a product of two halves, or of two 8-bit numbers, always fits a float). */
QUIRE_API quire_status quire_dot(quire_context *context, quire_type type, size_t n, const void *x, const void *y,
                                 quire_method method, quire_type result_type, void *result);

/* The Euclidean norm, the square root of the sum of x[i]^2. QUIRE_EXACT: the correctly rounded root of the exact sum;
 * it cannot overflow or underflow on the way and needs no scaling. The others: the correctly rounded root of the sum
 * that quire_dot(x, x) would round; that sum itself can overflow or underflow in the accumulation format. */
QUIRE_API quire_status quire_nrm2(quire_context *context, quire_type type, size_t n, const void *x, quire_method method,
                                  quire_type result_type, void *result);

/* The sum of x[i], divided by n and rounded once. NaN for n = 0. */
QUIRE_API quire_status quire_mean(quire_context *context, quire_type type, size_t n, const void *x, quire_method method,
                                  quire_type result_type, void *result);

/* The variance, (n Q - S^2) / (n (n - correction)) of the exact sums S of x[i] and Q of x[i]^2, and the standard
 * deviation, its square root: each rounded once, so nothing cancels, overflows or underflows on the way. correction is
 * 0 for that of the numbers themselves, 1 for an estimate from a sample (Bessel's); any int64_t is allowed. NaN where n
 * is 0, n - correction is not positive, or something in x is not finite; equal numbers give +0. Always QUIRE_EXACT.
 * Statuses as above but QUIRE_INVALID_METHOD. */
QUIRE_API quire_status quire_variance(quire_context *context, quire_type type, size_t n, const void *x,
                                      int64_t correction, quire_type result_type, void *result);
QUIRE_API quire_status quire_stddev(quire_context *context, quire_type type, size_t n, const void *x,
                                    int64_t correction, quire_type result_type, void *result);

/* One-liners: the exact sum on the CPU, in the calling thread. NaN where quire_sum would give a status. */
QUIRE_API float quire_sumf(const float *x, size_t n);
QUIRE_API double quire_sumd(const double *x, size_t n);

/* --------------------------------------------------------------------------------------- the general call */

/* What is computed of a vector x, or of two. The numbers are pinned. */
typedef enum quire_operation {
    QUIRE_SUM = 1,      /* the sum of x[i] */
    QUIRE_ASUM = 2,     /* of |x[i]| */
    QUIRE_DOT = 3,      /* of x[i] * y[i] */
    QUIRE_NRM2 = 4,     /* the square root of the sum of x[i]^2 */
    QUIRE_MEAN = 5,     /* the sum of x[i], divided by n */
    QUIRE_VARIANCE = 6, /* see quire_variance; QUIRE_EXACT alone */
    QUIRE_STDDEV = 7,   /* see quire_stddev; QUIRE_EXACT alone */
    QUIRE_SUMSQ = 8     /* the sum of x[i]^2, by every method as QUIRE_DOT of x with itself */
} quire_operation;

/* Of the one rounding, after IEEE 754-2019, 4.3. In a directed mode a result beyond the greatest finite number becomes
 * that number where the direction leads back to it, and a result of magnitude below the least becomes the least where
 * the direction leads away from 0. An exact zero of anything but zeros is -0 in QUIRE_DOWNWARD, else +0. The ordered
 * methods add to nearest, whatever the mode (1 - 1 is +0 then), and round their total once in it. */
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
    quire_type result_type;    /* 0: as type */
    quire_method method;       /* 0: QUIRE_EXACT */
    quire_rounding rounding;   /* of the one rounding of each result */
    int64_t correction;        /* of QUIRE_VARIANCE and QUIRE_STDDEV; no other operation reads it */
    int64_t reserved[4];       /* must be 0 */
} quire_reduction;

/* Where the vectors stand: outer times inner vectors of n elements each. Element k of vector (i, j) is
 * x[i * outer_stride + k * stride + j * inner_stride]; strides count elements, and may be negative or 0 (which
 * repeats).
 *
 * Of a row-major matrix of 3 rows and 4 columns,      its rows: { 3, 4, 1,  4, 1, 0 }   (outer is 3: one vector a row)
 *
 *      inner ->                                    its columns: { 1, 3, 4,  0, 4, 1 }   (inner is 4: one vector a
 * column) 0  1  2  3 4  5  6  7     stride of rows: 4            every second element of a vector of 10: { 1, 5, 1,  0,
 * 2, 0 } 8  9 10 11
 *
 * The middle axis of a row-major array [a][b][c]:   { a, b, c,  b * c, c, 1 }, results as [a][c].
 * A matrix times one vector y (gemv): x_layout as the rows, y_layout { 3, 4, 1,  0, 1, 0 }, whose outer stride of 0
 * takes y for every row. */
typedef struct quire_layout {
    size_t outer, n, inner;
    ptrdiff_t outer_stride, stride, inner_stride;
} quire_layout;

/* The rows of a row-major matrix whose rows begin ld elements apart; its columns; n elements inc apart. */
static inline quire_layout quire_rows(size_t rows, size_t n, ptrdiff_t ld) {
    quire_layout layout = { rows, n, 1, ld, 1, 0 };
    return layout;
}

static inline quire_layout quire_columns(size_t n, size_t columns, ptrdiff_t ld) {
    quire_layout layout = { 1, n, columns, 0, ld, 1 };
    return layout;
}

static inline quire_layout quire_strided(size_t n, ptrdiff_t inc) {
    quire_layout layout = { 1, n, 1, 0, inc, 0 };
    return layout;
}

/* Reduces each vector of a layout to one number. A result has the bits that the single call on that vector gives, in
 * every method, whatever lies beside it: results are batch-invariant. context   where to work; NULL: the CPU, this
 * thread what      see there x_layout  where the vectors of x stand x         the element that has index 0, in memory
 * the context can read, aligned to its element; may be anything if there are no elements y_layout  of y, with the sizes
 * of x_layout; NULL: as x_layout y         as x; read by QUIRE_DOT alone, may else be NULL results   outer * inner
 * elements of the result type, of vector (i, j) at results[i * inner + j], in memory the context can write, none of it
 * in x or y; may be anything if there are no vectors Statuses, checked in this order: QUIRE_NULL_POINTER (what,
 * x_layout), QUIRE_INVALID_OPERATION, QUIRE_INVALID_TYPE, QUIRE_INVALID_METHOD, QUIRE_INVALID_RESULT_TYPE,
 * QUIRE_INVALID_ROUNDING, QUIRE_INVALID_LAYOUT (sizes differ; or the elements, or the results, reach over more than
 * PTRDIFF_MAX bytes, or n elements side by side would, where there are any), QUIRE_NULL_POINTER, QUIRE_MISALIGNED; on a
 * CUDA context also QUIRE_NOT_DEVICE_MEMORY and QUIRE_DEVICE_FAULT. QUIRE_INVALID_METHOD is also that of a variance by
 * another than QUIRE_EXACT. */
QUIRE_API quire_status quire_reduce(quire_context *context, const quire_reduction *what, const quire_layout *x_layout,
                                    const void *x, const quire_layout *y_layout, const void *y, void *results);

/* The type of the offsets of segments. The numbers are pinned. */
typedef enum quire_index {
    QUIRE_I32 = 1, /* int32_t */
    QUIRE_I64 = 2  /* int64_t */
} quire_index;

/* Reduces each segment of an array to one number: element k of segment s is x[begin[s] + k], k < end[s] - begin[s], and
 * of y likewise. A result has the bits that the single call on that segment gives.
 *
 *     int32_t offsets[4] = {0, 2, 2, 5};                  // three segments: x[0..1], none, x[2..4]; as CSR has them
 *     quire_reduction sum = {0};
 *     sum.type = QUIRE_F32;
 *     quire_reduce_segments(NULL, &sum, 3, QUIRE_I32, offsets, offsets + 1, x, NULL, results);
 *
 *   context     where to work; NULL: the CPU, this thread
 *   what        see there
 *   segments    how many; 0 is allowed
 *   index       the type of the offsets
 *   begin, end  segments offsets each, in memory the context can read, aligned to their type; they may overlap.
 * Segments may overlap, too, leave gaps, and stand in any order; one whose end is not beyond its begin is empty x, y
 * the elements that offset 0 names, aligned to one; y is read by QUIRE_DOT alone, and may else be NULL. All elements of
 * segments must be in memory the context can read; x and y may be NULL if there are none results     segments elements
 * of the result type, in memory the context can write, none of it in the inputs Statuses, checked in this order:
 * QUIRE_NULL_POINTER (what), QUIRE_INVALID_OPERATION, QUIRE_INVALID_TYPE, QUIRE_INVALID_METHOD,
 * QUIRE_INVALID_RESULT_TYPE, QUIRE_INVALID_ROUNDING, QUIRE_INVALID_INDEX, QUIRE_SIZE_OVERFLOW (more offsets than memory
 * holds), QUIRE_NULL_POINTER, QUIRE_MISALIGNED; on a CUDA context also as quire_reduce. */
QUIRE_API quire_status quire_reduce_segments(quire_context *context, const quire_reduction *what, size_t segments,
                                             quire_index index, const void *begin, const void *end, const void *x,
                                             const void *y, void *results);

/* -------------------------------------------------------------------------------------------------------- accumulators
 */

/* An exact sum under way: plain bytes, no pointers. It may be copied, stored, sent, and merged with another by adding
 * all its int64_t words to the other's: with quire_merge, or by any integer sum (MPI_Allreduce of
 * QUIRE_ACCUMULATOR_WORDS MPI_INT64_T with MPI_SUM, ncclAllReduce of ncclInt64 with ncclSum, atomic adds, SQL). The
 * order of merging never shows in the rounded result. The layout is a format: docs/accumulator.md.
 *
 * The finite part is the sum over i of limb[i] * 2^(32 i - 2148): the least limb is the square of the least double, and
 * the greatest has room for 2^64 products of the greatest. Limbs are signed. After quire_carry (and after every call
 * below) all but the last are in [0, 2^32), so 2^31 accumulators can be added up word by word before the next carry. */
#define QUIRE_ACCUMULATOR_LIMBS 135
#define QUIRE_ACCUMULATOR_WORDS 140

typedef struct quire_accumulator {
    int64_t limb[QUIRE_ACCUMULATOR_LIMBS];
    int64_t count; /* how many terms were added, modulo 2^64 */
    int64_t other; /* not 0 once a term other than -0 was added, 2^32 - 1 or more once one other than a zero */
    int64_t nan;   /* not 0 once a NaN, or a product of Inf and 0, was added */
    int64_t positive_infinity; /* not 0 once +Inf was added */
    int64_t negative_infinity; /* not 0 once -Inf was added */
} quire_accumulator;

/* The empty sum: { 0 } in every word. */
#define QUIRE_ACCUMULATOR_ZERO                                                                                         \
    { { 0 }, 0, 0, 0, 0, 0 }

/* Adds x[i], or |x[i]|, or x[i] * y[i], for i < n, to *accumulator, exactly. The accumulator is in memory the context
 * can write: device memory for a CUDA context. It is carried, with n = 0 too, which changes nothing else. Arguments as
 * for the reductions. QUIRE_INVALID_TYPE, QUIRE_SIZE_OVERFLOW, QUIRE_NULL_POINTER, QUIRE_MISALIGNED (x, y,
 * accumulator); on a CUDA context also QUIRE_NOT_DEVICE_MEMORY and QUIRE_DEVICE_FAULT. */
QUIRE_API quire_status quire_accumulate(quire_context *context, quire_accumulator *accumulator, quire_type type,
                                        size_t n, const void *x);
QUIRE_API quire_status quire_accumulate_magnitudes(quire_context *context, quire_accumulator *accumulator,
                                                   quire_type type, size_t n, const void *x);
QUIRE_API quire_status quire_accumulate_products(quire_context *context, quire_accumulator *accumulator,
                                                 quire_type type, size_t n, const void *x, const void *y);

/* The rest of this section works on accumulators in host memory (copy one back from a device: it is plain bytes), but
 * for quire_finish_many. */

/* Adds *from to *into, and carries. from may be into. QUIRE_NULL_POINTER, QUIRE_MISALIGNED. */
QUIRE_API quire_status quire_merge(quire_accumulator *into, const quire_accumulator *from);

/* Brings all limbs but the last into [0, 2^32); the value does not change. Call it after adding accumulators by other
 * means, and at least once every 2^31 of them. QUIRE_NULL_POINTER, QUIRE_MISALIGNED. */
QUIRE_API quire_status quire_carry(quire_accumulator *accumulator);

/* Rounds, once, ties to even: the sum; its square root (NaN for a negative sum, -Inf included; -0 for -0); the sum over
 * count, which is taken as unsigned (a negative one stands for 2^64 + count terms) and gives NaN if it is 0.
 * *accumulator does not change, and more can be added. QUIRE_INVALID_RESULT_TYPE, QUIRE_NULL_POINTER, QUIRE_MISALIGNED
 * (accumulator, result). */
QUIRE_API quire_status quire_round(const quire_accumulator *accumulator, quire_type result_type, void *result);
QUIRE_API quire_status quire_round_root(const quire_accumulator *accumulator, quire_type result_type, void *result);
QUIRE_API quire_status quire_round_mean(const quire_accumulator *accumulator, quire_type result_type, void *result);

/* Finishes and rounds what quire_reduce would, of accumulators in host memory: sum holds the x[i] (QUIRE_SUM,
 * QUIRE_MEAN), the |x[i]| (QUIRE_ASUM) or the products (QUIRE_DOT, QUIRE_NRM2, QUIRE_SUMSQ); n is its count. For
 * QUIRE_VARIANCE and QUIRE_STDDEV sum holds the x[i] and squares the products x[i] * x[i]; no other operation reads
 * squares, which may then be NULL. type is read only where result_type is 0. The three calls above are shorthands,
 * rounding to nearest. QUIRE_NULL_POINTER (what), QUIRE_INVALID_OPERATION, QUIRE_INVALID_METHOD (other than QUIRE_EXACT
 * and 0), QUIRE_INVALID_RESULT_TYPE, QUIRE_INVALID_ROUNDING, QUIRE_NULL_POINTER, QUIRE_MISALIGNED (sum, squares,
 * result), QUIRE_INVALID_MOMENTS. */
QUIRE_API quire_status quire_finish(const quire_reduction *what, const quire_accumulator *sum,
                                    const quire_accumulator *squares, void *result);

/* The same for count accumulators, carried or not, in memory the context can reach: on a CUDA context in device memory,
 * asynchronously on its stream; else in host memory.
 *   context  where the accumulators are; NULL: host memory
 *   what     as above; the same for all
 *   count    how many; 0 is allowed, and sums, squares and results may then be anything
 *   sums     count accumulators; not modified
 *   squares  count accumulators, read for QUIRE_VARIANCE and QUIRE_STDDEV alone; else anything
 *   results  count elements of the result type, none of them in an accumulator
 * QUIRE_NULL_POINTER (what), QUIRE_INVALID_OPERATION, QUIRE_INVALID_METHOD, QUIRE_INVALID_RESULT_TYPE,
 * QUIRE_INVALID_ROUNDING, QUIRE_SIZE_OVERFLOW, QUIRE_NULL_POINTER, QUIRE_MISALIGNED (sums, squares, results),
 * QUIRE_INVALID_MOMENTS, in place of which a CUDA context stores NaN; on a CUDA context also QUIRE_NOT_DEVICE_MEMORY
 * and QUIRE_DEVICE_FAULT. */
QUIRE_API quire_status quire_finish_many(quire_context *context, const quire_reduction *what, size_t count,
                                         const quire_accumulator *sums, const quire_accumulator *squares,
                                         void *results);

/* The covariance of two vectors, (n P - S T) / (n (n - correction)), of the sums S of x[i], T of y[i] and P of x[i] *
 * y[i]; and their correlation, (n P - S T) / sqrt((n Q - S^2) (n R - T^2)), of the sums of their squares Q and R, too.
 * Rounded once, to nearest. NaN where something is not finite, n is 0, n - correction is not positive, or, for the
 * correlation, all x[i] or all y[i] are equal. QUIRE_INVALID_RESULT_TYPE, QUIRE_NULL_POINTER, QUIRE_MISALIGNED,
 * QUIRE_INVALID_MOMENTS. */
QUIRE_API quire_status quire_covariance(const quire_accumulator *sum_x, const quire_accumulator *sum_y,
                                        const quire_accumulator *products, int64_t correction, quire_type result_type,
                                        void *result);
QUIRE_API quire_status quire_correlation(const quire_accumulator *sum_x, const quire_accumulator *sum_y,
                                         const quire_accumulator *squares_x, const quire_accumulator *squares_y,
                                         const quire_accumulator *products, quire_type result_type, void *result);

/* ----------------------------------------------------------------------------------------------------- what is linked
 */

/* The release that is linked, as QUIRE_VERSION_STRING was when it was built, and its QUIRE_API_VERSION. */
QUIRE_API const char *quire_version(void);
QUIRE_API int quire_api_version(void);

/* 1 if the library was built with the feature, else 0: OpenMP threads, CUDA kernels. */
QUIRE_API int quire_has_openmp(void);
QUIRE_API int quire_has_cuda(void);

/* The c of a method's error bound (quire_method) for a sum of n terms, a number of additions; 0 for QUIRE_EXACT and for
 * an unknown method. n = 0 and n = 1 give the c of one tile. */
QUIRE_API size_t quire_chain_length(quire_method method, size_t n);

#ifdef __cplusplus
}
#endif

#endif
