"""Sums that begin with a number, as NumPy's `initial` has it."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from . import _arrays
from ._layout import normalized, plain_axis
from ._reduce import checked_shape, delivered, operand, reduce, results_for
from ._types import INTEGERS, SUM


def first_number(initial: Any) -> float:
    """What a sum begins with, as a double."""
    if isinstance(initial, (str, bytes)) or not hasattr(initial, "__float__") or np.ndim(initial):
        raise TypeError(f"quire.sum: initial must be a number, not {initial!r}")
    number = float(initial)
    exact = int(initial) if isinstance(initial, Integral) else initial  # for NumPy compares its integers as doubles
    if number == number and number != exact:
        raise ValueError(f"quire.sum: initial must be a double, and {initial} is none")
    return number


def selected(a: Any, where: Any) -> Any:
    """A copy in double, with -0, which changes no sum, in place of what a mask leaves out."""
    x = a.astype(np.float64)
    if where is True or where is None:
        return x
    _arrays.refuse_masked(where, "sum")
    mask = np.asarray(where)
    if mask.dtype != np.bool_:
        raise TypeError(f"quire.sum: where must be an array of bool, not of {mask.dtype.name}")
    try:
        return np.where(np.broadcast_to(mask, x.shape), x, -0.0)
    except ValueError:
        raise ValueError(f"quire.sum: where has shape {mask.shape}, which does not fit x, of {x.shape}") from None


def sum_from(
    x: Any, initial: Any, axis: Any, dtype: Any, out: Any, keepdims: Any, method: str, rounding: str, where: Any
) -> Any:
    """The sum of initial and the elements, rounded once. x is copied, in double."""
    if _arrays.is_foreign(x):
        raise TypeError(
            "quire.sum: initial is for NumPy arrays; quire.Accumulator(x).add([initial]).sum() takes others"
        )
    if method != "exact":
        raise TypeError("quire.sum: initial is for the exact method")
    first = first_number(initial)
    a = operand(x, "sum")
    if a.dtype in INTEGERS:
        raise TypeError("quire.sum: initial is for floating-point numbers; quire.sum(x) + initial is exact of integers")
    wanted = results_for(out, dtype, a.dtype, "sum")
    reduced = normalized(plain_axis(axis), a.ndim)
    kept = tuple(i for i in range(a.ndim) if i not in reduced)
    shape = tuple(a.shape[i] for i in kept)
    final = tuple(1 if i in reduced else n for i, n in enumerate(a.shape)) if keepdims else shape
    checked_shape(out, final, "sum")
    n = int(np.prod([a.shape[i] for i in reduced], dtype=np.int64))
    terms = np.empty((*shape, n + 1))
    terms[..., 0] = first
    terms[..., 1:] = selected(a, where).transpose(kept + reduced).reshape(*shape, n)
    results = np.asarray(reduce("sum", SUM, (terms,), -1, wanted, None, False, method, rounding)).reshape(final)
    return delivered(results, out)
