"""The reductions: names, defaults and axis rules of the Python array API standard."""

from __future__ import annotations

from typing import Any, SupportsIndex

import numpy as np

from . import _arrays, _foreign, _initial
from ._layout import one_axis, plain_axis
from ._long import LONG
from ._quire import ffi, lib
from ._reduce import dot, operand, reduce, reduce_where
from ._types import ASUM, MEAN, NRM2, STDDEV, SUM, VARIANCE, Method, Rounding, whole_number

Axis = SupportsIndex | tuple[SupportsIndex, ...] | None

_ndarray, _float32, _float64 = np.ndarray, np.float32, np.float64
_F32, _F64 = np.dtype(np.float32), np.dtype(np.float64)
_from_buffer, _sumf, _sumd = ffi.from_buffer, lib.quire_sumf, lib.quire_sumd
_FLOATS, _DOUBLES = ffi.typeof("float[]"), ffi.typeof("double[]")

# What quire.torch puts here when it is imported: a class, and the way of its objects.
Tensor: Any = None
reduce_tensor: Any = None


def _one(
    name: str,
    operation: int,
    x: Any,
    axis: Any,
    dtype: Any,
    out: Any,
    keepdims: Any,
    method: str,
    rounding: str,
    where: Any,
    correction: int = 0,
) -> Any:
    """A reduction of one array, of whatever library."""
    axis = plain_axis(axis)
    if type(x) is Tensor:
        return reduce_tensor(name, operation, x, axis, dtype, out, keepdims, method, rounding, where, correction)
    if type(x) is not _ndarray and _arrays.is_foreign(x):
        return _foreign.one(name, operation, x, axis, dtype, out, keepdims, method, rounding, where, correction)
    a = operand(x, name)
    if where is True or where is None:
        return reduce(name, operation, (a,), axis, dtype, out, keepdims, method, rounding, correction)
    return reduce_where(name, operation, a, where, axis, dtype, out, keepdims, method, rounding, correction)


def sum(
    x: Any,
    /,
    axis: Axis = None,
    *,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    method: Method = "exact",
    rounding: Rounding = "nearest",
    where: Any = True,
    initial: Any = None,
) -> Any:
    """The sum of the elements of an array, or of each of its vectors along axes: correctly rounded.

    Parameters
    ----------
    x : array of numbers
        float16, float32, float64, or bfloat16, float8_e5m2, float8_e4m3fn of ml_dtypes; of NumPy, PyTorch, CuPy, or
        any library with ``__dlpack__`` or ``__cuda_array_interface__``, in the memory of the CPU or of a CUDA device.
        Of NumPy, on the CPU, also integers and bools, exactly, and lists of Python's ints: the sum of all elements is
        a Python int then, sums along an axis are int64 or uint64, with an OverflowError if one does not fit. Complex
        numbers are refused.
    axis : int or tuple of ints, optional
        The axes to be summed along; None: all of them. Negative numbers count from the last.
    dtype : dtype, optional
        Of the result, to which it is rounded once. Default: that of out, else that of x.
    out : NumPy array, tensor or CuPy array, as x is, optional
        Where the result goes; it has the shape and the dtype of the result. Nothing is written if the call fails.
    keepdims : bool
        Whether axes summed along stay, with length 1.
    method : {"exact", "kahan", "pairwise", "plain"}
        "exact" is the number nearest to the true sum. The others are cheaper on some machines, and deterministic too.
    rounding : {"nearest", "downward", "upward", "toward_zero"}
        Of the one rounding; "nearest" has ties to even.
    where : array of bool, optional
        Which elements count; it is broadcast to the shape of x. Those selected are copied.
    initial : number, optional
        What each sum begins with, as a double, which is not rounded to the dtype. x is a NumPy array then, and copied.

    Returns
    -------
    A NumPy scalar or array; for an array of another library, an array of that library, on its device. On a CUDA
    device the work is queued on the library's current stream, and nothing is waited for.

    Notes
    -----
    A vector's sum has the same bits whatever lies beside it. The sum of nothing is +0, that of only -0 is -0; any NaN
    gives NaN, and so do +Inf and -Inf together.

    Examples
    --------
    >>> import numpy as np, quire
    >>> x = np.array([1e16, 1.0, -1e16, 0.5])
    >>> quire.sum(x)
    np.float64(1.5)
    >>> quire.sum(np.ones((2, 3), np.float32), axis=-1)
    array([3., 3.], dtype=float32)
    >>> quire.sum(np.array([0.1, 0.2]), rounding="upward")
    np.float64(0.30000000000000004)
    """
    if initial is not None:
        return _initial.sum_from(x, initial, axis, dtype, out, keepdims, method, rounding, where)
    if axis is None and dtype is None and out is None and where is True and keepdims is False:
        kind = type(x)
        if kind is _ndarray:
            if method == "exact" and rounding == "nearest" and x.flags.carray and x.size <= LONG:
                kind = x.dtype
                if kind is _F64:
                    return _float64(_sumd(_from_buffer(_DOUBLES, x), x.size))
                if kind is _F32:
                    return _float32(_sumf(_from_buffer(_FLOATS, x), x.size))
        elif kind is Tensor:
            return reduce_tensor("sum", SUM, x, None, None, None, False, method, rounding, True, 0)
    return _one("sum", SUM, x, axis, dtype, out, keepdims, method, rounding, where)


def mean(
    x: Any,
    /,
    axis: Axis = None,
    *,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    method: Method = "exact",
    rounding: Rounding = "nearest",
    where: Any = True,
) -> Any:
    """The sum over the number of elements, rounded once. The mean of nothing is NaN. Parameters: see `quire.sum`.

    Examples
    --------
    >>> import numpy as np, quire
    >>> quire.mean(np.array([60000.0, 60000.0], np.float16)).item()
    60000.0
    """
    return _one("mean", MEAN, x, axis, dtype, out, keepdims, method, rounding, where)


def asum(
    x: Any,
    /,
    axis: Axis = None,
    *,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    method: Method = "exact",
    rounding: Rounding = "nearest",
    where: Any = True,
) -> Any:
    """The sum of magnitudes, ``|x|``, as BLAS calls it. Parameters: see `quire.sum`.

    Examples
    --------
    >>> import numpy as np, quire
    >>> quire.asum(np.array([1.0, -2.0]))
    np.float64(3.0)
    """
    return _one("asum", ASUM, x, axis, dtype, out, keepdims, method, rounding, where)


def vector_norm(
    x: Any,
    /,
    *,
    axis: Axis = None,
    keepdims: bool = False,
    ord: int | float = 2,
    dtype: Any = None,
    out: Any = None,
    method: Method = "exact",
    rounding: Rounding = "nearest",
    where: Any = True,
) -> Any:
    """The Euclidean norm: the correctly rounded root of the exact sum of squares. `norm` is another name of it.

    Nothing overflows or underflows on the way. ord is 2, or 1 for the sum of magnitudes. Other parameters: see
    `quire.sum`.

    Examples
    --------
    >>> import numpy as np, quire
    >>> quire.vector_norm(np.array([3.0, 4.0]) * 2.0**1000) / 2.0**1000
    np.float64(5.0)
    """
    if ord not in (1, 2):
        raise ValueError(f"quire.vector_norm: ord must be 1 or 2, not {ord!r}")
    return _one("vector_norm", NRM2 if ord == 2 else ASUM, x, axis, dtype, out, keepdims, method, rounding, where)


norm = vector_norm


def chosen_correction(correction: Any, ddof: Any, name: str) -> int:
    """What is subtracted from n, by either of its names."""
    if ddof is None:
        return whole_number(correction, name)
    if correction != 0:
        raise TypeError(f"quire.{name}: correction and ddof are two names of one number: give one of them")
    return whole_number(ddof, name)


def var(
    x: Any,
    /,
    axis: Axis = None,
    *,
    correction: int | float = 0,
    keepdims: bool = False,
    dtype: Any = None,
    out: Any = None,
    rounding: Rounding = "nearest",
    where: Any = True,
    ddof: int | float | None = None,
) -> Any:
    """The variance: squares of deviations from the exact mean, summed, over n - correction, rounded once.

    correction is a whole number: 0 for the variance of the numbers themselves, 1 for an estimate from a sample. ddof is
    NumPy's older name of it. The method is always the exact one. Other parameters: see `quire.sum`.

    Examples
    --------
    >>> import numpy as np, quire
    >>> quire.var(np.array([1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16]), correction=1)
    np.float64(30.0)
    """
    correction = chosen_correction(correction, ddof, "var")
    return _one("var", VARIANCE, x, axis, dtype, out, keepdims, "exact", rounding, where, correction)


def std(
    x: Any,
    /,
    axis: Axis = None,
    *,
    correction: int | float = 0,
    keepdims: bool = False,
    dtype: Any = None,
    out: Any = None,
    rounding: Rounding = "nearest",
    where: Any = True,
    ddof: int | float | None = None,
) -> Any:
    """The standard deviation: the correctly rounded root of the exact variance. Parameters: see `quire.var`."""
    correction = chosen_correction(correction, ddof, "std")
    return _one("std", STDDEV, x, axis, dtype, out, keepdims, "exact", rounding, where, correction)


def vecdot(
    x1: Any,
    x2: Any,
    /,
    *,
    axis: SupportsIndex = -1,
    dtype: Any = None,
    out: Any = None,
    method: Method = "exact",
    rounding: Rounding = "nearest",
) -> Any:
    """The dot products of the vectors of two arrays along one axis: products are exact, their sum is rounded once.

    Parameters
    ----------
    x1, x2 : arrays of floating-point numbers
        As `quire.sum` takes them. They are broadcast to one shape, but for the axis, along which they have one length.
        If their dtypes differ, the promoted one is taken; this changes no value.
    axis : int
        The axis of the vectors, in each of the two arrays.
    dtype, out, method, rounding
        As `quire.sum` has them.

    Examples
    --------
    >>> import numpy as np, quire
    >>> quire.vecdot(np.array([1e20, 1.0, -1e20]), np.array([1e20, 3.0, 1e20]))
    np.float64(3.0)
    """
    axis = one_axis(axis, "vecdot")
    if type(x1) is Tensor or _arrays.is_foreign(x1) or _arrays.is_foreign(x2):
        return _foreign.vecdot(x1, x2, axis, dtype, out, method, rounding)
    return dot(operand(x1, "vecdot"), operand(x2, "vecdot"), axis, dtype, out, method, rounding)
