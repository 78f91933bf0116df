"""What a mask selects of an array on a CUDA device, in words that PyTorch and CuPy share. Nothing is waited for.

The elements that count are not known on the host. So exact sums take a copy with -0 in place of the others, which
changes no sum; all else takes the elements selected, packed side by side on the device, as segments.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from . import _arrays
from ._layout import normalized
from ._types import ASUM, NRM2, SUM

Axes = tuple[int, ...]
BLANKED = (SUM, ASUM, NRM2)  # operations that a -0 does not change, but for the sum of nothing


def checked(where: Any, kind: type, x: Any, name: str) -> Any:
    """A mask of the library of x (whose arrays are of kind), or one of NumPy, which is to be sent to the device."""
    if not isinstance(where, kind):
        if _arrays.is_foreign(where):
            raise TypeError(f"quire.{name}: where must be on the device, as x is, and not a {type(where).__name__}")
        where = np.asarray(where)
    if str(where.dtype).rpartition(".")[2] != "bool":
        raise TypeError(f"quire.{name}: where must be an array of bool, not of {where.dtype}")
    shape, of_x = tuple(where.shape), tuple(x.shape)
    if len(shape) > len(of_x) or any(size not in (1, of_x[-1 - a]) for a, size in enumerate(reversed(shape))):
        raise ValueError(f"quire.{name}: where has shape {shape}, which does not fit x, of {of_x}")
    return where


def bits(xp: Any, x: Any) -> Any:
    """The elements as integers, of which every library has all operations."""
    return x.view(getattr(xp, f"int{8 * x.itemsize}"))


def is_whole(x: Any) -> bool:
    """Whether elements are integers."""
    return str(x.dtype).rpartition(".")[2].startswith(("int", "uint", "bool"))


def blanked(xp: Any, x: Any, mask: Any) -> Any:
    """A copy of x, with -0 where the mask is False."""
    return xp.where(mask, bits(xp, x), -(1 << 8 * x.itemsize - 1)).view(x.dtype)


def packed(xp: Any, x: Any, mask: Any, n: int) -> tuple[Any, Any]:
    """The elements selected of flat arrays of vectors of n elements, and the offsets of those of each vector."""
    ends = xp.cumsum(mask, 0)
    # Where an element is left out the last place is free, and takes all that are left out.
    places = xp.where(mask, ends - 1, x.shape[0] - 1)
    elements = xp.empty_like(x)
    elements[places] = x
    return elements, xp.concatenate((xp.zeros_like(ends[:1]), ends[n - 1 :: n]))


def reduce(
    xp: Any,
    permute: Callable[[Any, Axes], Any],
    operation: int,
    x: Any,
    mask: Any,
    axis: Any,
    keepdims: bool,
    method: str,
    whole: Callable[[Any], Any],
    segments: Callable[[Any, Any], Any],
) -> Any:
    """The reduction of what a mask selects.

    whole: what reduces an array of the shape of x along axis. segments: what reduces segments, given their offsets.
    """
    reduced = normalized(axis, x.ndim)
    kept = tuple(a for a in range(x.ndim) if a not in reduced)
    n, vectors = prod(x.shape[a] for a in reduced), prod(x.shape[a] for a in kept)
    if n == 0 or vectors == 0:
        return whole(x)
    mask = xp.broadcast_to(mask, x.shape)
    rows = permute(mask, kept + reduced).reshape(vectors, n)
    if method == "exact" and operation in BLANKED and not is_whole(x):
        results = whole(blanked(xp, x, mask))
        if operation != SUM:
            return results
        # The sum of nothing is +0, that of -0 alone is -0.
        return xp.where(rows.any(1).reshape(results.shape), bits(xp, results), 0).view(results.dtype)
    flat = bits(xp, permute(x, kept + reduced).reshape(-1))
    elements, offsets = packed(xp, flat, rows.reshape(-1), n)
    shape = tuple(1 if a in reduced else x.shape[a] for a in range(x.ndim) if keepdims or a in kept)
    return segments(elements.view(x.dtype), offsets).reshape(shape)
