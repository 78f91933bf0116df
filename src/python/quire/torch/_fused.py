"""The kernels of quire.triton, where they can take a tensor."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor

TYPES = (torch.float16, torch.bfloat16, torch.float32)
MOST_ROWS = 2**28  # whose sums by columns they make


@lru_cache(maxsize=1)
def kernels() -> Any:
    """quire.triton._kernels, or None where there is no Triton."""
    return import_module("quire.triton._kernels") if find_spec("triton") else None


def takes(x: Tensor, n: int) -> bool:
    """Whether they do: rows of n, of the formats that they know. The batch has no say."""
    if not x.is_cuda or x.dtype not in TYPES:
        return False
    found = kernels()
    return found is not None and 1 <= n <= found.LONGEST


def softmax(x: Tensor, dim: int, is_log: bool) -> Tensor | None:
    if dim != x.ndim - 1 or not takes(x, x.shape[-1]):
        return None
    found: Tensor = kernels().softmax_of_rows(x.contiguous(), is_log)
    return found


def softmax_gradient(g: Tensor, y: Tensor, dim: int, is_log: bool) -> Tensor | None:
    if dim != y.ndim - 1 or not takes(y, y.shape[-1]) or g.dtype not in TYPES:
        return None
    found: Tensor = kernels().softmax_gradient_of_rows(g.contiguous(), y.contiguous(), is_log)
    return found


def norm(
    x: Tensor, n: int, weight: Tensor | None, bias: Tensor | None, eps: float, has_mean: bool, keep: bool
) -> tuple[Tensor, Tensor, Tensor] | None:
    """The norm of rows of n, mean and inverse root: these are some tensor where they are not wanted."""
    if not takes(x, n):
        return None
    weight = None if weight is None else weight.contiguous()
    bias = None if bias is None else bias.contiguous()
    found: tuple[Tensor, Tensor, Tensor] = kernels().norm_of_rows(x.contiguous(), n, weight, bias, eps, has_mean, keep)
    return found


def norm_gradients(
    g: Tensor,
    x: Tensor,
    n: int,
    weight: Tensor | None,
    mean: Tensor | None,
    inverse: Tensor,
    of_x: bool,
    of_weight: torch.dtype | None,
    of_bias: torch.dtype | None,
) -> tuple[Tensor | None, Tensor | None, Tensor | None] | None:
    """Those that are wanted, of x, weight and bias, the last two in these formats, as vectors."""
    if not takes(x, n) or g.dtype not in TYPES or not 1 <= x.numel() // n <= MOST_ROWS:
        return None
    g, x, gx = g.contiguous(), x.contiguous(), None
    if of_x:
        gx = kernels().norm_gradient_of_rows(g, x, n, None if weight is None else weight.contiguous(), mean, inverse)
    if of_weight is None and of_bias is None:
        return gx, None, None
    gw, gb = kernels().norm_gradients_of_columns(g, x, n, mean, inverse, of_weight, of_bias)
    return gx, None if of_weight is None else gw, None if of_bias is None else gb
