"""Bad input is a TypeError or a ValueError of one clear line, and nothing is written to out."""

from __future__ import annotations

import numpy as np
import pytest
import quire

X = np.ones((3, 4), np.float32)
CALLS = [quire.sum, quire.mean, quire.asum, quire.norm, quire.var, quire.std]


def refused(error, words, call, *args, **options):
    with pytest.raises(error) as raised:
        call(*args, **options)
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", ["complex128", "longdouble", "S3", "object", "datetime64[s]"])
def test_kinds_that_are_refused(call, kind):
    refused(TypeError, "works on floating-point numbers", call, np.zeros(3, kind))
    refused(TypeError, "dtype must be one of", call, X, dtype=kind)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", ["int64", "uint8", "bool"])
def test_integers_are_no_results_of_floats(call, kind):
    refused(TypeError, "dtype must be one of", call, X, dtype=kind)


@pytest.mark.parametrize("call", CALLS)
def test_axes(call):
    for axis in (2, -3, (0, 2)):
        refused(ValueError, "out of bounds", call, X, axis=axis)
    refused(ValueError, "twice", call, X, axis=(0, -2))
    right = call(X, axis=(1,)), call(X, axis=(0, 1))  # which a cache may keep for tuples that are equal to these
    for axis in (
        1.0,
        "0",
        [0],
        [[0]],
        (0.5,),
        (None,),
        (1.0,),
        (0.0, 1),
        True,
        (True,),
        (False, 1),
        np.True_,
        (np.True_,),
    ):
        refused(TypeError, "axis must be", call, X, axis=axis)
    for one in (np.int8(1), np.uint64(1), np.array(1), (np.array(1),), (np.int64(-1),)):
        assert (call(X, axis=one) == right[0]).all()
    assert call(X, axis=(np.int16(1), np.array(0))) == right[1]


@pytest.mark.parametrize("call", CALLS[:4])
def test_words(call):
    refused(ValueError, "method must be one of 'exact', 'kahan'", call, X, method="magic")
    refused(TypeError, "method must be a string", call, X, method=["exact"])


@pytest.mark.parametrize("call", CALLS)
def test_rounding_and_mask(call):
    refused(ValueError, "rounding must be one of 'nearest'", call, X, rounding="up")
    refused(TypeError, "rounding must be a string", call, X, rounding=[])
    refused(TypeError, "where must be an array of bool", call, X, where=np.ones(4))
    refused(ValueError, "which does not fit x", call, X, where=np.ones(5, bool))
    refused(TypeError, "no masked arrays", call, np.ma.MaskedArray(X, X > 0))
    refused(TypeError, "no masked arrays", call, X, where=np.ma.MaskedArray(X > 0, X > 0))
    refused(TypeError, "is no array", call, [[1.0], [1.0, 2.0]])


@pytest.mark.parametrize("call", CALLS)
def test_out_is_not_touched(call):
    for out, error, words, options in [
        (np.full(4, 7, np.float32), ValueError, "out has shape (4,)", {}),
        (np.full((3, 1), 7, np.float32), ValueError, "out has shape (3, 1)", {}),
        (np.full(3, 7, np.float32), ValueError, "out has shape (3,)", {"keepdims": True}),
        (np.full(3, 7, np.float32), ValueError, "out has shape (3,)", {"axis": 0, "where": X > 0}),
        (np.full(3, 7, np.int64), TypeError, "dtype must be one of", {}),
        (np.full(3, 7, np.float32), TypeError, "but out has float32", {"dtype": np.float64}),
        (np.full(3, 7, np.float32), ValueError, "rounding", {"rounding": "up"}),
        (np.full(3, 7, np.float32), ValueError, "out of bounds", {"axis": 3}),
    ]:
        refused(error, words, call, X, out=out, **{"axis": 1, **options})
        assert (out == 7).all()
    fixed = np.full(3, 7, np.float32)
    fixed.flags.writeable = False
    refused(ValueError, "read-only", call, X, axis=1, out=fixed)
    refused(TypeError, "out must be a NumPy array", call, X, axis=1, out=[0, 0, 0])


def test_var_needs_a_whole_correction():
    for correction in (0.5, "1", None, 2**63, float("inf")):
        refused(TypeError, "correction must be a whole number", quire.var, X, correction=correction)


def test_norm_has_two_orders():
    refused(ValueError, "ord must be 1 or 2", quire.vector_norm, X, ord=3)
    refused(ValueError, "ord must be 1 or 2", quire.vector_norm, X, ord=float("inf"))


def test_vecdot():
    refused(ValueError, "4 elements along the axis, x2 has 3", quire.vecdot, X, X.T)
    refused(ValueError, "at least one dimension", quire.vecdot, X, np.float32(1))
    refused(ValueError, "do not fit together", quire.vecdot, X, X[:2])
    refused(ValueError, "out of bounds", quire.vecdot, X, X, axis=2)
    refused(np.exceptions.AxisError, "out of bounds", quire.vecdot, X, X, axis=-3)
    for axis in ((0, 1), (0,), (), None, -1.0, 1.0, "0", [0], True, np.True_, np.float64(0), np.array([0])):
        refused(TypeError, "axis must be an integer", quire.vecdot, X, X, axis=axis)
    for axis in (0, -2, np.int8(0), np.array(-2)):
        assert (quire.vecdot(X, X, axis=axis) == 3).all()
    assert (quire.vecdot(X, np.ones(4, int)) == 4).all()  # 64-bit integers that are doubles
    refused(TypeError, "in common", quire.vecdot, X, np.full(4, 2**53 + 1))


def test_segments():
    for offsets, error, words in [
        ([0, 5], ValueError, "[0, 4]"),
        ([-1, 2], ValueError, "[0, 4]"),
        ([], ValueError, "one element more"),
        ([[0, 1]], ValueError, "one dimension"),
        ([0.0, 1.0], TypeError, "must be integers"),
    ]:
        refused(error, words, quire.segment_sum, X[0], offsets)
    refused(ValueError, "x must have one dimension", quire.segment_sum, X, [0, 1])
    nothing = np.ndarray((0,), np.float64, buffer=bytearray(9), offset=1)
    assert quire.segment_sum(nothing, [0, 0]).tolist() == [0.0]
    out = np.full(3, 7, np.float32)
    refused(ValueError, "out has shape", quire.segment_sum, X[0], [0, 1], out=out)
    assert (out == 7).all()


@pytest.mark.parametrize("call", CALLS[:4])
def test_out_of_every_layout(call):
    x = np.arange(12, dtype=np.float32).reshape(3, 4) + 0.1
    right = call(x, axis=1)
    for out in (
        np.empty(3, np.float32),
        np.empty(6, np.float32)[::2],
        np.empty(3, np.float32)[::-1],
        np.empty(3, ">f4"),
    ):
        assert call(x, axis=1, out=out) is out
        assert (out == right).all()
    wide = np.empty(3)
    call(x, axis=1, out=wide)
    assert (wide == call(x, axis=1, dtype=np.float64)).all()
    alias = x.copy()
    assert (call(alias, axis=1, out=alias[:, 0]) == right).all()
    for begin in (0, 1000, 3000):  # where results would be written into what is still to be read
        alias = np.arange(4000, dtype=np.float32).reshape(1000, 4)
        expected, out = call(alias, axis=1), alias.reshape(-1)[begin : begin + 1000]
        assert (call(alias, axis=1, out=out) == expected).all()
    nought = np.empty((), np.float32)
    assert call(x, out=nought) is nought and nought == call(x)
    kept = np.empty((3, 1), np.float32)
    assert call(x, axis=1, keepdims=True, out=kept) is kept and (kept[:, 0] == right).all()
    four = np.arange(120, dtype=np.float32).reshape(2, 3, 4, 5).transpose(2, 0, 3, 1)
    out = np.empty((4, 5, 3), np.float32)
    assert call(four, axis=1, out=out) is out and (out == call(four.copy(), axis=1)).all()
