"""Running sums along an axis."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from . import _arrays, _foreign
from ._integers import delivered_integers, wanted_integer
from ._layout import normalized, one_axis
from ._long import interruptible_if_long
from ._quire import ffi, lib
from ._reduce import Array, checked_out, checked_shape, delivered, operand, place, results_for
from ._types import INT128, SUM, Rounding, fail, number_of, pointer, reduction

NULL = ffi.NULL


def layout_of(a: Array) -> Any:
    """That of an array of three dimensions, along the middle one."""
    layout = ffi.new("quire_layout *")
    layout.outer, layout.n, layout.inner = a.shape
    layout.outer_stride, layout.stride, layout.inner_stride = (s // a.itemsize for s in a.strides)
    return layout


def scan(name: str, x: Any, a: Array, axis: int, dtype: Any, out: Any, rounding: str, initial: bool = False) -> Any:
    """The running sums of a, an array that x became, along an axis; initial: with the empty sum before them."""
    integer = wanted_integer(name, SUM, a.dtype, dtype, out)
    if integer is not None:
        checked_out(out, name)
        sums = delivered_integers(scan(name, a, a, axis, INT128, None, rounding, initial), integer, False, out, name)
        return _arrays.like(sums, x) if out is None and _arrays.is_foreign(x) else sums
    (along,) = normalized(axis, a.ndim)
    wanted = results_for(out, dtype, a.dtype, name)
    before, n, behind = prod(a.shape[:along]), a.shape[along], prod(a.shape[along + 1 :])
    shape = (*a.shape[:along], n + initial, *a.shape[along + 1 :])
    checked_shape(out, shape, name)
    what = reduction(SUM, number_of(a.dtype), number_of(wanted), "exact", rounding, 0)
    is_in_place = out is not None and out is x and not initial and out.flags.carray and out.dtype == a.dtype
    if any(s % a.itemsize for s in a.strides):
        a = np.ascontiguousarray(a)
    results = a if is_in_place else place(out, shape, wanted, (a,))
    block, sums = a.reshape(before, n, behind), results.reshape(before, n + initial, behind)
    if initial:
        sums[:, 0] = np.zeros((), wanted)
        sums = sums[:, 1:]
    if a.size:
        words = NULL, what, 0, layout_of(block), pointer(block), layout_of(sums), pointer(sums)
        status = interruptible_if_long(lib.quire_scan, a.size)(*words)
        if status:
            fail(status, name)
    if out is None and _arrays.is_foreign(x):
        return _arrays.like(results, x)
    return out if is_in_place else delivered(results, out)


def cumsum(
    x: Any, /, axis: int | None = None, dtype: Any = None, out: Any = None, *, rounding: Rounding = "nearest"
) -> Any:
    """The running sums along an axis, each one correctly rounded.

    Parameters
    ----------
    x : array of numbers
        Running sums of integers and bools are exact integers, of 64 bits unless dtype says otherwise, with an
        OverflowError if one does not fit; in a floating-point dtype each is rounded once.
    axis : int, optional
        As `numpy.cumsum` has it: without it, the running sums of all elements, of one dimension.
    dtype, out, rounding
        As `quire.sum` has them. out may be x itself.

    Returns
    -------
    array of the shape of x, or without an axis of ``x.size``. Element k has the bits of ``quire.sum`` of the first
    k + 1 elements.

    Examples
    --------
    >>> import numpy as np, quire
    >>> quire.cumsum(np.array([1e16, 1.0, -1e16, 0.5]))
    array([1.0e+16, 1.0e+16, 1.0e+00, 1.5e+00])
    """
    if _foreign.is_elsewhere(x):
        along = None if axis is None else one_axis(axis, "cumsum")
        return _foreign.running("cumsum", x, along, dtype, out, rounding, False)
    a = operand(x, "cumsum")
    if axis is None:
        return scan("cumsum", x, a.reshape(-1), 0, dtype, out, rounding)
    return scan("cumsum", x, a, one_axis(axis, "cumsum"), dtype, out, rounding)


def cumulative_sum(
    x: Any,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    out: Any = None,
    include_initial: bool = False,
    rounding: Rounding = "nearest",
) -> Any:
    """The same under the name that the array API standard has for it.

    Parameters
    ----------
    x, dtype, out, rounding
        As `quire.cumsum` has them.
    axis : int, optional
        Must be there if x has several dimensions.
    include_initial : bool
        Whether the empty sum, 0, stands before the others: one more result along the axis.

    Examples
    --------
    >>> import numpy as np, quire
    >>> quire.cumulative_sum(np.array([0.5, 0.25]), include_initial=True)
    array([0.  , 0.5 , 0.75])
    """
    a = x if _foreign.is_elsewhere(x) else operand(x, "cumulative_sum")
    if a.ndim == 0:
        raise ValueError("quire.cumulative_sum: x must have at least one dimension")
    if axis is None:
        if a.ndim > 1:
            raise ValueError(f"quire.cumulative_sum: x has {a.ndim} dimensions, and axis says none of them")
        axis = 0
    along = one_axis(axis, "cumulative_sum")
    if _foreign.is_elsewhere(x):
        return _foreign.running("cumulative_sum", x, along, dtype, out, rounding, bool(include_initial))
    return scan("cumulative_sum", x, a, along, dtype, out, rounding, bool(include_initial))
