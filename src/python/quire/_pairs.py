"""Weighted averages, covariances and correlations of two arrays, under NumPy's names and by its rules."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from . import _arrays
from ._integers import promoted
from ._layout import integer, normalized, plain_axis
from ._long import interruptible_if_long
from ._quire import ffi, lib
from ._reduce import Array, operand, reduce, results_for
from ._types import (
    AVERAGE,
    CORRELATION,
    COVARIANCE,
    INTEGERS,
    MEAN,
    SUM,
    Rounding,
    fail,
    number_of,
    pointer,
    reduction,
    whole_number,
)

NULL = ffi.NULL


def as_library_of(x: Any, result: Any) -> Any:
    return _arrays.like(result, x) if _arrays.is_foreign(x) else result


def on_device(x: Any) -> Any:
    """The module for arrays on a device that are as x is."""
    return import_module("quire.torch._pairs" if _arrays.is_tensor(x) else "quire._device_pairs")


def placed(weights: Array, a: Array, axis: Any) -> Array:
    """Weights of the axes alone that are averaged along, with axes of length 1 for the others."""
    if axis is None:
        raise TypeError("quire.average: axis must be specified where the shapes of x and weights differ")
    named = axis if isinstance(axis, tuple) else (axis,)
    normalized(axis, a.ndim)
    along = tuple(i % a.ndim for i in named)
    if weights.shape != tuple(a.shape[i] for i in along):
        raise ValueError(
            f"quire.average: weights of shape {weights.shape} are neither of the shape of x, {a.shape}, nor of "
            f"its axes {along}"
        )
    shape = tuple(size if i in along else 1 for i, size in enumerate(a.shape))
    order = tuple(sorted(range(len(along)), key=along.__getitem__))
    turned: Array = weights.permute(order) if hasattr(weights, "permute") else weights.transpose(order)
    return turned.reshape(shape)


def average(
    x: Any,
    /,
    axis: int | tuple[int, ...] | None = None,
    weights: Any = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
    dtype: Any = None,
    rounding: Rounding = "nearest",
) -> Any:
    """The weighted average, sum(x * weights) / sum(weights): the quotient of two exact sums, rounded once.

    Parameters
    ----------
    x : array of floating-point numbers
    axis : int or tuple of ints, optional
        As `quire.sum` has it.
    weights : array of floating-point numbers, optional
        Of the shape of x, or of its axes that are averaged along. If its dtype is another one than that of x, the
        promoted one is taken; this changes no value. Without weights, the mean.
    returned : bool
        Whether the sums of the weights are returned, too.
    keepdims, dtype, rounding
        As `quire.sum` has them.

    Returns
    -------
    The averages; or a pair of these and of the sums of weights, which have the same shape and dtype.

    Raises
    ------
    ZeroDivisionError
        Where the weights of an average add up to zero, exactly. On a device, whose sums are not waited for, the average
        is NaN or an infinity there.

    Examples
    --------
    >>> import numpy as np, quire
    >>> quire.average(np.array([1e16, 1.0, -1e16]), weights=np.array([1.0, 2.0, 1.0]))
    np.float64(0.5)
    """
    axis = plain_axis(axis)
    if _arrays.is_foreign(x) and _arrays.is_on_cuda(x):
        return on_device(x).average(x, axis, weights, returned, keepdims, dtype, rounding)
    a = operand(x, "average")
    if weights is None:
        mean = reduce("average", MEAN, (a,), axis, dtype, None, keepdims, "exact", rounding)
        if not returned:
            return as_library_of(x, mean)
        count = np.prod([a.shape[i] for i in normalized(axis, a.ndim)], dtype=np.float64)
        return as_library_of(x, mean), as_library_of(x, np.full_like(mean, count)[()])
    w = operand(weights, "average")
    if w.shape != a.shape:
        w = placed(w, a, axis)
    a, w = promoted(a, w, "average")
    words = ("exact", rounding)
    of_sums = np.float64 if w.dtype in INTEGERS else None
    sums = np.asarray(reduce("average", SUM, (w,), axis, of_sums, None, keepdims, *words))
    if np.any(sums == 0) or (not w.size and not sums.size):
        raise ZeroDivisionError("quire.average: weights add up to zero")
    both = (a, np.broadcast_to(w, a.shape))
    averages = reduce("average", AVERAGE, both, axis, dtype, None, keepdims, *words)
    if not returned:
        return as_library_of(x, averages)
    wanted = results_for(None, dtype, a.dtype, "average")
    rounded = np.asarray(reduce("average", SUM, (w,), axis, wanted, None, keepdims, *words))
    of_weights = np.array(np.broadcast_to(rounded, np.shape(averages)))
    return as_library_of(x, averages), as_library_of(x, of_weights[()])


def variables(m: Any, rowvar: bool, name: str, of_y: bool = False) -> Array:
    """An array of one row a variable."""
    a = operand(m, name)
    if a.ndim > 2:
        raise ValueError(f"quire.{name}: {'y' if of_y else 'm'} has more than 2 dimensions")
    is_turned = not rowvar and (a.ndim == 2 if not of_y else np.atleast_2d(a).shape[0] != 1)
    a = np.atleast_2d(a)
    return a.T if is_turned else a


def layout_of(a: Array, is_second: bool) -> Any:
    """Of rows: each with each, by strides of 0."""
    made = ffi.new("quire_layout *")
    made.outer = made.inner = a.shape[0]
    made.n = a.shape[1]
    row, made.stride = (s // a.itemsize for s in a.strides)
    made.outer_stride, made.inner_stride = (0, row) if is_second else (row, 0)
    return made


def matrix(name: str, operation: int, m: Any, y: Any, rowvar: Any, correction: int, dtype: Any, rounding: str) -> Any:
    """The results of all pairs of variables."""
    if _arrays.is_foreign(m) and _arrays.is_on_cuda(m):
        return on_device(m).matrix(name, operation, m, y, rowvar, correction, dtype, rounding)
    a = variables(m, bool(rowvar), name)
    if a.shape[0] and y is not None:
        b = variables(y, bool(rowvar), name, of_y=True)
        a, b = promoted(a, b, name)
        if a.shape[1] != b.shape[1]:
            raise ValueError(f"quire.{name}: m has {a.shape[1]} observations, y has {b.shape[1]}")
        a = np.concatenate((a, b))
    if any(s % a.itemsize for s in a.strides):
        a = np.ascontiguousarray(a)
    wanted = results_for(None, dtype, a.dtype, name)
    what = reduction(operation, number_of(a.dtype), number_of(wanted), "exact", rounding, correction)
    results = np.empty((a.shape[0],) * 2, wanted)
    if results.size:
        call = interruptible_if_long(lib.quire_reduce, a.size * a.shape[0])
        status = call(NULL, what, layout_of(a, False), pointer(a), layout_of(a, True), pointer(a), pointer(results))
        if status:
            fail(status, name)
    return as_library_of(m, results.reshape(())[()] if results.size == 1 else results)


def cov(
    m: Any,
    /,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
    rounding: Rounding = "nearest",
) -> Any:
    """The covariance of each two variables of m, and of y, as `numpy.cov` has them: each rounded once.

    Parameters
    ----------
    m : array of floating-point numbers
        Of one or two dimensions: a row is a variable, and a column an observation of all of them.
    y : array, optional
        More variables, in the form of m.
    rowvar : bool
        False: a column is a variable.
    bias : bool
        Whether sums of products are divided by n, and not by n - 1.
    ddof : int, optional
        In place of bias: they are divided by n - ddof.
    fweights, aweights
        Must be None: weights of observations are not there.
    dtype, rounding
        As `quire.sum` has them: the results are in the format of m, and not always float64 as NumPy's are.

    Returns
    -------
    The matrix of covariances; of one variable, its variance. NaN where n - ddof is not positive, or where something is
    not finite.

    Examples
    --------
    >>> import numpy as np, quire
    >>> x = np.array([1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16])
    >>> quire.cov(x, -x)
    array([[ 30., -30.],
           [-30.,  30.]])
    """
    if fweights is not None or aweights is not None:
        raise TypeError("quire.cov has no weights of observations: fweights and aweights must be None")
    try:
        correction = (0 if bias else 1) if ddof is None else whole_number(integer(ddof), "cov")
    except TypeError:
        raise ValueError(f"quire.cov: ddof must be an integer, not {ddof!r}") from None
    return matrix("cov", COVARIANCE, m, y, rowvar, correction, dtype, rounding)


def corrcoef(
    x: Any, /, y: Any = None, rowvar: bool = True, *, dtype: Any = None, rounding: Rounding = "nearest"
) -> Any:
    """The correlation of each two variables of x, and of y, as `numpy.corrcoef` has them: each rounded once.

    Parameters: see `quire.cov`. None is beyond 1, and those of a line are 1 or -1; NaN where all observations of a
    variable are equal.

    Examples
    --------
    >>> import numpy as np, quire
    >>> quire.corrcoef(np.array([0.1, 0.2, 0.4]), np.array([-0.2, -0.4, -0.8]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    return matrix("corrcoef", CORRELATION, x, y, rowvar, 0, dtype, rounding)
