"""The gradients of RMS and layer norms, from what the forward way has kept of each row."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import torch
from torch import Tensor

from . import _fused
from ._operators import LIBRARY, register
from ._softmax import working
from ._tensors import is_unobserved

Gradients = tuple["Tensor | None", "Tensor | None", "Tensor | None"]


def matrix(x: Tensor, shape: Sequence[int]) -> Tensor:
    """The rows that are normalised, as those of a matrix."""
    n = prod(shape)
    return x.reshape(prod(x.shape[: x.ndim - len(shape)]), n)


def row_of(weight: Tensor | None, like: Tensor) -> Tensor | None:
    return None if weight is None else weight.reshape(-1).to(like.dtype)


def over(t: Tensor, n: int) -> Tensor:
    """A quotient. By a number PyTorch would multiply by its rounded inverse, on a device."""
    return t / t.new_full((), max(n, 1))


# ---------------------------------------------------------------------------------------------------------- roots


def root_of(t: Tensor) -> Tensor:
    """Correctly rounded roots. PyTorch's on a CPU are Intel MKL's, which are not."""
    if not t.is_cpu:
        return t.sqrt()
    with np.errstate(invalid="ignore"):
        return torch.from_numpy(np.sqrt(t.numpy()))


def root_setup(ctx: Any, inputs: tuple[Any, ...], output: Tensor, keyword_only_inputs: Any = None) -> None:
    ctx.save_for_backward(output)


def root_backward(ctx: Any, g: Tensor) -> Tensor:
    (root,) = ctx.saved_tensors
    return g / (2 * root)


register("root(Tensor x) -> Tensor", root_of, torch.empty_like, root_backward, root_setup)

# ------------------------------------------------------------------------------------------------------ gradients


def formula(
    g: Tensor,
    v: Tensor,
    w: Tensor | None,
    mean: Tensor | None,
    inverse: Tensor,
    wanted: Sequence[bool],
) -> Gradients:
    """Of x, weight and bias, of matrices of the format worked in; mean and inverse root are columns. Has gradients."""
    unit = (v if mean is None else v - mean) * inverse
    h, gx = g if w is None else g * w, None
    if wanted[0]:
        along = unit * over(torch.ops.quire.vecdot(h, unit, -1).unsqueeze(1), v.shape[1])
        gx = ((h if mean is None else h - torch.ops.quire.mean(h, [1], True)) - along) * inverse
    gw = torch.ops.quire.vecdot(g, unit, 0) if wanted[1] else None
    return gx, gw, torch.ops.quire.sum(g, [0]) if wanted[2] else None


def statistics(v: Tensor, eps: float, has_mean: bool) -> tuple[Tensor | None, Tensor]:
    """What the forward way kept of each row, once more, with gradients."""
    if has_mean:
        mean, t = torch.ops.quire.mean(v, [1], True), torch.ops.quire.var(v, [1], True)
    else:
        mean, t = None, over(torch.ops.quire.vecdot(v, v, -1).unsqueeze(1), v.shape[1])
    return mean, torch.ops.quire.root(t + eps).reciprocal()


def gradients(
    g: Tensor,
    x: Tensor,
    shape: Sequence[int],
    weight: Tensor | None,
    mean: Tensor | None,
    inverse: Tensor,
    of_x: bool,
    of_weight: bool,
    of_bias: torch.dtype | None,
) -> Gradients:
    """Those that are wanted, in the formats of x, weight and bias. mean and inverse are vectors."""
    n, of = prod(shape), weight.dtype if weight is not None and of_weight else None
    found = _fused.norm_gradients(g, x, n, weight, mean, inverse, of_x, of, of_bias)
    if found is None:
        v, gv = working(matrix(x, shape)), working(matrix(g, shape))
        mean = None if mean is None else mean.unsqueeze(1)
        wanted = (of_x, of is not None, of_bias is not None)
        found = formula(gv, v, row_of(weight, v), mean, inverse.unsqueeze(1), wanted)
    elif len(shape) == 1:
        return found  # of these shapes and formats already
    return shaped(found, x, shape, of, of_bias)


def shaped(
    found: Gradients, x: Tensor, shape: Sequence[int], of_weight: torch.dtype | None, of_bias: torch.dtype | None
) -> Gradients:
    gx, gw, gb = found
    return (
        None if gx is None else gx.reshape(x.shape).to(x.dtype),
        None if gw is None else gw.reshape(tuple(shape)).to(of_weight),
        None if gb is None else gb.reshape(tuple(shape)).to(of_bias),
    )


def kernel(
    g: Tensor,
    x: Tensor,
    shape: Sequence[int],
    weight: Tensor | None,
    mean: Tensor | None,
    inverse: Tensor,
    of_x: bool,
    of_weight: bool,
    of_bias: torch.dtype | None,
) -> tuple[Tensor, ...]:
    found = gradients(g, x, shape, weight, mean, inverse, of_x, of_weight, of_bias)
    return tuple(inverse.new_empty(0) if t is None else t for t in found)


def fake(
    g: Tensor,
    x: Tensor,
    shape: Sequence[int],
    weight: Tensor | None,
    mean: Tensor | None,
    inverse: Tensor,
    of_x: bool,
    of_weight: bool,
    of_bias: torch.dtype | None,
) -> tuple[Tensor, ...]:
    return (
        x.new_empty(x.shape) if of_x else inverse.new_empty(0),
        inverse.new_empty(0) if weight is None or not of_weight else weight.new_empty(weight.shape),
        inverse.new_empty(0) if of_bias is None else inverse.new_empty(tuple(shape), dtype=of_bias),
    )


def register_gradient() -> None:
    """The operator has no gradient of its own: where one is asked for, it is not called."""
    name = "norm_gradient"
    LIBRARY.define(
        f"{name}(Tensor g, Tensor x, SymInt[] shape, Tensor? weight, Tensor? mean, Tensor inverse, bool of_x, "
        "bool of_weight, ScalarType? of_bias) -> (Tensor, Tensor, Tensor)",
        tags=(torch.Tag.pt2_compliant_tag,),
    )
    for device in ("CPU", "CUDA"):
        LIBRARY.impl(name, kernel, device)
    torch.library.register_fake(f"quire::{name}", fake, lib=LIBRARY)


def kept(ctx: Any, inputs: tuple[Any, ...], mean: Tensor | None, inverse: Tensor) -> None:
    """Keeps what the gradients need. inputs: x, shape, weight, bias, eps, has_mean."""
    x, ctx.shape, weight, bias, ctx.eps, ctx.has_mean = inputs
    ctx.bias_dtype = None if bias is None else bias.dtype
    ctx.save_for_backward(x, weight, mean if ctx.has_mean else None, inverse)


def backward(ctx: Any, g: Tensor, *of_statistics: Tensor) -> tuple[Any, ...]:
    x, weight, mean, inverse = ctx.saved_tensors
    needed = ctx.needs_input_grad
    of_bias = ctx.bias_dtype if needed[3] else None
    of_weight = weight.dtype if needed[2] else None
    if torch.is_grad_enabled():
        v, gv = working(matrix(x, ctx.shape)), working(matrix(g, ctx.shape))
        mean, inverse = statistics(v, ctx.eps, ctx.has_mean)
        wanted = (needed[0], needed[2], needed[3])
        found = shaped(formula(gv, v, row_of(weight, v), mean, inverse, wanted), x, ctx.shape, of_weight, of_bias)
    elif is_unobserved(g, x, weight):
        found = gradients(g, x, ctx.shape, weight, mean, inverse, needed[0], needed[2], of_bias)
    else:
        operator = torch.ops.quire.norm_gradient
        gx, gw, gb = operator(g, x, ctx.shape, weight, mean, inverse, needed[0], needed[2], of_bias)
        found = gx if needed[0] else None, gw if needed[2] else None, gb if needed[3] else None
    return found[0], None, found[1], found[2], None, None
