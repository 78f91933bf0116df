"""Running sums of tensors: torch.ops.quire.cumsum, whose gradient is a running sum from the other end."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .._quire import ffi, lib
from .._types import SUM, fail
from ._by_key import as_block, layout_of, one_dim
from ._launch import context_of, result_of, room, settled, what_of
from ._operators import register
from ._tensors import check, into, refuse_tangents, wanted


def kernel(
    x: Tensor, dim: int, reverse: bool = False, *, dtype: torch.dtype | None = None, rounding: str = "nearest"
) -> Tensor:
    name = "cumsum"
    dtype = result_of(name, SUM, x.dtype, dtype)
    what = what_of(name, SUM, x.dtype, dtype, "exact", rounding, 0)
    a = one_dim(dim, x.ndim)
    context = context_of(x, name)
    results = room(name, SUM, x, x.shape, dtype)
    if x.numel():
        block = as_block((x if x.ndim else x.view(1)).resolve_neg(), a)
        sums = torch.empty(block.shape, device="meta")  # how contiguous results lie
        itemsizes = block.itemsize, results.nbytes // x.numel()
        layouts, starts = [layout_of(block), layout_of(sums)], [block.data_ptr(), results.data_ptr()]
        if reverse:  # from the last element, by the negative stride
            for i, layout in enumerate(layouts):
                starts[i] += (layout.n - 1) * layout.stride * itemsizes[i]
                layout.stride = -layout.stride
        at, to = (ffi.cast("void *", start) for start in starts)
        status = lib.quire_scan(context, what, 0, layouts[0], at, layouts[1], to)
        if status:
            fail(status, name)
    return settled(results, name, SUM, x, dtype)


def fake(x: Tensor, dim: int, reverse: bool = False, *, dtype: torch.dtype | None = None, **words: Any) -> Tensor:
    one_dim(dim, x.ndim)
    return x.new_empty(x.shape, dtype=result_of("cumsum", SUM, x.dtype, dtype))


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
    from the other end, as exact. Of integers and bools results are int64, or of an integer dtype that is named, with an
    OverflowError if one does not fit. A device is waited for to see that, unless no sum of so many elements can
    overflow; so a CUDA graph captures only such sums, and those in a floating-point dtype.

    >>> import torch, quire.torch
    >>> quire.torch.cumsum(torch.tensor([1e8, 1.0, -1e8]), 0)
    tensor([1.0000e+08, 1.0000e+08, 1.0000e+00])
    """
    refuse_tangents("cumsum", x)
    return torch.ops.quire.cumsum(x, dim, dtype=wanted("cumsum", SUM, x, dtype), rounding=rounding)


def running(name: str, x: Tensor, axis: int | None, dtype: Any, out: Any, rounding: str, initial: bool) -> Tensor:
    """quire.cumsum and quire.cumulative_sum of a tensor. Without an axis, of all its elements."""
    check(x, name)
    refuse_tangents(name, x)
    dtype = wanted(name, SUM, x, dtype, out)
    if axis is None:
        x, axis = x.reshape(-1), 0
    results: Tensor = torch.ops.quire.cumsum(x, axis, dtype=dtype, rounding=rounding)
    if initial:
        one = [1 if a == axis % x.ndim else size for a, size in enumerate(x.shape)]
        results = torch.cat((results.new_zeros(one), results), axis)
    return results if out is None else into(results, out, name)
