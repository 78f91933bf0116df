"""What a process sees: threads, memory, references, the documentation's examples."""

from __future__ import annotations

import doctest
import gc
import importlib
import pkgutil
import sys
import threading
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import quire
from data import filled


def test_eight_threads():
    x = filled((64, 2000), "float32", "any finite bits", 1)
    rows, columns, whole = quire.sum(x, axis=1), quire.norm(x, axis=0), quire.sum(x)
    shared = quire.Accumulator()

    def work(k):
        for turn in range(30):
            assert quire.sum(x, axis=1).tobytes() == rows.tobytes()
            assert quire.norm(x, axis=0).tobytes() == columns.tobytes()
            assert quire.sum(x[:, ::-1]).tobytes() == whole.tobytes()
            shared.add(x[k::8] if turn % 2 else -x[k::8])
            shared.merge(quire.Accumulator([1.0]))
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))
    assert shared.sum() == 8 * 30 and shared.count == 30 * x.size + 8 * 30


def test_threads_share_an_accumulator():
    """Many short additions, whose updates of the words would be lost if they overlapped."""
    shared, x = quire.Accumulator(), np.array([1.0, -3.0, 5.0])

    def work(_):
        for _ in range(4000):
            shared.add(x)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert shared.sum() == 8 * 4000 * 3 and shared.count == 8 * 4000 * 3


@pytest.mark.parametrize("order", ["C", "F"])
def test_nothing_is_copied(order):
    """NumPy's allocations are traced: none comes near the size of the array."""
    x = np.ones((100, 200, 50), order=order)
    flipped, cut = x.transpose(2, 0, 1)[::-1], x[:, :199]
    four = np.ones((100, 100, 10, 10), order=order).transpose(3, 0, 2, 1)
    in_place = [lambda: quire.sum(flipped), lambda: quire.mean(x.T), lambda: quire.norm(x[:, ::-1, ::-1], axis=1)]
    in_place += [lambda a=a: quire.sum(flipped, axis=a) for a in range(3)]
    in_place += [lambda: quire.sum(x[::2], axis=2), lambda: quire.vecdot(x, x), lambda: quire.Accumulator(flipped)]
    in_place += [lambda: quire.sum(np.broadcast_to(x[0], (9, 200, 50)), axis=0), lambda: quire.sum(four, axis=1)]
    in_pieces = [lambda: quire.sum(cut), lambda: quire.std(cut), lambda: quire.Accumulator(cut)]
    for k, call in enumerate(in_place + in_pieces):
        call()
        tracemalloc.start()
        try:
            call()
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        # Results are 20000 numbers at most, a piece for an accumulator has 65536.
        assert peak < (22000 * 8 if k < len(in_place) else 140000 * 8), f"call {k}: {peak} bytes, of {x.nbytes}"


def test_the_lock_is_released():
    """Another thread runs Python while a sum is under way: it sees the clock advance inside one call."""
    x, seen, stop = np.ones(20_000_000), [], threading.Event()

    def watch():
        while not stop.is_set():
            seen.append(time.perf_counter())
            time.sleep(0.0005)

    switch = sys.getswitchinterval()
    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        sys.setswitchinterval(1000)  # the interpreter itself takes the lock from nobody
        for _ in range(50):
            begin = time.perf_counter()
            quire.sum(x, axis=0)
            end = time.perf_counter()
            if any(begin < t < end for t in list(seen)):
                break
        else:
            pytest.fail("no other thread ran during 50 sums")
    finally:
        sys.setswitchinterval(switch)
        stop.set()
        watcher.join()


CALLS = {
    "sum": lambda x: quire.sum(x),
    "axis": lambda x: quire.sum(x, axis=1),
    "float16": lambda x: quire.mean(x, dtype=np.float16),
    "strided": lambda x: quire.norm(x[::2, ::-1], axis=0, keepdims=True),
    "where": lambda x: quire.sum(x, axis=0, where=x > 0),
    "vecdot": lambda x: quire.vecdot(x, x[0]),
    "segments": lambda x: quire.segment_sum(x.ravel(), [0, 5, 9]),
    "out": lambda x: quire.sum(x, axis=0, out=np.empty(30)),
    "accumulator": lambda x: quire.Accumulator(x[:, 1:]).sum(),
    "moments": lambda x: (quire.Moments(x) + quire.Moments(x)).var(),
    "var": lambda x: quire.var(x, axis=1),
    "refused": lambda x: pytest.raises(ValueError, quire.sum, x, axis=7),
    "list": lambda x: quire.sum([1.0, 2.0]),
}


@pytest.mark.parametrize("name", CALLS)
def test_memory_and_references_do_not_grow(name):
    x, call = np.ones((20, 30)), CALLS[name]
    for _ in range(50):
        call(x)
    gc.collect()
    references = sys.getrefcount(x)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(2000):
            call(x)
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert sys.getrefcount(x) == references
    assert grown < 2000 * 8, f"{grown} bytes in 2000 calls"


def test_an_array_can_be_resized_after_a_call():
    x = np.ones(10)
    quire.sum(x)
    x.resize(20)  # NumPy refuses this while a buffer of it is held


def modules():
    yield quire
    for found in pkgutil.iter_modules(quire.__path__):
        if found.name not in ("_quire", "torch", "triton"):
            yield importlib.import_module(f"quire.{found.name}")


@pytest.mark.skipif(np.__version__.startswith("1."), reason="SKIP: the examples print numbers as NumPy 2 does")
def test_examples_of_the_documentation():
    tried = 0
    for module in modules():
        for test in doctest.DocTestFinder().find(module):
            result = doctest.DocTestRunner().run(test)
            assert result.failed == 0
            tried += result.attempted
    assert tried > 20


def test_every_public_name_is_documented():
    for name in quire.__all__:
        assert getattr(quire, name).__doc__
