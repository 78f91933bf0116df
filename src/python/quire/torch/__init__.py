"""quire for PyTorch: operators under torch.ops.quire, and PyTorch's own reductions made exact.

>>> import torch, quire.torch
>>> x = torch.tensor([1e8, 1.0, -1e8], requires_grad=True)
>>> quire.sum(x)
tensor(1., grad_fn=<GeneratedBackwardFor_quire_sum_defaultBackward>)
"""

from __future__ import annotations

from . import _tensors
from ._batch_invariant import batch_invariant

__all__ = ["batch_invariant"]

_tensors.known()
