"""Integers, averages, covariances and correlations of arrays on CUDA devices, without a device: with the false CuPy."""

from __future__ import annotations

import numpy as np
import pytest
import quire
from data import filled
from false_cupy import ndarray, on_device

TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"]
RANDOM = np.random.default_rng(8)
ONE = [quire.sum, quire.asum, quire.mean, quire.norm, quire.var, quire.std]


def drawn(dtype, shape):
    if dtype == "bool":
        return RANDOM.random(shape) < 0.5
    limits = np.iinfo(dtype)
    low, high = (int(limits.min) // 1000, int(limits.max) // 1000) if limits.bits == 64 else (limits.min, limits.max)
    return RANDOM.integers(low, high, shape, dtype, endpoint=True)


def same(got, right):
    right = np.asarray(right)
    assert type(got) is ndarray and got.shape == right.shape and got.dtype == right.dtype
    return got.tobytes() == right.tobytes()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("call", ONE)
def test_reductions(cp, call, dtype):
    x = drawn(dtype, (4, 5, 6))
    mask = RANDOM.random(x.shape) < 0.5
    for axis in (None, 0, -1, (0, 2), (1, 2)):
        for view in (x, x[::-1, :, ::-2], x.transpose(2, 0, 1)):
            right = call(view, axis=axis)
            right = np.asarray(right, np.uint64 if isinstance(right, int) and dtype[0] == "u" else None)
            assert same(call(on_device(view), axis=axis), right)
            out = on_device(np.zeros(right.shape, right.dtype))
            assert call(on_device(view), axis=axis, out=out) is out and same(out, right)
        right = call(x, axis=axis, where=mask)
        right = np.asarray(right, np.uint64 if isinstance(right, int) and dtype[0] == "u" else None)
        assert same(call(on_device(x), axis=axis, where=on_device(mask)), right)
        assert same(call(on_device(x), axis=axis, dtype=np.float32), call(x, axis=axis, dtype=np.float32))


def test_sums_that_do_not_fit(cp):
    most = np.full(4, np.iinfo(np.int64).max)
    x = on_device(most)
    for words in ({}, {"dtype": np.int64}, {"out": on_device(np.zeros((), np.int64))}):
        with pytest.raises(OverflowError, match="beyond int64"):
            quire.sum(x, **words)
    assert same(quire.sum(x, dtype=float), quire.sum(most, dtype=float))
    with pytest.raises(OverflowError, match="beyond uint64"):
        quire.sum(on_device(np.full(2, 2**64 - 1, np.uint64)))
    assert same(quire.sum(on_device(np.array([2**64 - 1, 0], np.uint64))), np.uint64(2**64 - 1))
    with pytest.raises(OverflowError, match="beyond uint64"):
        quire.sum(on_device(np.array([-1, 0], np.int8)), dtype=np.uint64)
    with pytest.raises(OverflowError, match="beyond int8"):
        quire.sum(on_device(np.array([100, 100], np.int8)), dtype=np.int8)
    assert same(quire.sum(on_device(np.array([100, -100, -9], np.int8)), dtype=np.int8), np.int8(-9))


def test_what_waits(cp):
    for dtype in TYPES:
        ndarray.synchronized.clear()
        quire.sum(on_device(drawn(dtype, (5, 6))), axis=0)
        assert bool(ndarray.synchronized) == (dtype in ("int64", "uint64"))
    ndarray.synchronized.clear()
    quire.mean(on_device(drawn("int64", 7)))
    quire.var(on_device(drawn("int64", 7)))
    assert not ndarray.synchronized


@pytest.mark.parametrize("dtype", TYPES)
def test_pairs_keys_and_segments(cp, dtype):
    x, y = drawn(dtype, (4, 5)), drawn(dtype, (4, 5))
    assert same(quire.vecdot(on_device(x), on_device(y)), quire.vecdot(x, y))
    if x.dtype.itemsize < 4:
        assert same(quire.vecdot(on_device(x), on_device(y), dtype=np.int64), quire.vecdot(x, y, dtype=np.int64))
    flat = x.ravel()
    assert same(quire.segment_sum(on_device(flat), [0, 3, 3, 20]), quire.segment_sum(flat, [0, 3, 3, 20]))
    keys = RANDOM.integers(0, 3, 4)
    for call in (quire.group_sum, quire.group_mean, quire.group_norm, quire.group_var):
        assert same(call(on_device(x), keys, 3), call(x, keys, 3))
    groups, right = quire.groupby(on_device(keys), 3), quire.groupby(keys, 3)
    assert same(groups.sum(on_device(x)), right.sum(x)) and same(groups.std(on_device(x)), right.std(x))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8"])
def test_averages(cp, dtype):
    kind = np.dtype(dtype).kind
    x = filled((4, 5, 6), dtype, "any finite bits", 3) if kind == "f" else drawn(dtype, (4, 5, 6))
    w = np.abs(filled((4, 5, 6), dtype, "normal", 4)) + 1 if kind == "f" else drawn(dtype, (4, 5, 6)) | 1
    w = np.abs(w).astype(dtype)
    for axis in (None, 0, (0, 2)):
        for more in {}, {"keepdims": True}, {"rounding": "upward"}, {"dtype": np.float64}:
            right = quire.average(x, axis, w, **more)
            assert same(quire.average(on_device(x), axis, on_device(w), **more), right)
        right = quire.average(x, axis, w, True)
        assert all(
            same(*each) for each in zip(quire.average(on_device(x), axis, on_device(w), True), right, strict=True)
        )
        means = quire.average(x, axis, returned=True)
        assert all(same(*each) for each in zip(quire.average(on_device(x), axis, returned=True), means, strict=True))
    of_axes = w[:, 0, :]
    assert same(quire.average(on_device(x), (2, 0), on_device(of_axes.T)), quire.average(x, (2, 0), of_axes.T))
    none = np.zeros(4, x.dtype)
    assert np.isnan(quire.average(on_device(none), None, on_device(none)).host)
    assert not ndarray.synchronized
    with pytest.raises(TypeError, match="weights must be on the device"):
        quire.average(on_device(x), None, w)
    with pytest.raises(TypeError, match="no dtype in common"):
        quire.average(on_device(drawn("int64", 3)), None, on_device(np.ones(3)))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16"])
def test_matrices(cp, dtype):
    kind = np.dtype(dtype).kind
    m = filled((4, 9), dtype, "normal", 3) if kind == "f" else drawn(dtype, (4, 9))
    y = filled((2, 9), "float32", "normal", 5)
    for call in (quire.cov, quire.corrcoef):
        assert same(call(on_device(m)), call(m)) and same(call(on_device(m.T), rowvar=False), call(m.T, rowvar=False))
        assert same(call(on_device(m[0])), call(m[0])) and same(call(on_device(m[:0])), call(m[:0]))
        assert same(call(on_device(m), on_device(y)), call(m, y))
        assert same(call(on_device(m), on_device(y[0])), call(m, y[0]))
        with pytest.raises(ValueError, match="observations"):
            call(on_device(m), on_device(y[:, 1:]))
        with pytest.raises(TypeError, match="y must be on the device"):
            call(on_device(m), y)
    assert same(quire.cov(on_device(m), ddof=0, rounding="downward"), quire.cov(m, ddof=0, rounding="downward"))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16"])
def test_weights_of_groups(cp, dtype):
    kind = np.dtype(dtype).kind
    x, w = ((filled((6, 5), dtype, "normal", s) if kind == "f" else drawn(dtype, (6, 5))) for s in (3, 4))
    for axis in (0, 1):
        keys = RANDOM.integers(0, 3, x.shape[axis])
        g, right = quire.groupby(on_device(keys), 3), quire.groupby(keys, 3)
        of_rows = np.ascontiguousarray(w[:, 0] if axis == 0 else w[0])
        for weights in (w, of_rows):
            expected = right.average(x, weights, axis=axis)
            assert same(g.average(on_device(x), on_device(weights), axis=axis), expected)
            words = {"weights": on_device(weights), "axis": axis}
            assert same(quire.group_average(on_device(x), on_device(keys), 3, **words), expected)
        assert same(g.average(on_device(x), axis=axis), right.average(x, axis=axis))
        for call in (
            lambda **more: g.average(on_device(x), axis=axis, **more),
            lambda **more: quire.group_average(on_device(x), on_device(keys), 3, axis=axis, **more),
        ):
            with pytest.raises(ValueError, match="neither of the shape"):
                call(weights=on_device(w[:1]))
            with pytest.raises(TypeError, match="weights must be on the device"):
                call(weights=w)


@pytest.mark.parametrize("dtype", TYPES)
def test_accumulators(cp, dtype):
    x, y = drawn(dtype, 30), drawn(dtype, 30)
    a = quire.Accumulator(on_device(x))
    a.add(on_device(filled(9, "float32", "normal", 3)))
    right = quire.Accumulator(x)
    right.add(filled(9, "float32", "normal", 3))
    assert a == right and a.sum() == right.sum() and a.count == right.count == 39
    assert quire.Moments(on_device(x)).var() == quire.Moments(x).var()
    products = quire.Accumulator()
    products.add_products(on_device(x), on_device(y))
    assert products.sum() == float(quire.vecdot(x, y))


@pytest.mark.parametrize("dtype", TYPES)
def test_running_sums(cp, dtype):
    whole = drawn(dtype, (4, 5, 6))
    for x in (whole, whole.transpose(2, 0, 1), whole[::2, ::-1], whole[:0]):
        for axis in (0, 1, -1):
            assert same(quire.cumsum(on_device(x), axis), quire.cumsum(x, axis))
            assert same(quire.cumsum(on_device(x), axis, dtype=np.float64), quire.cumsum(x, axis, dtype=np.float64))
            right = quire.cumulative_sum(x, axis=axis, include_initial=True)
            assert same(quire.cumulative_sum(on_device(x), axis=axis, include_initial=True), right)
            out = on_device(np.zeros(right.shape, right.dtype))
            assert quire.cumulative_sum(on_device(x), axis=axis, include_initial=True, out=out) is out
            assert same(out, right)
        assert same(quire.cumsum(on_device(x)), quire.cumsum(x))
    y = whole.astype(np.int64) // 64
    d = on_device(y.copy())
    assert quire.cumsum(d, 1, out=d) is d and same(d, quire.cumsum(y, 1))
    with pytest.raises(OverflowError, match="beyond int64"):
        quire.cumsum(on_device(np.array([2**63 - 1, 1, -1])))
