"""Reductions of what a mask selects of a tensor, and the operator that autograd, compilers and vmap see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from .. import _foreign, _masks
from ._launch import reduce, reduce_segments, result_of
from ._operators import WORDS, register, shape_of


def on_device(
    name: str,
    operation: int,
    x: Tensor,
    mask: Tensor,
    axis: Any,
    dtype: torch.dtype | None,
    keepdims: bool,
    method: str,
    rounding: str,
    correction: int,
) -> Tensor:
    """The reduction on a device, by PyTorch's words."""

    def all_of(t: Tensor) -> Tensor:
        return reduce(name, operation, (t,), axis, keepdims, dtype, method, rounding, correction)

    def segments(t: Tensor, offsets: Tensor) -> Tensor:
        return reduce_segments(name, operation, t, offsets, dtype, method, rounding, correction)

    found: Tensor = _masks.reduce(
        torch, torch.permute, operation, x.resolve_neg(), mask, axis, keepdims, method, all_of, segments
    )
    return found


def kernel(
    x: Tensor,
    mask: Tensor,
    name: str,
    operation: int,
    dim: Sequence[int] | None = None,
    keepdim: bool = False,
    *,
    dtype: torch.dtype | None = None,
    method: str = "exact",
    rounding: str = "nearest",
    correction: int = 0,
) -> Tensor:
    axis, dtype = None if dim is None else tuple(dim), result_of(name, operation, x.dtype, dtype)
    if x.is_cuda:
        return on_device(name, operation, x, mask, axis, dtype, keepdim, method, rounding, correction)
    found: Tensor = _foreign.selected(
        name, operation, x, mask, None, axis, dtype, keepdim, method, rounding, correction
    )
    return found


def fake(
    x: Tensor,
    mask: Tensor,
    name: str,
    operation: int,
    dim: Sequence[int] | None = None,
    keepdim: bool = False,
    *,
    dtype: torch.dtype | None = None,
    **words: Any,
) -> Tensor:
    return x.new_empty(shape_of(x, dim, keepdim), dtype=result_of(name, operation, x.dtype, dtype))


def backward(ctx: Any, g: Tensor) -> tuple[Any, ...]:
    raise NotImplementedError("torch.ops.quire.where has no gradient: pass x.detach()")


register(
    "where(Tensor x, Tensor mask, str name, int operation, int[]? dim=None, bool keepdim=False, *, "
    f"ScalarType? dtype=None, {WORDS}, int correction=0) -> Tensor",
    kernel,
    fake,
    backward,
    lambda ctx, inputs, keyword_only_inputs, output: None,
)
