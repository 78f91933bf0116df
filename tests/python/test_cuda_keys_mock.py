"""Sums by key and running sums of CuPy's and JAX's arrays, without a device: with the false CuPy and JAX."""

from __future__ import annotations

import numpy as np
import pytest
import quire
from data import filled
from false_cupy import Described, ndarray, on_device
from reference import NAMES
from test_cuda_jax_mock import Array, jax  # noqa: F401

X = filled((6, 5, 7), "float32", "any finite bits", 3)
RANDOM = np.random.default_rng(1)
CALLS = [quire.group_sum, quire.group_mean, quire.group_norm, quire.group_var, quire.group_std]
VIEWS = [
    lambda x: x,
    lambda x: x[::-1, :, ::-2],
    lambda x: x.transpose(2, 0, 1),
    lambda x: np.broadcast_to(x[:1], (4, 5, 7)),
    lambda x: x[:0],
]


def same(found, right):
    nan = np.isnan(right.astype(np.float64))
    host = found.host
    return (
        host.shape == right.shape
        and host.dtype == right.dtype
        and np.where(nan, 7, host).tobytes() == np.where(nan, 7, right).tobytes()
    )


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("call", CALLS)
def test_groups(cp, call, view):
    x = view(X)
    for axis in (0, 1, -1):
        keys = RANDOM.integers(0, 4, x.shape[axis])
        right = call(x, keys, 5, axis=axis)
        for k in (keys, keys.tolist(), on_device(keys), on_device(keys.astype(np.int32)), on_device(keys.astype("u1"))):
            found = call(on_device(x), k, 5, axis=axis)
            assert type(found) is ndarray and same(found, right)
        out = on_device(np.zeros(right.shape))
        assert call(on_device(x), on_device(keys), 5, axis=axis, out=out) is out
        assert same(out, call(x, keys, 5, axis=axis, dtype=float))
    assert set(cp.opened) == {("cuda", 0, 0, True)}


def test_groups_that_are_sorted_once(cp):
    keys = RANDOM.integers(-1, 6, 5)
    kept = (keys >= 0) & (keys < 5)
    for k in (keys, keys.astype(np.int32)):
        g, right = quire.groupby(on_device(k), 5), quire.groupby(keys[kept], 5)
        assert len(g) == 5 and g.keys.host.tolist() == right.keys.tolist() and same(g.counts, right.counts)
        for call in ("sum", "mean", "norm", "var", "std"):
            assert same(getattr(g, call)(on_device(X), axis=1), getattr(right, call)(X[:, kept], axis=1))
        out = on_device(np.zeros((6, 5, 7)))
        assert g.sum(on_device(X), axis=1, out=out) is out
        assert same(out, right.sum(X[:, kept], axis=1, dtype=float))
        assert same(g.sum(on_device(X), axis=1, method="plain"), right.sum(X[:, kept], axis=1, method="plain"))
    for error, words, call in [
        (NotImplementedError, "take no where", lambda: g.sum(on_device(X), axis=1, where=on_device(X > 0))),
        (TypeError, "x is a ndarray", lambda: g.sum(X, axis=1)),
        (ValueError, "x has 6 rows along the axis, but there are 5 keys", lambda: g.sum(on_device(X))),
        (ValueError, "groups must be given", lambda: quire.groupby(on_device(keys))),
    ]:
        with pytest.raises(error) as raised:
            call()
        assert words in str(raised.value)


@pytest.mark.parametrize("name", NAMES)
def test_formats_and_words(cp, name):
    x, keys = filled((30, 3), name, "any finite bits", 3), RANDOM.integers(0, 4, 30)
    for words in ({}, {"method": "kahan"}, {"rounding": "downward"}, {"dtype": np.float64}):
        assert same(quire.group_sum(on_device(x), on_device(keys), 4, **words), quire.group_sum(x, keys, 4, **words))
    for words in ({}, {"rounding": "upward"}, {"dtype": np.float64}):
        assert same(quire.cumsum(on_device(x), 0, **words), quire.cumsum(x, 0, **words))


def test_keys_outside(cp):
    x, keys = X[:, 0, 0], np.array([0, -1, 2, 3, 1, 2**40])
    right = quire.group_sum(x[[0, 2, 4]], [0, 2, 1], 3)
    assert same(quire.group_sum(on_device(x), on_device(keys), 3), right)
    with pytest.raises(ValueError, match="keys must lie in"):
        quire.group_sum(on_device(x), keys, 3)
    assert same(quire.group_sum(on_device(x), list("babbab")), quire.group_sum(x, list("babbab")))


@pytest.mark.parametrize("view", VIEWS)
def test_running_sums(cp, view):
    x = view(X)
    for axis in (0, 1, -1):
        assert same(quire.cumsum(on_device(x), axis), quire.cumsum(x, axis))
        for initial in (False, True):
            right = quire.cumulative_sum(x, axis=axis, include_initial=initial)
            assert same(quire.cumulative_sum(on_device(x), axis=axis, include_initial=initial), right)
            out = on_device(np.full(right.shape, 9.0))
            assert quire.cumulative_sum(on_device(x), axis=axis, include_initial=initial, out=out) is out
            assert same(out, quire.cumulative_sum(x, axis=axis, include_initial=initial, dtype=float))
    assert same(quire.cumsum(on_device(x)), quire.cumsum(x))


def test_in_place(cp):
    x = X.copy()
    d = on_device(x)
    assert quire.cumsum(d, 1, out=d) is d and same(d, quire.cumsum(X, 1))
    y = X.copy()
    d = on_device(y)
    quire.cumsum(d, 1, out=d[::-1])
    assert y.tobytes() == quire.cumsum(X, 1)[::-1].tobytes()


@pytest.mark.usefixtures("jax")
def test_jax():
    keys = RANDOM.integers(0, 4, 6)
    for k in (keys, Array(keys)):
        found = quire.group_sum(Array(X), k, 5)
        assert type(found) is Array and same(found, quire.group_sum(X, keys, 5))
    found = quire.cumsum(Array(X), 1)
    assert type(found) is Array and same(found, quire.cumsum(X, 1))
    found = quire.cumulative_sum(Array(X), axis=-1, include_initial=True)
    assert same(found, quire.cumulative_sum(X, axis=-1, include_initial=True))
    g, right = quire.groupby(Array(keys), 5), quire.groupby(keys, 5)
    assert same(g.counts, right.counts) and same(g.norm(Array(X)), right.norm(X))
    assert same(g.sum(on_device(X)), right.sum(X))
    with pytest.raises(TypeError, match="out is for NumPy arrays, tensors and CuPy arrays"):
        g.sum(Array(X), out=Array(X))
    with pytest.raises(TypeError, match="out is for NumPy arrays, tensors and CuPy arrays"):
        quire.cumsum(Array(X), 1, out=Array(X))


def test_refuses(cp):
    x, keys = on_device(X), on_device(np.arange(6))
    for error, words, call in [
        (ValueError, "groups must be given", lambda: quire.group_sum(x, keys)),
        (ValueError, "groups must not be negative", lambda: quire.group_sum(x, keys, -1)),
        (TypeError, "keys must be integers", lambda: quire.group_sum(x, on_device(np.ones(6)), 6)),
        (ValueError, "keys must have one dimension", lambda: quire.group_sum(x, x, 6)),
        (ValueError, "x has 5 rows along the axis, but there are 6 keys", lambda: quire.group_sum(x, keys, 6, axis=1)),
        (ValueError, "on device 0, keys on 1", lambda: quire.group_sum(x, ndarray(np.arange(6), 1), 6)),
        (TypeError, "axis must be an integer", lambda: quire.group_sum(x, keys, 6, axis=(0, 1))),
        (TypeError, "floating-point numbers", lambda: quire.group_sum(on_device(np.arange(6) * 1j), keys, 6)),
        (ValueError, "at least one dimension", lambda: quire.group_sum(on_device(X[0, 0, 0]), keys, 6)),
        (ValueError, "out has shape", lambda: quire.group_sum(x, keys, 6, out=on_device(X[0]))),
        (ValueError, "out has shape", lambda: quire.cumsum(x, 0, out=on_device(X[0]))),
        (TypeError, "out must be on the device", lambda: quire.cumsum(x, 0, out=X.copy())),
        (ValueError, "x has 3 dimensions, and axis says none", lambda: quire.cumulative_sum(x)),
        (TypeError, "axis must be an integer", lambda: quire.cumsum(x, 1.0)),
        (TypeError, "dtype must be one of", lambda: quire.cumsum(on_device(np.ones(3)), dtype=np.int64)),
    ]:
        with pytest.raises(error) as raised:
            call()
        assert words in str(raised.value) and "\n" not in str(raised.value)
    assert Described
