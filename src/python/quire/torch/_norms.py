"""RMS and layer norm: mean, variance, sum of squares, and the sums in the gradients are correctly rounded.

Elements are floats, or doubles where x is of doubles: x itself, its statistics, roots, quotients and products, each
rounded once as IEEE 754 has it. The result is rounded to the type of x. A row has the bits that it has alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import torch
from torch import Tensor

from .._types import MEAN, VARIANCE
from . import _fused
from ._launch import code, reduce
from ._operators import register
from ._softmax import working
from ._tensors import refuse_tangents

SUMSQ = 8  # of quire_operation

Stats = tuple[Tensor, Tensor]


def checked(x: Tensor, shape: Sequence[int], weight: Tensor | None, bias: Tensor | None, name: str) -> None:
    code(x.dtype, name)
    if len(shape) == 0 or tuple(x.shape[x.ndim - len(shape) :]) != tuple(shape):
        raise ValueError(f"quire.{name}: x has shape {tuple(x.shape)}, which does not end in {tuple(shape)}")
    for word, t in (("weight", weight), ("bias", bias)):
        if t is not None and tuple(t.shape) != tuple(shape):
            raise ValueError(f"quire.{name}: {word} has shape {tuple(t.shape)}, not {tuple(shape)}")
        if t is not None and t.device != x.device:
            raise ValueError(f"quire.{name}: x is on {x.device}, {word} on {t.device}")


def matrix(x: Tensor, shape: Sequence[int]) -> Tensor:
    """The rows that are normalised, as those of a matrix."""
    n = prod(shape)
    return x.reshape(prod(x.shape[: x.ndim - len(shape)]), n)


def row_of(weight: Tensor | None, like: Tensor) -> Tensor | None:
    return None if weight is None else weight.reshape(-1).to(like.dtype)


def smallest(x: Tensor) -> float:
    """PyTorch's eps where none is given: that of the format worked in."""
    return float(torch.finfo(torch.float64 if x.dtype == torch.float64 else torch.float32).eps)


def over(t: Tensor, n: int) -> Tensor:
    """A quotient. By a number PyTorch would multiply by its rounded inverse, on a device."""
    return t / t.new_full((), max(n, 1))


def root_of(t: Tensor) -> Tensor:
    """Correctly rounded roots. PyTorch's on a CPU are Intel MKL's, which are not."""
    if not t.is_cpu:
        return t.sqrt()
    with np.errstate(invalid="ignore"):
        return torch.from_numpy(np.sqrt(t.numpy()))


# ------------------------------------------------------------------------------------------------------------- RMS


def rms_kernel(x: Tensor, shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None) -> Tensor:
    checked(x, shape, weight, None, "rms_norm")
    eps = smallest(x) if eps is None else eps
    rows = matrix(x, shape)
    if rows.numel() == 0:
        return torch.empty_like(x, memory_format=torch.contiguous_format)
    fused = _fused.rms_norm(rows, None if weight is None else weight.reshape(-1), eps)
    if fused is not None:
        return fused.view(x.shape)
    v = working(rows)
    squares = reduce("rms_norm", SUMSQ, (v,), (1,), True, None, "exact", "nearest")
    y = v / root_of(over(squares, rows.shape[1]) + eps)
    w = row_of(weight, v)
    return (y if w is None else y * w).to(x.dtype).contiguous().view(x.shape)


def rms_gradients(
    g: Tensor, x: Tensor, shape: Sequence[int], weight: Tensor | None, eps: float
) -> tuple[Tensor, Tensor | None]:
    """Of x and weight."""
    v, g = working(matrix(x, shape)), working(matrix(g, shape))
    n, w = v.shape[1], row_of(weight, v)
    root = (over(torch.ops.quire.vecdot(v, v, -1).unsqueeze(1), n) + eps).sqrt()
    unit = v / root
    h = g if w is None else g * w
    gx = (h - unit * over(torch.ops.quire.vecdot(h, unit, -1).unsqueeze(1), n)) / root
    gw = torch.ops.quire.vecdot(g, unit, 0).reshape(shape).to(weight.dtype) if weight is not None else None
    return gx.reshape(x.shape).to(x.dtype), gw


def rms_fake(x: Tensor, shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None) -> Tensor:
    return x.new_empty(x.shape)


def rms_setup(ctx: Any, inputs: tuple[Any, ...], output: Tensor, keyword_only_inputs: Any = None) -> None:
    x, ctx.shape, weight, eps = inputs
    ctx.eps = smallest(x) if eps is None else eps
    ctx.save_for_backward(x, weight)


def rms_backward(ctx: Any, g: Tensor) -> tuple[Any, ...]:
    x, weight = ctx.saved_tensors
    gx, gw = rms_gradients(g, x, ctx.shape, weight, ctx.eps)
    return gx, None, gw, None


# ----------------------------------------------------------------------------------------------------------- layer


def layer_stats(x: Tensor, shape: Sequence[int], eps: float) -> Stats:
    """The mean of each row, and the root of its variance and eps, in the format worked in."""
    v = working(matrix(x, shape))
    mean = reduce("layer_norm", MEAN, (v,), (1,), True, None, "exact", "nearest")
    variance = reduce("layer_norm", VARIANCE, (v,), (1,), True, None, "exact", "nearest")
    return mean, root_of(variance + eps)


def layer_from(
    x: Tensor, shape: Sequence[int], weight: Tensor | None, bias: Tensor | None, mean: Tensor, root: Tensor
) -> Tensor:
    v = working(matrix(x, shape))
    y, w, b = (v - mean) / root, row_of(weight, v), row_of(bias, v)
    y = y if w is None else y * w
    y = y if b is None else y + b
    return y.to(x.dtype).contiguous().view(x.shape)


def layer_kernel(
    x: Tensor,
    shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    checked(x, shape, weight, bias, "layer_norm")
    if x.numel() == 0:
        return torch.empty_like(x, memory_format=torch.contiguous_format)
    return layer_from(x, shape, weight, bias, *layer_stats(x, shape, eps))


def layer_gradients(
    g: Tensor, v: Tensor, mean: Tensor, root: Tensor, w: Tensor | None, wanted: Sequence[bool]
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    """Of x, weight and bias, of matrices of the format worked in."""
    unit = (v - mean) / root
    h, gx = g if w is None else g * w, None
    if wanted[0]:
        along = unit * over(torch.ops.quire.vecdot(h, unit, -1).unsqueeze(1), v.shape[1])
        gx = (h - torch.ops.quire.mean(h, [1], True) - along) / root
    gw = torch.ops.quire.vecdot(g, unit, 0) if wanted[1] else None
    return gx, gw, torch.ops.quire.sum(g, [0]) if wanted[2] else None


def layer_fake(
    x: Tensor, shape: Sequence[int], weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    return x.new_empty(x.shape)


def layer_setup(ctx: Any, inputs: tuple[Any, ...], output: Tensor, keyword_only_inputs: Any = None) -> None:
    x, ctx.shape, weight, bias, ctx.eps = inputs
    ctx.bias_dtype = None if bias is None else bias.dtype
    ctx.save_for_backward(x, weight)


def layer_backward(ctx: Any, g: Tensor) -> tuple[Any, ...]:
    x, weight = ctx.saved_tensors
    v, g = working(matrix(x, ctx.shape)), working(matrix(g, ctx.shape))
    mean = torch.ops.quire.mean(v, [1], True)
    root = (torch.ops.quire.var(v, [1], True) + ctx.eps).sqrt()
    needed = (*ctx.needs_input_grad, False, False)  # it has none for defaults
    wanted = needed[0], needed[2], needed[3]
    gx, gw, gb = layer_gradients(g, v, mean, root, row_of(weight, v), wanted)
    return (
        None if gx is None else gx.reshape(x.shape).to(x.dtype),
        None,
        None if gw is None else gw.reshape(ctx.shape).to(weight.dtype),
        None if gb is None else gb.reshape(ctx.shape).to(ctx.bias_dtype),
        None,
    )


register(
    "rms_norm(Tensor x, SymInt[] shape, Tensor? weight=None, float? eps=None) -> Tensor",
    rms_kernel,
    rms_fake,
    rms_backward,
    rms_setup,
)
register(
    "layer_norm(Tensor x, SymInt[] shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-5) -> Tensor",
    layer_kernel,
    layer_fake,
    layer_backward,
    layer_setup,
)


def as_shape(normalized_shape: int | Sequence[int]) -> list[int]:
    return [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)


def rms_norm(
    x: Tensor, normalized_shape: int | Sequence[int], weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """`torch.nn.functional.rms_norm`: x / sqrt(sum(x**2) / n + eps) * weight, whose sum is correctly rounded.

    The sum is rounded once, then come n, eps, the root, the quotient and the weight, with a rounding each, in float, or
    in double if x is. Without eps it is the epsilon of that format.

    >>> import torch, quire.torch
    >>> quire.torch.rms_norm(torch.tensor([[3.0, 4.0, 0.0, 0.0]]), 4)
    tensor([[1.2000, 1.6000, 0.0000, 0.0000]])
    """
    refuse_tangents("rms_norm", x)
    return torch.ops.quire.rms_norm(x, as_shape(normalized_shape), weight, eps)


def layer_norm(
    x: Tensor,
    normalized_shape: int | Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """`torch.nn.functional.layer_norm`: (x - mean) / sqrt(variance + eps) * weight + bias.

    Mean and variance are each correctly rounded, all else is rounded step by step as in `rms_norm`.
    """
    refuse_tangents("layer_norm", x)
    return torch.ops.quire.layer_norm(x, as_shape(normalized_shape), weight, bias, eps)
