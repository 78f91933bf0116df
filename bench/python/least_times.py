"""What keys.py, pairs.py and scan.py measure: the least times of several calls, taken in turns."""

import math
import time


def measure(calls, turns, size, clock=time.perf_counter):
    """The least time of each, in nanoseconds an element."""
    least = dict.fromkeys(calls, math.inf)
    for _ in range(turns):
        for name, call in calls.items():
            begin = clock()
            call()
            least[name] = min(least[name], clock() - begin)
    return {name: seconds / size * 1e9 for name, seconds in least.items()}
