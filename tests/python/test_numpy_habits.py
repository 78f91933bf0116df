"""What a NumPy user writes without thinking: it works as there, or a TypeError says what would."""

from __future__ import annotations

import array
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import quire
from test_arguments import refused

X = np.arange(24, dtype=np.float64).reshape(2, 3, 4) + 0.1
SAME = [quire.sum, quire.mean, quire.var, quire.std]
NUMPY = {quire.sum: np.sum, quire.mean: np.mean, quire.var: np.var, quire.std: np.std}


@pytest.mark.parametrize("call", SAME)
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2), (-1, 0), (), np.int8(1), np.array(1), (np.uint8(2), 0)])
@pytest.mark.parametrize("keepdims", [False, True, np.True_])
def test_axes_are_numpys(call, axis, keepdims):
    got, wanted = call(X, axis, keepdims=keepdims), NUMPY[call](X, axis, keepdims=bool(keepdims))
    assert np.shape(got) == np.shape(wanted) and type(got) is type(wanted)
    np.testing.assert_allclose(got, wanted, rtol=1e-12)


def test_arrays_without_dimensions():
    zero = np.array(2.5)
    for axis in (None, ()):
        assert quire.sum(zero, axis=axis) == 2.5
        assert type(quire.sum(zero, axis=axis)) is np.float64
    assert quire.sum(zero, keepdims=True).shape == ()
    refused(np.exceptions.AxisError, "out of bounds", quire.sum, zero, axis=1)
    assert quire.sum(2.5) == quire.sum(np.float64(2.5)) == 2.5


@pytest.mark.parametrize("kind", [">f4", "<f4", "=f4", "f4", "float32", np.float32, np.dtype(">f4")])
def test_dtypes_of_any_byte_order(kind):
    got = quire.sum(X, axis=0, dtype=kind)
    assert got.dtype == np.float32 and got.dtype.isnative
    assert got.tobytes() == quire.sum(X, axis=0, dtype=np.float32).tobytes()


def exact(*parts):
    return float(sum(Fraction(float(v)) for part in parts for v in np.ravel(part)))


def test_initial_is_added_exactly():
    assert quire.sum(np.array([-1e16, 1.0]), initial=1e16) == 1.0
    assert quire.sum(X, initial=0.1) == exact(X, 0.1)
    got = quire.sum(X, axis=(0, 2), initial=1e20, keepdims=True)
    assert got.shape == (1, 3, 1)
    assert [exact(X[:, k], 1e20) for k in range(3)] == got.ravel().tolist()
    out = np.empty((3, 4), np.float32)
    assert quire.sum(X, axis=0, initial=0.1, out=out) is out
    assert out[0, 0] == np.float32(exact(X[:, 0, 0], 0.1))
    some = X > 5
    assert quire.sum(X, initial=0.1, where=some) == exact(X[some], 0.1)
    assert quire.sum(X, initial=0.5, where=False) == quire.sum([], initial=0.5) == 0.5
    assert quire.sum(np.zeros((0, 2)), axis=0, initial=3).tolist() == [3.0, 3.0]
    assert quire.sum([1e30], initial=-1e30, rounding="downward") == 0
    # The float32 nearest to 0.1 is another number: initial is a double.
    assert quire.sum(np.zeros(1, np.float32), initial=0.1, dtype=np.float64) == 0.1


def test_initial_that_is_refused():
    out = np.full((3, 4), 7.0)
    refused(TypeError, "initial must be a number", quire.sum, X, axis=0, initial="0", out=out)
    refused(TypeError, "initial must be a number", quire.sum, X, axis=0, initial=np.ones(2), out=out)
    refused(TypeError, "exact method", quire.sum, X, axis=0, initial=1, method="kahan", out=out)
    for number in (2**53 + 1, np.int64(2**53 + 1), Fraction(1, 3), Decimal("0.1")):
        refused(ValueError, "must be a double", quire.sum, X, axis=0, initial=number, out=out)
    refused(TypeError, "array of bool", quire.sum, X, axis=0, initial=1, where=X, out=out)
    refused(ValueError, "out has shape", quire.sum, X, axis=1, initial=1, out=out)
    refused(TypeError, "'initial'", quire.mean, X, initial=1)
    assert (out == 7).all()


def test_ddof_is_correction():
    assert quire.var(X, ddof=1) == quire.var(X, correction=1)
    assert quire.std(X, 0, ddof=1).tobytes() == quire.std(X, 0, correction=1).tobytes()
    refused(TypeError, "two names of one number", quire.var, X, ddof=1, correction=1)
    refused(TypeError, "whole number", quire.var, X, ddof=0.5)


def test_where_and_out_are_numpys():
    some, out = X > 5, np.empty((3, 4))
    assert quire.sum(X, 0, out=out, where=some) is out
    np.testing.assert_allclose(out, np.sum(X, 0, where=some), rtol=1e-12)
    np.testing.assert_allclose(quire.sum(X, 1, where=some[:, :, :1]), np.sum(X, 1, where=some[:, :, :1]), rtol=1e-12)
    with pytest.raises(TypeError, match="positional"):
        quire.sum(X, 0, np.float32)


def test_buffers():
    doubles = array.array("d", [1e16, 1.0, -1e16])
    assert quire.sum(doubles) == quire.sum(memoryview(doubles)) == 1.0
    assert quire.sum(array.array("f", [0.5, 0.25])).dtype == np.float32
    assert quire.sum(memoryview(X)) == quire.sum(X)
    assert quire.sum(np.ones(3, ">f4")) == 3


def test_pandas():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1e16, 1.0, -1e16], "b": [0.5, 0.25, 0.125]})
    assert quire.sum(frame.a) == 1.0
    assert quire.sum(frame, axis=0).tolist() == [1.0, 0.875]
    assert np.isnan(quire.sum(pandas.Series([1.0, None])))
    assert np.isnan(quire.sum(pandas.Series([1.0, None], dtype="Float64")))


def test_polars():
    polars = pytest.importorskip("polars")
    assert quire.sum(polars.Series([1e16, 1.0, -1e16])) == 1.0
    assert quire.sum(polars.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}), axis=0).tolist() == [3.0, 7.0]
    assert np.isnan(quire.sum(polars.Series([1.0, None])))


def test_pyarrow():
    pyarrow = pytest.importorskip("pyarrow")
    column = pyarrow.array([1e16, 1.0, -1e16])
    assert quire.sum(column) == 1.0 and type(quire.sum(column)) is np.float64
    assert quire.sum(pyarrow.chunked_array([[1.0], [2.0]])) == 3.0
    assert quire.sum(pyarrow.table({"a": column})["a"]) == 1.0
    assert np.isnan(quire.sum(pyarrow.array([1.0, None])))


def test_what_is_no_array():
    refused(TypeError, "na_value=numpy.nan", quire.sum, np.array([1.0, None]))
    refused(TypeError, "is no array", quire.sum, [[1.0], [1.0, 2.0]])
