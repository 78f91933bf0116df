"""What bench/keys.py, bench/pairs.py and bench/scan.py measure: the least times of several calls, taken in turns."""

import math
import time


def measure(calls, turns, size):
    """The least time of each, in nanoseconds an element."""
    least = dict.fromkeys(calls, math.inf)
    for _ in range(turns):
        for name, call in calls.items():
            begin = time.perf_counter()
            call()
            least[name] = min(least[name], time.perf_counter() - begin)
    return {name: seconds / size * 1e9 for name, seconds in least.items()}
