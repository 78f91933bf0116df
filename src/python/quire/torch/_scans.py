"""Running sums of tensors: torch.ops.quire.cumsum, whose gradient is a running sum from the other end."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .._quire import ffi, lib
from .._types import SUM, fail
from ._by_key import address, as_block, layout_of, one_dim
from ._launch import checked_out, code, context_of, what_of
from ._operators import register
from ._tensors import check, into, named, refuse_tangents


def kernel(
    x: Tensor, dim: int, reverse: bool = False, *, dtype: torch.dtype | None = None, rounding: str = "nearest"
) -> Tensor:
    name = "cumsum"
    code(x.dtype, name)  # which refuses integers, whose sums would have 128 bits
    what = what_of(name, SUM, x.dtype, dtype, "exact", rounding, 0)
    a = one_dim(dim, x.ndim)
    results = torch.empty_like(x, dtype=dtype, memory_format=torch.contiguous_format)
    if x.numel() == 0:
        return results
    context = context_of(x, name)
    block = as_block((x if x.ndim else x.view(1)).resolve_neg(), a)
    sums = as_block(results if x.ndim else results.view(1), a)
    layouts = [layout_of(block), layout_of(sums)]
    starts = [address(block), address(sums)]
    if reverse:  # from the last element, by the negative stride
        for i, (t, layout) in enumerate(zip((block, sums), layouts, strict=True)):
            starts[i] = ffi.cast("void *", t.data_ptr() + (t.shape[1] - 1) * t.stride(1) * t.itemsize)
            layout.stride = -layout.stride
    status = lib.quire_scan(context, what, 0, layouts[0], starts[0], layouts[1], starts[1])
    if status:
        fail(status, name)
    return results


def fake(x: Tensor, dim: int, reverse: bool = False, *, dtype: torch.dtype | None = None, **words: Any) -> Tensor:
    one_dim(dim, x.ndim)
    return x.new_empty(x.shape, dtype=dtype or x.dtype)


def setup(ctx: Any, inputs: tuple[Any, ...], output: Tensor, keyword_only_inputs: Any = None) -> None:
    x, ctx.dim, ctx.reverse = inputs
    ctx.dtype = x.dtype


def backward(ctx: Any, g: Tensor) -> tuple[Any, ...]:
    return torch.ops.quire.cumsum(g, ctx.dim, not ctx.reverse, dtype=ctx.dtype), None, None


register(
    "cumsum(Tensor x, int dim, bool reverse=False, *, ScalarType? dtype=None, str rounding='nearest') -> Tensor",
    kernel,
    fake,
    backward,
    setup,
)


def cumsum(x: Tensor, dim: int, *, dtype: Any = None, rounding: str = "nearest") -> Tensor:
    """`torch.cumsum`, each of whose results is the correctly rounded sum of the elements up to it.

    dtype: of the results, to which each sum is rounded once; x is not converted before. The gradient is the running sum
    from the other end, as exact.

    >>> import torch, quire.torch
    >>> quire.torch.cumsum(torch.tensor([1e8, 1.0, -1e8]), 0)
    tensor([1.0000e+08, 1.0000e+08, 1.0000e+00])
    """
    refuse_tangents("cumsum", x)
    return torch.ops.quire.cumsum(x, dim, dtype=None if dtype is None else named(dtype, "cumsum"), rounding=rounding)


def running(name: str, x: Tensor, axis: int | None, dtype: Any, out: Any, rounding: str, initial: bool) -> Tensor:
    """quire.cumsum and quire.cumulative_sum of a tensor. Without an axis, of all its elements."""
    check(x, name)
    refuse_tangents(name, x)
    dtype = None if dtype is None else named(dtype, name)
    if out is not None:
        dtype = checked_out(out, x, dtype, name)
    if axis is None:
        x, axis = x.reshape(-1), 0
    results: Tensor = torch.ops.quire.cumsum(x, axis, dtype=dtype, rounding=rounding)
    if initial:
        results = torch.cat((torch.zeros_like(results.narrow(axis, 0, 1)), results), axis)
    return results if out is None else into(results, out, name)
