"""quire for PyTorch: operators under torch.ops.quire, functions under PyTorch's names, and PyTorch's own made exact.

>>> import torch, quire.torch
>>> x = torch.tensor([1e8, 1.0, -1e8], requires_grad=True)
>>> quire.sum(x)
tensor(1., grad_fn=<GeneratedBackwardFor_quire_sum_defaultBackward>)
"""

from __future__ import annotations

from . import _tensors
from ._batch_invariant import batch_invariant
from ._keys import bincount, gather, group_sum, index_add, index_select, scatter_add, segment_sum
from ._norms import layer_norm, rms_norm
from ._scans import cumsum
from ._softmax import log_softmax, softmax

__all__ = [
    "batch_invariant",
    "bincount",
    "cumsum",
    "gather",
    "group_sum",
    "index_add",
    "index_select",
    "layer_norm",
    "log_softmax",
    "rms_norm",
    "scatter_add",
    "segment_sum",
    "softmax",
]

_tensors.known()
