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


def views(n):
    """Ways to look at a tensor of shape (., n, 7) and, alike, at the array that it was made of."""
    return [
        (lambda t: t, lambda x: x),
        (lambda t: t.permute(2, 0, 1), lambda x: x.transpose(2, 0, 1)),
        (lambda t: t[::2, 1:, ::3], lambda x: x[::2, 1:, ::3]),
        (lambda t: t[:1].expand(4, n, 7), lambda x: np.broadcast_to(x[:1], (4, n, 7))),
        (lambda t: t[:0], lambda x: x[:0]),
        (lambda t: t[1, 2, 3], lambda x: x[1, 2, 3, ...]),
    ]
