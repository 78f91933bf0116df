"""torch.ops.quire.segment_sum: sums of the rows of a tensor from one offset to the next."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .._types import SUM
from ._by_key import reduce_gathered
from ._launch import reduce_segments, result_of
from ._operators import LIBRARY, WORDS, register


def kernel(
    x: Tensor,
    offsets: Tensor,
    *,
    dtype: torch.dtype | None = None,
    method: str = "exact",
    rounding: str = "nearest",
) -> Tensor:
    """Sums of x[offsets[s]:offsets[s + 1]]; on CUDA offsets outside of x are moved to its ends, unseen."""
    name = "segment_sum"
    if x.ndim == 0:
        raise ValueError(f"quire.{name}: x must have at least one dimension")
    if offsets.ndim != 1 or offsets.numel() == 0:
        raise ValueError(f"quire.{name}: offsets must have one dimension and one element more than there are segments")
    if offsets.dtype not in (torch.int32, torch.int64):
        raise TypeError(f"quire.{name}: offsets of a tensor must be int32 or int64, not {offsets.dtype}")
    if offsets.device != x.device:
        raise ValueError(f"quire.{name}: x is on {x.device}, offsets on {offsets.device}")
    n = x.shape[0]
    if x.is_cpu and bool(((offsets < 0) | (offsets > n)).any()):
        raise ValueError(f"quire.{name}: offsets must lie in [0, {n}], the size of x")
    if x.is_cuda:
        offsets = offsets.clamp(0, n)
    offsets = offsets.contiguous()
    if x.ndim == 1:
        return reduce_segments(name, SUM, x.contiguous(), offsets, dtype, method, rounding)
    return reduce_gathered(name, SUM, x, offsets, 0, dtype, method, rounding)


def fake(x: Tensor, offsets: Tensor, *, dtype: torch.dtype | None = None, **words: Any) -> Tensor:
    return x.new_empty([offsets.shape[0] - 1, *x.shape[1:]], dtype=result_of("segment_sum", SUM, x.dtype, dtype))


def setup(ctx: Any, inputs: tuple[Any, ...], output: Tensor, keyword_only_inputs: Any = None) -> None:
    x, offsets = inputs
    ctx.dtype, ctx.n = x.dtype, x.shape[0]
    ctx.save_for_backward(offsets)


def segments_of(offsets: Tensor, n: int) -> Tensor:
    """The segment of each of n rows, the last one that begins at it or before; as many as there are if none has it."""
    if offsets.is_cpu and bool((offsets[1:] < offsets[:-1]).any()):
        raise NotImplementedError("torch.ops.quire.segment_sum has a gradient only where offsets never fall")
    rows = torch.arange(n, device=offsets.device, dtype=offsets.dtype)
    found = torch.searchsorted(offsets, rows, right=True) - 1
    return torch.where(found < 0, offsets.shape[0] - 1, found)


def segments_of_fake(offsets: Tensor, n: int) -> Tensor:
    return offsets.new_empty([n], dtype=torch.int64)


def backward(ctx: Any, g: Tensor) -> tuple[Any, ...]:
    """A row's gradient is that of its segment; a row of zeros stands for none."""
    (offsets,) = ctx.saved_tensors
    padded = torch.cat((g.to(ctx.dtype), g.new_zeros((1, *g.shape[1:]), dtype=ctx.dtype)))
    return torch.ops.quire.index_select(padded, 0, torch.ops.quire.segments_of(offsets, ctx.n)), None


LIBRARY.define("segments_of(Tensor offsets, SymInt n) -> Tensor", tags=(torch.Tag.pt2_compliant_tag,))
for _device in ("CPU", "CUDA"):
    LIBRARY.impl("segments_of", segments_of, _device)
torch.library.register_fake("quire::segments_of", segments_of_fake, lib=LIBRARY)
register(
    f"segment_sum(Tensor x, Tensor offsets, *, ScalarType? dtype=None, {WORDS}) -> Tensor",
    kernel,
    fake,
    backward,
    setup,
)
