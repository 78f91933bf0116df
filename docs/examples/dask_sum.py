# python3 dask_sum.py
"""The exact sum of a Dask array, by accumulators on a cluster of processes.

The bits are the same for any chunks and workers.
"""

from __future__ import annotations

import operator

import dask
import dask.array as da
import numpy as np
import quire
from dask.distributed import Client, LocalCluster


def exact_sum(x: da.Array) -> np.float64:
    """Each chunk becomes an accumulator of 1120 bytes; pairs of them are merged; the last one is rounded."""
    parts = [dask.delayed(quire.Accumulator)(chunk) for chunk in x.to_delayed().ravel()]
    while len(parts) > 1:
        pairs = zip(parts[::2], parts[1::2], strict=False)
        parts = [dask.delayed(operator.add)(a, b) for a, b in pairs] + parts[len(parts) // 2 * 2 :]
    return parts[0].compute().sum()


def data() -> np.ndarray:
    """A million numbers of magnitudes from 2^-100 to 2^100."""
    random = np.random.default_rng(1)
    return np.ldexp(random.normal(size=(1000, 1000)), random.integers(-100, 101, (1000, 1000)))


def main() -> None:
    x = data()
    print(f"{'workers':>7}  {'chunks':>10}  {'exact_sum':<22}  {'da.sum'}")
    for workers in (1, 2):
        with (
            LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
            Client(cluster),
        ):
            for chunks in (1000, 300, 128):
                array = da.from_array(x, chunks=chunks)
                total, theirs = exact_sum(array), float(array.sum().compute())
                print(f"{workers:>7}  {chunks:>10}  {float(total).hex():<22}  {theirs.hex()}")
                if total.tobytes() != quire.sum(x).tobytes():
                    raise SystemExit("the sums differ")


if __name__ == "__main__":
    main()
