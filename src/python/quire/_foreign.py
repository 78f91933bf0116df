"""Calls for arrays of other libraries than NumPy: which way each of them goes, and the result back to its library."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from . import _arrays, _cupy, _cupy_keys, _jax
from ._reduce import dot, operand, reduce, reduce_where

TENSORS: Any = None  # quire.torch._tensors, once it has been imported


def tensors() -> Any:
    """The way of tensors. The first of them imports quire.torch."""
    return TENSORS or import_module("quire.torch._tensors")


def refuse_out(name: str, out: Any, x: Any) -> None:
    if out is not None:
        raise TypeError(f"quire.{name}: out is for NumPy arrays, tensors and CuPy arrays; x is a {type(x).__name__}")


def one(
    name: str,
    operation: int,
    x: Any,
    axis: Any,
    dtype: Any,
    out: Any,
    keepdims: Any,
    method: str,
    rounding: str,
    where: Any,
    correction: int,
) -> Any:
    """A reduction of one array."""
    if _arrays.is_tensor(x):
        return tensors().one(name, operation, x, axis, dtype, out, keepdims, method, rounding, where, correction)
    if _arrays.is_on_cuda(x):
        if _jax.is_jax(x):
            refuse_out(name, out, x)
            words = axis, dtype, None, keepdims, method, rounding, where, correction
            return _jax.through(name, _cupy.one, name, operation, x, *words)
        return _cupy.one(name, operation, x, axis, dtype, out, keepdims, method, rounding, where, correction)
    if where is True or where is None:
        refuse_out(name, out, x)
        a = operand(x, name)
        done = reduce(name, operation, (a,), axis, dtype, None, keepdims, method, rounding, correction)
        return _arrays.like(done, x)
    return selected(name, operation, x, where, out, axis, dtype, keepdims, method, rounding, correction)


def selected(
    name: str,
    operation: int,
    x: Any,
    where: Any,
    out: Any,
    axis: Any,
    dtype: Any,
    keepdims: Any,
    method: str,
    rounding: str,
    correction: int,
) -> Any:
    """The same of the elements that a mask selects, on the CPU."""
    refuse_out(f"{name} with where", out, x)
    mask = _arrays.shared(where, name) if _arrays.is_foreign(where) else where
    a = operand(x, name)
    done = reduce_where(name, operation, a, mask, axis, dtype, None, keepdims, method, rounding, correction)
    return _arrays.like(done, x)


def vecdot(x: Any, y: Any, axis: int, dtype: Any, out: Any, method: str, rounding: str) -> Any:
    """Dot products, of which one operand at least is of another library."""
    if _arrays.is_tensor(x) or _arrays.is_tensor(y):
        return tensors().vecdot(x, y, axis, dtype, out, method, rounding)
    owner = x if _arrays.is_foreign(x) else y
    if any(_arrays.is_foreign(a) and _arrays.is_on_cuda(a) for a in (x, y)):
        if _jax.is_jax(owner):
            refuse_out("vecdot", out, owner)
            return _jax.through("vecdot", _cupy.vecdot, x, y, axis, dtype, None, method, rounding)
        return _cupy.vecdot(x, y, axis, dtype, out, method, rounding)
    refuse_out("vecdot", out, owner)
    done = dot(operand(x, "vecdot"), operand(y, "vecdot"), axis, dtype, None, method, rounding)
    return _arrays.like(done, owner)


def segment_sum(x: Any, offsets: Any, dtype: Any, out: Any, method: str, rounding: str) -> Any:
    """Sums of segments of an array of another library."""
    if _arrays.is_tensor(x):
        return tensors().segment_sum(x, offsets, dtype, out, method, rounding)
    if _arrays.is_on_cuda(x):
        if _jax.is_jax(x):
            refuse_out("segment_sum", out, x)
            return _jax.through("segment_sum", _cupy.segment_sum, x, offsets, dtype, None, method, rounding)
        return _cupy.segment_sum(x, offsets, dtype, out, method, rounding)
    from ._segments import summed

    refuse_out("segment_sum", out, x)
    return _arrays.like(summed(x, offsets, dtype, None, method, rounding), x)


def is_elsewhere(x: Any) -> bool:
    """Whether an array goes another way than NumPy's: a tensor, which may have a gradient, or one on a device."""
    return _arrays.is_foreign(x) and (_arrays.is_tensor(x) or _arrays.is_on_cuda(x))


def by_key(
    name: str,
    operation: int,
    x: Any,
    keys: Any,
    groups: Any,
    axis: Any,
    dtype: Any,
    out: Any,
    method: str,
    rounding: str,
    correction: int,
    weights: Any = None,
) -> Any:
    """A reduction by key of a tensor, or of an array on a device."""
    if _arrays.is_tensor(x):
        way = import_module("quire.torch._keys").by_key
        return way(name, operation, x, keys, groups, axis, dtype, out, method, rounding, correction, weights)
    if not _jax.is_jax(x):
        words = groups, axis, dtype, out, method, rounding, correction, weights
        return _cupy_keys.by_key(name, operation, x, keys, *words)
    refuse_out(name, out, x)
    words = groups, axis, dtype, None, method, rounding, correction, weights
    return _jax.through(name, _cupy_keys.by_key, name, operation, x, keys, *words)


def running(name: str, x: Any, axis: Any, dtype: Any, out: Any, rounding: str, initial: bool) -> Any:
    """Running sums of a tensor, or of an array on a device."""
    if _arrays.is_tensor(x):
        return import_module("quire.torch._scans").running(name, x, axis, dtype, out, rounding, initial)
    if not _jax.is_jax(x):
        return _cupy_keys.running(name, x, axis, dtype, out, rounding, initial)
    refuse_out(name, out, x)
    return _jax.through(name, _cupy_keys.running, name, x, axis, dtype, None, rounding, initial)
