"""RMSNorm and softmax over the last axis, as kernels made with quire.triton. Each output has the bits that it has alone:
of whatever batch, and whatever the launch."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

from ._exact import ends, ends_of_products, row_of, sum, sumsq, value

LONGEST = 65536  # a row is one block


@triton.jit
def _rms_norm(x, weight, y, rows, n, eps, R: tl.constexpr, N: tl.constexpr):  # type: ignore[no-untyped-def]
    r = tl.program_id(0) * R + tl.arange(0, R)
    c = tl.arange(0, N)
    at = r.to(tl.int64)[:, None] * n + c[None, :]
    mask = (r[:, None] < rows) & (c[None, :] < n)
    v = tl.load(x + at, mask=mask, other=0.0).to(tl.float32)
    down, up = ends_of_products(v, v, 1)
    squares, is_decided = value(down, up)
    if tl.min(is_decided.to(tl.int32), 0) == 0:
        for i in range(R):
            squares = tl.where(tl.arange(0, R) == i, sumsq(row_of(v, i)), squares)
    w = tl.load(weight + c, mask=c < n, other=0.0).to(tl.float32)
    result = v * tl.rsqrt(squares / n + eps)[:, None] * w[None, :]
    tl.store(y + at, result.to(y.dtype.element_ty), mask=mask)


@triton.jit
def _softmax(x, y, rows, n, R: tl.constexpr, N: tl.constexpr):  # type: ignore[no-untyped-def]
    r = tl.program_id(0) * R + tl.arange(0, R)
    c = tl.arange(0, N)
    at = r.to(tl.int64)[:, None] * n + c[None, :]
    mask = (r[:, None] < rows) & (c[None, :] < n)
    v = tl.load(x + at, mask=mask, other=float("-inf")).to(tl.float32)
    greatest = tl.max(v, 1)
    e = tl.where(mask, tl.exp(v - greatest[:, None]), 0.0)
    down, up = ends(e, 1)
    total, is_decided = value(down, up)
    if tl.min(is_decided.to(tl.int32), 0) == 0:
        for i in range(R):
            total = tl.where(tl.arange(0, R) == i, sum(row_of(e, i)), total)
    tl.store(y + at, (e / total[:, None]).to(y.dtype.element_ty), mask=mask)


def _rows_of(x: Tensor, name: str) -> tuple[Tensor, int, dict[str, Any]]:
    """x as a matrix, its rows' length, and the launch: short rows several to a program."""
    if not x.is_cuda or x.dtype not in (torch.float16, torch.bfloat16, torch.float32):
        raise TypeError(f"quire.triton.{name} takes float16, bfloat16 or float32 on a CUDA device, not {x.dtype} on "
                        f"{x.device}")
    n = x.shape[-1] if x.ndim else 0
    if not 1 <= n <= LONGEST:
        raise ValueError(f"quire.triton.{name} takes rows of 1 to {LONGEST} elements, not {n}")
    block = triton.next_power_of_2(n)
    warps = 4 if block <= 2048 else 8 if block <= 8192 else 16
    return x.reshape(-1, n).contiguous(), n, {"N": block, "R": max(1, 1024 // block), "num_warps": warps}


def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """x * weight / sqrt(mean(x**2) + eps) over the last axis, in float; the sum of squares is correctly rounded.

    x: float16, bfloat16 or float32 on a CUDA device, rows of up to 65536 elements; weight: one number for each of a
    row. The result has the type and shape of x. No gradient.
    """
    rows, n, launch = _rows_of(x, "rms_norm")
    if weight.shape != (n,) or weight.device != x.device:
        raise ValueError(f"weight is a vector of {n} numbers on {x.device}, not {tuple(weight.shape)} on {weight.device}")
    y = torch.empty_like(rows)
    grid = (triton.cdiv(len(rows), launch["R"]),)
    if len(rows):
        with torch.cuda.device(x.device):
            _rms_norm[grid](rows, weight.contiguous(), y, len(rows), n, eps, **launch)
    return y.view(x.shape)


def softmax(x: Tensor) -> Tensor:
    """exp(x - max(x)) / sum(exp(x - max(x))) over the last axis, in float; the sum is correctly rounded.

    x: float16, bfloat16 or float32 on a CUDA device, rows of up to 65536 elements. The result has the type and shape of
    x. No gradient.
    """
    rows, n, launch = _rows_of(x, "softmax")
    y = torch.empty_like(rows)
    grid = (triton.cdiv(len(rows), launch["R"]),)
    if len(rows):
        with torch.cuda.device(x.device):
            _softmax[grid](rows, y, len(rows), n, **launch)
    return y.view(x.shape)
