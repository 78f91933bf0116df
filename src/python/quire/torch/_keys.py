"""quire.torch's sums by key, under PyTorch's names and with its arguments."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .._arrays import refuse_gradient
from .._keys import index_of, numbered
from .._layout import integer, one_axis
from .._types import SUM
from . import (
    _key_operators,  # noqa: F401  # which makes torch.ops.quire
    _tensors,
)
from ._by_key import keys_of, one_dim, reduce_by_key, refuse_outside
from ._tensors import check, into, refuse_tangents, wanted


def group_sum(
    x: Tensor,
    keys: Tensor,
    groups: int | None = None,
    dim: int = 0,
    *,
    dtype: Any = None,
    method: str = "exact",
    rounding: str = "nearest",
) -> Tensor:
    """The sum of the rows of x along dim that have each key, from 0 to groups - 1.

    x: numbers; keys: integers, one for each row. groups: without it, one more than the greatest key, which a
    device would have to be waited for: there it must be given. dtype, method, rounding: as `quire.sum` has them. A key
    outside is a ValueError on the CPU, and on a device its row belongs to no group. The gradient is that of each row's
    group. Sums of integers and bools are as those of `quire.torch.cumsum`.

    >>> import torch, quire.torch
    >>> quire.torch.group_sum(torch.tensor([1e16, 0.5, 1.0, -1e16]).double(), torch.tensor([1, 0, 1, 1]), 3)
    tensor([0.5000, 1.0000, 0.0000], dtype=torch.float64)
    """
    refuse_tangents("group_sum", x)
    dtype = wanted("group_sum", SUM, x, dtype)
    groups = found_groups(keys, groups, "group_sum")
    return torch.ops.quire.group_sum(x, keys, groups, dim, dtype=dtype, method=method, rounding=rounding)


def found_groups(keys: Tensor, groups: int | None, name: str) -> int:
    if groups is not None:
        return integer(groups) if not isinstance(groups, torch.SymInt) else groups
    if not keys.is_cpu:
        raise ValueError(f"quire.{name}: on a device groups must be given, since nothing waits for the keys")
    return int(keys.max()) + 1 if keys.numel() else 0


def index_select(x: Tensor, dim: int, index: Tensor) -> Tensor:
    """`torch.index_select`, whose gradient, a sum by key, is correctly rounded whatever the order.

    An index outside is a ValueError on the CPU; on a device its row is 0.
    """
    refuse_tangents("index_select", x)
    return torch.ops.quire.index_select(x, dim, index)


def index_add(x: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: int | float = 1) -> Tensor:
    """`torch.index_add`: x plus alpha times the rows of source, each of which goes to the row of x that index names.

    x, what is added to it and the products with alpha are one exact sum, which is rounded once. alpha is rounded to the
    type of x first. An index outside is a ValueError on the CPU; on a device its row is left out.

    Integers are added exactly, with an OverflowError if a result does not fit the dtype of x. To see that a device is
    waited for, but of int64 only if so many elements can overflow. alpha is an integer of the dtype of x; of int64 and
    uint64 1 or, of int64, -1.

    >>> import torch, quire.torch
    >>> x, rows = torch.tensor([1.0, 2.0]), torch.tensor([1e8, -1e8])
    >>> quire.torch.index_add(x, 0, torch.tensor([0, 0]), rows)
    tensor([1., 2.])
    """
    refuse_tangents("index_add", x, source)
    return torch.ops.quire.index_add(x, dim, index, source, alpha=alpha)


def scatter_add(x: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """`torch.scatter_add`: index has a key for each element of source that it speaks of.

    x is in the sum, which is rounded once. Keys outside, and integers, are as in `index_add`.
    """
    refuse_tangents("scatter_add", x, source)
    return torch.ops.quire.scatter_add(x, dim, index, source)


def gather(x: Tensor, dim: int, index: Tensor) -> Tensor:
    """`torch.gather`, whose gradient is a `scatter_add`. Where an index is outside on a device, the result is 0."""
    refuse_tangents("gather", x)
    return torch.ops.quire.gather(x, dim, index)


def bincount(x: Tensor, weights: Tensor | None = None, minlength: int = 0, *, groups: int | None = None) -> Tensor:
    """`torch.bincount`, whose sums of weights are correctly rounded, and have a gradient.

    groups: how many results, in place of minlength; on a device it must be given, and numbers outside are left out.
    Sums of float32 weights are float32, of others, integers too, float64, as PyTorch has them.
    """
    if x.ndim != 1 or (weights is not None and weights.shape != x.shape):
        raise ValueError("quire.bincount: x must have one dimension, and weights its shape")
    least = integer(minlength) if groups is None else 0
    groups = found_groups(x, groups, "bincount")
    if weights is None:
        ones = torch.ones_like(x, dtype=torch.float64)
        return torch.ops.quire.group_sum(ones, keys_of(x, ones, "bincount"), max(groups, least)).long()
    refuse_tangents("bincount", weights)
    dtype = torch.float32 if weights.dtype == torch.float32 else torch.float64
    return torch.ops.quire.group_sum(weights, x, max(groups, least), dtype=dtype)


def segment_sum(
    x: Tensor, offsets: Any, *, dtype: Any = None, method: str = "exact", rounding: str = "nearest"
) -> Tensor:
    """The sum of the rows x[offsets[s]:offsets[s + 1]] of each segment, element by element: `quire.segment_sum`.

    offsets never fall where a gradient is wanted. Those of a tensor are not read on a device, where what lies outside
    is moved to the ends. Sums of integers and bools are as those of `quire.torch.cumsum`.

    >>> import torch, quire.torch
    >>> quire.torch.segment_sum(torch.tensor([[1e8, 1.0], [1.0, 2.0], [-1e8, 3.0]]), [0, 3, 3])
    tensor([[1., 6.],
            [0., 0.]])
    """
    results: Tensor = _tensors.segment_sum(x, offsets, dtype, None, method, rounding)
    return results


def weighted(x: Tensor, weights: Any, dim: int, name: str) -> tuple[Tensor, Tensor]:
    """x and its weights, of one dtype: one for each row, or for each element."""
    if not isinstance(weights, Tensor) or weights.device != x.device:
        raise TypeError(f"quire.{name}: weights must be a tensor on {x.device}, as x is")
    check(weights, name)
    refuse_gradient(weights, name)
    n = x.shape[dim]
    if weights.shape not in (x.shape, (n,)):
        raise ValueError(
            f"quire.{name}: weights of shape {tuple(weights.shape)} are neither of the shape of x, {tuple(x.shape)}, "
            f"nor one for each of {n} rows"
        )
    x, weights = _tensors.promoted(x, weights, name)
    return x, weights.resolve_neg().contiguous()


def by_key(
    name: str,
    operation: int,
    x: Tensor,
    keys: Any,
    groups: Any,
    axis: Any,
    dtype: Any,
    out: Any,
    method: str,
    rounding: str,
    correction: int,
    weights: Any = None,
) -> Tensor:
    """quire.group_sum and its sisters of a tensor. Keys that are no tensor are checked, and sent to its device."""
    check(x, name)
    refuse_tangents(name, x)
    a = one_dim(one_axis(axis, name), x.ndim)
    if operation != SUM:
        refuse_gradient(x, name)
    if weights is not None:
        x, weights = weighted(x, weights, a, name)
    dtype = wanted(name, operation, x, dtype, out)
    if not isinstance(keys, Tensor):
        codes, groups, _ = numbered(keys, groups, name)
        keys = torch.from_numpy(index_of(codes, groups).copy()).to(x.device)
    groups = found_groups(keys, groups, name)
    if operation == SUM:
        results = torch.ops.quire.group_sum(x, keys, groups, a, dtype=dtype, method=method, rounding=rounding)
    else:
        keys = keys_of(keys, x, name)
        refuse_outside(keys, groups, name)
        results = reduce_by_key(name, operation, x, keys, groups, a, dtype, method, rounding, correction, weights)
    return results if out is None else into(results, out, name)
