"""Tensors with a key for each element: where an element goes, and sums of those that go to one place."""

from __future__ import annotations

import torch
from torch import Tensor

from .._types import SUM
from ._by_key import sum_with


def places(shape: torch.Size, dim: int, index: Tensor) -> Tensor:
    """The place of each element of the index in a contiguous tensor of that shape; -1 where the index is outside."""
    inside = (index >= 0) & (index < shape[dim])
    place, step = torch.zeros_like(index, dtype=torch.int64), 1
    for a in reversed(range(len(shape))):
        along = [1] * len(shape)
        along[a] = index.shape[a]
        at = index if a == dim else torch.arange(index.shape[a], device=index.device).view(along)
        place += at * step
        step *= shape[a]
    return torch.where(inside, place, -1)


def fits(x: Tensor, dim: int, index: Tensor, source: Tensor | None) -> bool:
    """Whether an index names places of x, and elements of a source."""
    if x.ndim != index.ndim or (source is not None and source.ndim != x.ndim):
        return False
    sizes = zip(index.shape, x.shape, index.shape if source is None else source.shape, strict=True)
    return all(i <= s and (a == dim or i <= n) for a, (i, n, s) in enumerate(sizes))


def cut(source: Tensor, index: Tensor) -> Tensor:
    """The elements of a source that an index speaks of."""
    for a, size in enumerate(index.shape):
        if source.shape[a] != size:
            source = source.narrow(a, 0, size)
    return source


def repeated(x: Tensor, dim: int, index: Tensor) -> Tensor | None:
    """The keys of whole rows, if that is what an index has, as where it was expanded; else None."""
    for a in range(x.ndim):
        if a != dim and (index.shape[a] != x.shape[a] or (index.shape[a] > 1 and index.stride(a) != 0)):
            return None
    if any(size == 0 for size in index.shape):
        return None
    for a in reversed(range(x.ndim)):
        if a != dim:
            index = index.select(a, 0)
    return index.contiguous()


def scattered(
    name: str, x: Tensor, dim: int, index: Tensor, source: Tensor, operation: int = SUM, include_self: bool = True
) -> Tensor:
    """x with the elements of source added (or their mean taken) where the index says; each result is rounded once.

    include_self: whether what stands in such a place counts. An index outside has no place.
    """
    source, rows = cut(source, index), repeated(x, dim, index)
    if rows is not None:
        own = None if include_self else unless_taken(x.shape[dim], rows)
        return sum_with(name, x, rows, source, dim, 1, operation, own)
    flat, keys = x.reshape(-1), places(x.shape, dim, index).reshape(-1)
    own = None if include_self else unless_taken(flat.numel(), keys)
    return sum_with(name, flat, keys, source.reshape(-1), 0, 1, operation, own).view(x.shape)


def unless_taken(n: int, keys: Tensor) -> Tensor:
    """The numbers of n places, with -1 in place of those that the keys name."""
    own = torch.arange(n + 1, dtype=keys.dtype, device=keys.device)
    inside = (keys >= 0) & (keys < n)
    own[torch.where(inside, keys, n).long()] = -1
    return own[:n]
