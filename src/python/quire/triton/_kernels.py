"""What calls the kernels: norms, softmax and log_softmax over the last axis, and their gradients. Each output has the
bits that it has alone, whatever the batch and the launch."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

from . import _column_kernels, _norm_kernels, _softmax_kernels
from ._launch import LONGEST, Plan, inverses, plan_of

# Of the kernel that adds up columns: programs, some for each multiprocessor; rows and columns of a tile; warps.
COLUMNS = (1056, 8, 128, 4)
# Rows that the kernel behind it adds up alone, at most.
ROWS_ALONE = 256


def _rows_of(x: Tensor, name: str) -> Tensor:
    """x in one piece, if it has rows of which a kernel can make a block."""
    if not x.is_cuda or x.dtype not in (torch.float16, torch.bfloat16, torch.float32):
        raise TypeError(
            f"quire.triton.{name} takes float16, bfloat16 or float32 on a CUDA device, not {x.dtype} on {x.device}"
        )
    n = x.shape[-1] if x.ndim else 0
    if not 1 <= n <= LONGEST:
        raise ValueError(f"quire.triton.{name} takes rows of 1 to {LONGEST} elements, not {n}")
    return x.contiguous()


# Plans. To find one takes no look at the kernel itself, whose hash is a slow one.


@lru_cache(maxsize=4096)
def norm_plan(
    n: int, size: int, has_mean: bool, has_weight: bool, has_bias: bool, keep: bool, launch: tuple[Any, ...]
) -> Plan:
    constants = {"HAS_MEAN": has_mean, "HAS_WEIGHT": has_weight, "HAS_BIAS": has_bias, "KEEP": keep}
    return plan_of(_norm_kernels.norm, n, size, constants, launch)


@lru_cache(maxsize=4096)
def norm_gradient_plan(n: int, size: int, has_mean: bool, has_weight: bool, launch: tuple[Any, ...]) -> Plan:
    return plan_of(_norm_kernels.norm_gradient, n, size, {"HAS_MEAN": has_mean, "HAS_WEIGHT": has_weight}, launch)


@lru_cache(maxsize=4096)
def softmax_plan(n: int, size: int, is_log: bool, launch: tuple[Any, ...]) -> Plan:
    return plan_of(_softmax_kernels.softmax, n, size, {"IS_LOG": is_log}, launch)


@lru_cache(maxsize=4096)
def softmax_gradient_plan(n: int, size: int, is_log: bool, launch: tuple[Any, ...]) -> Plan:
    return plan_of(_softmax_kernels.softmax_gradient, n, size, {"IS_LOG": is_log}, launch)


def norm_of_rows(
    x: Tensor,
    n: int,
    weight: Tensor | None,
    bias: Tensor | None,
    eps: float,
    has_mean: bool,
    keep: bool,
    launch: tuple[Any, ...] = (),
) -> tuple[Tensor, Tensor, Tensor]:
    """The norm of rows of n, and if asked for the mean and the inverse root of each. x is contiguous.

    What there is not, is x.
    """
    y, rows = torch.empty_like(x), x.numel() // n
    inverse = x.new_empty(rows, dtype=torch.float32) if keep else x
    mean = torch.empty_like(inverse) if keep and has_mean else inverse
    if rows:
        plan = norm_plan(n, x.element_size(), has_mean, weight is not None, bias is not None, keep, launch)
        tensors = (x, x if weight is None else weight, x if bias is None else bias, y, mean, inverse)
        plan.launch((-(-rows // plan.rows), 1), tensors, (rows, n, *inverses(n), float(eps)))
    return y, mean, inverse


def norm_gradient_of_rows(
    g: Tensor,
    x: Tensor,
    n: int,
    weight: Tensor | None,
    mean: Tensor | None,
    inverse: Tensor,
    launch: tuple[Any, ...] = (),
) -> Tensor:
    """That of x. All are contiguous."""
    gx, rows = torch.empty_like(x), x.numel() // n
    if rows:
        plan = norm_gradient_plan(n, x.element_size(), mean is not None, weight is not None, launch)
        tensors = (g, x, x if weight is None else weight, inverse if mean is None else mean, inverse, gx)
        plan.launch((-(-rows // plan.rows), 1), tensors, (rows, n, *inverses(n)))
    return gx


@lru_cache(maxsize=1024)
def column_plans(n: int, has_mean: bool, has_bias: bool, has_weight: bool, are_few: bool) -> tuple[Plan, Plan]:
    """Of parts of the rows, and of what brings these together; are_few: that has all rows."""
    flags = {"HAS_MEAN": has_mean, "HAS_BIAS": has_bias}
    _, high, wide, warps = COLUMNS
    first = Plan(_column_kernels.column_ends, {**flags, "R": high, "C": wide}, {"num_warps": warps})
    both = {**flags, "HAS_WEIGHT": has_weight, "ALONE": are_few, "R": 64, "C": 16, "T": 256}
    return first, Plan(_column_kernels.column_sums, both, {"num_warps": 4})


def norm_gradients_of_columns(
    g: Tensor,
    x: Tensor,
    n: int,
    mean: Tensor | None,
    inverse: Tensor,
    of_weight: torch.dtype | None,
    of_bias: torch.dtype | None,
) -> tuple[Tensor, Tensor]:
    """Those of weight and bias, which are wanted in these formats; what is not wanted is x. All are contiguous."""
    gw = x if of_weight is None else x.new_empty(n, dtype=of_weight)
    gb = x if of_bias is None else x.new_empty(n, dtype=of_bias)
    rows, shares = x.numel() // n, 0
    are_few = rows <= ROWS_ALONE
    first, second = column_plans(n, mean is not None, of_bias is not None, of_weight is not None, are_few)
    read = (g, x, inverse if mean is None else mean, inverse)
    parts = inverse
    if not are_few:
        programs, high, wide, _ = COLUMNS
        across = -(-n // wide)
        share = high * -(-rows // (high * max(1, programs // across)))
        shares = -(-rows // share)
        parts = x.new_empty(shares * (2 if of_bias is None else 4) * n, dtype=torch.float64)
        first.launch((across, shares), (*read, parts), (rows, n, share))
    second.launch((-(-n // 16), 1), (*read, parts, gw, gb), (rows, n, shares))
    return gw, gb


def softmax_of_rows(x: Tensor, is_log: bool, launch: tuple[Any, ...] = ()) -> Tensor:
    """Of the last axis. x is contiguous."""
    y, n = torch.empty_like(x), x.shape[-1]
    rows = x.numel() // n
    if rows:
        plan = softmax_plan(n, x.element_size(), is_log, launch)
        plan.launch((-(-rows // plan.rows), 1), (x, y), (rows, n))
    return y


def softmax_gradient_of_rows(g: Tensor, y: Tensor, is_log: bool, launch: tuple[Any, ...] = ()) -> Tensor:
    gx, n = torch.empty_like(y), y.shape[-1]
    rows = y.numel() // n
    if rows:
        plan = softmax_gradient_plan(n, y.element_size(), is_log, launch)
        plan.launch((-(-rows // plan.rows), 1), (g, y, gx), (rows, n))
    return gx


def _vector(t: Tensor | None, x: Tensor, name: str) -> Tensor | None:
    """A weight or a bias of rows of x."""
    n = x.shape[-1]
    if t is not None and (t.shape != (n,) or t.device != x.device):
        raise ValueError(f"{name} is a vector of {n} on {x.device}, not {tuple(t.shape)} on {t.device}")
    return None if t is None else t.contiguous()


def rms_norm(x: Tensor, weight: Tensor | None = None, eps: float = 1e-6, **launch: Any) -> Tensor:
    """x * (1 / sqrt(sum(x**2) / n + eps)) * weight over the last axis, in float; the sum is correctly rounded.

    x: float16, bfloat16 or float32 on a CUDA device, rows of up to 65536 elements; weight: one number for each of a
    row. The result has the type and shape of x. launch: num_warps, num_stages, and R, a power of two: rows of a
    program; none of them shows in the result. No gradient: `quire.torch.rms_norm` has one. Each step is rounded as
    IEEE 754 has it, infinities, NaN and subnormals included, so that the bits are those of the CPU.
    """
    rows = _rows_of(x, "rms_norm")
    weight = _vector(weight, x, "weight")
    return norm_of_rows(rows, x.shape[-1], weight, None, eps, False, False, tuple(launch.items()))[0]


def layer_norm(
    x: Tensor, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5, **launch: Any
) -> Tensor:
    """(x - mean) * (1 / sqrt(variance + eps)) * weight + bias over the last axis, in float.

    Mean and variance are each correctly rounded. All else as `rms_norm`.
    """
    rows = _rows_of(x, "layer_norm")
    weight, bias = _vector(weight, x, "weight"), _vector(bias, x, "bias")
    return norm_of_rows(rows, x.shape[-1], weight, bias, eps, True, False, tuple(launch.items()))[0]


def softmax(x: Tensor, **launch: Any) -> Tensor:
    """exp(x - max(x)) / sum(exp(x - max(x))) over the last axis, in float; the sum is correctly rounded.

    x: float16, bfloat16 or float32 on a CUDA device, rows of up to 65536 elements. The result has the type and shape of
    x. launch: as above. No gradient: `quire.torch.softmax` has one. A row with +inf, or of -inf alone, or with NaN is
    NaN.
    """
    return softmax_of_rows(_rows_of(x, "softmax"), False, tuple(launch.items()))


def log_softmax(x: Tensor, **launch: Any) -> Tensor:
    """x - max(x) - log(sum(exp(x - max(x)))) over the last axis; all else as `softmax`."""
    return softmax_of_rows(_rows_of(x, "log_softmax"), True, tuple(launch.items()))
