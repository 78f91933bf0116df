"""Averages, covariances and correlations: against fractions, rounded once, and in the form that NumPy gives them."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import quire
from data import FAMILIES, filled
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import FORMATS, NAMES, bits, dtype_of, rounded, total

ROUNDINGS = ["nearest", "downward", "upward", "toward_zero"]
settings.register_profile("quire", deadline=None, max_examples=150, print_blob=True)
settings.load_profile("quire")


def agree(found, expected, name):
    """An array against Python floats in the same shape."""
    found, expected = np.asarray(found), np.asarray(expected, np.float64)
    assert found.dtype == dtype_of(name) and found.shape == expected.shape
    raw = np.ascontiguousarray(found).reshape(-1)
    for one, right in zip(raw, expected.reshape(-1).tolist(), strict=True):
        assert one.tobytes() == bits(right, name), (one, right)


def floats(x):
    return x.astype(np.float64).tolist()


def weighted(x, w, name, rounding):
    """Of finite numbers whose weights do not add up to zero."""
    above, below = sum(Fraction(a) * Fraction(b) for a, b in zip(x, w, strict=True)), sum(map(Fraction, w))
    if above:
        return rounded(above / below, name, rounding)
    if any(a * b != 0 or (a and b) for a, b in zip(x, w, strict=True)):
        return -0.0 if rounding == "downward" else 0.0
    zeros = [np.copysign(1, a) * np.copysign(1, b) for a, b in zip(x, w, strict=True)]
    return float(np.copysign(0.0, (-1 if all(z < 0 for z in zeros) else 1) * (1 if below > 0 else -1)))


def moment(x, y):
    n = len(x)
    products = sum(Fraction(a) * Fraction(b) for a, b in zip(x, y, strict=True))
    return n * products - sum(map(Fraction, x)) * sum(map(Fraction, y))


def covariance(x, y, ddof, name, rounding):
    if len(x) - ddof <= 0 or not all(np.isfinite(x)) or not all(np.isfinite(y)):
        return np.nan
    return rounded(moment(x, y) / (len(x) * (len(x) - ddof)), name, rounding)


def correlation(x, y, name, rounding):
    if not all(np.isfinite(x)) or not all(np.isfinite(y)):
        return np.nan
    c, below = moment(x, y), moment(x, x) * moment(y, y)
    if not below:
        return np.nan
    if c < 0:  # of a root the sign is put before it
        rounding = {"downward": "upward", "upward": "downward"}.get(rounding, rounding)
        return -rounded(c * c / below, name, rounding, root=True)
    return rounded(c * c / below, name, rounding, root=True)


# ------------------------------------------------------------------------------------------------------------ averages


def drawn(data, families=FAMILIES):
    shape = tuple(data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=3)))
    name, family = data.draw(st.sampled_from(NAMES)), data.draw(st.sampled_from(families))
    x = filled(shape, name, family, data.draw(st.integers(0, 2**32)))
    if data.draw(st.booleans()):
        x = x.transpose(data.draw(st.permutations(range(x.ndim))))
    if data.draw(st.booleans()):
        x = x[..., ::-2]
    return x, data.draw(st.sampled_from([x.dtype.name, *NAMES])), data.draw(st.sampled_from(ROUNDINGS))


@given(st.data())
def test_averages(data):
    x, name, rounding = drawn(data, [f for f in FAMILIES if f != "any bits"])
    weights = filled(x.shape, x.dtype.name, data.draw(st.sampled_from(["small integers", "any finite bits"])), 7)
    axis = data.draw(st.sampled_from([None, *range(x.ndim), tuple(range(x.ndim))]))
    along = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    kept = tuple(i for i in range(x.ndim) if i not in along)
    shape = tuple(x.shape[i] for i in kept)
    rows = [a.transpose(kept + along).reshape(int(np.prod(shape)), -1) for a in (x, weights)]
    words = {"weights": weights, "dtype": dtype_of(name), "rounding": rounding}
    if any(sum(map(Fraction, w)) == 0 for w in floats(rows[1])):
        with pytest.raises(ZeroDivisionError, match="add up to zero"):
            quire.average(x, axis, **words)
        return
    right = [weighted(a, w, name, rounding) for a, w in zip(*map(floats, rows), strict=True)]
    agree(quire.average(x, axis, **words), np.reshape(right, shape), name)
    lengths = tuple(1 if i in along else size for i, size in enumerate(x.shape))
    found, sums = quire.average(x, axis, returned=True, keepdims=True, **words)
    agree(found, np.reshape(right, lengths), name)
    expected = np.asarray(quire.sum(weights, axis=axis, keepdims=True, dtype=dtype_of(name), rounding=rounding))
    assert sums.shape == found.shape and sums.tobytes() == expected.tobytes()


def test_weights_of_axes():
    x = filled((3, 4, 5), "float64", "normal", 1)
    w = filled((5, 3), "float64", "normal", 2)
    whole = np.broadcast_to(w.T[:, None, :], x.shape)
    found, sums = quire.average(x, (2, 0), weights=w, returned=True)
    assert found.tobytes() == quire.average(x, (0, 2), weights=np.ascontiguousarray(whole)).tobytes()
    assert found.shape == sums.shape == (4,) and np.all(sums == quire.sum(w))
    row = filled((4,), "float64", "normal", 3)
    assert np.allclose(quire.average(x, 1, weights=row), np.average(x, 1, weights=row))
    assert quire.average(x, -2, weights=row).tobytes() == quire.average(x, 1, weights=row).tobytes()
    part = np.ones((20, 30))[:, :7]  # of which no one stride walks all elements
    assert quire.average(part, weights=part * 0.1) == 1


def test_without_weights():
    x = filled((4, 6), "float32", "normal", 4)
    assert quire.average(x).tobytes() == quire.mean(x).tobytes()
    found, counts = quire.average(x, 1, returned=True, dtype=np.float64)
    assert found.tobytes() == quire.mean(x, axis=1, dtype=np.float64).tobytes()
    assert counts.dtype == np.float64 and counts.tolist() == [6.0] * 4
    assert quire.average(x, returned=True)[1] == 24


def test_promoted():
    x, w = np.array([1.0, 3.0], np.float32), np.array([2.0**-60, 2.0**-60])
    found = quire.average(x, weights=w)
    assert found.dtype == np.float64 and found == 2
    assert quire.average(x, weights=w.astype(np.float32)).dtype == np.float32


def test_special_averages():
    inf, nan = np.inf, np.nan
    assert np.isnan(quire.average(np.array([1.0, nan]), weights=np.array([1.0, 1.0])))
    assert np.isnan(quire.average(np.array([inf, 1.0]), weights=np.array([0.0, 1.0])))
    assert quire.average(np.array([inf, 1.0]), weights=np.array([2.0, 1.0])) == inf
    assert np.isnan(quire.average(np.array([1.0, 1.0]), weights=np.array([inf, 1.0])))
    assert np.isnan(quire.average(np.array([1.0, 1.0]), weights=np.array([nan, 1.0])))
    assert quire.average(np.array([1e300, 1e300]), weights=np.array([1e300, 1e300])) == 1e300


def test_wrong_averages():
    x = np.ones((2, 3))
    for weights, axis, error in [
        (np.ones(3), None, TypeError),
        (np.ones(2), 1, ValueError),
        (np.ones((3, 2)), (0, 1), ValueError),
        (np.zeros((2, 3)), None, ZeroDivisionError),
        (np.array([1.0, 0.0, -1.0]), 1, ZeroDivisionError),
        (np.array([1e16, 1.0, -1e16]), 1, None),
        (np.ones(2), 5, ValueError),
        (np.ones((2, 3), complex), None, TypeError),
    ]:
        if error is None:
            assert quire.average(x, axis, weights=weights).tolist() == [1.0, 1.0]
            continue
        with pytest.raises(error):
            quire.average(x, axis, weights=weights)
    with pytest.raises(ZeroDivisionError):
        quire.average(np.empty(0), weights=np.empty(0))
    with pytest.raises(ValueError, match="rounding"):
        quire.average(x, weights=x, rounding="up")


# ------------------------------------------------------------------------------------------------------------ matrices


@given(st.data())
def test_matrices(data):
    m, n = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 7))
    name, family = data.draw(st.sampled_from(NAMES)), data.draw(st.sampled_from([*FAMILIES, "normal"]))
    x = filled((m, n), name, family, data.draw(st.integers(0, 2**32)))
    to, rounding = data.draw(st.sampled_from([name, *NAMES])), data.draw(st.sampled_from(ROUNDINGS))
    ddof = data.draw(st.sampled_from([0, 1, 2, -1]))
    words = {"dtype": dtype_of(to), "rounding": rounding}
    rows = floats(x)
    right = np.array([covariance(a, b, ddof, to, rounding) for a, b in product(rows, rows)]).reshape(m, m)
    other = np.array([correlation(a, b, to, rounding) for a, b in product(rows, rows)]).reshape(m, m)
    shape = () if m == 1 else (m, m)
    agree(quire.cov(x, ddof=ddof, **words), right.reshape(shape), to)
    agree(quire.corrcoef(x, **words), other.reshape(shape), to)
    agree(quire.cov(x.T, rowvar=False, ddof=ddof, **words), right.reshape(shape), to)
    agree(quire.corrcoef(np.asfortranarray(x).T, rowvar=False, **words), other.reshape(shape), to)
    agree(quire.cov(x[:1], x[1:] if m > 1 else None, ddof=ddof, **words), right.reshape(shape), to)
    agree(quire.corrcoef(x[0], x[1:] if m > 1 else None, **words), other.reshape(shape), to)


def test_more_variables():
    x = filled((70, 300), "float32", "normal", 9)
    found = quire.cov(x, dtype=np.float64)
    assert np.allclose(found, np.cov(x.astype(np.float64))) and found.tobytes() == found.T.tobytes()
    assert np.diag(found).tobytes() == quire.var(x, axis=1, correction=1, dtype=np.float64).tobytes()
    assert np.allclose(quire.corrcoef(x), np.corrcoef(x), atol=1e-6) and np.all(np.diag(quire.corrcoef(x)) == 1)


def test_as_numpy_has_them():
    x, y = filled((3, 8), "float64", "normal", 5), filled((2, 8), "float64", "normal", 6)
    for words in [{}, {"bias": True}, {"ddof": 3}, {"bias": True, "ddof": 0}, {"rowvar": False}]:
        for other in [None, y] if words.get("rowvar", True) else [None, np.ones((3, 2))]:
            a, b = quire.cov(x, other, **words), np.cov(x, other, **words)
            assert a.shape == b.shape and np.allclose(a, b, equal_nan=True)
    assert np.allclose(quire.corrcoef(x, y), np.corrcoef(x, y))
    for m, other, rowvar in [(x[0], None, True), (x[0], x[1], True), (x[0], x[1], False), (x[0], x[1:].T, False)]:
        a, b = quire.cov(m, other, rowvar), np.cov(m, other, rowvar)
        assert np.shape(a) == b.shape and np.allclose(a, b)
    assert quire.cov(np.empty((0, 5))).shape == (0, 0) == quire.corrcoef(np.empty((0, 5))).shape
    assert np.isnan(quire.cov(np.empty((2, 0)))).all() and np.isnan(quire.cov(np.ones(1)))
    assert quire.corrcoef(x[0]) == 1 and np.isnan(quire.corrcoef(np.ones(3)))


def test_wrong_matrices():
    x = np.ones((2, 3))
    for words in [{"fweights": [1, 2, 3]}, {"aweights": np.ones(3)}]:
        with pytest.raises(TypeError, match="weights"):
            quire.cov(x, **words)
    for ddof in [1.5, True, "1"]:
        with pytest.raises(ValueError, match="ddof"):
            quire.cov(x, ddof=ddof)
    for call in (quire.cov, quire.corrcoef):
        with pytest.raises(ValueError, match="dimensions"):
            call(np.ones((2, 2, 2)))
        with pytest.raises(ValueError, match="dimensions"):
            call(x, np.ones((2, 2, 2)))
        with pytest.raises(ValueError, match="observations"):
            call(x, np.ones((2, 4)))
        with pytest.raises(TypeError):
            call(np.array([1j, 2]))
        with pytest.raises(ValueError, match="rounding"):
            call(x, rounding="up")


def test_misaligned_strides():
    """Elements that stand at no multiple of their size from each other."""
    table = np.zeros(5, np.dtype([("x", "<f8"), ("odd", "u1")]))
    table["x"] = [1, 2, 4, 8, 16]
    assert quire.cov(table["x"]) == quire.var(np.array([1.0, 2, 4, 8, 16]), correction=1)
    assert quire.average(table["x"], weights=table["x"]) == 11


def test_formats_are_known():
    assert set(NAMES) <= set(FORMATS) and total([1.0]) == 1
