"""Groups of rows on a CUDA device, sorted once by keys of CuPy or JAX. Nothing is waited for."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from . import _arrays, _jax
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
from ._cupy_keys import address, block_layout, on_device, room_of, weighted, weights_of
from ._foreign import refuse_out
from ._groups import GroupsOnDevice, refuse_where
from ._keys import index_type
from ._layout import normalized, one_axis
from ._quire import ffi, lib
from ._reduce import checked_shape
from ._types import fail, number_of, reduction

NULL = ffi.NULL


class DeviceGroups(GroupsOnDevice):
    """As Groups, of keys on a device: so are ``keys`` and ``counts``, CuPy's. Keys outside belong to no group."""

    def __init__(self, keys: Any, groups: Any):
        if _jax.is_jax(keys):
            with _jax.lent("groupby", keys) as (taken, _held):
                self._sort(taken[0], groups)
        else:
            cp = cupy("groupby", keys)
            self._sort(keys if isinstance(keys, cp.ndarray) else cp.from_dlpack(keys), groups)

    def _sort(self, keys: Any, groups: Any) -> None:
        name, cp = "groupby", cupy("groupby", keys)
        with keys.device:
            index, self._groups = on_device(cp, keys, groups, keys, name)
            self._n, self._sorted = index.size, cp.empty(index.size, index.dtype)
            self._ends = cp.empty(self._groups + 1, index.dtype)
            context = context_of(cp, keys.device.id, name)
            size = lib.quire_order_workspace(context, self._groups, index_type(index), index.size)
            _memory, room = room_of(cp, size, name)
            status = lib.quire_order_by_key(
                context,
                self._groups,
                index_type(index),
                index.size,
                address(index),
                address(self._sorted),
                address(self._ends),
                room,
                size,
            )
            if status:
                fail(status, name)
            self.keys = cp.arange(self._groups)
            self.counts = (self._ends[1:] - self._ends[:-1]).astype(np.int64)

    def _reduce(
        self,
        name: str,
        operation: int,
        x: Any,
        axis: Any,
        dtype: Any,
        out: Any,
        method: str,
        rounding: str,
        where: Any,
        correction: int = 0,
        weights: Any = None,
    ) -> Any:
        refuse_where(name, where)
        if not (_arrays.is_foreign(x) and _arrays.is_on_cuda(x)) or _arrays.is_tensor(x):
            raise TypeError(f"quire.{name}: the groups are of arrays on a device, x is a {type(x).__name__}")
        if _jax.is_jax(x):
            refuse_out(name, out, x)
            way = partial(self._reduce, name, operation)
            return _jax.through(name, way, x, axis, dtype, None, method, rounding, where, correction, weights)
        a = operand(x, name)
        cp = cupy(name, a)
        if weights is not None:
            a, weights = weighted(a, weights, name)
        same_device(a, self._sorted, name, "keys")
        (along,) = normalized(one_axis(axis, name), a.ndim)
        if a.shape[along] != self._n:
            raise ValueError(f"quire.{name}: x has {a.shape[along]} rows along the axis, but there are {self._n} keys")
        target, wanted = results_for(out, dtype, a, name, operation)
        shape = (*a.shape[:along], self._groups, *a.shape[along + 1 :])
        checked_shape(target, shape, name)
        what = reduction(operation, number_of(a.dtype), result_code(wanted), method, rounding, correction)
        with a.device:
            rows = cp.ascontiguousarray(a)
            y_layout, y, _held = weights_of(cp, weights, a.shape, along, name)
            results = place(cp, target, shape, wanted, (a, self._sorted))
            status = lib.quire_reduce_gathered(
                context_of(cp, a.device.id, name),
                what,
                self._groups,
                index_type(self._sorted),
                address(self._ends),
                address(self._ends, self._ends.dtype.itemsize),
                address(self._sorted),
                block_layout(a.shape, along),
                address(rows),
                NULL if weights is None else address(self._sorted),
                y_layout,
                y,
                address(results),
            )
            if status:
                fail(status, name)
            results = settled(results, wanted, a, operation, name)
            return returned(delivered(results, target, out), x, a, out)
