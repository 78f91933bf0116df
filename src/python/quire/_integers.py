"""Integers: which results they have, and sums of 128 bits made into those of NumPy, or of Python.

Elements of 8 to 64 bits, signed or not, and bools, are read where they are. Their sums are exact integers, in results
of 128 bits, which nothing overflows; what is asked for is made of these, and an OverflowError where it does not fit.
"""

from __future__ import annotations

import sys
from typing import Any, NoReturn

import numpy as np

from ._types import ASUM, DOT, INT128, INTEGERS, SUM, code_of

Array = np.ndarray[Any, Any]
EXACT_IN_FLOAT64 = 2**53
_INT64, _UINT64 = np.dtype(np.int64), np.dtype(np.uint64)


def wanted_integer(name: str, operation: int, x_dtype: np.dtype[Any], dtype: Any, out: Any) -> np.dtype[Any] | None:
    """The dtype of integer results of integer elements; None: the results are floats, or are not to be changed."""
    if dtype is INT128 or x_dtype not in INTEGERS:
        return None
    asked = out.dtype.newbyteorder("=") if dtype is None and isinstance(out, np.ndarray) else dtype
    if asked is None:
        if operation not in (SUM, ASUM):
            return None
        return _UINT64 if x_dtype.kind == "u" else _INT64
    found = integer_dtype(asked)
    if found is None:
        return None
    refuse_fractions(name, operation, x_dtype.name, x_dtype.itemsize)
    return found


def integer_dtype(asked: Any) -> np.dtype[Any] | None:
    """The dtype of integers, but for bools, that NumPy's words or those of another library name; None: of others."""
    found: np.dtype[Any]
    try:
        found = np.dtype(asked).newbyteorder("=")
    except TypeError:  # a word of another library: torch.int64
        word = str(asked).rpartition(".")[2]
        if word not in (d.name for d in INTEGERS):
            return None
        found = np.dtype(word)
    return found if found.kind in "iu" else None


def refuse_fractions(name: str, operation: int, x_dtype: str, itemsize: int) -> None:
    """A TypeError for integer results of what is no integer, or of what the library does not sum to 128 bits."""
    if operation not in (SUM, ASUM, DOT) or (operation == DOT and itemsize > 4):
        raise TypeError(f"quire.{name}: of {x_dtype} it is no integer of 64 bits: dtype must be floating-point")


def overflow(name: str, dtype: np.dtype[Any]) -> NoReturn:
    raise OverflowError(f"quire.{name}: a result is beyond {dtype.name}")


def words(sums: Array) -> tuple[Array, Array]:
    """The low and the high 64 bits of results of 128 bits."""
    pairs = np.ascontiguousarray(sums).view(np.uint64).reshape((*sums.shape, 2))
    low, high = (0, 1) if sys.byteorder == "little" else (1, 0)
    return pairs[..., low], pairs[..., high].view(np.int64)


def narrowed(sums: Array, dtype: np.dtype[Any], name: str) -> Array:
    """Results of 128 bits in another dtype; an OverflowError if one does not fit."""
    low, high = words(sums)
    if dtype.kind == "u":
        fits, values = high == 0, low
    else:
        values = low.view(np.int64)
        fits = high == values >> 63
    if dtype.itemsize < 8:
        limits = np.iinfo(dtype)
        fits = fits & (values >= values.dtype.type(limits.min)) & (values <= values.dtype.type(limits.max))
    if not fits.all():
        overflow(name, dtype)
    narrow: Array = values.astype(dtype)
    return narrow


def delivered_integers(sums: Any, dtype: np.dtype[Any], is_default: bool, out: Array | None, name: str) -> Any:
    """What the caller gets: out, an array, or for one result a Python int, or a scalar of the dtype that was named."""
    sums = np.asarray(sums)
    if sums.ndim == 0 and is_default and out is None:
        return int.from_bytes(sums.tobytes(), sys.byteorder, signed=True)
    if out is not None and out.dtype.newbyteorder("=") != dtype:
        raise TypeError(f"quire.{name}: dtype is {dtype.name}, but out has {out.dtype.name}")
    results = narrowed(sums, dtype, name)
    if out is not None:
        if out.shape != results.shape:
            raise ValueError(f"quire.{name}: out has shape {out.shape}, but the result has {results.shape}")
        out[...] = results
        return out
    return results[()] if results.ndim == 0 else results


def promoted(a: Any, b: Any, name: str) -> tuple[Any, Any]:
    """Two arrays, of NumPy or CuPy, in one dtype that holds the numbers of both."""
    if a.dtype == b.dtype:
        return a, b
    try:
        common = np.result_type(a.dtype, b.dtype)
    except TypeError:
        raise TypeError(f"quire.{name}: no dtype holds both {a.dtype.name} and {b.dtype.name}: convert one") from None
    refuse_rounded(common, a, b, name=name)
    if common not in INTEGERS:
        code_of(common, name)
    return a.astype(common, copy=False), b.astype(common, copy=False)


def refuse_rounded(common: np.dtype[Any], *arrays: Any, name: str) -> None:
    """A TypeError where a dtype that arrays promote to does not hold all that is in them."""
    for a in arrays:
        if a.dtype in INTEGERS and common.kind not in "iub" and a.dtype.itemsize == 8 and not are_doubles(a):
            names = " and ".join(b.dtype.name for b in arrays)
            raise TypeError(f"quire.{name}: {names} have no dtype in common that holds all their numbers")


def are_doubles(a: Any) -> bool:
    """Whether 64-bit integers are known to be doubles, which those on a device are not."""
    if not isinstance(a, np.ndarray):
        return False
    return a.size == 0 or (int(a.min()) >= -EXACT_IN_FLOAT64 and int(a.max()) <= EXACT_IN_FLOAT64)


def as_integers(x: Any, a: Array, name: str) -> Array:
    """a, which NumPy made of lists, unless integers in them were rounded or have no dtype: as 64 bits if they fit."""
    if a.dtype.kind == "f" and not (np.abs(a) >= EXACT_IN_FLOAT64).any():  # max would be NaN beside one
        return a
    leaves = np.asarray(x, dtype=object)
    found = [v for v in leaves.ravel() if isinstance(v, (int, np.integer))]
    if len(found) < leaves.size:
        for value in found:
            if a.dtype.kind == "f" and int(float(value)) != value:
                raise TypeError(f"quire.{name}: {value} stands among floats, and no float64 holds it")
        return a
    for dtype in (_INT64, _UINT64):
        limits = np.iinfo(dtype)
        if limits.min <= min(found) and max(found) <= limits.max:
            return leaves.astype(dtype)
    raise OverflowError(f"quire.{name}: neither int64 nor uint64 holds all these integers")
