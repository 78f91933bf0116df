"""Sums of segments of an array, as the rows of a sparse matrix in CSR are."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _arrays, _foreign
from ._integers import delivered_integers, wanted_integer
from ._reduce import Array, checked_out, checked_shape, delivered, operand, place, results_for, segments
from ._types import INT128, SUM, Method, Rounding


def checked_offsets(offsets: Any, size: int, name: str) -> Array:
    """Offsets as a contiguous array of int32 or int64, each in [0, size]."""
    a = _arrays.as_numpy(offsets, name)
    if a.ndim != 1 or a.size == 0:
        raise ValueError(f"quire.{name}: offsets must have one dimension and one element more than there are segments")
    if a.dtype.kind not in "iu":
        raise TypeError(f"quire.{name}: offsets must be integers, not {a.dtype.name}")
    if a.min() < 0 or a.max() > size:
        raise ValueError(f"quire.{name}: offsets must lie in [0, {size}], the size of x")
    wanted = np.int32 if a.dtype == np.int32 else np.int64
    return np.require(a, wanted, ["C", "A"])


def segment_sum(
    x: Any,
    offsets: Any,
    /,
    *,
    dtype: Any = None,
    out: Any = None,
    method: Method = "exact",
    rounding: Rounding = "nearest",
) -> Any:
    """The sum of each segment ``x[offsets[s]:offsets[s + 1]]``.

    Parameters
    ----------
    x : array of floating-point numbers, of one dimension
    offsets : array of integers
        One more than there are segments, each in [0, x.size]. A segment whose end is not beyond its begin is empty.
    dtype, out, method, rounding
        As `quire.sum` has them.

    Returns
    -------
    array of ``offsets.size - 1`` sums, each with the bits of ``quire.sum`` of that segment alone.

    Examples
    --------
    >>> import numpy as np, quire
    >>> quire.segment_sum(np.array([1e16, 1.0, -1e16, 0.5, 0.25]), [0, 3, 3, 5])
    array([1.  , 0.  , 0.75])
    """
    if _arrays.is_foreign(x):
        return _foreign.segment_sum(x, offsets, dtype, out, method, rounding)
    return summed(x, offsets, dtype, out, method, rounding)


def summed(x: Any, offsets: Any, dtype: Any, out: Any, method: str, rounding: str) -> Any:
    """The same of what NumPy can see."""
    a = operand(x, "segment_sum")
    if a.ndim != 1:
        raise ValueError(f"quire.segment_sum: x must have one dimension, not {a.ndim}")
    ends = checked_offsets(offsets, a.size, "segment_sum")
    whole = wanted_integer("segment_sum", SUM, a.dtype, dtype, out)
    if whole is not None:
        checked_out(out, "segment_sum")
        sums = summed(a, offsets, INT128, None, method, rounding)
        return delivered_integers(sums, whole, False, out, "segment_sum")
    wanted = results_for(out, dtype, a.dtype, "segment_sum")
    shape = (ends.size - 1,)
    checked_shape(out, shape, "segment_sum")
    results = place(out, shape, wanted, (a, ends))
    x = np.ascontiguousarray(a) if a.size else np.empty(0, a.dtype)  # an empty one may stand at an odd address
    segments("segment_sum", SUM, x, ends[:-1], ends[1:], results, method, rounding)
    return delivered(results, out)
