"""Sums of integers on a device: results of 128 bits made into those of 64, in words that PyTorch and CuPy share.

Whether they fit is looked at, which waits for the device, unless no sum of so many elements can be too great.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._integers import overflow, wanted_integer
from ._types import DOT, INTEGERS


def wanted_whole(name: str, operation: int, x_dtype: np.dtype[Any], dtype: Any, out: Any) -> np.dtype[Any] | None:
    """As `wanted_integer` has it; out is no array of NumPy's."""
    if x_dtype not in INTEGERS:
        return None
    return wanted_integer(name, operation, x_dtype, out.dtype if dtype is None and out is not None else dtype, None)


def always_fits(operation: int, x_dtype: np.dtype[Any], count: int, dtype: np.dtype[Any]) -> bool:
    """Whether every result of count elements is below 2**63 in magnitude, and dtype has as many bits and signs."""
    bits = 8 * x_dtype.itemsize * (2 if operation == DOT else 1)
    has_signs = dtype.kind == "i" or x_dtype.kind != "i"
    return dtype.itemsize == 8 and has_signs and count << bits <= 1 << 63


def narrowed(sums: Any, dtype: np.dtype[Any], fits: bool, own: Any, name: str) -> Any:
    """Results as pairs of int64, the low one first, in dtype, which the library of sums calls own."""
    low, high = sums[..., 0], sums[..., 1]
    if not fits:
        are_right = high == (low >> 63 if dtype.kind == "i" else 0)
        if dtype.itemsize < 8:
            limits = np.iinfo(dtype)
            are_right = are_right & (low >= int(limits.min)) & (low <= int(limits.max))
        if not bool(are_right.all()):
            overflow(name, dtype)
    return low.astype(own) if hasattr(low, "astype") else low.to(own).contiguous()
