"""Tensors and their bits, for the tests of PyTorch."""

from __future__ import annotations

import numpy as np
import torch


def tensor(x, device="cpu"):
    """A tensor that has the bits of a NumPy array, contiguous."""
    bits = torch.from_numpy(np.ascontiguousarray(x).view(f"i{x.itemsize}").copy())
    return bits.view(getattr(torch, x.dtype.name)).reshape(x.shape).to(device)


def bits(t):
    """The bytes of a tensor in the order of its axes."""
    t = t.detach().contiguous()
    return np.ascontiguousarray(t.view(getattr(torch, f"int{8 * t.itemsize}")).cpu().numpy()).tobytes()
