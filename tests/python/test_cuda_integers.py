"""Integers, averages, covariances and correlations on a GPU, of PyTorch's tensors and CuPy's arrays: NumPy's bits."""

from __future__ import annotations

import numpy as np
import pytest
import quire
from data import filled
from quire._quire import lib

if not lib.quire_has_cuda():
    pytest.skip("SKIP: this quire was built without CUDA", allow_module_level=True)


def of_torch():
    torch = pytest.importorskip("torch", reason="SKIP: PyTorch is not installed")
    if not torch.cuda.is_available():
        pytest.skip("SKIP: PyTorch sees no CUDA device")
    return lambda x: torch.from_numpy(np.ascontiguousarray(x)).cuda(), lambda x: x.cpu().numpy()


def of_cupy():
    cp = pytest.importorskip("cupy", reason="SKIP: CuPy is not installed")
    try:
        found = cp.cuda.runtime.getDeviceCount()
    except cp.cuda.runtime.CUDARuntimeError:
        found = 0
    if not found:
        pytest.skip("SKIP: CuPy sees no CUDA device")
    return cp.asarray, cp.asnumpy


@pytest.fixture(params=[of_torch, of_cupy])
def way(request):
    """To the device, and back."""
    return request.param()


TYPES = ["int8", "int16", "int32", "int64", "uint8", "bool"]
RANDOM = np.random.default_rng(8)


def drawn(dtype, shape):
    if dtype == "bool":
        return RANDOM.random(shape) < 0.5
    limits = np.iinfo(dtype)
    return RANDOM.integers(limits.min // 10**6, limits.max // 10**6 + 1, shape, dtype)


def same(got, right):
    right = np.asarray(right)
    assert got.shape == right.shape and got.dtype == right.dtype
    return got.tobytes() == right.tobytes()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", ["sum", "asum", "mean", "norm", "var", "std"])
def test_reductions(way, name, dtype):
    to, back = way
    call = getattr(quire, name)
    words = {"dtype": np.int64} if name in ("sum", "asum") else {}
    for shape in ((7,), (4, 5, 6), (3, 3000), (20000, 3), (100001,)):
        x = drawn(dtype, shape)
        mask = RANDOM.random(shape) < 0.5
        for axis in (None, 0, -1):
            assert same(back(call(to(x), axis=axis, **words)), call(x, axis=axis, **words))
            chosen = call(x, axis=axis, where=mask, **words)
            assert same(back(call(to(x), axis=axis, where=to(mask), **words)), chosen)


def test_sums_that_do_not_fit(way):
    to, _ = way
    with pytest.raises(OverflowError, match="beyond int64"):
        quire.sum(to(np.full(4, np.iinfo(np.int64).max)))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_pairs(way, dtype):
    to, back = way
    for shape in ((7,), (6, 50), (3, 4000)):
        x = filled(shape, dtype, "normal", 3) if dtype != "int32" else drawn(dtype, shape)
        w = (np.abs(filled(shape, "float32", "normal", 4)) * 100 + 1).astype(dtype)
        for axis in (None, 0, -1):
            assert same(back(quire.average(to(x), axis, to(w))), quire.average(x, axis, w))
        assert same(back(quire.cov(to(x))), quire.cov(x))
        assert same(back(quire.corrcoef(to(x), to(w))), quire.corrcoef(x, w))
        if dtype != "int32":
            keys = RANDOM.integers(0, 3, shape[0])
            right = quire.groupby(keys, 3).average(x, w)
            assert same(back(quire.groupby(to(keys), 3).average(to(x), to(w))), right)
