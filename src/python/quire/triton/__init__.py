"""quire for Triton: exact sums inside Triton kernels of your own, and kernels that are made with them.

A float sum in Triton depends on the block's shape and on num_warps. These do not: the results are the correctly rounded
ones, with the bits of quire.sum(..., dtype=float32), and so the same for every shape, number of warps and batch.

>>> import torch, quire.triton
>>> x = torch.randn(4096, 1024, device="cuda")
>>> y = quire.triton.rms_norm(x, torch.ones(1024, device="cuda"))
>>> torch.equal(quire.triton.rms_norm(x[7:9], torch.ones(1024, device="cuda")), y[7:9])
True

In kernels (all are functions of triton.jit; x and y are blocks of float16, bfloat16, float32 or 8 bits):

sum(x, mask=None), sumsq(x, mask=None), dot(x, y, mask=None)
    of one-dimensional blocks: a scalar, float32, always decided
ends(x, axis=0, mask=None), ends_of_products(x, y, axis=0, mask=None)
    of any blocks, along an axis: two blocks of float64 between which the exact sums lie
merge(down, up, other_down, other_up)
    the ends of two parts together, for loops over tiles
value(down, up)
    what two ends round to, float32, and whether they decide it: whether both round to it

sum, sumsq and dot have all states in them, which take registers. Where speed counts use ends and value, and do the rows
that are undecided again by sum, in a second kernel or, as rms_norm, layer_norm, softmax and log_softmax do, after the
others, from memory.

mask says which elements of a block are there; without it all are. Kernels need CUDA; num_warps and num_stages are free.
"""

from __future__ import annotations

from ._exact import dot, ends, ends_of_products, merge, sum, sumsq, value
from ._kernels import layer_norm, log_softmax, rms_norm, softmax

__all__ = [
    "dot",
    "ends",
    "ends_of_products",
    "layer_norm",
    "log_softmax",
    "merge",
    "rms_norm",
    "softmax",
    "sum",
    "sumsq",
    "value",
]
