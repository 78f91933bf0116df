/* vocabulary.h - what operations, methods, roundings and types are called on a command line: the one list of these
 * names, for the command, the benchmarks and what the tests print.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_VOCABULARY_H
#define QUIRE_CLI_VOCABULARY_H

/* X(NUMBER, name, as NumPy writes it, bytes, other names...): the number is QUIRE_NUMBER. NumPy's own name, of
 * ml_dtypes for the 8-bit ones, may have a byte order before it. */
#define TYPE_NAMES(X)                                                                                                  \
    X(F16, "f16", "f2", 2, "float16", "half", "fp16", "binary16")                                                      \
    X(BF16, "bf16", "V2", 2, "bfloat16", "bfloat")                                                                     \
    X(F32, "f32", "f4", 4, "float32", "float", "single", "fp32", "binary32")                                           \
    X(F64, "f64", "f8", 8, "float64", "double", "fp64", "binary64")                                                    \
    X(E5M2, "e5m2", "f1", 1, "float8_e5m2", "fp8_e5m2")                                                                \
    X(E4M3, "e4m3", "V1", 1, "float8_e4m3fn", "e4m3fn", "fp8_e4m3")

/* X(NUMBER, name) */
#define METHOD_NAMES(X) X(EXACT, "exact") X(KAHAN, "kahan") X(PAIRWISE, "pairwise") X(PLAIN, "plain")

#define OPERATION_NAMES(X)                                                                                             \
    X(SUM, "sum")                                                                                                      \
    X(ASUM, "asum")                                                                                                    \
    X(DOT, "dot")                                                                                                      \
    X(NRM2, "nrm2")                                                                                                    \
    X(MEAN, "mean")                                                                                                    \
    X(VARIANCE, "variance")                                                                                            \
    X(STDDEV, "stddev")                                                                                                \
    X(SUMSQ, "sumsq")                                                                                                  \
    X(AVERAGE, "average")                                                                                              \
    X(COVARIANCE, "covariance")                                                                                        \
    X(CORRELATION, "correlation")

#define ROUNDING_NAMES(X) X(TO_NEAREST, "nearest") X(DOWNWARD, "down") X(UPWARD, "up") X(TOWARD_ZERO, "zero")

/* An element of an array of names, indexed by the numbers, which are pinned. */
#define NAMED(NUMBER, name) [QUIRE_##NUMBER] = name,
#define TYPE_NAMED(NUMBER, name, ...) [QUIRE_##NUMBER] = name,

#endif
