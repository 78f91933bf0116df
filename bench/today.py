#!/usr/bin/env python3
"""Sums ill-conditioned numbers with what people use today and with quire: error and time, as a table in Markdown.

    python3 bench/today.py build/src/libquire.so

10^7 doubles and 10^7 halves, a thousand of which are the sum; the others cancel in pairs. All sums are of one thread, on
the same numbers in the same run; a time is the best of several. The loop is compiled by cc -O2. Needs NumPy.

SPDX-License-Identifier: MIT
"""
import ctypes
import fractions
import math
import os
import platform
import subprocess
import sys
import tempfile
import time

import numpy

N, TELLING, TURNS = 10**7, 1000, 25
METHODS = {"exact": 1, "kahan": 2, "pairwise": 3, "plain": 4}  # as in quire.h
TYPES = {"f16": 1, "f32": 3, "f64": 4}
LOOPS = """
double loop_f64(const double *x, long n) { double s = 0; for (long i = 0; i < n; i++) s += x[i]; return s; }
float loop_f32(const float *x, long n) { float s = 0; for (long i = 0; i < n; i++) s += x[i]; return s; }
"""


def numbers(dtype, condition):
    """N numbers whose magnitudes sum to about so many times their sum, and that sum."""
    random = numpy.random.default_rng(1)
    half = random.uniform(-1, 1, (N - TELLING) // 2).astype(dtype)
    size = float(numpy.abs(half.astype(numpy.float64)).sum()) * 2 / condition / TELLING
    telling = random.uniform(0.5 * size, 1.5 * size, TELLING).astype(dtype)
    x = numpy.concatenate([half, -half, telling])
    random.shuffle(x)
    return x, sum(fractions.Fraction(float(t)) for t in telling)


def compiled_loops():
    folder = tempfile.mkdtemp()
    source, library = os.path.join(folder, "loops.c"), os.path.join(folder, "loops.so")
    with open(source, "w", encoding="utf-8") as file:
        file.write(LOOPS)
    subprocess.run(["cc", "-O2", "-ffp-contract=off", "-shared", "-fPIC", source, "-o", library], check=True)
    loops = ctypes.CDLL(library)
    loops.loop_f64.restype, loops.loop_f32.restype = ctypes.c_double, ctypes.c_float
    return loops


def quire_sum(library, x, type_in, type_out, method):
    result = ctypes.c_double() if type_out == "f64" else ctypes.c_float()
    pointer = x.ctypes.data_as(ctypes.c_void_p)

    def run():
        status = library.quire_sum(None, TYPES[type_in], ctypes.c_size_t(x.size), pointer, METHODS[method],
                                   TYPES[type_out], ctypes.byref(result))
        if status:
            sys.exit(f"today.py: quire_sum: status {status}")
        return result.value

    return run


def measured(rows):
    """A result and a best time for each row; all take turns, so that what disturbs one disturbs all."""
    values, best = {}, {label: math.inf for label, _, _ in rows}
    for turn in range(TURNS):
        for label, run, most in rows:
            if turn >= most:
                continue
            begin = time.perf_counter()
            values[label] = float(run())
            best[label] = min(best[label], time.perf_counter() - begin)
    return [(label, values[label], best[label]) for label, _, _ in rows]


def error_of(value, truth):
    """Relative to the true sum."""
    return float(abs(fractions.Fraction(value) - truth) / abs(truth)) if math.isfinite(value) else math.inf


def show(error, nearest):
    """An error of no more than the result's one rounding is none."""
    return "none" if nearest else "no digit is right" if error > 0.5 else f"{error:.0e}".replace("e-0", "e-")


def rows_of(library, loops, x, listed, wide):
    """What is compared: a label, a call without arguments, and how often it is timed at most."""
    is_half = x.dtype == numpy.float16
    size, of_x, of_wide = ctypes.c_long(x.size), x.ctypes.data_as(ctypes.c_void_p), wide.ctypes.data_as(ctypes.c_void_p)
    if is_half:
        yield "a loop in float, halves converted before", lambda: loops.loop_f32(of_wide, size), TURNS
        yield "NumPy, `x.sum(dtype=float32)`", lambda: x.sum(dtype=numpy.float32), TURNS
    else:
        yield "a loop", lambda: loops.loop_f64(of_x, size), TURNS
        yield "NumPy, `x.sum()`", x.sum, TURNS
    yield "Python, `math.fsum` of a list", lambda: math.fsum(listed), 2
    for method in ("plain", "pairwise", "kahan", "exact"):
        types = ("f16", "f32") if is_half else ("f64", "f64")
        yield f"quire, {method}", quire_sum(library, x, *types, method), TURNS


def table(library, loops, name, dtype, condition, result):
    x, truth = numbers(dtype, condition)
    nearest = float(result(truth.numerator / truth.denominator))
    found = float(numpy.abs(x.astype(numpy.float64)).sum() / abs(truth))
    print(f"\n10^7 {name}, condition number {found:.1g}\n\n| | relative error | time |\n|---|---|---|")
    for label, value, seconds in measured(list(rows_of(library, loops, x, x.tolist(), x.astype(numpy.float32)))):
        print(f"| {label} | {show(error_of(value, truth), value == nearest)} | {seconds * 1e3:.3g} ms |")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: today.py path/of/libquire.so")
    library = ctypes.CDLL(sys.argv[1])
    library.quire_version.restype = ctypes.c_char_p
    print(f"quire {library.quire_version().decode()}, NumPy {numpy.__version__}, Python {platform.python_version()}, "
          f"{os.cpu_count()} processors, {time.strftime('%Y-%m-%d', time.gmtime())}")
    loops = compiled_loops()
    table(library, loops, "doubles", numpy.float64, 1e20, float)
    table(library, loops, "halves", numpy.float16, 1e9, numpy.float32)


main()
