"""Integers, averages, covariances and correlations of tensors on devices: their ways, taken by tensors on the CPU."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="SKIP: PyTorch is not installed")

import quire  # noqa: E402
import quire.torch  # noqa: E402
from data import filled  # noqa: E402
from quire import _device_accumulators  # noqa: E402
from quire.torch import _groups, _launch, _pairs, _where  # noqa: E402

TYPES = ["int8", "int16", "int32", "int64", "uint8", "bool"]
ONE = {"sum": 1, "asum": 2, "mean": 5, "norm": 4, "var": 6, "std": 7}
RANDOM = np.random.default_rng(8)


def drawn(dtype, shape):
    if dtype == "bool":
        return RANDOM.random(shape) < 0.5
    limits = np.iinfo(dtype)
    return RANDOM.integers(limits.min // 1000, limits.max // 1000 + 1, shape, dtype)


def same(got, right):
    right = np.asarray(right)
    assert isinstance(got, torch.Tensor) and got.is_contiguous()
    assert tuple(got.shape) == right.shape and str(got.dtype) == f"torch.{right.dtype}"
    return got.numpy().tobytes() == right.tobytes()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", ONE)
def test_masks(name, dtype):
    x = drawn(dtype, (4, 5, 6))
    mask = RANDOM.random(x.shape) < 0.5
    for axis in (None, 0, -1, (0, 2), (1, 2)):
        wanted = np.int64 if name in ("sum", "asum") else np.float64
        right = getattr(quire, name)(x, axis=axis, where=mask, dtype=wanted)
        for keepdims in (False, True):
            words = axis, getattr(torch, np.dtype(wanted).name), keepdims, "exact", "nearest", 0
            found = _where.on_device(name, ONE[name], torch.from_numpy(x), torch.from_numpy(mask), *words)
            assert same(found if keepdims is False else found.reshape(np.shape(right)), right)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8"])
def test_averages(dtype):
    kind = np.dtype(dtype).kind
    x = filled((4, 5, 6), dtype, "any finite bits", 3) if kind == "f" else drawn(dtype, (4, 5, 6))
    w = (np.abs(filled((4, 5, 6), "float32", "normal", 4)) + 1 if kind == "f" else drawn(dtype, (4, 5, 6)) | 1) // 1
    w = np.abs(w).astype(dtype)
    t, u = torch.from_numpy(x), torch.from_numpy(w)
    for axis in (None, 0, (0, 2)):
        for keepdims, rounding in ((False, "nearest"), (True, "upward")):
            right = quire.average(x, axis, w, True, keepdims=keepdims, rounding=rounding)
            got = _pairs.average(t, axis, u, True, keepdims, None, rounding)
            assert all(same(*each) for each in zip(got, right, strict=True))
        right = quire.average(x, axis, returned=True)
        assert all(
            same(*each) for each in zip(_pairs.average(t, axis, None, True, False, None, "nearest"), right, strict=True)
        )
    of_axes = np.ascontiguousarray(w[:, 0, :].T)
    right = quire.average(x, (2, 0), of_axes)
    assert same(_pairs.average(t, (2, 0), torch.from_numpy(of_axes), False, False, None, "nearest"), right)
    zeros = torch.zeros(3)
    assert _pairs.average(zeros, None, zeros, False, False, None, "nearest").isnan()
    with pytest.raises(TypeError, match="no format holds both"):
        _pairs.average(torch.arange(3) + 2**53, None, torch.ones(3), False, False, None, "nearest")
    with pytest.raises(TypeError, match="weights must be a tensor"):
        _pairs.average(t, None, w, False, False, None, "nearest")
    with pytest.raises(TypeError, match="requires one"):
        _pairs.average(zeros.clone().requires_grad_(), None, None, False, False, None, "nearest")


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16"])
def test_matrices(dtype):
    m = filled((4, 9), dtype, "normal", 3) if dtype != "int16" else drawn(dtype, (4, 9))
    y = filled((2, 9), "float32", "normal", 5)
    for operation, call in ((10, quire.cov), (11, quire.corrcoef)):
        correction = 1 if operation == 10 else 0

        def got(a, b=None, rowvar=True, operation=operation, correction=correction):
            a, b = torch.from_numpy(a), None if b is None else torch.from_numpy(b)
            return _pairs.matrix("cov", operation, a, b, rowvar, correction, None, "nearest")

        assert same(got(m), call(m)) and same(got(m.T, None, False), call(m.T, rowvar=False))
        assert same(got(m[0]), call(m[0])) and same(got(m, y), call(m, y)) and same(got(m, y[0]), call(m, y[0]))
        with pytest.raises(ValueError, match="observations"):
            got(m, np.ascontiguousarray(y[:, 1:]))


def test_operands_of_accumulators():
    """Of one tensor, or of two in the dtype that holds both."""
    way = _device_accumulators.OfTensors()
    for dtype in (torch.int8, torch.uint64, torch.bool, torch.float32):
        x = torch.arange(6).to(dtype).view(2, 3)
        ((same_x,), n, code) = way.dense((x.T,), "add")
        assert n == 6 and same_x.dtype == dtype and code == _launch.number_of(dtype, "add")
    for a, b, common in (
        ("int8", "int32", "int32"),
        ("int32", "float32", "float64"),
        ("float32", "float64", "float64"),
    ):
        x, y = torch.arange(4).to(getattr(torch, a)), torch.arange(4).to(getattr(torch, b))
        (x, y), n, code = way.dense((x, y), "add_products")
        assert n == 4 and x.dtype == y.dtype == getattr(torch, common) and code == _launch.number_of(x.dtype, "add")
    with pytest.raises(TypeError, match="no format holds both"):
        way.dense((torch.arange(4) + 2**53, torch.ones(4)), "add_products")


def test_weights_of_groups():
    x, w = filled((6, 5), "float32", "normal", 3), filled((6, 5), "float32", "normal", 4)
    for axis in (0, 1):
        keys = RANDOM.integers(0, 3, x.shape[axis])
        g = _groups.TensorGroups(torch.from_numpy(keys), 3)
        for weights in (w, np.ascontiguousarray(w[:, 0] if axis == 0 else w[0])):
            right = quire.groupby(keys, 3).average(x, weights, axis=axis)
            assert same(g.average(torch.from_numpy(x), torch.from_numpy(weights), axis=axis), right)
        with pytest.raises(ValueError, match="neither of the shape"):
            g.average(torch.from_numpy(x), torch.from_numpy(w[:1]), axis=axis)
        with pytest.raises(TypeError, match="weights must be a tensor"):
            g.average(torch.from_numpy(x), w, axis=axis)
