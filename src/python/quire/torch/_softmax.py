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
from ._operators import LIBRARY, register
from ._tensors import is_unobserved, named, refuse_tangents


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


def formula(g: Tensor, y: Tensor, dim: int, is_log: bool) -> Tensor:
    """The gradient, of elements of one format: y (g - sum of g y), or g - softmax times the sum of g. Has one."""
    if is_log:
        return g - y.exp() * torch.ops.quire.sum(g, [dim], True)
    return y * (g - torch.ops.quire.vecdot(g, y, dim).unsqueeze(dim))


def of_formula(g: Tensor, y: Tensor, dim: int, is_log: bool) -> Tensor:
    """Of tensors of any format, and of no dimension."""
    shape, dtype = y.shape, y.dtype
    g, y = working(g), working(y)
    if y.ndim == 0:
        g, y = g.reshape(1), y.reshape(1)
    return formula(g, y, one_dim(dim, y.ndim), is_log).reshape(shape).to(dtype)


def gradient(g: Tensor, y: Tensor, dim: int, is_log: bool) -> Tensor:
    fused = None if y.ndim == 0 or y.numel() == 0 else _fused.softmax_gradient(g, y, one_dim(dim, y.ndim), is_log)
    return of_formula(g, y, dim, is_log).contiguous() if fused is None else fused


def gradient_fake(g: Tensor, y: Tensor, dim: int, is_log: bool) -> Tensor:
    return y.new_empty(y.shape)


# It has no gradient of its own: where one is asked for, it is not called.
LIBRARY.define(
    "softmax_gradient(Tensor g, Tensor y, int dim, bool is_log) -> Tensor", tags=(torch.Tag.pt2_compliant_tag,)
)
for _device in ("CPU", "CUDA"):
    LIBRARY.impl("softmax_gradient", gradient, _device)
torch.library.register_fake("quire::softmax_gradient", gradient_fake, lib=LIBRARY)


def backward_of(is_log: bool) -> Any:
    def backward(ctx: Any, g: Tensor) -> tuple[Any, ...]:
        (y,) = ctx.saved_tensors
        way: Any = torch.ops.quire.softmax_gradient
        if torch.is_grad_enabled():
            way = of_formula
        elif is_unobserved(g, y):
            way = gradient
        return way(g, y, ctx.dim, is_log), None

    return backward


def setup(ctx: Any, inputs: tuple[Any, ...], output: Tensor, keyword_only_inputs: Any = None) -> None:
    _, ctx.dim = inputs
    ctx.save_for_backward(output)


def function_of(is_log: bool) -> Any:
    """The same for tensors that nobody but autograd observes, without the dispatcher."""

    class Softmax(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Tensor, dim: int) -> Tensor:
            y = forward(x, dim, is_log)
            ctx.dim = dim
            ctx.save_for_backward(y)
            return y

        backward = staticmethod(backward_of(is_log))

    return Softmax


def fake(x: Tensor, dim: int) -> Tensor:
    one_dim(dim, x.ndim)
    return x.new_empty(x.shape)


def defined(name: str, is_log: bool) -> Any:
    """Defines an operator, and gives the way of any tensor to its result."""

    def kernel(x: Tensor, dim: int) -> Tensor:
        return forward(x, dim, is_log)

    register(f"{name}(Tensor x, int dim) -> Tensor", kernel, fake, backward_of(is_log), setup)
    function = function_of(is_log)

    def way(x: Tensor, dim: int) -> Any:
        if not is_unobserved(x):
            refuse_tangents(name, x)
            return getattr(torch.ops.quire, name)(x, dim)
        return function.apply(x, dim) if x.requires_grad and torch.is_grad_enabled() else forward(x, dim, is_log)

    return way


_softmax, _log_softmax = defined("softmax", False), defined("log_softmax", True)


def softmax(x: Tensor, dim: int = -1, *, dtype: Any = None) -> Tensor:
    """`torch.softmax`: exp(x - max(x)) / sum(exp(x - max(x))), whose sum is correctly rounded.

    dtype: x is converted to it first. In float, or in double if x is; rounded to the type of x at the end. A row has
    the bits that it has alone, whatever the batch.

    >>> import torch, quire.torch
    >>> quire.torch.softmax(torch.tensor([[0.0, 0.0], [-torch.inf, 1.0]]))
    tensor([[0.5000, 0.5000],
            [0.0000, 1.0000]])
    """
    result: Tensor = _softmax(x if dtype is None else x.to(named(dtype, "softmax")), dim)
    return result


def log_softmax(x: Tensor, dim: int = -1, *, dtype: Any = None) -> Tensor:
    """`torch.log_softmax`: x - max(x) - log(sum(exp(x - max(x)))). As `softmax`."""
    result: Tensor = _log_softmax(x if dtype is None else x.to(named(dtype, "log_softmax")), dim)
    return result
