"""The way of JAX's arrays on a GPU, without a GPU: with the false CuPy of false_cupy.py and a JAX as false."""

from __future__ import annotations

import gc
import sys
import threading
import types
import weakref

import numpy as np
import pytest
import quire
from data import filled
from false_cupy import Stream, ndarray, on_device

X = filled((6, 50), "float32", "any finite bits", 7)


class Device:
    def get_stream_for_external_ready_events(self):
        return 4096


class Array:
    """What _jax.py wants of a JAX array, around one of NumPy's."""

    __module__ = "jaxlib._jax"
    device = Device()

    def __init__(self, host):
        self.host = host

    def __getattr__(self, name):
        return getattr(self.host, name)

    def devices(self):
        return {self.device}

    def __dlpack__(self, **options):
        raise AssertionError("the false CuPy reads host")

    def __dlpack_device__(self):
        return (2, 0)

    def reshape(self, shape):
        return Array(self.host.reshape(shape))


class Event:
    """One that happens when the test says so."""

    happened = threading.Event()
    recorded = 0

    def __init__(self, block, disable_timing):
        assert block and disable_timing
        self.mine = Event.happened

    def record(self):
        Event.recorded += 1

    def synchronize(self):
        assert self.mine.wait(60)


@pytest.fixture
def jax(cp, monkeypatch):
    made, made.lent = types.ModuleType("jax"), []
    made.numpy = types.SimpleNamespace(zeros=lambda size, dtype, device: Array(np.zeros(size, dtype)))
    made.dlpack = types.SimpleNamespace(from_dlpack=lambda x: Array(x.host))
    made.dtypes = types.SimpleNamespace(canonicalize_dtype=lambda t: np.dtype("f4") if t == np.float64 else t)

    def from_dlpack(x):
        made.lent.append(weakref.ref(lent := ndarray(x.host)))
        return lent

    cp.from_dlpack, cp.cuda.Event = from_dlpack, Event
    monkeypatch.setitem(sys.modules, "jax", made)
    monkeypatch.setattr(Event, "happened", threading.Event())
    monkeypatch.setattr(Event, "recorded", 0)
    yield made
    Event.happened.set()


def same(result, right):
    return type(result) is Array and result.shape == right.shape and result.tobytes() == right.tobytes()


def test_reductions(jax):
    x = Array(X)
    for call in (quire.sum, quire.mean, quire.asum, quire.norm, quire.var, quire.std):
        for axis in (None, 0, 1, (0, 1)):
            assert same(call(x, axis=axis, keepdims=True), call(X, axis=axis, keepdims=True))
            assert same(call(x, axis=axis, where=Array(X > 0)), call(X, axis=axis, where=X > 0))
    assert same(quire.vecdot(x, Array(X[0])), quire.vecdot(X, X[0]))
    assert same(quire.vecdot(x, on_device(X[0])), quire.vecdot(X, X[0]))
    assert same(quire.segment_sum(Array(X[0]), Array(np.array([0, 9, 50]))), quire.segment_sum(X[0], [0, 9, 50]))
    assert same(quire.sum(Array(X[:, :0]), axis=0), quire.sum(X[:, :0], axis=0))
    assert Event.recorded == 52


def test_memory_is_held_until_the_stream_is_through(jax):
    quire.sum(Array(X), axis=0)
    gc.collect()
    assert len(jax.lent) == 2 and all(ref() is not None for ref in jax.lent)  # x, and the memory of the result
    Event.happened.set()
    for _ in range(6000):
        if all(ref() is None for ref in jax.lent):
            break
        threading.Event().wait(0.01)
    assert not any(ref() for ref in jax.lent)


def test_accumulators(jax):
    x, y = Array(X), Array(X[::-1].copy())
    assert quire.Accumulator(x).add_products(x, y) == quire.Accumulator(X).add_products(X, X[::-1])
    assert quire.Moments(x).var() == quire.Moments(X).var()


def test_what_is_refused(jax, cp, monkeypatch):
    x = Array(X)
    with pytest.raises(TypeError, match="out is for"):
        quire.sum(x, out=on_device(np.zeros((), np.float32)))
    with pytest.raises(TypeError, match="JAX has no float64"):
        quire.sum(x, dtype=np.float64)
    with pytest.raises(TypeError, match="only XLA knows"):
        quire.sum(on_device(X), where=Array(X > 0))
    with pytest.raises(TypeError, match="only XLA knows"):
        quire.vecdot(on_device(X), x)
    cp.stream = Stream(4096, capturing=True)
    with pytest.raises(NotImplementedError, match="a CUDA graph cannot capture"):
        quire.sum(x)
    cp.stream = Stream(0)
    monkeypatch.delattr(Device, "get_stream_for_external_ready_events")
    with pytest.raises(TypeError, match=r"only XLA knows .* pass cupy.from_dlpack\(x\)"):
        quire.sum(x)
