"""quire for PyTorch: operators under torch.ops.quire, and PyTorch's own reductions made exact.

>>> import torch, quire.torch
>>> x = torch.tensor([1e8, 1.0, -1e8], requires_grad=True)
>>> quire.sum(x)
tensor(1., grad_fn=<GeneratedBackwardFor_quire_sum_defaultBackward>)
"""

from __future__ import annotations

from typing import Any

import torch

from .._layout import normalized
from . import _operators
from ._batch_invariant import batch_invariant

__all__ = ["batch_invariant"]

ONE = {"sum", "mean", "asum", "vector_norm", "var", "std"}


def _dtype(dtype: Any, name: str) -> torch.dtype | None:
    """A torch.dtype of what names one: PyTorch's, NumPy's or a string."""
    if dtype is None or isinstance(dtype, torch.dtype):
        return dtype
    from .._types import result_dtype

    found: torch.dtype = getattr(torch, result_dtype(dtype, name).name)
    return found


def _call(name: str, tensors: tuple[Any, ...], axis: Any, dtype: Any, keepdims: bool = False, **words: Any) -> Any:
    """What quire.name does of tensors."""
    operator, wanted = getattr(torch.ops.quire, name), _dtype(dtype, name)
    for x in tensors:
        if not isinstance(x, torch.Tensor):
            raise TypeError(f"quire.{name}: one operand is a tensor, the other is of {type(x).__name__}")
        _operators.code(x.dtype, name)
    if name == "vecdot":
        return operator(*_pair(tensors[0], tensors[1], axis), dtype=wanted, **words)
    dims = None if axis is None else list(normalized(axis, tensors[0].ndim))
    return operator(tensors[0], dims, keepdims, dtype=wanted, **words)


def _pair(x: torch.Tensor, y: torch.Tensor, axis: int) -> tuple[torch.Tensor, torch.Tensor, int]:
    """Two tensors broadcast to one shape and dtype, with the axis of the vectors last."""
    if x.ndim == 0 or y.ndim == 0:
        raise ValueError("quire.vecdot: x1 and x2 must have at least one dimension")
    x, y = x.movedim(axis, -1), y.movedim(axis, -1)
    if x.shape[-1] != y.shape[-1]:
        raise ValueError(f"quire.vecdot: x1 has {x.shape[-1]} elements along the axis, x2 has {y.shape[-1]}")
    common = torch.promote_types(x.dtype, y.dtype)
    try:
        x, y = torch.broadcast_tensors(x.to(common), y.to(common))
    except RuntimeError:
        raise ValueError(f"quire.vecdot: shapes {tuple(x.shape)} and {tuple(y.shape)} do not fit together") from None
    return x, y, -1
