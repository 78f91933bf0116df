"""Sums by key of arrays on CUDA devices that are no tensors, on CuPy's current stream. Nothing is waited for."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from . import _arrays
from ._cupy import (
    context_of,
    cupy,
    delivered,
    operand,
    place,
    result_code,
    results_for,
    returned,
    same_device,
    settled,
)
from ._integers import promoted
from ._keys import ALIGNMENT, index_of, index_type, numbered
from ._layout import integer, normalized, one_axis
from ._quire import ffi, lib
from ._reduce import checked_shape
from ._types import SUM, fail, number_of, reduction

NULL = ffi.NULL


def address(a: Any, offset: int = 0) -> Any:
    return ffi.cast("void *", a.data.ptr + offset)


def block_layout(shape: tuple[int, ...], axis: int, rows: int | None = None) -> Any:
    """That of a contiguous array along an axis, which has that many rows in memory."""
    behind = prod(shape[axis + 1 :])
    layout = ffi.new("quire_layout *")
    layout.outer, layout.n, layout.inner = prod(shape[:axis]), shape[axis], behind
    layout.outer_stride = (shape[axis] if rows is None else rows) * behind
    layout.stride, layout.inner_stride = behind, 1
    return layout


def room_of(cp: Any, size: int, name: str) -> tuple[Any, Any]:
    """A workspace of that many bytes: what holds it, and where it begins."""
    if size == 0:
        raise MemoryError(f"quire.{name}: more than memory holds")
    memory = cp.empty(size + ALIGNMENT, np.uint8)
    return memory, address(memory, -memory.data.ptr % ALIGNMENT)


def on_device(cp: Any, keys: Any, groups: Any, x: Any, name: str) -> tuple[Any, int]:
    """Keys beside x, and how many groups there are. Those on the host are checked, and sent."""
    if not (_arrays.is_foreign(keys) and _arrays.is_on_cuda(keys)):
        codes, count, _ = numbered(keys, groups, name)
        return cp.asarray(index_of(codes, count)), count
    keys = keys if isinstance(keys, cp.ndarray) else cp.from_dlpack(keys)
    if keys.ndim != 1:
        raise ValueError(f"quire.{name}: keys must have one dimension, not {keys.ndim}")
    if keys.dtype.kind not in "iu":
        raise TypeError(f"quire.{name}: keys must be integers, not {keys.dtype.name}")
    if groups is None:
        raise ValueError(f"quire.{name}: with keys on a device groups must be given, since nothing waits for them")
    same_device(x, keys, name, "keys")
    count = integer(groups)
    if count < 0:
        raise ValueError(f"quire.{name}: groups must not be negative")
    if keys.dtype not in (np.int32, np.int64):
        keys = keys.astype(np.int64)
    return cp.ascontiguousarray(keys), count


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
    """A reduction by key in one call, of two arrays with weights. A key on the device that is outside has no group."""
    a = operand(x, name)
    cp = cupy(name, a)
    if weights is not None:
        a, weights = weighted(a, weights, name)
    if a.ndim == 0:
        raise ValueError(f"quire.{name}: x must have at least one dimension")
    (along,) = normalized(one_axis(axis, name), a.ndim)
    with a.device:
        keys, count = on_device(cp, keys, groups, a, name)
        n = a.shape[along]
        if keys.size != n:
            raise ValueError(f"quire.{name}: x has {n} rows along the axis, but there are {keys.size} keys")
        target, wanted = results_for(out, dtype, a, name, operation)
        shape = (*a.shape[:along], count, *a.shape[along + 1 :])
        checked_shape(target, shape, name)
        what = reduction(operation, number_of(a.dtype), result_code(wanted), method, rounding, correction)
        context = context_of(cp, a.device.id, name)
        rows, layout, index = cp.ascontiguousarray(a), block_layout(a.shape, along), index_type(keys)
        second = weights_of(cp, weights, a.shape, along, name)
        results = place(cp, target, shape, wanted, (a, keys))
        size = lib.quire_by_key_workspace(context, what, count, index, layout)
        _memory, room = room_of(cp, size, name)
        status = lib.quire_reduce_by_key(
            context,
            what,
            count,
            index,
            address(keys),
            layout,
            address(rows),
            *second[:2],
            address(results),
            NULL,
            room,
            size,
        )
        if status:
            fail(status, name)
        results = settled(results, wanted, a, operation, name)
        return returned(delivered(results, target, out), x, a, out)


def weighted(x: Any, weights: Any, name: str) -> tuple[Any, Any]:
    """Both in one dtype that holds the values of both."""
    from ._device_pairs import second

    return promoted(x, second(weights, x, name, "weights"), name)


def weights_of(cp: Any, weights: Any, shape: tuple[int, ...], axis: int, name: str) -> tuple[Any, Any, Any]:
    """The layout and the address of weights, one for each row or for each element, and what holds them."""
    if weights is None:
        return NULL, NULL, None
    n = shape[axis]
    if weights.shape not in (shape, (n,)):
        raise ValueError(
            f"quire.{name}: weights of shape {weights.shape} are neither of the shape of x, {shape}, nor one for each "
            f"of {n} rows"
        )
    held = cp.ascontiguousarray(weights)
    layout = block_layout(shape, axis)
    if weights.shape != shape:
        layout.outer_stride = layout.inner_stride = 0
        layout.stride = 1
    return layout, address(held), held


def running(name: str, x: Any, axis: Any, dtype: Any, out: Any, rounding: str, initial: bool) -> Any:
    """Running sums along an axis, of all elements without one; initial: with the empty sum before them.

    To see whether integers fit waits, as in sums.
    """
    whole = a = operand(x, name)
    cp = cupy(name, a)
    target, wanted = results_for(out, dtype, a, name, SUM)
    what = reduction(SUM, number_of(a.dtype), result_code(wanted), "exact", rounding, 0)
    is_whole = wanted.kind in "iu"
    with a.device:
        if axis is None:
            a, axis = cp.ascontiguousarray(a).reshape(-1), 0
        (along,) = normalized(axis, a.ndim)
        n = a.shape[along]
        shape = (*a.shape[:along], n + initial, *a.shape[along + 1 :])
        checked_shape(target, shape, name)
        context = context_of(cp, a.device.id, name)
        elements = cp.ascontiguousarray(a)
        if initial:
            results = cp.zeros((*shape, 2), np.int64) if is_whole else cp.zeros(shape, wanted)
        elif not is_whole and is_itself(target, elements):
            results = target
        else:
            results = place(cp, target, shape, wanted, (elements,))
        if elements.size:
            skipped = prod(shape[along + 1 :]) * (16 if is_whole else wanted.itemsize) if initial else 0
            layouts = block_layout(a.shape, along), block_layout(a.shape, along, n + initial)
            status = lib.quire_scan(
                context, what, 0, layouts[0], address(elements), layouts[1], address(results, skipped)
            )
            if status:
                fail(status, name)
        results = settled(results, wanted, a, SUM, name)
        return returned(delivered(results, target, out), x, whole, out)


def is_itself(target: Any, x: Any) -> bool:
    """Whether results may take the place of the elements, each that of its own."""
    return (
        target is not None
        and target.data.ptr == x.data.ptr
        and target.dtype == x.dtype
        and target.shape == x.shape
        and bool(target.flags.c_contiguous)
    )
