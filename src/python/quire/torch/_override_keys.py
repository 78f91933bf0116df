"""PyTorch's own sums by key, and running sums, made exact. None: PyTorch's own kernel has it, be it with an error."""

from __future__ import annotations

from typing import Any, TypeAlias

import torch
from torch import Tensor

from .._types import DOT, MEAN, SUM
from . import _scatter
from ._by_key import one_dim, reduce_by_key, sum_with
from ._launch import CODES, WHOLE

Maybe: TypeAlias = "Tensor | None"
KEYS = (torch.int32, torch.int64)
BAG_SUM, BAG_MEAN = 0, 1


def is_inside(index: Tensor, n: int) -> bool:
    """On the CPU, where PyTorch raises an error for others; a device's are not read."""
    if not index.is_cpu or index.numel() == 0:
        return True
    least, most = index.aminmax()
    return bool(least >= 0 and most < n)


def is_alike(x: Tensor, index: Tensor, source: Tensor, dim: int) -> bool:
    return (
        x.dtype in CODES
        and x.dtype == source.dtype
        and index.dtype in KEYS
        and x.device == index.device == source.device
        and -max(x.ndim, 1) <= dim < max(x.ndim, 1)
        and x.layout == index.layout == source.layout == torch.strided
    )


def index_add(x: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Maybe:
    if not is_alike(x, index, source, dim) or x.ndim == 0 or index.ndim > 1 or isinstance(alpha, complex):
        return None
    a, index = one_dim(dim, x.ndim), index.reshape(-1)
    if source.shape != (*x.shape[:a], index.numel(), *x.shape[a + 1 :]) or not is_inside(index, x.shape[a]):
        return None
    return sum_with("index_add", x, index.contiguous(), source, a, alpha)


def scattered(
    name: str, x: Tensor, dim: int, index: Tensor, source: Tensor, operation: int, include_self: bool
) -> Maybe:
    if not is_alike(x, index, source, dim) or x.ndim == 0:
        return None
    a = one_dim(dim, x.ndim)
    if not _scatter.fits(x, a, index, source) or not is_inside(index, x.shape[a]):
        return None
    return _scatter.scattered(name, x, a, index, source, operation, include_self)


def scatter_add(x: Tensor, dim: int, index: Tensor, source: Tensor) -> Maybe:
    return scattered("scatter_add", x, dim, index, source, SUM, True)


def scatter_reduce(
    x: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Maybe:
    operation = {"sum": SUM, "mean": MEAN}.get(reduce)
    return None if operation is None else scattered("scatter_reduce", x, dim, index, source, operation, include_self)


def bincount(x: Tensor, weights: Maybe = None, minlength: int = 0) -> Maybe:
    """PyTorch's waits for the device too, to know how many results there are."""
    if weights is None or x.ndim != 1 or weights.shape != x.shape or x.dtype not in KEYS or minlength < 0:
        return None
    if weights.dtype not in (*CODES, *WHOLE) or weights.device != x.device:
        return None
    most = int(x.max()) if x.numel() else -1
    if x.numel() and int(x.min()) < 0:
        return None
    dtype = torch.float32 if weights.dtype == torch.float32 else torch.float64
    return reduce_by_key("bincount", SUM, weights, x.contiguous(), max(most + 1, minlength), 0, dtype)


def weighted(name: str, g: Tensor, keys: Tensor, groups: int, factors: Maybe) -> Tensor:
    """Sums by key of rows, each times its factor."""
    keys, operation = keys.contiguous(), SUM if factors is None else DOT
    return reduce_by_key(name, operation, g, keys, groups, 0, factors=factors)


def embedding_dense_backward(
    g: Tensor, indices: Tensor, num_weights: int, padding_idx: int, scale_grad_by_freq: bool
) -> Maybe:
    if g.dtype not in CODES or indices.dtype not in KEYS or scale_grad_by_freq or g.ndim != indices.ndim + 1:
        return None
    keys = indices.reshape(-1)
    if not is_inside(keys, num_weights):
        return None
    keys = torch.where(keys == padding_idx, -1, keys)
    return weighted("embedding", g.reshape(-1, g.shape[-1]), keys, num_weights, None)


def embedding_bag_dense_backward(
    g: Tensor,
    indices: Tensor,
    offset2bag: Tensor,
    bag_size: Tensor,
    maximum_indices: Tensor,
    num_weights: int,
    scale_grad_by_freq: bool,
    mode: int,
    per_sample_weights: Maybe,
    padding_idx: int = -1,
) -> Maybe:
    """The gradient of each bag goes to its rows; of a mean, over the bag's size, one rounded factor for each row."""
    if g.dtype not in CODES or indices.dtype not in KEYS or scale_grad_by_freq or mode not in (BAG_SUM, BAG_MEAN):
        return None
    if not is_inside(indices, num_weights) or (mode == BAG_MEAN and per_sample_weights is not None):
        return None
    bags = offset2bag.long()
    rows, factors = g.index_select(0, bags), per_sample_weights
    if mode == BAG_MEAN:
        rows = rows / bag_size.index_select(0, bags).clamp(min=1).to(g.dtype).unsqueeze(1)
    if factors is not None:
        factors = factors.to(g.dtype).contiguous()
    keys = torch.where(indices == padding_idx, -1, indices)
    return weighted("embedding_bag", rows, keys, num_weights, factors)


def cumsum(x: Tensor, dim: int, *, dtype: torch.dtype | None = None) -> Maybe:
    wanted = dtype or x.dtype
    if wanted not in CODES or x.is_complex() or not -max(x.ndim, 1) <= dim < max(x.ndim, 1):
        return None
    return torch.ops.quire.cumsum(x if x.dtype in CODES else x.to(wanted), dim, dtype=wanted)


def in_place(of: Any) -> Any:
    """The same to x itself."""

    def kernel(x: Tensor, *arguments: Any, **words: Any) -> Maybe:
        results = of(x, *arguments, **words)
        if results is None or results.dtype != x.dtype:
            return None
        return torch.ops.aten.copy_(x, results)

    return kernel


def with_out(of: Any) -> Any:
    """The same to out, which PyTorch resizes, or warns of."""

    def kernel(x: Tensor, *arguments: Any, out: Tensor, **words: Any) -> Maybe:
        if out.device != x.device:
            return None
        results = of(x, *arguments, **words)
        if results is None or results.dtype != out.dtype:
            return None
        return torch.ops.aten.clone.out(results, out=out)

    return kernel


def cumsum_out(x: Tensor, dim: int, *, dtype: torch.dtype | None = None, out: Tensor) -> Maybe:
    return with_out(cumsum)(x, dim, dtype=dtype or out.dtype, out=out)


OVERRIDES = {
    "index_add": index_add,
    "index_add_": in_place(index_add),
    "index_add.out": with_out(index_add),
    "scatter_add": scatter_add,
    "scatter_add_": in_place(scatter_add),
    "scatter_add.out": with_out(scatter_add),
    "scatter_reduce.two": scatter_reduce,
    "scatter_reduce_.two": in_place(scatter_reduce),
    "scatter_reduce.two_out": with_out(scatter_reduce),
    "bincount": bincount,
    "embedding_dense_backward": embedding_dense_backward,
    "_embedding_bag_dense_backward": embedding_bag_dense_backward,
    "cumsum": cumsum,
    "cumsum_": in_place(cumsum),
    "cumsum.out": cumsum_out,
}
