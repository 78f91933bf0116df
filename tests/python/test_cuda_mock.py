"""The ways of arrays on CUDA devices, without a device: with the false CuPy of false_cupy.py."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import quire
from data import filled
from false_cupy import Described, Stream, WithCuda, ndarray, on_device
from quire import _contexts
from quire._quire import ffi, lib

X = filled((6, 5, 7), "float32", "any finite bits", 3)
ONE = [quire.sum, quire.mean, quire.asum, quire.norm, quire.var, quire.std]
VIEWS = [
    lambda x: x,
    lambda x: x[::-1, :, ::-2],
    lambda x: x.transpose(2, 0, 1),
    lambda x: x[:, 1:3, ::3],
    lambda x: np.broadcast_to(x[:1], (4, 5, 7)),
    lambda x: x[:0],
]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("call", ONE)
def test_reductions(cp, call, view):
    x = view(X)
    for axis in (None, 0, -1, (0, 2), (1, 2), ()):
        for keepdims in (False, True):
            right = np.asarray(call(x, axis=axis, keepdims=keepdims))
            got = call(on_device(x), axis=axis, keepdims=keepdims)
            assert type(got) is ndarray and got.shape == right.shape and got.dtype == right.dtype
            assert got.tobytes() == right.tobytes()
            out = on_device(np.full(right.shape, 7, np.float64))
            options = {} if call in (quire.var, quire.std) else {"method": "pairwise"}
            assert call(on_device(x), axis=axis, keepdims=keepdims, out=out, **options) is out
            assert out.tobytes() == np.asarray(call(x, axis=axis, keepdims=keepdims, dtype=float, **options)).tobytes()
    assert set(cp.opened) == {("cuda", 0, 0, True)}


def test_out_that_is_no_place_for_results(cp):
    right = quire.sum(X, axis=0)
    wide = on_device(np.zeros((7, 5), np.float32)).transpose()
    quire.sum(on_device(X), axis=0, out=wide)
    assert wide.tobytes() == right.tobytes()
    x = X.copy()
    quire.sum(on_device(x), axis=0, out=on_device(x[0]))
    assert x[0].tobytes() == right.tobytes()


def test_pairs_and_segments(cp):
    x, y = X[0], X[1].astype(np.float64)
    assert quire.vecdot(on_device(x), on_device(y)).tobytes() == quire.vecdot(x, y).tobytes()
    assert quire.vecdot(on_device(X), on_device(x[0]), axis=-1).tobytes() == quire.vecdot(X, x[0]).tobytes()
    assert quire.vecdot(on_device(X), on_device(X), axis=1).tobytes() == quire.vecdot(X, X, axis=1).tobytes()
    flat = X.ravel()
    right = quire.segment_sum(flat, [0, 7, 7, 210])
    for offsets in (
        [0, 7, 7, 210],
        on_device(np.array([0, 7, 7, 210])),
        on_device(np.array([-5, 7, 7, 999], np.int32)),
    ):
        assert quire.segment_sum(on_device(flat), offsets).tobytes() == right.tobytes()
    out = on_device(np.zeros(3))
    assert quire.segment_sum(on_device(flat), [0, 7, 7, 210], out=out) is out
    assert out.tobytes() == quire.segment_sum(flat, [0, 7, 7, 210], dtype=float).tobytes()


@pytest.mark.parametrize("view", VIEWS[:5])
def test_the_cuda_array_interface(cp, view, monkeypatch):
    x = view(X)

    strides = None if x.flags.c_contiguous else x.strides

    class Meta(type):  # isinstance(x, cupy.ndarray), and cupy.ndarray(...) that shares memory
        def __instancecheck__(cls, instance):
            return isinstance(instance, ndarray)

        def __call__(cls, *arguments):
            return cp.Raw(*arguments)

    monkeypatch.setattr(cp, "ndarray", Meta("ndarray", (), {}))
    for axis in (None, 0, (1, 2)):
        assert (
            quire.sum(Described(on_device(x), strides=strides, stream=77), axis=axis).tobytes()
            == np.asarray(quire.sum(x, axis=axis)).tobytes()
        )
    assert cp.stream.waits == [("event of", 77)] * 3
    mask = np.ascontiguousarray(x > 0)
    right = np.asarray(quire.mean(x, axis=0, where=mask))
    assert quire.mean(on_device(x), axis=0, where=Described(on_device(mask))).tobytes() == right.tobytes()


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("call", ONE)
def test_where(cp, call, view):
    x = view(X)
    random = np.random.default_rng(1)
    zeros = np.where(random.random(x.shape) < 0.5, np.float32(-0.0), x)
    zeros[x > 0] = -0.0
    masks = [random.random(x.shape) < p for p in (0.0, 0.1, 0.5, 1.0)] + [random.random(x.shape[-1]) < 0.5, False]
    for mask, y in [(mask, y) for mask in masks for y in (x, zeros)]:
        sent = on_device(mask) if np.ndim(mask) > 1 else mask
        for axis in (None, 0, -1, (0, 2), ()):
            for more in {}, {"rounding": "downward"}, {"method": "kahan"}, {"keepdims": True, "dtype": np.float64}:
                if "method" in more and call in (quire.var, quire.std):
                    continue
                right = np.asarray(call(y, axis=axis, where=mask, **more))
                got = call(on_device(y), axis=axis, where=sent, **more)
                assert type(got) is ndarray and got.shape == right.shape and got.dtype == right.dtype
                assert got.tobytes() == right.tobytes()
    right = np.asarray(call(x, axis=0, where=masks[2]))
    out = on_device(np.zeros(right.shape, np.float32))
    assert call(on_device(x), axis=0, where=on_device(masks[2]), out=out) is out
    assert out.tobytes() == right.tobytes()


def test_streams_and_captures(cp):
    cp.stream = Stream(4096)
    quire.sum(on_device(X))
    cp.stream = Stream(8192, capturing=True)
    quire.sum(on_device(X))
    assert cp.opened == [("cuda", 0, 4096, True), ("captured", 0, 8192, True)]


def test_bad_input(cp):
    x, out = on_device(X), on_device(np.full((5, 7), 7, np.float32))
    elsewhere = ndarray(X, 1)
    one_row = on_device(np.broadcast_to(out.host[:1], (5, 7)))
    crooked = on_device(np.zeros(9, np.dtype([("a", "f4"), ("b", "i2")]))["a"])

    class OnHost:
        __dlpack__ = None

        def __dlpack_device__(self):
            return (1, 0)

    class jaxlib_array:
        __dlpack__ = None

        def __dlpack_device__(self):
            return (2, 0)

    jaxlib_array.__module__ = "jaxlib._jax"
    for error, words, call in [
        (TypeError, "floating-point numbers", lambda: quire.sum(on_device(np.arange(3) * 1j))),
        (ValueError, "out of bounds", lambda: quire.sum(x, axis=3, out=out)),
        (TypeError, "axis must be", lambda: quire.sum(x, axis=1.5, out=out)),
        (ValueError, "method must be one of", lambda: quire.sum(x, axis=0, method="magic", out=out)),
        (TypeError, "method must be a string", lambda: quire.sum(x, axis=0, method=[1], out=out)),
        (ValueError, "out has shape", lambda: quire.sum(x, axis=1, out=out)),
        (TypeError, "but out has float32", lambda: quire.sum(x, axis=0, out=out, dtype=float)),
        (TypeError, "out must be on the device", lambda: quire.sum(x, axis=0, out=np.empty((5, 7), np.float32))),
        (ValueError, "elements of out share", lambda: quire.sum(x, axis=0, out=one_row)),
        (TypeError, "array of bool, not of float32", lambda: quire.sum(x, axis=0, where=x, out=out)),
        (TypeError, "where must be on the device", lambda: quire.sum(x, axis=0, where=OnHost(), out=out)),
        (ValueError, "does not fit x", lambda: quire.sum(x, axis=0, where=X[:2] > 0, out=out)),
        (ValueError, "out of bounds", lambda: quire.sum(x, axis=3, where=X > 0, out=out)),
        (ValueError, "out has shape", lambda: quire.mean(x, axis=1, where=X > 0, out=out)),
        (ValueError, "on device 0, where on 1", lambda: quire.sum(x, axis=0, where=ndarray(X > 0, 1), out=out)),
        (ValueError, "method must be one of", lambda: quire.sum(x, axis=0, where=X > 0, method="magic", out=out)),
        (ValueError, "on device 0, x2 on 1", lambda: quire.vecdot(x, elsewhere)),
        (ValueError, "on device 0, offsets on 1", lambda: quire.segment_sum(x[0, 0], ndarray(np.arange(3), 1))),
        (TypeError, "offsets on a device must be int32 or int64", lambda: quire.segment_sum(x[0, 0], x[0, 0])),
        (TypeError, "the other operand, a ndarray, is not", lambda: quire.vecdot(X, Described(x))),
        (ValueError, "no multiples", lambda: quire.sum(crooked)),
        (TypeError, "only XLA knows", lambda: quire.sum(jaxlib_array())),
        (TypeError, "a ndarray, is not", lambda: quire.Accumulator().add_products(x, X)),
        (ValueError, "x has shape (6, 5, 7), y has (5, 7)", lambda: quire.Accumulator().add_products(x, x[0])),
        (ValueError, "on device 0, y on 1", lambda: quire.Accumulator().add_products(x, elsewhere)),
        (TypeError, "floating-point numbers", lambda: quire.Moments(on_device(np.arange(3) * 1j))),
    ]:
        with pytest.raises(error) as raised:
            call()
        assert words in str(raised.value) and "\n" not in str(raised.value)
    assert (out.host == 7).all()


@pytest.mark.skipif(lib.quire_has_cuda() == 1, reason="SKIP: this quire has CUDA")
def test_without_cuda():
    with pytest.raises(RuntimeError, match="this quire was built without CUDA"):
        quire.sum(Described(on_device(X)))
    with pytest.raises(RuntimeError, match="this quire was built without CUDA"):
        _contexts.cuda(0, 0, "sum")


def test_contexts(monkeypatch):
    """A context for each stream, up to a number of them; then the oldest moves on."""
    opened, moved, closed = [], [], []

    class Library(WithCuda):
        def quire_open_cuda(self, made, device, stream):
            made[0] = ffi.cast("quire_context *", len(opened) + 1)
            opened.append((device, int(ffi.cast("uintptr_t", stream))))
            return 0

        def quire_set_stream(self, context, stream):
            moved.append((int(ffi.cast("uintptr_t", context)), int(ffi.cast("uintptr_t", stream))))
            return 43 if moved[-1][1] == 666 else 0

        def quire_close(self, context):
            closed.append(int(ffi.cast("uintptr_t", context)))

    monkeypatch.setattr(_contexts, "lib", Library())
    monkeypatch.setattr(_contexts, "_captured", {})
    monkeypatch.setattr(_contexts, "_idle", [])  # put back last: what _mine has goes there when it is put back
    monkeypatch.setattr(_contexts, "_mine", type(_contexts._mine)())
    for _ in range(2):
        for stream in range(_contexts.STREAMS):
            _contexts.cuda(0, stream, "sum")
        _contexts.cuda(1, 5, "sum")
    assert len(opened) == _contexts.STREAMS + 1 and not moved
    assert int(ffi.cast("uintptr_t", _contexts.cuda(0, 500, "sum"))) == 1 and moved == [(1, 500)]
    _contexts.cuda(0, 666, "sum")  # the second will not move: its stream is gone
    assert opened[-1] == (0, 666) and moved[-1] == (2, 666) and closed == [2]
    first = _contexts.captured(0, 3, "sum")
    assert first is _contexts.captured(0, 3, "sum") and first is not _contexts.cuda(0, 3, "sum")

    seen = []
    for stream in (7, 8, 8):  # a thread that ends leaves its context to the next
        thread = threading.Thread(target=lambda: seen.append(_contexts.cuda(2, stream, "sum")))
        thread.start()
        thread.join()
    assert seen[0] is seen[1] is seen[2] and moved[-2:] == [(int(ffi.cast("uintptr_t", seen[0])), 8)] * 2
    assert opened.count((2, 7)) == 1 and closed == [2]
