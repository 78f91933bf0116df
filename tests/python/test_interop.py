"""Arrays of other libraries, by DLPack: the result is of their library."""

from __future__ import annotations

import numpy as np
import pytest
import quire
from data import filled

X = filled((6, 50), "float32", "any finite bits", 7)


class Foreign:
    """A library of its own, with no more than the standard asks of an array."""

    def __init__(self, data):
        self.data = data

    def __array_namespace__(self, api_version=None):
        return Foreign

    def __dlpack__(self, **options):
        return self.data.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.data.__dlpack_device__()

    @classmethod
    def from_dlpack(cls, x):
        return cls(np.from_dlpack(x))


class Elsewhere(Foreign):
    def __dlpack_device__(self):
        return (4, 0)  # OpenCL


def check(x, wrap, unwrap):
    for call in (quire.sum, quire.mean, quire.asum, quire.norm, quire.var, quire.std):
        for axis in (None, 0, -1, (0, 1)):
            result = call(wrap(x), axis=axis, keepdims=True)
            assert type(result) is type(wrap(x))
            assert unwrap(result).tobytes() == call(x, axis=axis, keepdims=True).tobytes()
    assert unwrap(quire.vecdot(wrap(x), wrap(x))).tobytes() == quire.vecdot(x, x).tobytes()
    assert unwrap(quire.segment_sum(wrap(x[0]), [0, 9])).tobytes() == quire.segment_sum(x[0], [0, 9]).tobytes()
    assert quire.Accumulator(wrap(x)) == quire.Accumulator(x)


def test_anything_with_dlpack():
    check(X, Foreign, lambda a: a.data)
    assert quire.sum(Foreign(X), where=Foreign(X > 0)).data == quire.sum(X, where=X > 0)
    with pytest.raises(TypeError, match="out is for NumPy arrays"):
        quire.sum(Foreign(X), out=np.empty((), np.float32))
    with pytest.raises(TypeError, match="not in the memory of the CPU"):
        quire.sum(Elsewhere(X))


def test_array_api_strict():
    xp = pytest.importorskip("array_api_strict", reason="SKIP: array-api-strict is not installed")
    check(X, xp.asarray, np.from_dlpack)
    x = xp.asarray(X)
    assert quire.sum(x, axis=0, dtype=xp.float64).dtype == xp.float64
    assert quire.sum(x).shape == () and quire.sum(x).dtype == xp.float32
    names = {"sum": xp.sum, "mean": xp.mean, "var": xp.var, "std": xp.std, "vector_norm": xp.linalg.vector_norm}
    for name, standard in names.items():
        x = xp.asarray(np.ones((2, 3, 4), np.float32))
        for axis in (None, 0, -2, (0, 2), ()):
            for keepdims in (False, True):
                ours = getattr(quire, name)(x, axis=axis, keepdims=keepdims)
                theirs = standard(x, axis=axis, keepdims=keepdims)
                assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
                assert (np.from_dlpack(ours) == np.from_dlpack(theirs)).all()


@pytest.mark.parametrize("library", ["numpy", "torch", "dask.array"])
def test_array_api_compat(library):
    """The words of the standard, beside array-api-compat's own functions."""
    pytest.importorskip("array_api_compat", reason="SKIP: array-api-compat is not installed")
    pytest.importorskip(library, reason=f"SKIP: {library} is not installed")
    xp = pytest.importorskip(f"array_api_compat.{library}")
    x = xp.asarray(np.arange(24, dtype=np.float32).reshape(2, 3, 4))
    names = {"sum": xp.sum, "mean": xp.mean, "var": xp.var, "std": xp.std, "vector_norm": xp.linalg.vector_norm}
    for name, standard in names.items():
        for axis in (None, 0, -2, (0, 2)):
            for keepdims in (False, True):
                ours = getattr(quire, name)(x, axis=axis, keepdims=keepdims)
                theirs = standard(x, axis=axis, keepdims=keepdims)
                assert tuple(ours.shape) == tuple(theirs.shape) and ours.dtype == theirs.dtype
                assert np.allclose(np.asarray(ours), np.asarray(theirs), rtol=1e-6)
    assert np.asarray(quire.vecdot(x, x, axis=1)).tolist() == np.asarray(xp.vecdot(x, x, axis=1)).tolist()
    assert quire.sum(x, dtype=xp.float64).dtype == xp.float64


def test_what_converts_itself_to_an_array():
    class Table:
        def __array__(self, dtype=None, copy=None):
            return X

    assert quire.sum(Table()) == quire.sum(X)
    assert quire.sum(2.5) == 2.5 and quire.sum([[1.0, 2.0], [3.0, 4.0]], axis=0).tolist() == [4.0, 6.0]
    assert quire.sum(np.float32(2.5)).dtype == np.float32
    assert type(quire.sum(X.view(np.recarray), axis=0)) is np.ndarray
