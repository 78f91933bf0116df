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
 * misalignment. A call that returns anything but QUIRE_OK or QUIRE_DEVICE_FAULT has written nothing, and the context
 * stays usable. Nothing is printed, nothing aborts, nothing allocates (but quire_open_*), and there is no global state.
 * A context serves one thread at a time; NULL, and different contexts, may be used from any number of threads. A call
 * on a CPU needs at most 384 KiB of the stack of its thread; threads have 128 KiB by default where the C library is
 * musl. It computes in a floating-point environment of its own, which rounds upward at times, and puts the caller's
 * back when it returns. If a signal handler, or a report (quire_set_progress), leaves it by longjmp or by a C++
 * exception, the environment is undefined: set it anew (fesetenv), and close the context. A call that several threads
 * share must not be left so: the others would go on, in memory of the caller's stack that is no more theirs.
 *
 * WHERE TO LOOK. This header has what a program with one vector a call needs: contexts and a function an operation.
 *
 *     types.h         statuses, the formats of numbers, methods, operations, roundings
 *     reduce.h        the general call: rows, columns, strides and segments of arrays, every rounding
 *     keys.h          sums by key, and segments of rows that are found through an index
 *     scan.h          running sums
 *     pairs.h         weighted averages, covariance and correlation of two vectors
 *     accumulator.h   exact sums under way, to be continued, merged and rounded
 *     version.h       the release
 *
 * It includes these seven. None needs a CUDA header, and all compile as C99 and later and as C++.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_QUIRE_H
#define QUIRE_QUIRE_H

#include <stddef.h>
#include <stdint.h>

#include <quire/accumulator.h>
#include <quire/keys.h>
#include <quire/pairs.h>
#include <quire/reduce.h>
#include <quire/scan.h>
#include <quire/types.h>
#include <quire/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --------------------------------------------------------------------------------------------------------- contexts */

/* Instruction sets for the CPU, from the one that runs anywhere to the fastest. They differ in speed, never in bits. */
typedef enum quire_tier {
    QUIRE_TIER_BEST = 0,      /* the last of these that the processor has */
    QUIRE_TIER_PORTABLE = 1,  /* plain C */
    QUIRE_TIER_AVX2 = 2,      /* x86-64 with AVX2, FMA and F16C */
    QUIRE_TIER_AVX512 = 3,    /* x86-64 with AVX-512 F, BW, DQ and VL */
    QUIRE_TIER_AVX512VNNI = 4 /* another name of it */
} quire_tier;

#define QUIRE_MAX_THREADS 4096

/* Opens a context on the CPU and stores it in *context.
 *   threads  how many threads a large reduction may use, the caller's among them; 0: as many as there are processors
 *            that this process may run on, or as the environment variable OMP_NUM_THREADS says, if that is fewer. A
 *            library built without threads uses one, whatever is asked.
 * The threads are the context's own: they are started here, sleep between calls, block all signals but those of faults,
 * and end in quire_close. If the system has no room for all of them there are fewer, or the caller's alone. Each is
 * given work only for 4 MiB of input or more, about a third of a millisecond's work; by default for 64 MiB, since where
 * other programs keep the processors busy a thread waits some milliseconds for its turn, and the sum may wait for it.
 * After fork() a child may use and close the CPU contexts that it inherits, whatever the parent's threads were doing
 * with them: their results have the same bits, by the calling thread alone. Contexts that the child opens have threads.
 * The tier is the one the environment variable QUIRE_TIER names, as quire_tier_name does; unset or empty, it is "best".
 * QUIRE_NULL_POINTER (context is NULL), QUIRE_INVALID_THREADS, QUIRE_INVALID_TIER or QUIRE_TIER_UNAVAILABLE (what
 * QUIRE_TIER names), QUIRE_OUT_OF_MEMORY. On any of these *context is untouched. */
QUIRE_API quire_status quire_open_cpu(quire_context **context, int threads);

/* The CUDA stream type, cudaStream_t, without its header. */
struct CUstream_st;

/* Opens a context on CUDA device number device (as cudaSetDevice counts), whose work goes to stream (a cudaStream_t;
 * NULL: the default stream; cudaStreamPerThread is another one in each thread, and so for one of them). Later calls
 * take device pointers, results too, and are asynchronous on the stream. They can be captured into graphs. A context
 * does one thing at a time: its calls follow each other on the stream, and so must replays of graphs that hold its
 * calls, ordered by streams or events. Two at once, or one beside a call, are an error: results are NaN or undefined,
 * and once it was noticed calls fail with QUIRE_DEVICE_FAULT. Other contexts are not concerned. What a GPU has no code
 * for answers QUIRE_WRONG_CONTEXT: accumulators as integers (QUIRE_INT128 in quire_finish_many), quire_set_tier and
 * quire_set_progress.
 * QUIRE_NULL_POINTER, QUIRE_NO_DEVICE, QUIRE_INVALID_DEVICE, QUIRE_INVALID_STREAM, QUIRE_OUT_OF_MEMORY (host or
 * device), QUIRE_DEVICE_FAULT. A library built without CUDA has this call too, and answers QUIRE_NO_DEVICE, but to NULL
 * in place of context QUIRE_NULL_POINTER, as any library does. */
QUIRE_API quire_status quire_open_cuda(quire_context **context, int device, struct CUstream_st *stream);

/* Sends the later work of a CUDA context to another stream of its device. What is under way is not waited for, but
 * later work of this context is ordered behind it; so a context moves to a stream before that is captured.
 * QUIRE_NULL_POINTER (context), QUIRE_WRONG_CONTEXT (a CPU context), QUIRE_INVALID_STREAM (none of the device; or one
 * that is being captured, where the context's is not), QUIRE_DEVICE_FAULT. */
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
 * vectors, or running sums; the last call of a reduction has done == total. Of many vectors one part may be all of the
 * work, and so the only report the last: of one strided vector, or of four to sixteen columns. Vectors without elements
 * report nothing, and a reduction of fewer than 2^20 elements may not report at all. With several threads a report may
 * find the library's floating-point environment (rounding to nearest, nothing trapped), flags that it raises may be
 * lost, and it must return. report == NULL turns it off. QUIRE_NULL_POINTER (context), QUIRE_WRONG_CONTEXT (a CUDA
 * context). */
QUIRE_API quire_status quire_set_progress(quire_context *context, void (*report)(void *user, size_t done, size_t total),
                                          void *user);

/* Frees a context; NULL is allowed. Work already queued on a stream is finished first. */
QUIRE_API void quire_close(quire_context *context);

/* ------------------------------------------------------------------------------------------------------- reductions */

/* What these have in common:
 *   context      where to work; NULL: the CPU, this thread
 *   type         the format of the elements of x (and y)
 *   n            how many elements; 0 is allowed, and x and y may then be anything, NULL too
 *   x, y         n contiguous elements each, in memory the context can read; aligned to the size of one element; they
 *                may overlap. Not modified.
 *   method       how to sum
 *   result_type  the format of *result; the total is rounded to it once, ties to even, never through another format
 *   result       one element of result_type, aligned to its size (QUIRE_INT128: to 8 bytes), in memory the context can
 *                write
 * Statuses, checked in this order: QUIRE_INVALID_TYPE, QUIRE_INVALID_METHOD, QUIRE_INVALID_RESULT_TYPE,
 * QUIRE_NO_INTEGER, QUIRE_SIZE_OVERFLOW, QUIRE_NULL_POINTER, QUIRE_MISALIGNED; on a CUDA context also
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

/* --------------------------------------------------------------------------------------------------- what is linked */

/* The release that is linked, as QUIRE_VERSION_STRING was when it was built, and its QUIRE_API_VERSION. */
QUIRE_API const char *quire_version(void);
QUIRE_API int quire_api_version(void);

/* 1 if the library was built with the feature, else 0: threads on the CPU (they were OpenMP's once), CUDA kernels. */
QUIRE_API int quire_has_openmp(void);
QUIRE_API int quire_has_cuda(void);

#ifdef __cplusplus
}
#endif

#endif
