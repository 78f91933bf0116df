#!/usr/bin/env python3
"""Times of running sums beside NumPy's, one process and one thread, turn by turn; the least of several is printed, in
nanoseconds an element.

bench/python/scan.py [--turns N] [--csv FILE]
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

SHAPES = {"2^16 elements": (2**16,), "2^24 elements": (2**24,), "rows of 64": (2**14, 64), "columns of 64": (64, 2**14)}
DATA = ("uniform", "normal", "wide")


def array_of(data, shape, kind, random):
    """Numbers in [0, 1), normal ones, or such of exponents so different that two doubles do not hold their sums."""
    if data == "uniform":
        return random.random(shape, kind)
    x = random.normal(size=shape).astype(kind)
    exponents = random.integers(-100, 100, shape) if data == "wide" else 0
    return np.ldexp(x, exponents).astype(kind)


def calls_of(x, axis, out):
    return {
        "quire.cumsum": lambda: quire.cumsum(x, axis, out=out),
        "np.cumsum": lambda: np.cumsum(x, axis, out=out),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--csv", type=argparse.FileType("w"), help="where times are written, too")
    options = parser.parse_args()
    if options.csv:
        print(
            f"# quire {quire.__version__}, NumPy {np.__version__}, Python {platform.python_version()}",
            f"# cpu: {today.processor()}, one thread",
            f"# date: {time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())}",
            f"# command: bench/python/scan.py --turns {options.turns} --csv {Path(options.csv.name).name}",
            "type,elements,shape,data,function,ns_per_element",
            sep="\n",
            file=options.csv,
        )
    random = np.random.default_rng(1)
    for kind in (np.float32, np.float64):
        for name, shape in SHAPES.items():
            for data in DATA:
                x = array_of(data, shape, kind, random)
                axis = 0 if name.startswith("columns") else len(shape) - 1
                print(f"\n{np.dtype(kind).name}, {name}, {data}")
                for function, ns in measure(calls_of(x, axis, np.empty_like(x)), options.turns, x.size).items():
                    print(f"  {function:<24}{ns:10.2f} ns", flush=True)
                    if options.csv:
                        row = np.dtype(kind).name, x.size, name, data, function, f"{ns:.4g}"
                        print(*row, sep=",", file=options.csv, flush=True)


if __name__ == "__main__":
    main()
