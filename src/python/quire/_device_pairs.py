"""Weighted averages, covariances and correlations of CuPy's arrays, on the current stream. Nothing is waited for."""

from __future__ import annotations

from functools import partial
from typing import Any

from . import _arrays, _jax
from ._cupy import context_of, cupy, operand, reduce, result_code, results_for, returned, same_device
from ._integers import promoted
from ._pairs import placed
from ._quire import ffi, lib
from ._types import AVERAGE, MEAN, SUM, fail, number_of, reduction


def second(y: Any, x: Any, name: str, word: str) -> Any:
    """Another operand, which must be where the first is."""
    if not _arrays.is_foreign(y) or not _arrays.is_on_cuda(y):
        raise TypeError(f"quire.{name}: {word} must be on the device, as x is, and not a {type(y).__name__}")
    b = operand(y, name)
    same_device(x, b, name, word)
    return b


def average(x: Any, axis: Any, weights: Any, returned_too: bool, keepdims: bool, dtype: Any, rounding: str) -> Any:
    """As `quire.average` has it; but where weights add up to zero the average is what IEEE 754 divides to."""
    name = "average"
    if _jax.is_jax(x):
        if returned_too:
            raise TypeError("quire.average: returned is for tensors and CuPy arrays; x is an array of JAX")
        taken = (x,) if weights is None else (x, weights)
        way = partial(averaged, axis, returned_too, keepdims, dtype, rounding)
        return _jax.through(name, way, *taken)
    return averaged(axis, returned_too, keepdims, dtype, rounding, x, weights)


def averaged(
    axis: Any, returned_too: bool, keepdims: bool, dtype: Any, rounding: str, x: Any, weights: Any = None
) -> Any:
    name = "average"
    a = operand(x, name)
    cp = cupy(name, a)
    words = (None, keepdims, "exact", rounding)
    with a.device:
        if weights is None:
            means = reduce(name, MEAN, (a,), axis, dtype, *words)
            counts = cp.full(means.shape, a.size // max(means.size, 1), means.dtype) if returned_too else None
        else:
            w = second(weights, a, name, "weights")
            if w.shape != a.shape:
                w = placed(w, a, axis)
            a, w = promoted(a, w, name)
            w = cp.broadcast_to(w, a.shape)
            means = reduce(name, AVERAGE, (a, w), axis, dtype, *words)
            counts = reduce(name, SUM, (w,), axis, means.dtype, *words) if returned_too else None
    found = returned(means, x, a, None)
    return found if counts is None else (found, returned(counts, x, a, None))


def variables(m: Any, rowvar: bool, name: str, of_y: bool) -> Any:
    """An array of one row a variable."""
    if m.ndim > 2:
        raise ValueError(f"quire.{name}: {'y' if of_y else 'm'} has more than 2 dimensions")
    if m.ndim < 2:
        return m.reshape((1, m.size))
    return m if rowvar or (of_y and m.shape[0] == 1) else m.transpose()


def matrix(name: str, operation: int, m: Any, y: Any, rowvar: Any, correction: int, dtype: Any, rounding: str) -> Any:
    """The results of all pairs of variables, as `quire.cov` has them."""
    if _jax.is_jax(m):
        taken = (m,) if y is None else (m, y)
        return _jax.through(name, partial(matrix_of, name, operation, rowvar, correction, dtype, rounding), *taken)
    return matrix_of(name, operation, rowvar, correction, dtype, rounding, m, y)


def matrix_of(
    name: str, operation: int, rowvar: Any, correction: int, dtype: Any, rounding: str, m: Any, y: Any = None
) -> Any:
    a = operand(m, name)
    cp = cupy(name, a)
    with a.device:
        rows = variables(a, bool(rowvar), name, False)
        if rows.shape[0] and y is not None:
            b = variables(second(y, a, name, "y"), bool(rowvar), name, True)
            rows, b = promoted(rows, b, name)
            if rows.shape[1] != b.shape[1]:
                raise ValueError(f"quire.{name}: m has {rows.shape[1]} observations, y has {b.shape[1]}")
            rows = cp.concatenate((rows, b))
        rows = cp.ascontiguousarray(rows)
        _, wanted = results_for(None, dtype, rows, name, operation)
        what = reduction(operation, number_of(rows.dtype), result_code(wanted), "exact", rounding, correction)
        results = cp.empty((rows.shape[0],) * 2, wanted)
        if results.size:
            context, at = context_of(cp, a.device.id, name), rows.data.ptr
            first, other = (pairs_layout(rows.shape[0], rows.shape[1], is_second) for is_second in (False, True))
            status = lib.reduce_at(context, what, first, at, other, at, results.data.ptr)
            if status:
                fail(status, name)
        return returned(results.reshape(()) if results.size == 1 else results, m, a, None)


def pairs_layout(rows: int, n: int, is_second: bool) -> Any:
    """Of contiguous rows: each with each, by strides of 0."""
    made = ffi.new("quire_layout *")
    made.outer = made.inner = rows
    made.n, made.stride = n, 1
    made.outer_stride, made.inner_stride = (0, n) if is_second else (n, 0)
    return made
