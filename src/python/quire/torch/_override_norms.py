"""PyTorch's own softmax, log_softmax, layer_norm and rms_norm, and their gradients, made of exact sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import torch
from torch import Tensor
from torch.autograd import forward_ad

from . import _norm_gradients, _norms, _softmax
from ._by_key import one_dim
from ._launch import CODES

Maybe: TypeAlias = "Tensor | None"
_modes, _transforms = torch._C._len_torch_dispatch_stack, torch._C._functorch.peek_interpreter_stack


def softmax_of(is_log: bool) -> Any:
    def kernel(x: Tensor, dim: int, half_to_float: bool) -> Maybe:
        if x.dtype not in CODES or not -max(x.ndim, 1) <= dim < max(x.ndim, 1):
            return None
        if half_to_float and x.dtype != torch.float16:
            return None
        return _softmax.forward(x.float() if half_to_float else x, dim, is_log)

    return kernel


def gradient_of(is_log: bool) -> Any:
    def kernel(g: Tensor, y: Tensor, dim: int, input_dtype: torch.dtype) -> Maybe:
        if g.dtype not in CODES or g.dtype != y.dtype:
            return None
        return _softmax.gradient(g, y, one_dim(dim, y.ndim), is_log).to(input_dtype)

    return kernel


def with_out(of: Any, word: str) -> Any:
    def kernel(*arguments: Any, **words: Any) -> Maybe:
        out = words.pop(word)
        results = of(*arguments, **words)
        if results is None or results.dtype != out.dtype or out.device != results.device:
            return None
        return torch.ops.aten.clone.out(results, out=out)

    return kernel


def native_layer_norm(
    x: Tensor, shape: Sequence[int], weight: Maybe, bias: Maybe, eps: float
) -> tuple[Tensor, Tensor, Tensor] | None:
    """With the mean and 1 / root of each row, which PyTorch keeps for the gradient."""
    try:
        _norms.checked(x, shape, weight, bias, "layer_norm")
    except (TypeError, ValueError):
        return None
    kinds = {t.dtype for t in (weight, bias) if t is not None}
    if x.numel() == 0 or len(kinds) > 1 or not kinds <= {x.dtype, torch.float32}:
        return None
    y, mean, inverse = _norms.norm(x, shape, weight, bias, eps, True)
    assert mean is not None
    kept = [*x.shape[: x.ndim - len(shape)], *(1 for _ in shape)]
    kind = stats_type(x, weight)
    return y, mean.view(kept).to(kind), inverse.view(kept).to(kind)


def stats_type(x: Tensor, weight: Maybe) -> torch.dtype:
    """What PyTorch keeps mean and 1 / root in: on a device floats, or doubles; on the CPU the type of x, or floats
    where the weight is of floats."""
    if x.is_cuda:
        return torch.float64 if x.dtype == torch.float64 else torch.float32
    return x.dtype if weight is None else weight.dtype


def native_layer_norm_backward(
    g: Tensor,
    x: Tensor,
    shape: Sequence[int],
    mean: Tensor,
    rstd: Tensor,
    weight: Maybe,
    bias: Maybe,
    output_mask: Sequence[bool],
) -> tuple[Maybe, Maybe, Maybe] | None:
    """From the mean and 1 / root that were kept, in the type that PyTorch keeps them in."""
    if x.dtype not in CODES or g.dtype != x.dtype or x.numel() == 0:
        return None
    dtype = _softmax.working(x).dtype
    mean, inverse = mean.reshape(-1).to(dtype), rstd.reshape(-1).to(dtype)
    of_weight, of_bias = (
        output_mask[1] and weight is not None,
        bias.dtype if output_mask[2] and bias is not None else None,
    )
    return _norm_gradients.gradients(g, x, shape, weight, mean, inverse, output_mask[0], of_weight, of_bias)


def rms_norm(x: Tensor, shape: Sequence[int], weight: Maybe = None, eps: float | None = None) -> Maybe:
    """Which PyTorch has no kernel for on the CPU: this is called where gradients are recorded, and records its own.

    Not in a graph that is traced, which would keep it, nor for transforms and forward-mode gradients, which it has not.
    """
    if _transforms() is not None or forward_ad._current_level >= 0:
        return None
    if _modes() or type(x) not in (Tensor, torch.nn.Parameter):
        return None
    try:
        _norms.checked(x, shape, weight, None, "rms_norm")
    except (TypeError, ValueError):
        return None
    return torch.ops.quire.rms_norm(x, shape, weight, eps)


OVERRIDES = {
    "_softmax": softmax_of(False),
    "_softmax.out": with_out(softmax_of(False), "out"),
    "_log_softmax": softmax_of(True),
    "_log_softmax.out": with_out(softmax_of(True), "out"),
    "_softmax_backward_data": gradient_of(False),
    "_softmax_backward_data.out": with_out(gradient_of(False), "grad_input"),
    "_log_softmax_backward_data": gradient_of(True),
    "_log_softmax_backward_data.out": with_out(gradient_of(True), "out"),
    "native_layer_norm": native_layer_norm,
    "native_layer_norm_backward": native_layer_norm_backward,
}
ABOVE_AUTOGRAD = {"rms_norm": rms_norm}
