#!/usr/bin/env python3
"""Times of the Python package beside NumPy's and math.fsum, one process, turn by turn; the least of several is printed.

beside_numpy.py [the greatest n, 100000000 unless told]
beside_numpy.py --accuracy [--csv FILE]    errors and times on numbers that cancel; plot_python.py draws them
"""

from __future__ import annotations

import argparse
import math
import platform
import sys
import time
import timeit
from pathlib import Path

import numpy as np
import quire
import today


def compare(label, ours, theirs, turns=7, seconds=0.2):
    """Prints the least time of both, measured in turns."""
    calls = ours, theirs
    counts = [max(1, int(seconds / timeit.timeit(call, number=1))) for call in calls]
    least = [math.inf, math.inf]
    for _ in range(turns):
        for which, call in enumerate(calls):
            least[which] = min(least[which], timeit.timeit(call, number=counts[which]) / counts[which])
    print(f"{label:<44}{least[0] * 1e6:14.2f}{least[1] * 1e6:14.2f}{least[0] / least[1]:8.3f}", flush=True)


def sums(x):
    """What people sum doubles with: a name and a call each. Lists are made before."""
    numbers = x.tolist()  # which sum and fsum walk faster than an array
    calls = {
        "quire.sum": lambda: quire.sum(x),
        "np.sum": lambda: np.sum(x),
        "sum": lambda: sum(numbers),
        "math.fsum": lambda: math.fsum(numbers),
    }
    if "torch" in sys.modules:
        tensor = sys.modules["torch"].from_numpy(x)
        calls["torch.sum"] = lambda: sys.modules["torch"].sum(tensor)
    return calls


def bookings(n, random):
    """Amounts of up to 10^11, each paid in and out once, and one cent, mixed: the balance is the double 0.01."""
    paid = np.round(random.uniform(0, 1e11, n // 2 - 1), 2)
    x = np.concatenate([paid, -paid, [0.01, 0.0]])
    random.shuffle(x)
    return x


def accuracy(file, n=10**6):
    """Errors and times of several sums of the same doubles, printed and written to a file, if one is given. Times are
    of this thread's processor, so that other programs beside it do not lengthen them much."""
    versions = {"Python": platform.python_version(), "NumPy": np.__version__}
    if "torch" in sys.modules:
        versions["PyTorch"] = sys.modules["torch"].__version__.partition("+")[0]
    print(", ".join(f"{name} {version}" for name, version in versions.items()))
    if file:
        print(f"# version: quire {quire.__version__}", file=file)
        print(f"# cpu: {today.processor()}, one thread", file=file)
        print("# python: " + ", ".join(f"{name} {version}" for name, version in versions.items()), file=file)
        print(f"# date: {time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())}", file=file)
        print(f"# command: bench/python/beside_numpy.py --accuracy --csv {Path(file.name).name}", file=file)
        print("n,type,numbers,function,seconds,result,error_ulps", file=file)
    random = np.random.default_rng(1)
    for numbers, x in (("uniform", random.uniform(size=n)), ("bookings", bookings(n, random))):
        high = math.fsum(x)
        low = math.fsum([*x, -high])  # the sum is high + low to 106 bits
        print(f"\n{n} doubles, {numbers}, condition number {math.fsum(abs(x)) / abs(high):.1e}, sum {high!r}")
        print(f"{'':<12}{'result':>24}{'error in ulp':>16}{'time us':>12}")
        calls = sums(x)
        least = dict.fromkeys(calls, math.inf)
        for _ in range(60):
            for name, call in calls.items():
                least[name] = min(least[name], timeit.timeit(call, timer=time.thread_time, number=1))
        for name, call in calls.items():
            result = float(call())
            error = abs(result - high - low) / math.ulp(high)
            print(f"{name:<12}{result:>24.17g}{error:>16.3g}{least[name] * 1e6:>12.0f}")
            if file:
                print(f"{n},f64,{numbers},{name},{least[name]:.6g},{result!r},{error:.6g}", file=file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("largest", nargs="?", type=int, default=10**8, help="the greatest n")
    parser.add_argument("--accuracy", action="store_true", help="errors and times on numbers that cancel")
    parser.add_argument("--csv", type=argparse.FileType("w"), help="where errors and times are written, too")
    options = parser.parse_args()
    if options.accuracy:
        try:
            import torch
        except ImportError:
            print("PyTorch is left out: it is not installed")
        else:
            torch.set_num_threads(1)
        accuracy(options.csv)
        return
    largest = options.largest
    print(
        f"# quire {quire.__version__}, NumPy {np.__version__}, Python {platform.python_version()}, {platform.machine()}"
    )
    print(f"{'':<44}{'quire us':>14}{'other us':>14}{'ratio':>8}")
    random = np.random.default_rng(1)
    for kind in (np.float32, np.float64):
        word = np.dtype(kind).name
        x = random.normal(size=10).astype(kind)
        compare(f"sum of 10, {word}: np.sum", lambda: quire.sum(x), lambda: np.sum(x))
        compare(f"mean of 10, {word}: np.mean", lambda: quire.mean(x), lambda: np.mean(x))
        x = random.normal(size=10**6).astype(kind)
        compare(f"sum of 10^6, {word}: np.sum", lambda: quire.sum(x), lambda: np.sum(x))
        x = x.reshape(1000, 1000)
        for axis in (0, 1):
            compare(
                f"sum of 1000 x 1000 along {axis}, {word}: np.sum",
                lambda: quire.sum(x, axis=axis),
                lambda: np.sum(x, axis=axis),
            )
        compare(f"std of 1000 x 1000 along 1, {word}: np.std", lambda: quire.std(x, axis=1), lambda: np.std(x, axis=1))
        x = random.normal(size=largest // 4).astype(kind)
        x = np.concatenate([x, x, x, x])
        compare(f"sum of {largest}, {word}: np.sum", lambda: quire.sum(x), lambda: np.sum(x), turns=5)
    x = random.normal(size=(20000, 64))
    compare("sum of 20000 x 64 along -1, float64: np.sum", lambda: quire.sum(x, axis=-1), lambda: np.sum(x, axis=-1))
    for n in (10**6, 10**7):
        x = random.normal(size=n)
        numbers = x.tolist()  # which fsum walks faster than an array
        compare(f"sum of {n}, float64: math.fsum", lambda: quire.sum(x), lambda: math.fsum(numbers), turns=3)


if __name__ == "__main__":
    main()
