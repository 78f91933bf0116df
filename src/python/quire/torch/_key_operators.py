"""torch.ops.quire: group_sum and index_select, each the other's gradient; so scatter_add and gather; index_add."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .._types import SUM
from . import _scatter
from ._by_key import keys_of, one_dim, reduce_by_key, refuse_outside, sum_with
from ._launch import result_of
from ._operators import WORDS, register

Context = Any


def same_kind(x: Tensor, source: Tensor, name: str) -> None:
    if source.dtype != x.dtype or source.device != x.device:
        raise ValueError(
            f"quire.{name}: x has {x.dtype}, {x.device}; source {source.dtype}, {source.device}: they must be the same"
        )


# ------------------------------------------------------------------------------------------ rows that share a key


def group_sum(
    x: Tensor,
    keys: Tensor,
    groups: int,
    dim: int = 0,
    *,
    dtype: torch.dtype | None = None,
    method: str = "exact",
    rounding: str = "nearest",
) -> Tensor:
    keys = keys_of(keys, x, "group_sum")
    refuse_outside(keys, groups, "group_sum")
    return reduce_by_key("group_sum", SUM, x, keys, groups, one_dim(dim, x.ndim), dtype, method, rounding)


def group_sum_fake(
    x: Tensor, keys: Tensor, groups: int, dim: int = 0, *, dtype: torch.dtype | None = None, **words: Any
) -> Tensor:
    a = one_dim(dim, x.ndim)
    return x.new_empty([*x.shape[:a], groups, *x.shape[a + 1 :]], dtype=result_of("group_sum", SUM, x.dtype, dtype))


def group_sum_setup(ctx: Context, inputs: tuple[Any, ...], output: Tensor, keyword_only_inputs: Any = None) -> None:
    x, keys, _, ctx.dim = inputs
    ctx.dtype = x.dtype
    ctx.save_for_backward(keys)


def group_sum_backward(ctx: Context, g: Tensor) -> tuple[Any, ...]:
    (keys,) = ctx.saved_tensors
    return torch.ops.quire.index_select(g.to(ctx.dtype), ctx.dim, keys), None, None, None


def index_select(x: Tensor, dim: int, index: Tensor) -> Tensor:
    index, a = keys_of(index, x, "index_select"), one_dim(dim, x.ndim)
    if not x.is_cpu:
        return rows_or_zero(x, a, index)
    refuse_outside(index, x.shape[a], "index_select")
    return x.index_select(a, index)


def rows_or_zero(x: Tensor, a: int, index: Tensor) -> Tensor:
    """Rows of x; those that an index outside of x names are 0."""
    n = x.shape[a]
    if n == 0:
        return x.new_zeros(index_select_fake(x, a, index).shape)
    inside = ((index >= 0) & (index < n)).view([-1 if b == a else 1 for b in range(x.ndim)])
    return x.index_select(a, index.clamp(0, n - 1)).masked_fill(~inside, 0)


def index_select_fake(x: Tensor, dim: int, index: Tensor) -> Tensor:
    a = one_dim(dim, x.ndim)
    return x.new_empty([*x.shape[:a], index.shape[0], *x.shape[a + 1 :]])


def index_select_setup(ctx: Context, inputs: tuple[Any, ...], output: Tensor, keyword_only_inputs: Any = None) -> None:
    x, ctx.dim, index = inputs
    ctx.groups = x.shape[one_dim(ctx.dim, x.ndim)]
    ctx.save_for_backward(index)


def index_select_backward(ctx: Context, g: Tensor) -> tuple[Any, ...]:
    (index,) = ctx.saved_tensors
    return torch.ops.quire.group_sum(g, index, ctx.groups, ctx.dim), None, None


# ------------------------------------------------------------------------------------------------------- index_add


def index_add(x: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: int | float = 1) -> Tensor:
    same_kind(x, source, "index_add")
    index, a = keys_of(index, x, "index_add"), one_dim(dim, x.ndim)
    if source.shape != index_select_fake(x, dim, index).shape:
        raise ValueError(
            f"quire.index_add: x has shape {tuple(x.shape)}, source {tuple(source.shape)}, which does not fit an index "
            f"of {index.numel()} along {a}"
        )
    refuse_outside(index, x.shape[a], "index_add")
    return sum_with("index_add", x, index, source, a, alpha)


def index_add_fake(x: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: int | float = 1) -> Tensor:
    return x.new_empty(x.shape)


def index_add_setup(ctx: Context, inputs: tuple[Any, ...], output: Tensor, keyword_only_inputs: Any = None) -> None:
    _, ctx.dim, index, _ = inputs
    ctx.alpha = keyword_only_inputs.get("alpha", 1)
    ctx.save_for_backward(index)


def index_add_backward(ctx: Context, g: Tensor) -> tuple[Any, ...]:
    (index,) = ctx.saved_tensors
    rows = torch.ops.quire.index_select(g, ctx.dim, index)
    return g, None, None, rows if ctx.alpha == 1 else rows * ctx.alpha


# ------------------------------------------------------------------------------------------------- a key an element


def checked_index(x: Tensor, dim: int, index: Tensor, source: Tensor | None, name: str) -> tuple[Tensor, int]:
    if index.dtype not in (torch.int32, torch.int64) or index.device != x.device:
        raise TypeError(
            f"quire.{name}: index must be int32 or int64 on {x.device}, not {index.dtype} on {index.device}"
        )
    a = one_dim(dim, x.ndim)
    if not _scatter.fits(x, a, index, source):
        sizes = tuple(x.shape) if source is None else f"{tuple(x.shape)}, source {tuple(source.shape)}"
        raise ValueError(f"quire.{name}: index has shape {tuple(index.shape)}, which does not fit x, of {sizes}")
    refuse_outside(index, x.shape[a], name)
    return index, a


def scatter_add(x: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    same_kind(x, source, "scatter_add")
    if x.ndim == 0:
        return scatter_add(x.view(1), dim, index.view(-1), source.view(-1)).view(())
    index, a = checked_index(x, dim, index, source, "scatter_add")
    return _scatter.scattered("scatter_add", x, a, index, source)


def scatter_add_fake(x: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    return x.new_empty(x.shape)


def scatter_add_setup(ctx: Context, inputs: tuple[Any, ...], output: Tensor, keyword_only_inputs: Any = None) -> None:
    _, ctx.dim, index, source = inputs
    ctx.shape = source.shape
    ctx.save_for_backward(index)


def scatter_add_backward(ctx: Context, g: Tensor) -> tuple[Any, ...]:
    (index,) = ctx.saved_tensors
    rows = torch.ops.quire.gather(g, ctx.dim, index)
    after = [side for size, more in zip(index.shape, ctx.shape, strict=True) for side in (more - size, 0)]
    if any(after):  # elements of the source that the index does not speak of
        rows = torch.nn.functional.pad(rows, after[::-1])
    return g, None, None, rows


def gather(x: Tensor, dim: int, index: Tensor) -> Tensor:
    if x.ndim == 0:
        return gather(x.view(1), dim, index.view(-1)).view(index.shape)
    index, a = checked_index(x, dim, index, None, "gather")
    return torch.gather(x, a, index.long()) if x.is_cpu else elements_or_zero(x, a, index)


def elements_or_zero(x: Tensor, a: int, index: Tensor) -> Tensor:
    """Elements of x; 0 where the index is outside."""
    n = x.shape[a]
    if n == 0:
        return x.new_zeros(index.shape)
    inside = (index >= 0) & (index < n)
    return torch.gather(x, a, index.long().clamp(0, n - 1)).masked_fill(~inside, 0)


def gather_fake(x: Tensor, dim: int, index: Tensor) -> Tensor:
    return x.new_empty(index.shape)


def gather_setup(ctx: Context, inputs: tuple[Any, ...], output: Tensor, keyword_only_inputs: Any = None) -> None:
    x, ctx.dim, index = inputs
    ctx.shape = x.shape
    ctx.save_for_backward(index)


def gather_backward(ctx: Context, g: Tensor) -> tuple[Any, ...]:
    (index,) = ctx.saved_tensors
    return torch.ops.quire.scatter_add(g.new_zeros(ctx.shape), ctx.dim, index, g), None, None


register(
    f"group_sum(Tensor x, Tensor keys, SymInt groups, int dim=0, *, ScalarType? dtype=None, {WORDS}) -> Tensor",
    group_sum,
    group_sum_fake,
    group_sum_backward,
    group_sum_setup,
)
register(
    "index_select(Tensor x, int dim, Tensor index) -> Tensor",
    index_select,
    index_select_fake,
    index_select_backward,
    index_select_setup,
)
register(
    "index_add(Tensor x, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor",
    index_add,
    index_add_fake,
    index_add_backward,
    index_add_setup,
)
register(
    "scatter_add(Tensor x, int dim, Tensor index, Tensor source) -> Tensor",
    scatter_add,
    scatter_add_fake,
    scatter_add_backward,
    scatter_add_setup,
)
register("gather(Tensor x, int dim, Tensor index) -> Tensor", gather, gather_fake, gather_backward, gather_setup)
