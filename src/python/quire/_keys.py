"""Keys of rows as numbers of groups, and arrays as rows, for sums by key."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from . import _arrays
from ._layout import integer, normalized
from ._quire import ffi
from ._reduce import Array, checked_shape, delivered, operand, place, results_for
from ._types import I32, I64, number_of, reduction

ALIGNMENT = 256
_MOST = np.iinfo(np.int32).max


def categories(keys: Any) -> tuple[Array, Any] | None:
    """The codes and the categories of a pandas categorical, or of a column of them; None: it is none."""
    holder = getattr(keys, "cat", keys)
    codes, names = getattr(holder, "codes", None), getattr(holder, "categories", None)
    if codes is None or names is None:
        return None
    return np.asarray(codes), np.asarray(names)


def has_missing(keys: Any) -> bool:
    """Whether a column of pandas, of numbers or words, misses some: NumPy would round its integers, or not sort it."""
    dtype = getattr(keys, "dtype", None)
    if not hasattr(keys, "isna") or not hasattr(keys, "astype") or (isinstance(dtype, np.dtype) and dtype.kind != "O"):
        return False
    return bool(np.any(keys.isna()))


def outside(groups: int, name: str) -> ValueError:
    return ValueError(f"quire.{name}: keys must lie in [0, {groups}), the groups")


def refuse_outside(codes: Array, groups: int, name: str) -> None:
    if codes.size and (codes.min() < 0 or codes.max() >= groups):
        raise outside(groups, name)


def numbered(keys: Any, groups: Any, name: str, checked: bool = True) -> tuple[Array, int, Any]:
    """The number of each row's group, how many groups there are, and what they are called.

    checked: whether keys that lie outside of the groups named are refused; else the caller does it.
    """
    if groups is None and has_missing(keys):
        keys = keys.astype("category")
    named = categories(keys) if groups is None else None
    if named is not None:
        return named[0], len(named[1]), named[1]
    if hasattr(keys, "to_numpy"):  # a column of pandas or Polars
        keys = keys.to_numpy()
    a = _arrays.as_numpy(keys, name)
    if a.ndim != 1:
        raise ValueError(f"quire.{name}: keys must have one dimension, not {a.ndim}")
    if groups is None:
        names, codes = np.unique(a, return_inverse=True)
        return codes, names.size, names
    try:
        count = integer(groups)
    except TypeError:
        raise TypeError(f"quire.{name}: groups must be an integer, not {groups!r}") from None
    if count < 0:
        raise ValueError(f"quire.{name}: groups must not be negative")
    if a.dtype.kind not in "iu":
        if a.size:
            raise TypeError(f"quire.{name}: with groups, keys must be integers, not {a.dtype.name}")
        a = a.astype(np.int64)  # NumPy takes an empty list for floats
    if checked:
        refuse_outside(a, count, name)
    return a, count, np.arange(count) if checked else None


def index_of(codes: Array, groups: int) -> Array:
    """Codes as the library reads them, of 32 bits if that is enough for rows and groups."""
    short = codes.size <= _MOST and groups <= _MOST
    return np.require(codes, np.int32 if short else np.int64, ["C", "A"])


def are_as_they_are(codes: Array) -> bool:
    """Whether the library reads these numbers where they are."""
    return bool(codes.dtype == np.int64 and codes.dtype.isnative and codes.flags.aligned and codes.flags.c_contiguous)


def keys_for(codes: Array, groups: int) -> Array:
    """As index_of, but that numbers of 64 bits which can be read where they are stay what they are."""
    return codes if are_as_they_are(codes) else index_of(codes, groups)


def index_type(a: Array) -> int:
    return I64 if a.dtype.itemsize == 8 else I32


def workspace(size: int, name: str) -> tuple[Any, Any]:
    """Memory of that many bytes, where the library wants it; and what keeps it alive."""
    if size == 0:
        raise MemoryError(f"quire.{name}: more than memory holds")
    memory = np.empty(size + ALIGNMENT, np.uint8)
    return ffi.from_buffer(memory[-memory.ctypes.data % ALIGNMENT :]), memory


class Rows:
    """An array as rows along an axis, its results, and how the library is told."""

    def __init__(
        self, x: Any, axis: Any, n: int, groups: int, dtype: Any, out: Any, name: str, others: tuple[Array, ...] = ()
    ):
        """others: arrays that are read beside x, in whose memory no results may be written."""
        a = operand(x, name)
        if a.ndim == 0:
            raise ValueError(f"quire.{name}: x must have at least one dimension")
        try:
            (self.axis,) = normalized(integer(axis), a.ndim)
        except TypeError:
            raise TypeError(f"quire.{name}: axis must be an integer, not {axis!r}") from None
        if a.shape[self.axis] != n:
            raise ValueError(f"quire.{name}: x has {a.shape[self.axis]} rows along the axis, but there are {n} keys")
        self.name, self.out = name, out
        self.wanted = results_for(out, dtype, a.dtype, name)
        before, behind = a.shape[: self.axis], a.shape[self.axis + 1 :]
        self.shape = (*before, groups, *behind)
        checked_shape(out, self.shape, name)
        self.x = np.ascontiguousarray(a)
        self.layout = ffi.new("quire_layout *")
        self.layout.outer, self.layout.n, self.layout.inner = prod(before), n, prod(behind)
        self.layout.outer_stride, self.layout.stride, self.layout.inner_stride = n * prod(behind), prod(behind), 1
        self.results = place(out, self.shape, self.wanted, (self.x, *others))

    def what(self, operation: int, method: str, rounding: str, correction: int) -> Any:
        return reduction(operation, number_of(self.x.dtype), number_of(self.wanted), method, rounding, correction)

    def second(self) -> tuple[Any, ...]:
        """The layout and the elements of a second array, where there is one; and these in the shape of x."""
        return ()

    def second_of_elements(self) -> Array | None:
        return None

    def delivered(self, x: Any) -> Any:
        if self.out is None and _arrays.is_foreign(x):
            return _arrays.like(self.results, x)
        return delivered(self.results, self.out)
