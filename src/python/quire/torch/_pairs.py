"""Weighted averages, covariances and correlations of tensors on a device. Nothing is waited for."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .._arrays import refuse_gradient
from .._layout import normalized
from .._pairs import placed
from .._quire import ffi, lib
from .._types import AVERAGE, MEAN, SUM, fail
from . import _tensors
from ._launch import context_of, reduce, what_of
from ._tensors import check, is_plain, wanted


def memory(x: Any, name: str, word: str) -> Tensor:
    """A tensor whose elements can be read; of numbers that the library knows."""
    if not isinstance(x, Tensor):
        raise TypeError(f"quire.{name}: {word} must be a tensor, as x is, and not a {type(x).__name__}")
    refuse_gradient(x, name)
    check(x, name)
    if not is_plain(x):
        raise NotImplementedError(f"quire.{name} is not recorded: it takes tensors as they are in memory")
    return x


def promoted(a: Tensor, b: Tensor, name: str) -> tuple[Tensor, Tensor]:
    """Both in one dtype that holds the values of both; they are on one device."""
    if a.device != b.device:
        raise ValueError(f"quire.{name}: x is on {a.device}, the other tensor on {b.device}")
    return _tensors.promoted(a, b, name)


def average(x: Any, axis: Any, weights: Any, returned_too: bool, keepdims: bool, dtype: Any, rounding: str) -> Any:
    """As `quire.average` has it; but where weights add up to zero the average is what IEEE 754 divides to."""
    name = "average"
    a = memory(x, name, "x")
    if weights is None:
        dtype = wanted(name, MEAN, a, dtype)
        means = reduce(name, MEAN, (a,), axis, bool(keepdims), dtype, "exact", rounding)
        count = 1
        for i in normalized(axis, a.ndim):
            count *= a.shape[i]
        return (means, torch.full_like(means, count)) if returned_too else means
    w = memory(weights, name, "weights")
    if w.shape != a.shape:
        w = placed(w, a, axis)
    a, w = promoted(a, w, name)
    w, dtype = w.broadcast_to(a.shape), wanted(name, AVERAGE, a, dtype)
    means = reduce(name, AVERAGE, (a, w), axis, bool(keepdims), dtype, "exact", rounding)
    if not returned_too:
        return means
    return means, reduce(name, SUM, (w,), axis, bool(keepdims), dtype, "exact", rounding)


def variables(m: Tensor, rowvar: bool, name: str, of_y: bool) -> Tensor:
    """A tensor of one row a variable."""
    if m.ndim > 2:
        raise ValueError(f"quire.{name}: {'y' if of_y else 'm'} has more than 2 dimensions")
    if m.ndim < 2:
        return m.reshape(1, m.numel())
    return m if rowvar or (of_y and m.shape[0] == 1) else m.t()


def matrix(name: str, operation: int, m: Any, y: Any, rowvar: Any, correction: int, dtype: Any, rounding: str) -> Any:
    """The results of all pairs of variables, as `quire.cov` has them."""
    rows = variables(memory(m, name, "m"), bool(rowvar), name, False)
    if rows.shape[0] and y is not None:
        rows, more = promoted(rows, variables(memory(y, name, "y"), bool(rowvar), name, True), name)
        if rows.shape[1] != more.shape[1]:
            raise ValueError(f"quire.{name}: m has {rows.shape[1]} observations, y has {more.shape[1]}")
        rows = torch.cat((rows, more))
    rows, dtype = rows.contiguous(), wanted(name, operation, rows, dtype)
    what = what_of(name, operation, rows.dtype, dtype, "exact", rounding, correction)
    results = rows.new_empty((rows.shape[0], rows.shape[0]), dtype=dtype)
    if results.numel():
        first, other = (pairs_layout(rows, is_second) for is_second in (False, True))
        at = rows.data_ptr()
        status = lib.reduce_at(context_of(rows, name), what, first, at, other, at, results.data_ptr())
        if status:
            fail(status, name)
    return results.reshape(()) if results.numel() == 1 else results


def pairs_layout(rows: Tensor, is_second: bool) -> Any:
    """Of contiguous rows: each with each, by strides of 0."""
    made = ffi.new("quire_layout *")
    made.outer = made.inner = rows.shape[0]
    made.n, made.stride = rows.shape[1], 1
    made.outer_stride, made.inner_stride = (0, rows.shape[1]) if is_second else (rows.shape[1], 0)
    return made
