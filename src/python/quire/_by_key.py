"""Reductions by key in one call."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _arrays, _foreign
from ._integers import delivered_integers, wanted_integer
from ._keys import Rows, are_as_they_are, index_type, keys_for, numbered, outside, refuse_outside, workspace
from ._layout import integer
from ._long import interruptible_if_long
from ._quire import ffi, lib
from ._reduce import Array, checked_out, operand
from ._types import (
    AVERAGE,
    INT128,
    INTEGERS,
    MEAN,
    NRM2,
    STDDEV,
    SUM,
    VARIANCE,
    Method,
    Rounding,
    fail,
    pointer,
    whole_number,
)
from ._weights import WeightedRows

NULL = ffi.NULL


def by_key(
    name: str,
    operation: int,
    x: Any,
    codes: Array,
    count: int,
    axis: Any,
    dtype: Any,
    out: Any,
    method: str,
    rounding: str,
    correction: int = 0,
    checked: bool = True,
) -> Any:
    """A reduction by the numbers of groups, of which there are count, in one call.

    checked: whether it is known that all of them are numbers of groups, or may be of none; else they are counted.
    """
    taken = operand(x, name)
    whole = wanted_integer(name, operation, taken.dtype, dtype, out)
    if whole is not None:
        checked_out(out, name)
        sums = by_key(name, operation, taken, codes, count, axis, INT128, None, method, rounding, 0, checked)
        found = delivered_integers(sums, whole, False, out, name)
        return _arrays.like(found, x) if out is None and _arrays.is_foreign(x) else found
    rows = Rows(taken, axis, codes.size, count, dtype, out, name, (codes,))
    reduce_rows(rows, codes, count, rows.what(operation, method, rounding, correction), checked)
    return rows.delivered(x)


def reduce_rows(rows: Rows, codes: Array, count: int, what: Any, checked: bool) -> None:
    """The library's call."""
    index = keys_for(codes, count)
    counts = None if checked else np.empty(count, np.int64)
    size = lib.quire_by_key_workspace(NULL, what, count, index_type(index), rows.layout)
    room, _memory = workspace(size, rows.name)
    y_layout, y = rows.second() or (NULL, None)
    call = interruptible_if_long(lib.quire_reduce_by_key, max(rows.x.size, codes.size, rows.results.size))
    status = call(
        NULL,
        what,
        count,
        index_type(index),
        pointer(index),
        rows.layout,
        pointer(rows.x),
        y_layout,
        NULL if y is None else pointer(y),
        pointer(rows.results),
        NULL if counts is None else ffi.from_buffer("int64_t[]", counts),
        room,
        size,
    )
    if status:
        fail(status, rows.name)
    if counts is not None and counts.sum() != codes.size:
        raise outside(count, rows.name)


def grouped(
    name: str,
    operation: int,
    x: Any,
    keys: Any,
    groups: int | None,
    axis: Any,
    dtype: Any,
    out: Any,
    method: str,
    rounding: str,
    correction: int = 0,
) -> Any:
    """The same by keys of any kind, and of tensors and arrays on a device."""
    if _foreign.is_elsewhere(x):
        return _foreign.by_key(name, operation, x, keys, groups, axis, dtype, out, method, rounding, correction)
    checked = groups is None or out is not None  # before anything is written where the caller sees it
    codes, count, _ = numbered(keys, groups, name, checked)
    if not checked and not are_as_they_are(codes):  # a conversion could bring a key into range
        refuse_outside(codes, count, name)
        checked = True
    return by_key(name, operation, x, codes, count, axis, dtype, out, method, rounding, correction, checked)


def group_sum(
    x: Any,
    keys: Any,
    /,
    groups: int | None = None,
    *,
    axis: int = 0,
    dtype: Any = None,
    out: Any = None,
    method: Method = "exact",
    rounding: Rounding = "nearest",
) -> Any:
    """The sum of the rows of each group: ``quire.groupby(keys, groups).sum(x)``, results only.

    Examples
    --------
    >>> import numpy as np, quire
    >>> quire.group_sum(np.array([1e16, 0.5, 1.0, -1e16]), [1, 0, 1, 1], 3)
    array([0.5, 1. , 0. ])
    """
    return grouped("group_sum", SUM, x, keys, groups, axis, dtype, out, method, rounding)


def group_mean(
    x: Any,
    keys: Any,
    /,
    groups: int | None = None,
    *,
    axis: int = 0,
    dtype: Any = None,
    out: Any = None,
    method: Method = "exact",
    rounding: Rounding = "nearest",
) -> Any:
    """The mean of the rows of each group. Parameters: see `quire.groupby` and its ``sum``."""
    return grouped("group_mean", MEAN, x, keys, groups, axis, dtype, out, method, rounding)


def group_norm(
    x: Any,
    keys: Any,
    /,
    groups: int | None = None,
    *,
    axis: int = 0,
    dtype: Any = None,
    out: Any = None,
    method: Method = "exact",
    rounding: Rounding = "nearest",
) -> Any:
    """The Euclidean norm of the rows of each group. Parameters: see `quire.groupby` and its ``sum``."""
    return grouped("group_norm", NRM2, x, keys, groups, axis, dtype, out, method, rounding)


def group_var(
    x: Any,
    keys: Any,
    /,
    groups: int | None = None,
    *,
    axis: int = 0,
    correction: int | float = 0,
    dtype: Any = None,
    out: Any = None,
    rounding: Rounding = "nearest",
) -> Any:
    """The variance of the rows of each group. Parameters: see `quire.groupby` and its ``var``."""
    correction = whole_number(correction, "group_var")
    return grouped("group_var", VARIANCE, x, keys, groups, axis, dtype, out, "exact", rounding, correction)


def group_std(
    x: Any,
    keys: Any,
    /,
    groups: int | None = None,
    *,
    axis: int = 0,
    correction: int | float = 0,
    dtype: Any = None,
    out: Any = None,
    rounding: Rounding = "nearest",
) -> Any:
    """The standard deviation of the rows of each group. Parameters: see `quire.groupby` and its ``std``."""
    correction = whole_number(correction, "group_std")
    return grouped("group_std", STDDEV, x, keys, groups, axis, dtype, out, "exact", rounding, correction)


def group_average(
    x: Any,
    keys: Any,
    /,
    groups: int | None = None,
    *,
    weights: Any = None,
    axis: int = 0,
    dtype: Any = None,
    out: Any = None,
    rounding: Rounding = "nearest",
) -> Any:
    """The weighted average of the rows of each group: ``quire.groupby(keys, groups).average(x, weights)``.

    Examples
    --------
    >>> import numpy as np, quire
    >>> quire.group_average(np.array([1e16, 0.5, 1.0, -1e16]), [1, 0, 1, 1], weights=[1.0, 3.0, 2.0, 1.0])
    array([0.5, 0.5])
    """
    name = "group_average"
    if weights is None:
        return grouped(name, MEAN, x, keys, groups, axis, dtype, out, "exact", rounding)
    if _arrays.is_foreign(x) and _arrays.is_on_cuda(x):
        words = axis, dtype, out, "exact", rounding, 0, weights
        return _foreign.by_key(name, AVERAGE, x, keys, groups, *words)
    codes, count, _ = numbered(keys, groups, name)
    rows = WeightedRows(x, weights, axis, codes.size, count, dtype, out, name, (codes,))
    reduce_rows(rows, codes, count, rows.what(AVERAGE, "exact", rounding, 0), True)
    return rows.delivered(x)


def group_count(keys: Any, /, groups: int | None = None) -> Array:
    """How many rows each group has. Parameters: see `quire.groupby`."""
    codes, count, _ = numbered(keys, groups, "group_count")
    return np.bincount(codes[codes >= 0], minlength=count).astype(np.int64)


def bincount(x: Any, /, weights: Any = None, minlength: int = 0) -> Array:
    """`numpy.bincount`, whose sums of weights are correctly rounded, whatever their order.

    Parameters
    ----------
    x : array of integers of one dimension, none of them negative
    weights : array of the same shape, optional
        Integers, or what is converted to float64; the sums are float64. Without it, the result is how often each
        number is there.
    minlength : int
        The least number of results.

    Examples
    --------
    >>> import quire
    >>> quire.bincount([0, 1, 1, 1], [0.5, 1e16, 1.0, -1e16])
    array([0.5, 1. ])
    """
    keys = _arrays.as_numpy(x, "bincount")
    if weights is None:
        return np.bincount(keys, minlength=minlength)
    least = integer(minlength)
    if keys.ndim != 1:
        raise ValueError(f"quire.bincount: x must have one dimension, not {keys.ndim}")
    if keys.size and keys.dtype.kind not in "iub":
        raise TypeError(f"quire.bincount: x must be integers, not {keys.dtype.name}")
    if least < 0 or (keys.size and keys.dtype.kind == "i" and keys.min() < 0):
        raise ValueError("quire.bincount: neither x nor minlength may be negative")
    sums = operand(weights, "bincount")
    if sums.dtype not in INTEGERS:
        sums = sums.astype(np.float64, casting="safe", copy=False)
    if sums.shape != keys.shape:
        raise ValueError("quire.bincount: x and weights must have the same length")
    groups = max(int(keys.max()) + 1 if keys.size else 0, least)
    result: Array = by_key("bincount", SUM, sums, keys, groups, 0, np.float64, None, "exact", "nearest")
    return result
