"""The kernels of quire.triton, where they can take a tensor."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor

TYPES = (torch.float16, torch.bfloat16, torch.float32)


@lru_cache(maxsize=1)
def kernels() -> Any:
    """quire.triton, or None where there is no Triton."""
    return import_module("quire.triton") if find_spec("triton") else None


def takes(x: Tensor, dim: int) -> bool:
    """Whether they do: rows of the last dimension, of the formats that they know. The batch has no say."""
    if not x.is_cuda or x.dtype not in TYPES or dim != x.ndim - 1 or kernels() is None:
        return False
    return bool(1 <= x.shape[-1] <= kernels()._kernels.LONGEST)


def softmax(x: Tensor, dim: int, is_log: bool) -> Tensor | None:
    if not takes(x, dim):
        return None
    way = kernels().log_softmax if is_log else kernels().softmax
    found: Tensor = way(x)
    return found


def rms_norm(x: Tensor, weight: Tensor | None, eps: float) -> Tensor | None:
    """Of a matrix of rows."""
    if not takes(x, x.ndim - 1):
        return None
    found: Tensor = kernels().rms_norm(x, weight, eps)
    return found
