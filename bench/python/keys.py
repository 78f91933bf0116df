#!/usr/bin/env python3
"""Times of sums by key beside NumPy's, pandas' and Polars', one process and one thread, turn by turn; the least of
several is printed, in nanoseconds an element.

bench/python/keys.py [--rows N] [--turns N] [--csv FILE]
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from pathlib import Path

os.environ.setdefault("POLARS_MAX_THREADS", "1")

import numpy as np
import quire
import today
from least_times import measure

KINDS = ("uniform", "power law", "sorted", "one group")


def keys_of(kind, rows, groups, random):
    """A key for each row: all alike, or few with most of the rows; all alike, in order; or one key alone."""
    if kind == "one group":
        return np.full(rows, groups - 1, np.int64)
    if kind == "power law":
        return np.minimum(groups * random.random(rows) ** 4, groups - 1).astype(np.int64)
    keys = random.integers(0, groups, rows)
    return np.sort(keys) if kind == "sorted" else keys


def of_vectors(keys, x, groups):
    """What people sum a vector by key with: a name and a call each."""
    g = quire.groupby(keys, groups)
    calls = {
        "quire.bincount": lambda: quire.bincount(keys, x, groups),
        "quire.group_sum": lambda: quire.group_sum(x, keys, groups),
        "quire.group_sum by plain": lambda: quire.group_sum(x, keys, groups, method="plain"),
        "quire.group_var": lambda: quire.group_var(x, keys, groups),
        "groupby(keys)": lambda: quire.groupby(keys, groups),
        "g.sum": lambda: g.sum(x),
        "np.bincount": lambda: np.bincount(keys, x, groups),
        "np.add.at": lambda: np.add.at(np.zeros(groups), keys, x),
    }
    try:
        import pandas

        frame = pandas.DataFrame({"key": keys, "x": x})
        calls["pandas sum"] = lambda: frame.groupby("key").x.sum()
        calls["pandas var"] = lambda: frame.groupby("key").x.var()
    except ImportError:
        pass
    try:
        import polars

        table = polars.DataFrame({"key": keys, "x": x})
        calls["polars sum"] = lambda: table.group_by("key").agg(polars.col("x").sum())
    except ImportError:
        pass
    return calls


def of_rows(keys, x, groups):
    """The same of the rows of a matrix."""
    g = quire.groupby(keys, groups)
    return {
        "quire.group_sum": lambda: quire.group_sum(x, keys, groups),
        "g.sum": lambda: g.sum(x),
        "np.add.at": lambda: np.add.at(np.zeros((groups, x.shape[1])), keys, x),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rows", type=int, default=2**24, help="elements in all")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--csv", type=argparse.FileType("w"), help="where times are written, too")
    options = parser.parse_args()
    versions = {"quire": quire.__version__, "NumPy": np.__version__, "Python": platform.python_version()}
    for name in ("pandas", "polars"):
        try:
            versions[name] = __import__(name).__version__
        except ImportError:
            print(f"{name} is left out: it is not installed")
    line = ", ".join(f"{name} {version}" for name, version in versions.items())
    print(line)
    if options.csv:
        print(f"# {line}", file=options.csv)
        print(f"# cpu: {today.processor()}, one thread", file=options.csv)
        print(f"# date: {time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())}", file=options.csv)
        print(
            f"# command: bench/python/keys.py --rows {options.rows} --turns {options.turns} "
            f"--csv {Path(options.csv.name).name}",
            file=options.csv,
        )
        print("type,elements,width,groups,keys,function,ns_per_element", file=options.csv)
    random = np.random.default_rng(1)
    for kind in (np.float64, np.float32):
        for width in (1, 16, 64):
            rows = options.rows // width
            x = random.normal(size=(rows, width)).astype(kind)
            for groups in (10, 10**4, 10**6, rows):
                for spread in KINDS if width == 1 else KINDS[:1]:
                    if groups > rows:
                        continue
                    keys = keys_of(spread, rows, groups, random)
                    calls = of_vectors(keys, x[:, 0], groups) if width == 1 else of_rows(keys, x, groups)
                    name = np.dtype(kind).name
                    print(f"\n{name}, {rows} rows of {width}, {groups} groups, keys {spread}")
                    for function, ns in measure(calls, options.turns, rows * width).items():
                        print(f"  {function:<24}{ns:10.2f} ns", flush=True)
                        if options.csv:
                            row = name, rows * width, width, groups, spread, function, f"{ns:.4g}"
                            print(*row, sep=",", file=options.csv, flush=True)


if __name__ == "__main__":
    main()
