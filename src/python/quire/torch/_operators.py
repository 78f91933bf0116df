"""The operators torch.ops.quire.*: on tensors in place, with shapes for the compiler and with gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from .._layout import normalized
from .._types import ASUM, DOT, MEAN, NRM2, STDDEV, SUM, VARIANCE
from ._launch import reduce, result_of

LIBRARY = torch.library.Library("quire", "DEF")
DIMS = "Tensor x, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None"
WORDS = "str method='exact', str rounding='nearest'"


def shape_of(x: Tensor, dim: Sequence[int] | None, keepdim: bool) -> list[Any]:
    """The shape of results."""
    reduced = normalized(None if dim is None else tuple(dim), x.ndim)
    return [1 if a in reduced else size for a, size in enumerate(x.shape) if keepdim or a not in reduced]


def register(
    schema: str,
    kernel: Callable[..., Any],
    fake: Callable[..., Any],
    backward: Callable[..., Any],
    setup: Callable[..., Any],
) -> None:
    """Defines an operator: for the CPU, for CUDA, for tensors without memory, and its gradient."""
    name = schema.partition("(")[0]
    LIBRARY.define(schema, tags=(torch.Tag.pt2_compliant_tag,))
    for device in ("CPU", "CUDA"):
        LIBRARY.impl(name, kernel, device)
    torch.library.register_fake(f"quire::{name}", fake, lib=LIBRARY)
    torch.library.register_autograd(f"quire::{name}", backward, setup_context=setup, lib=LIBRARY)


def spread(t: Tensor, x: Tensor, dim: Sequence[int] | None, keepdim: bool) -> Tensor:
    """A result as a tensor that broadcasts against x."""
    if keepdim:
        return t
    return t.reshape(
        [1 if a in normalized(None if dim is None else tuple(dim), x.ndim) else size for a, size in enumerate(x.shape)]
    )


def terms(x: Tensor, dim: Sequence[int] | None) -> int:
    """How many elements a vector has."""
    n = 1
    for a in normalized(None if dim is None else tuple(dim), x.ndim):
        n *= x.shape[a]
    return n


def over(t: Tensor, divisor: Tensor) -> Tensor:
    """t / divisor, 0 where the divisor is 0: the gradient that PyTorch's own norms have there."""
    return torch.where(
        divisor == 0, torch.zeros_like(t), t / torch.where(divisor == 0, torch.ones_like(divisor), divisor)
    )


# The gradient of each reduction of one tensor, given the gradient g of its result r, both spread over x.
GRADIENTS: dict[str, tuple[int, Callable[..., Tensor]]] = {
    "sum": (SUM, lambda x, g, r, dim, correction: g),
    "mean": (MEAN, lambda x, g, r, dim, correction: g / terms(x, dim)),
    "asum": (ASUM, lambda x, g, r, dim, correction: g * x.sign()),
    "vector_norm": (NRM2, lambda x, g, r, dim, correction: over(g * x, r)),
    "var": (VARIANCE, lambda x, g, r, dim, correction: g * deviations(x, dim) * 2 / (terms(x, dim) - correction)),
    "std": (STDDEV, lambda x, g, r, dim, correction: over(g * deviations(x, dim), r * (terms(x, dim) - correction))),
}


def deviations(x: Tensor, dim: Sequence[int] | None) -> Tensor:
    return x - torch.ops.quire.mean(x, dim, True)


def define(name: str) -> None:
    """Defines a reduction of one tensor."""
    operation, gradient = GRADIENTS[name]
    has_correction = name in ("var", "std")

    def kernel(
        x: Tensor,
        dim: Sequence[int] | None = None,
        keepdim: bool = False,
        *,
        dtype: torch.dtype | None = None,
        method: str = "exact",
        rounding: str = "nearest",
        correction: int = 0,
    ) -> Tensor:
        axis = None if dim is None else tuple(dim)
        return reduce(name, operation, (x,), axis, keepdim, dtype, method, rounding, correction)

    def fake(
        x: Tensor,
        dim: Sequence[int] | None = None,
        keepdim: bool = False,
        *,
        dtype: torch.dtype | None = None,
        **words: Any,
    ) -> Tensor:
        return x.new_empty(shape_of(x, dim, keepdim), dtype=result_of(name, operation, x.dtype, dtype))

    def setup(ctx: Any, inputs: tuple[Any, ...], keyword_only_inputs: dict[str, Any], output: Tensor) -> None:
        x, ctx.dim, ctx.keepdim = inputs
        ctx.correction = keyword_only_inputs.get("correction", 0)
        ctx.save_for_backward(x, output)

    def backward(ctx: Any, g: Tensor) -> tuple[Any, ...]:
        x, result = ctx.saved_tensors
        g, result = (spread(t, x, ctx.dim, ctx.keepdim).to(x.dtype) for t in (g, result))
        return gradient(x, g, result, ctx.dim, ctx.correction).expand(x.shape), None, None

    words = "int correction=0, str rounding='nearest'" if has_correction else WORDS
    register(f"{name}({DIMS}, {words}) -> Tensor", kernel, fake, backward, setup)


def vecdot_kernel(
    x: Tensor,
    y: Tensor,
    dim: int = -1,
    *,
    dtype: torch.dtype | None = None,
    method: str = "exact",
    rounding: str = "nearest",
) -> Tensor:
    if x.shape != y.shape or x.dtype != y.dtype or x.device != y.device:
        raise ValueError(
            f"torch.ops.quire.vecdot: x has {tuple(x.shape)}, {x.dtype}, {x.device}; y {tuple(y.shape)}, "
            f"{y.dtype}, {y.device}: they must be the same"
        )
    return reduce("vecdot", DOT, (x, y), (dim,), False, dtype, method, rounding)


def vecdot_fake(x: Tensor, y: Tensor, dim: int = -1, *, dtype: torch.dtype | None = None, **words: Any) -> Tensor:
    return x.new_empty(shape_of(x, (dim,), False), dtype=result_of("vecdot", DOT, x.dtype, dtype))


def vecdot_setup(ctx: Any, inputs: tuple[Any, ...], keyword_only_inputs: dict[str, Any], output: Tensor) -> None:
    x, y, ctx.dim = inputs
    ctx.save_for_backward(x, y)


def vecdot_backward(ctx: Any, g: Tensor) -> tuple[Any, ...]:
    x, y = ctx.saved_tensors
    g = g.unsqueeze(ctx.dim).to(x.dtype)
    return g * y, g * x, None


for _name in GRADIENTS:
    define(_name)
register(
    f"vecdot(Tensor x, Tensor y, int dim=-1, *, ScalarType? dtype=None, {WORDS}) -> Tensor",
    vecdot_kernel,
    vecdot_fake,
    vecdot_backward,
    vecdot_setup,
)
