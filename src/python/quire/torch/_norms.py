"""RMS and layer norm: mean, variance, sum of squares, and the sums in the gradients are correctly rounded.

Elements are floats, or doubles where x is of doubles: x itself, its statistics, roots, quotients and products, each
rounded once as IEEE 754 has it. The result is rounded to the type of x. A row has the bits that it has alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import torch
from torch import Tensor

from .._types import MEAN, VARIANCE
from . import _fused
from ._launch import code, reduce
from ._norm_gradients import backward, kept, matrix, over, register_gradient, root_of, row_of
from ._operators import LIBRARY, register
from ._softmax import working
from ._tensors import is_unobserved, refuse_tangents

SUMSQ = 8  # of quire_operation

register_gradient()


def checked(x: Tensor, shape: Sequence[int], weight: Tensor | None, bias: Tensor | None, name: str) -> None:
    code(x.dtype, name)
    shape = tuple(shape)
    if len(shape) == 0 or x.shape[-len(shape) :] != shape:
        raise ValueError(f"quire.{name}: x has shape {tuple(x.shape)}, which does not end in {shape}")
    for word, t in (("weight", weight), ("bias", bias)):
        if t is None:
            continue
        if t.shape != shape:
            raise ValueError(f"quire.{name}: {word} has shape {tuple(t.shape)}, not {shape}")
        if t.device != x.device:
            raise ValueError(f"quire.{name}: x is on {x.device}, {word} on {t.device}")


def smallest(x: Tensor) -> float:
    """PyTorch's eps where none is given: that of the format worked in."""
    return float(torch.finfo(torch.float64 if x.dtype == torch.float64 else torch.float32).eps)


def statistics(v: Tensor, eps: float, has_mean: bool) -> tuple[Tensor | None, Tensor]:
    """The mean of each row, and 1 / root of its variance and eps; or, without mean, of its mean square and eps."""

    def of(name: str, operation: int) -> Tensor:
        return reduce(name, operation, (v,), (1,), True, None, "exact", "nearest")

    if has_mean:
        return of("layer_norm", MEAN), root_of(of("layer_norm", VARIANCE) + eps).reciprocal()
    return None, root_of(over(of("rms_norm", SUMSQ), v.shape[1]) + eps).reciprocal()


def norm(
    x: Tensor,
    shape: Sequence[int],
    weight: Tensor | None,
    bias: Tensor | None,
    eps: float,
    has_mean: bool,
    keep: bool = True,
) -> tuple[Tensor, Tensor | None, Tensor]:
    """The norm, and the statistics of each row: these are anything where they are not to be kept."""
    checked(x, shape, weight, bias, "layer_norm" if has_mean else "rms_norm")
    if x.numel() == 0:
        none = x.new_empty(prod(x.shape[: x.ndim - len(shape)]), dtype=working(x).dtype)
        return torch.empty_like(x, memory_format=torch.contiguous_format), none if has_mean else None, none
    fused = _fused.norm(x, prod(shape), weight, bias, eps, has_mean, keep)
    if fused is not None:
        return fused if has_mean else (fused[0], None, fused[2])
    v = working(matrix(x, shape))
    w, b = row_of(weight, v), row_of(bias, v)
    mean, inverse = statistics(v, eps, has_mean)
    y = (v if mean is None else v - mean) * inverse
    y = y if w is None else y * w
    y = y if b is None else y + b
    return (
        y.to(x.dtype).contiguous().view(x.shape),
        None if mean is None else mean.view(-1),
        inverse.view(-1),
    )


def kernel(
    x: Tensor, shape: Sequence[int], weight: Tensor | None, bias: Tensor | None, eps: float, has_mean: bool
) -> tuple[Tensor, Tensor, Tensor]:
    y, mean, inverse = norm(x, shape, weight, bias, eps, has_mean)
    return y, inverse.new_empty(0) if mean is None else mean, inverse


def fake(
    x: Tensor, shape: Sequence[int], weight: Tensor | None, bias: Tensor | None, eps: float, has_mean: bool
) -> tuple[Tensor, Tensor, Tensor]:
    dtype = torch.float64 if x.dtype == torch.float64 else torch.float32
    inverse = x.new_empty(prod(x.shape[: x.ndim - len(shape)]), dtype=dtype)
    return x.new_empty(x.shape), torch.empty_like(inverse) if has_mean else inverse.new_empty(0), inverse


def setup(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...], keyword_only_inputs: Any = None) -> None:
    kept(ctx, inputs, output[1], output[2])


class Norm(torch.autograd.Function):  # type: ignore[misc]
    """The same for tensors that nobody but autograd observes, without the dispatcher."""

    @staticmethod
    def forward(ctx: Any, *inputs: Any) -> Tensor:
        y, mean, inverse = norm(*inputs)
        kept(ctx, inputs, mean, inverse)
        return y

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Any, ...]:
        return backward(ctx, g)


register(
    "norm(Tensor x, SymInt[] shape, Tensor? weight, Tensor? bias, float eps, bool has_mean) -> "
    "(Tensor, Tensor, Tensor)",
    kernel,
    fake,
    backward,
    setup,
)


def rms_operator(x: Tensor, shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None) -> Tensor:
    result: Tensor = torch.ops.quire.norm(x, shape, weight, None, smallest(x) if eps is None else eps, False)[0]
    return result


def layer_operator(
    x: Tensor, shape: Sequence[int], weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    result: Tensor = torch.ops.quire.norm(x, shape, weight, bias, eps, True)[0]
    return result


for _schema, _operator in (
    ("rms_norm(Tensor x, SymInt[] shape, Tensor? weight=None, float? eps=None) -> Tensor", rms_operator),
    (
        "layer_norm(Tensor x, SymInt[] shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-5) -> Tensor",
        layer_operator,
    ),
):
    LIBRARY.define(_schema, tags=(torch.Tag.pt2_compliant_tag,))
    LIBRARY.impl(_schema.partition("(")[0], _operator, "CompositeImplicitAutograd")


def requires_gradient(x: Tensor, weight: Tensor | None, bias: Tensor | None) -> bool:
    return x.requires_grad or (weight is not None and weight.requires_grad) or (bias is not None and bias.requires_grad)


def of_any(
    x: Tensor, shape: int | Sequence[int], weight: Tensor | None, bias: Tensor | None, eps: float, has_mean: bool
) -> Tensor:
    """By the short way, if nobody observes the tensors; else by the operator."""
    shape = [shape] if isinstance(shape, int) else list(shape)
    if not is_unobserved(x, weight, bias):
        refuse_tangents("layer_norm" if has_mean else "rms_norm", x)
        result: Tensor = torch.ops.quire.norm(x, shape, weight, bias, eps, has_mean)[0]
    elif torch.is_grad_enabled() and requires_gradient(x, weight, bias):
        result = Norm.apply(x, shape, weight, bias, eps, has_mean)
    else:
        result = norm(x, shape, weight, bias, eps, has_mean, False)[0]
    return result


def rms_norm(
    x: Tensor, normalized_shape: int | Sequence[int], weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """`torch.nn.functional.rms_norm`: x * (1 / sqrt(sum(x**2) / n + eps)) * weight, whose sum is correctly rounded.

    The sum is rounded once, then come n, eps, the root, its inverse, the product and the weight, with a rounding each,
    in float, or in double if x is. Without eps it is the epsilon of that format.

    >>> import torch, quire.torch
    >>> quire.torch.rms_norm(torch.tensor([[3.0, 4.0, 0.0, 0.0]]), 4)
    tensor([[1.2000, 1.6000, 0.0000, 0.0000]])
    """
    return of_any(x, normalized_shape, weight, None, smallest(x) if eps is None else eps, False)


def layer_norm(
    x: Tensor,
    normalized_shape: int | Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """`torch.nn.functional.layer_norm`: (x - mean) * (1 / sqrt(variance + eps)) * weight + bias.

    Mean and variance are each correctly rounded, all else is rounded step by step as in `rms_norm`.
    """
    return of_any(x, normalized_shape, weight, bias, eps, True)
