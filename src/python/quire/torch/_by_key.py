"""Sums by key of tensors: the way to the library, on the CPU and on the current stream of a device."""

from __future__ import annotations

from math import prod
from typing import Any

import torch
from torch import Tensor

from .._layout import normalized
from .._quire import ffi, lib
from .._types import DOT, I32, I64, SUM, fail
from ._launch import INTEGERS, NULL, WHOLE, context_of, result_of, room, settled, what_of

ALIGNMENT = 256  # of the library's workspace


def address(t: Tensor) -> Any:
    return ffi.cast("void *", t.data_ptr())


def keys_of(keys: Tensor, x: Tensor, name: str) -> Tensor:
    """Keys as the library reads them: integers of 32 or 64 bits, side by side, on the device of x."""
    if keys.dtype not in INTEGERS:
        raise TypeError(f"quire.{name}: keys must be integers, not {keys.dtype}")
    if keys.device != x.device:
        raise ValueError(f"quire.{name}: x is on {x.device}, keys on {keys.device}")
    if keys.dtype not in (torch.int32, torch.int64):
        keys = keys.long()
    return keys.contiguous()


def refuse_outside(keys: Tensor, groups: int, name: str) -> None:
    """On the CPU. A device's keys are not read, for that would wait."""
    if keys.is_cpu and keys.numel():
        least, most = keys.aminmax()
        if least < 0 or most >= groups:
            raise ValueError(f"quire.{name}: keys must lie in [0, {groups})")


def one_dim(dim: int, ndim: int) -> int:
    """A dimension counted from the first; a tensor of no dimension has one."""
    (found,) = normalized(dim, max(ndim, 1))
    return found


def as_block(x: Tensor, dim: int) -> Tensor:
    """x with what is before a dimension as one, and what is behind it; a copy only where there is no such view."""
    return x.reshape(prod(x.shape[:dim]), x.shape[dim], prod(x.shape[dim + 1 :]))


def layout_of(block: Tensor) -> Any:
    layout = ffi.new("quire_layout *")
    layout.outer, layout.n, layout.inner = block.shape
    layout.outer_stride, layout.stride, layout.inner_stride = block.stride()
    return layout


def workspace(size: int, x: Tensor, name: str) -> Tensor:
    """Memory of that many bytes on the device of x. PyTorch gives it away behind what the stream does with it."""
    if size == 0:
        raise MemoryError(f"quire.{name}: more than memory holds")
    space = x.new_empty(size + ALIGNMENT, dtype=torch.uint8)
    return space[-space.data_ptr() % ALIGNMENT :]


def reduce_by_key(
    name: str,
    operation: int,
    x: Tensor,
    keys: Tensor,
    groups: int,
    dim: int,
    dtype: torch.dtype | None = None,
    method: str = "exact",
    rounding: str = "nearest",
    correction: int = 0,
    factors: Tensor | None = None,
) -> Tensor:
    """Reduces the rows of x along dim, each of which has a key of keys_of; keys outside of [0, groups) have no group.

    factors: with DOT, of the type of x: one for each row, whose elements are multiplied by it, or for each element;
    with AVERAGE they are weights.
    """
    if groups < 0:
        raise ValueError(f"quire.{name}: groups must not be negative")
    if x.ndim == 0 or keys.shape != (x.shape[dim],):
        raise ValueError(
            f"quire.{name}: x has shape {tuple(x.shape)}, keys have {tuple(keys.shape)}: not one for each row"
        )
    dtype = result_of(name, operation, x.dtype, dtype)
    what = what_of(name, operation, x.dtype, dtype, method, rounding, correction)
    context = context_of(x, name)
    block = as_block(x.resolve_neg(), dim)
    layout = layout_of(block)
    results = room(name, operation, x, (*x.shape[:dim], groups, *x.shape[dim + 1 :]), dtype)
    index = I64 if keys.dtype == torch.int64 else I32
    y_layout, y = NULL, NULL
    if factors is not None:
        is_of_elements = factors.shape == x.shape and x.ndim > 1
        y_layout = layout_of(
            as_block(factors, dim) if is_of_elements else factors.reshape(1, -1, 1).expand(block.shape)
        )
        y = address(factors)
    size = lib.quire_by_key_workspace(context, what, groups, index, layout)
    space = workspace(size, x, name)
    status = lib.quire_reduce_by_key(
        context,
        what,
        groups,
        index,
        address(keys),
        layout,
        address(block),
        y_layout,
        y,
        address(results),
        NULL,
        address(space),
        size,
    )
    if status:
        fail(status, name)
    return settled(results, name, operation, x, dtype)


def reduce_gathered(
    name: str,
    operation: int,
    x: Tensor,
    offsets: Tensor,
    dim: int,
    dtype: torch.dtype | None,
    method: str,
    rounding: str,
    correction: int = 0,
) -> Tensor:
    """Reduces the rows x[offsets[s]:offsets[s + 1]] of x along dim. Offsets lie within x."""
    dtype = result_of(name, operation, x.dtype, dtype)
    what = what_of(name, operation, x.dtype, dtype, method, rounding, correction)
    context = context_of(x, name)
    block = as_block(x.resolve_neg(), dim)
    segments = offsets.numel() - 1
    results = room(name, operation, x, (*x.shape[:dim], segments, *x.shape[dim + 1 :]), dtype)
    status = lib.quire_reduce_gathered(
        context,
        what,
        segments,
        I64 if offsets.dtype == torch.int64 else I32,
        address(offsets),
        ffi.cast("void *", offsets.data_ptr() + offsets.itemsize),
        NULL,
        layout_of(block),
        address(block),
        NULL,
        NULL,
        NULL,
        address(results),
    )
    if status:
        fail(status, name)
    return settled(results, name, operation, x, dtype)


def sum_with(
    name: str,
    x: Tensor,
    keys: Tensor,
    source: Tensor,
    dim: int,
    alpha: int | float = 1,
    operation: int = SUM,
    own: Tensor | None = None,
) -> Tensor:
    """x plus alpha times the rows of source that have the key of each of its rows, rounded once; of the dtype of x.

    own: keys of the rows of x, in place of their numbers.
    """
    if x.dtype in WHOLE:
        refuse_factor(x.dtype, alpha, name)
    groups = x.shape[dim]
    if own is None:
        own = torch.arange(groups, dtype=keys.dtype, device=x.device)
    factors, rows, all_keys = None, [x, source], [own, keys]
    if alpha == -1 and x.dtype == torch.int64:  # which has no products; -x is ~x + 1, where -(-2**63) would wrap
        rows, all_keys = [x, ~source, torch.ones_like(source)], [own, keys, keys]
    elif alpha == -1 and x.is_floating_point() and x.itemsize > 1:  # PyTorch negates no 8-bit formats
        rows = [x, -source]
    elif alpha != 1:
        operation = DOT
        factors = torch.cat((x.new_ones(groups), x.new_full((keys.numel(),), alpha)))
    words = name, operation, torch.cat(rows, dim), torch.cat(all_keys), groups, dim, x.dtype
    return reduce_by_key(*words, factors=factors)


def refuse_factor(dtype: torch.dtype, alpha: int | float, name: str) -> None:
    """Of integers: what would not be one, and what the library has no exact products for."""
    if dtype == torch.bool:
        raise TypeError(f"quire.{name}: sums of bools are none: x must be of integers, as x.long() is")
    if not isinstance(alpha, int):
        raise TypeError(f"quire.{name}: of {dtype} alpha must be an integer, not {alpha!r}")
    limits = torch.iinfo(dtype)
    if not limits.min <= alpha <= limits.max:
        raise ValueError(f"quire.{name}: {dtype} does not hold alpha, {alpha}")
    if dtype.itemsize == 8 and alpha not in (-1, 1):
        raise TypeError(f"quire.{name}: of {dtype} alpha must be 1 or -1, since products of 64 bits are beyond 64 bits")
