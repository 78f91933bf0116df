"""RMSNorm, softmax and log_softmax over the last axis, kernels made with quire.triton. Each output has the bits that it
has alone, whatever the batch and the launch."""

# mypy: disable-error-code="no-untyped-def, untyped-decorator"

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

from ._exact import ends, ends_of_products, sum, sumsq, value

LONGEST = 65536  # a row is one block
TOGETHER = 1024  # rows that a program of the second kernel looks at


# Each has two kernels. The first knows two ends alone, so that it has registers for the row, and says which rows these
# leave undecided. The second, which mostly has nothing to do, does those again.


@triton.jit
def _normalized(v, weight, c, n, squares, eps, HAS_WEIGHT: tl.constexpr):
    """v / sqrt(squares / n + eps) * weight, each step rounded as IEEE 754 has it: infinities, NaN, subnormals too."""
    count = tl.full((), 0.0, tl.float32) + n
    y = tl.div_rn(v, tl.sqrt_rn(tl.div_rn(squares, count) + eps))
    if HAS_WEIGHT:
        y = y * tl.load(weight + c, mask=c < n, other=0.0).to(tl.float32)
    return y


@triton.jit
def _rms_norm(x, weight, y, is_open, rows, n, eps, HAS_WEIGHT: tl.constexpr, R: tl.constexpr, N: tl.constexpr):
    r = tl.program_id(0).to(tl.int64) * R + tl.arange(0, R)
    c = tl.arange(0, N)
    at = r[:, None] * n + c[None, :]
    mask = (r[:, None] < rows) & (c[None, :] < n)
    v = tl.load(x + at, mask=mask, other=0.0).to(tl.float32)
    down, up = ends_of_products(v, v, 1)
    squares, is_decided = value(down, up)
    result = _normalized(v, weight, c[None, :], n, squares[:, None], eps, HAS_WEIGHT)
    tl.store(y + at, result.to(y.dtype.element_ty), mask=mask)
    tl.store(is_open + r, (~is_decided).to(tl.int8), mask=r < rows)


@triton.jit
def _rms_norm_again(x, weight, y, is_open, rows, n, eps, HAS_WEIGHT: tl.constexpr, B: tl.constexpr, N: tl.constexpr):
    first = tl.program_id(0).to(tl.int64) * B
    r = first + tl.arange(0, B)
    if tl.max(tl.load(is_open + r, mask=r < rows, other=0).to(tl.int32), 0) != 0:
        c = tl.arange(0, N)
        for i in range(min(B, rows - first)):
            if tl.load(is_open + first + i) != 0:
                at = (first + i) * n + c
                v = tl.load(x + at, mask=c < n, other=0.0).to(tl.float32)
                result = _normalized(v, weight, c, n, sumsq(v), eps, HAS_WEIGHT)
                tl.store(y + at, result.to(y.dtype.element_ty), mask=c < n)


@triton.jit
def _exponentials(v, mask):
    return tl.where(mask, tl.exp(v), 0.0)


@triton.jit
def _share(v, e, total, IS_LOG: tl.constexpr):
    return v - tl.log(total) if IS_LOG else tl.div_rn(e, total)


@triton.jit
def _softmax(x, y, is_open, rows, n, IS_LOG: tl.constexpr, R: tl.constexpr, N: tl.constexpr):
    r = tl.program_id(0).to(tl.int64) * R + tl.arange(0, R)
    c = tl.arange(0, N)
    at = r[:, None] * n + c[None, :]
    mask = (r[:, None] < rows) & (c[None, :] < n)
    v = tl.load(x + at, mask=mask, other=float("-inf")).to(tl.float32)
    v = v - tl.max(v, 1)[:, None]
    e = _exponentials(v, mask)
    down, up = ends(e, 1)
    total, is_decided = value(down, up)
    tl.store(y + at, _share(v, e, total[:, None], IS_LOG).to(y.dtype.element_ty), mask=mask)
    tl.store(is_open + r, (~is_decided).to(tl.int8), mask=r < rows)


@triton.jit
def _softmax_again(x, y, is_open, rows, n, IS_LOG: tl.constexpr, B: tl.constexpr, N: tl.constexpr):
    first = tl.program_id(0).to(tl.int64) * B
    r = first + tl.arange(0, B)
    if tl.max(tl.load(is_open + r, mask=r < rows, other=0).to(tl.int32), 0) != 0:
        c = tl.arange(0, N)
        for i in range(min(B, rows - first)):
            if tl.load(is_open + first + i) != 0:
                at = (first + i) * n + c
                v = tl.load(x + at, mask=c < n, other=float("-inf")).to(tl.float32)
                v = v - tl.max(v, 0)
                e = _exponentials(v, c < n)
                tl.store(y + at, _share(v, e, sum(e), IS_LOG).to(y.dtype.element_ty), mask=c < n)


def _launch(
    first: Any,
    second: Any,
    tensors: tuple[Tensor, ...],
    rows: int,
    n: int,
    *more: float,
    constants: dict[str, bool],
    **launch: Any,
) -> None:
    """Both kernels, on the current stream of the tensors' device. launch: of the first one.

    Products and sums are not contracted to fma, which would skip a rounding.
    """
    x, block = tensors[0], triton.next_power_of_2(n)
    is_open = torch.empty(rows, dtype=torch.int8, device=x.device)
    warps = 4 if block <= 2048 else 8 if block <= 8192 else 16
    launch = {"R": max(1, 1024 // block), "num_warps": warps, **launch}
    both = {"N": block, "enable_fp_fusion": False, **constants}
    if rows:
        with torch.cuda.device(x.device):
            first[(triton.cdiv(rows, launch["R"]),)](*tensors, is_open, rows, n, *more, **both, **launch)
            grid = (triton.cdiv(rows, TOGETHER),)
            second[grid](*tensors, is_open, rows, n, *more, B=TOGETHER, num_warps=warps, **both)


def _rows_of(x: Tensor, name: str) -> tuple[Tensor, int]:
    """x as a matrix, and its rows' length."""
    if not x.is_cuda or x.dtype not in (torch.float16, torch.bfloat16, torch.float32):
        raise TypeError(
            f"quire.triton.{name} takes float16, bfloat16 or float32 on a CUDA device, not {x.dtype} on {x.device}"
        )
    n = x.shape[-1] if x.ndim else 0
    if not 1 <= n <= LONGEST:
        raise ValueError(f"quire.triton.{name} takes rows of 1 to {LONGEST} elements, not {n}")
    return x.reshape(-1, n).contiguous(), n


def rms_norm(x: Tensor, weight: Tensor | None = None, eps: float = 1e-6, **launch: Any) -> Tensor:
    """x / sqrt(sum(x**2) / n + eps) * weight over the last axis, in float; the sum is correctly rounded.

    x: float16, bfloat16 or float32 on a CUDA device, rows of up to 65536 elements; weight: one number for each of a
    row. The result has the type and shape of x. launch: num_warps, num_stages, and R, a power of two: rows of a
    program; none of them shows in the result. No gradient: `quire.torch.rms_norm` has one. Quotients and the root are
    rounded as IEEE 754 has it, infinities, NaN and subnormals included, so that the bits are those of the CPU.
    """
    rows, n = _rows_of(x, "rms_norm")
    if weight is not None and (weight.shape != (n,) or weight.device != x.device):
        raise ValueError(f"weight is a vector of {n} on {x.device}, not {tuple(weight.shape)} on {weight.device}")
    y = torch.empty_like(rows)
    tensors = (rows, rows if weight is None else weight.contiguous(), y)
    constants = {"HAS_WEIGHT": weight is not None}
    _launch(_rms_norm, _rms_norm_again, tensors, len(rows), n, eps, constants=constants, **launch)
    return y.view(x.shape)


def softmax(x: Tensor, **launch: Any) -> Tensor:
    """exp(x - max(x)) / sum(exp(x - max(x))) over the last axis, in float; the sum is correctly rounded.

    x: float16, bfloat16 or float32 on a CUDA device, rows of up to 65536 elements. The result has the type and shape of
    x. launch: as above. No gradient: `quire.torch.softmax` has one. A row with +inf, or of -inf alone, or with NaN is
    NaN.
    """
    return _shares(x, "softmax", False, launch)


def log_softmax(x: Tensor, **launch: Any) -> Tensor:
    """x - max(x) - log(sum(exp(x - max(x)))) over the last axis; all else as `softmax`."""
    return _shares(x, "log_softmax", True, launch)


def _shares(x: Tensor, name: str, is_log: bool, launch: dict[str, Any]) -> Tensor:
    rows, n = _rows_of(x, name)
    y = torch.empty_like(rows)
    _launch(_softmax, _softmax_again, (rows, y), len(rows), n, constants={"IS_LOG": is_log}, **launch)
    return y.view(x.shape)
