"""Running sums: each has the bits of quire.sum of the elements that it sums up."""

from __future__ import annotations

import numpy as np
import pytest
import quire
from data import FAMILIES, filled
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import NAMES, dtype_of

ROUNDINGS = ["nearest", "downward", "upward", "toward_zero"]
settings.register_profile("quire", deadline=None, max_examples=150, print_blob=True)
settings.load_profile("quire")


def agree(found, expected):
    assert found.shape == expected.shape and found.dtype == expected.dtype
    assert np.ascontiguousarray(found).tobytes() == np.ascontiguousarray(expected).tobytes()


def one_by_one(x, axis, words, initial=False):
    """The sums of the first elements along an axis."""
    n = x.shape[axis]
    sums = [quire.sum(x.take(range(k), axis=axis), axis=axis, **words) for k in range(1 - initial, n + 1)]
    if not sums:
        return np.empty(x.shape, words["dtype"])
    return np.stack(sums, axis=axis)


def drawn(data):
    shape = tuple(data.draw(st.lists(st.integers(0, 7), min_size=1, max_size=3)))
    name, family = data.draw(st.sampled_from(NAMES)), data.draw(st.sampled_from([*FAMILIES, "normal"]))
    x = filled(shape, name, family, data.draw(st.integers(0, 2**32)))
    if data.draw(st.booleans()):
        x = x.transpose(data.draw(st.permutations(range(x.ndim))))
    if data.draw(st.booleans()):
        x = x[..., ::-2]
    words = {"rounding": data.draw(st.sampled_from(ROUNDINGS))}
    words["dtype"] = dtype_of(data.draw(st.sampled_from([x.dtype.name, *NAMES])))
    return x, data.draw(st.integers(0, x.ndim - 1)), words


@given(st.data())
def test_along_an_axis(data):
    x, axis, words = drawn(data)
    expected = one_by_one(x, axis, words)
    agree(quire.cumsum(x, axis, **words), expected)
    agree(quire.cumsum(x, axis - x.ndim, **words), expected)
    agree(quire.cumulative_sum(x, axis=axis, **words), expected)
    agree(quire.cumulative_sum(x, axis=axis, include_initial=True, **words), one_by_one(x, axis, words, True))
    out = np.empty_like(expected)
    assert quire.cumsum(x, axis, out=out, **words) is out
    agree(out, expected)
    turned = np.empty(expected.shape[::-1], expected.dtype).T
    assert quire.cumsum(x, axis, out=turned, **words) is turned
    agree(turned, expected)


@given(st.data())
def test_of_all_elements(data):
    x, _, words = drawn(data)
    agree(quire.cumsum(x, **words), one_by_one(x.reshape(-1), 0, words))


@given(st.data())
def test_in_place(data):
    x, axis, words = drawn(data)
    words["dtype"] = x.dtype
    expected, copy = one_by_one(x, axis, words), x.copy("C")
    assert quire.cumsum(copy, axis, out=copy, **words) is copy
    agree(copy, expected)


def test_beside_numpy():
    x = np.arange(24.0).reshape(2, 3, 4)
    for axis in (None, 0, 1, 2, -1):
        agree(quire.cumsum(x, axis), np.cumsum(x, axis))
    agree(quire.cumsum(x[0, 0, 1]), np.cumsum(x[0, 0, 1]))
    agree(quire.cumsum([1.0, 2.0]), np.cumsum([1.0, 2.0]))
    agree(quire.cumsum(x.astype(">f4"), 1), np.cumsum(x.astype(np.float32), 1))
    agree(quire.cumsum(np.empty((0, 3)), 1), np.empty((0, 3)))
    agree(quire.cumulative_sum(np.empty((2, 0)), axis=1, include_initial=True), np.zeros((2, 1)))


def test_of_other_libraries():
    xp = pytest.importorskip("array_api_strict")
    x = xp.asarray([0.1, 0.2, 0.3])
    found = quire.cumulative_sum(x, include_initial=True)
    assert isinstance(found, type(x))
    agree(np.from_dlpack(found), quire.cumulative_sum(np.array([0.1, 0.2, 0.3]), include_initial=True))


def test_what_is_refused():
    x = np.ones((2, 3))
    with pytest.raises(TypeError, match="dtype must be one of"):
        quire.cumsum([1, 2], dtype=np.complex64)
    with pytest.raises(ValueError, match="2 dimensions"):
        quire.cumulative_sum(x)
    with pytest.raises(ValueError, match="at least one dimension"):
        quire.cumulative_sum(np.float64(1))
    with pytest.raises(np.exceptions.AxisError):
        quire.cumsum(x, 2)
    with pytest.raises(TypeError, match="axis must be an integer"):
        quire.cumsum(x, (0, 1))
    with pytest.raises(ValueError, match="out has shape"):
        quire.cumsum(x, 0, out=np.empty(6))
    with pytest.raises(TypeError, match="dtype is"):
        quire.cumsum(x, 0, np.float32, np.empty((2, 3)))
    with pytest.raises(ValueError, match="rounding must be"):
        quire.cumsum(x, rounding="up")
