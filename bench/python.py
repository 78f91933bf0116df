#!/usr/bin/env python3
"""Times of the Python package beside NumPy's and math.fsum, one process, turn by turn; the least of several is printed.

bench/python.py [the greatest n, 100000000 unless told]
bench/python.py --accuracy    errors and times on data that nearly cancel
"""

from __future__ import annotations

import math
import platform
import sys
import timeit

import numpy as np
import quire


def compare(label, ours, theirs, turns=7, seconds=0.2):
    """Prints the least time of both, measured in turns."""
    calls = ours, theirs
    counts = [max(1, int(seconds / timeit.timeit(call, number=1))) for call in calls]
    least = [math.inf, math.inf]
    for _ in range(turns):
        for which, call in enumerate(calls):
            least[which] = min(least[which], timeit.timeit(call, number=counts[which]) / counts[which])
    print(f"{label:<44}{least[0] * 1e6:14.2f}{least[1] * 1e6:14.2f}{least[0] / least[1]:8.3f}", flush=True)


def accuracy(n=10**6):
    """Errors and times of several sums of the same floats, which cancel but for 2^-20 of their magnitudes' sum."""
    random = np.random.default_rng(2)
    half = random.normal(size=n // 2).astype(np.float32)
    x = np.concatenate([half, -half * np.float32(1 + 2.0**-20)])
    random.shuffle(x)
    true = math.fsum(x.tolist())  # of these floats every sum of doubles that fsum keeps is exact
    calls = {
        "quire.sum": lambda: quire.sum(x),
        "numpy.sum": lambda: np.sum(x),
        "math.fsum": lambda: np.float32(math.fsum(x)),
    }
    if "torch" in sys.modules:
        t = sys.modules["torch"].from_numpy(x)
        calls["torch.sum"] = lambda: np.float32(t.sum())
    print(f"# {n} floats, condition number {math.fsum(abs(v) for v in x.tolist()) / abs(true):.1e}, sum {true!r}")
    print(f"{'':<12}{'result':>16}{'error in ulp':>16}{'time us':>12}")
    for name, call in calls.items():
        error = abs(float(call()) - true) / float(np.spacing(np.float32(abs(true))))
        least = min(timeit.repeat(call, number=1, repeat=10))
        print(f"{name:<12}{call():>16.8g}{error:>16.3g}{least * 1e6:>12.0f}")


def main():
    if "--accuracy" in sys.argv:
        try:
            import torch
        except ImportError:
            pass
        else:
            torch.set_num_threads(1)
        accuracy()
        return
    largest = int(sys.argv[1]) if len(sys.argv) > 1 else 10**8
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
