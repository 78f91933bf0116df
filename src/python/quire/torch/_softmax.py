"""Softmax and its logarithm: the sums, of the denominator and in the gradients, are correctly rounded.

Elements and exponentials are floats, or doubles where x is of doubles; each is a function of its own row.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .._types import SUM
from . import _fused
from ._by_key import one_dim
from ._launch import code, reduce
from ._operators import register
from ._tensors import named, refuse_tangents


def working(x: Tensor) -> Tensor:
    """x in the format that is worked in."""
    return x if x.dtype == torch.float64 else x.float()


def forward(x: Tensor, dim: int, is_log: bool) -> Tensor:
    name = "log_softmax" if is_log else "softmax"
    code(x.dtype, name)
    a = one_dim(dim, x.ndim)
    if x.numel() == 0 or x.ndim == 0:
        return x.new_empty(x.shape) if x.numel() == 0 else forward(x.view(1), 0, is_log).view(())
    fused = _fused.softmax(x, a, is_log)
    if fused is not None:
        return fused
    v = working(x)
    v = v - v.amax(a, keepdim=True)
    e = v.exp()
    total = reduce(name, SUM, (e,), a, True, None, "exact", "nearest")
    return (v - total.log() if is_log else e / total).to(x.dtype).contiguous()


def softmax_kernel(x: Tensor, dim: int) -> Tensor:
    return forward(x, dim, False)


def log_softmax_kernel(x: Tensor, dim: int) -> Tensor:
    return forward(x, dim, True)


def fake(x: Tensor, dim: int) -> Tensor:
    one_dim(dim, x.ndim)
    return x.new_empty(x.shape)


def setup(ctx: Any, inputs: tuple[Any, ...], output: Tensor, keyword_only_inputs: Any = None) -> None:
    _, ctx.dim = inputs
    ctx.save_for_backward(output)


def softmax_gradient(g: Tensor, y: Tensor, dim: int) -> Tensor:
    """Of elements of one format: y (g - sum of g y)."""
    total = torch.ops.quire.vecdot(g, y, dim).unsqueeze(dim)
    return y * (g - total)


def log_softmax_gradient(g: Tensor, y: Tensor, dim: int) -> Tensor:
    """g - softmax times the sum of g."""
    total = torch.ops.quire.sum(g, [dim], True)
    return g - y.exp() * total


def of_one(gradient: Any, g: Tensor, y: Tensor, dim: int) -> Tensor:
    """A gradient of tensors of any format, and of no dimension."""
    shape, dtype = y.shape, y.dtype
    g, y = working(g), working(y)
    if y.ndim == 0:
        g, y = g.reshape(1), y.reshape(1)
    result: Tensor = gradient(g, y, one_dim(dim, y.ndim)).reshape(shape).to(dtype)
    return result


def softmax_backward(ctx: Any, g: Tensor) -> tuple[Any, ...]:
    (y,) = ctx.saved_tensors
    return of_one(softmax_gradient, g, y, ctx.dim), None


def log_softmax_backward(ctx: Any, g: Tensor) -> tuple[Any, ...]:
    (y,) = ctx.saved_tensors
    return of_one(log_softmax_gradient, g, y, ctx.dim), None


register("softmax(Tensor x, int dim) -> Tensor", softmax_kernel, fake, softmax_backward, setup)
register("log_softmax(Tensor x, int dim) -> Tensor", log_softmax_kernel, fake, log_softmax_backward, setup)


def softmax(x: Tensor, dim: int = -1, *, dtype: Any = None) -> Tensor:
    """`torch.softmax`: exp(x - max(x)) / sum(exp(x - max(x))), whose sum is correctly rounded.

    dtype: x is converted to it first. In float, or in double if x is; rounded to the type of x at the end. A row has
    the bits that it has alone, whatever the batch.

    >>> import torch, quire.torch
    >>> quire.torch.softmax(torch.tensor([[0.0, 0.0], [-torch.inf, 1.0]]))
    tensor([[0.5000, 0.5000],
            [0.0000, 1.0000]])
    """
    refuse_tangents("softmax", x)
    return torch.ops.quire.softmax(x if dtype is None else x.to(named(dtype, "softmax")), dim)


def log_softmax(x: Tensor, dim: int = -1, *, dtype: Any = None) -> Tensor:
    """`torch.log_softmax`: x - max(x) - log(sum(exp(x - max(x)))). As `softmax`."""
    refuse_tangents("log_softmax", x)
    return torch.ops.quire.log_softmax(x if dtype is None else x.to(named(dtype, "log_softmax")), dim)
