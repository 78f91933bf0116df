#!/usr/bin/env python3
"""Times of weighted averages, covariances and correlations beside those of NumPy, one process and one thread, turn by
turn; the least of several is printed, in milliseconds of the processor's time, which other programs show less in.

bench/python/pairs.py [--turns N] [--large] [--csv FILE]

--large: covariances of 1000 x 100000 numbers, too, once each, which takes minutes. NumPy's BLAS is told to use one
thread by OPENBLAS_NUM_THREADS=1, OMP_NUM_THREADS=1 in the environment.
"""

from __future__ import annotations

import argparse
import platform
import time
from pathlib import Path

import numpy as np
import quire
import today
from least_times import measure

AVERAGES = {"10^6 elements": ((10**6,), 0), "rows of 64": ((2**14, 64), 1), "columns of 1000": ((1000, 1000), 0)}


def averages(x, w, axis):
    return {
        "quire.average": lambda: quire.average(x, axis, weights=w),
        "np.average": lambda: np.average(x, axis, weights=w),
    }


def matrices(x):
    return {
        "quire.cov": lambda: quire.cov(x),
        "quire.cov to float64": lambda: quire.cov(x, dtype=np.float64),
        "np.cov": lambda: np.cov(x),
        "quire.corrcoef": lambda: quire.corrcoef(x),
        "np.corrcoef": lambda: np.corrcoef(x),
    }


def report(options, kind, what, times):
    """Nanoseconds, as measure has them, in milliseconds."""
    print(f"\n{kind}, {what}")
    for function, ns in times.items():
        print(f"  {function:<24}{ns / 1e6:12.3f} ms", flush=True)
        if options.csv:
            print(kind, what, function, f"{ns / 1e6:.4g}", sep=",", file=options.csv, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--large", action="store_true", help="covariances of 1000 x 100000 numbers, too")
    parser.add_argument("--csv", type=argparse.FileType("w"), help="where times are written, too")
    options = parser.parse_args()
    if options.csv:
        print(
            f"# quire {quire.__version__}, NumPy {np.__version__}, Python {platform.python_version()}",
            f"# cpu: {today.processor()}, one thread",
            f"# date: {time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())}",
            f"# command: bench/python/pairs.py --turns {options.turns}{' --large' if options.large else ''} "
            f"--csv {Path(options.csv.name).name}",
            "type,numbers,function,milliseconds",
            sep="\n",
            file=options.csv,
        )
    random = np.random.default_rng(1)
    for kind in (np.float32, np.float64):
        name = np.dtype(kind).name
        for what, (shape, axis) in AVERAGES.items():
            x, w = random.normal(size=shape).astype(kind), random.random(shape).astype(kind)
            report(options, name, what, measure(averages(x, w, axis), options.turns, 1, time.process_time))
        x = random.normal(size=(200, 20000)).astype(kind)
        report(options, name, "200 x 20000", measure(matrices(x), max(options.turns // 3, 1), 1, time.process_time))
    if options.large:
        x = random.normal(size=(1000, 100000)).astype(np.float32)
        report(options, "float32", "1000 x 100000", measure(matrices(x), 1, 1, time.process_time))


if __name__ == "__main__":
    main()
