"""Launches of the kernels: with what they are compiled, and a short way to one that is there already."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import nextafter
from typing import Any

import torch
import triton
from torch import Tensor

LONGEST = 65536  # a row is one block
_stream_of = getattr(torch._C, "_cuda_getCurrentRawStream", None)
# Of Triton 3.6 the way below is known: what a launch calls, and with what.
_is_known = tuple(int(part) for part in triton.__version__.split(".")[:2]) == (3, 6)


class Plan:
    """A kernel with its constants, of rows of one length."""

    def __init__(self, kernel: Any, constants: dict[str, Any], options: dict[str, Any]) -> None:
        self.kernel, self.options = kernel, {**constants, "enable_fp_fusion": False, **options}
        self.values = tuple(constants.values())
        self.compiled: dict[Any, Any] = {}
        self.rows: int = constants.get("R", 1)

    def launch(self, grid: tuple[int, int], tensors: tuple[Tensor, ...], numbers: tuple[Any, ...]) -> None:
        """On the current stream of the tensors' device. numbers: the arguments behind them, rows first, of which Triton
        makes no constants, but for those that a plan has always alike.

        Products and sums are not contracted to fma, which would skip a rounding.
        """
        device = tensors[0].get_device()
        pointers, place, kind = [], 0, [device, numbers[0] < 2**31]  # rows are int32 or int64
        for t in tensors:
            pointer = t.data_ptr()
            pointers.append(pointer)
            place |= pointer
            kind.append(t.dtype)
        key = tuple(kind)
        found = self.compiled.get(key)
        if found is not None and place % 16 == 0 and device == torch.cuda.current_device() and _no_hooks():
            run, function, metadata = found
            stream = _stream_of(device)  # type: ignore[misc]
            run(*grid, 1, stream, function, metadata, None, None, None, *pointers, *numbers, *self.values)
            return
        with torch.cuda.device(device):
            kernel = self.kernel[grid](*tensors, *numbers, **self.options)
        if place % 16 == 0 and _is_known and _stream_of is not None and hasattr(kernel, "packed_metadata"):
            self.compiled[key] = kernel.run, kernel.function, kernel.packed_metadata


def _no_hooks() -> bool:
    """Whether no profiler waits for launches."""
    runtime = triton.knobs.runtime
    return not (runtime.launch_enter_hook.calls or runtime.launch_exit_hook.calls)


def plan_of(kernel: Any, n: int, size: int, constants: dict[str, Any], launch: tuple[Any, ...]) -> Plan:
    """Of a kernel of rows of n elements of so many bytes. launch: options that a user gives. None of them shows in a
    result. A thread has 64 bytes of an array (measured on an H200, docs/notebook/gpu.md)."""
    block, given = triton.next_power_of_2(n), dict(launch)
    rows = given.pop("R", max(1, 1024 // block))
    options = {"num_warps": min(16, max(1, rows * block * size // (32 * 64))), **given}
    tile = min(block, 64 * options["num_warps"])
    return Plan(kernel, {**constants, "R": rows, "N": block, "T": tile}, options)


@lru_cache(maxsize=4096)
def inverses(n: int) -> tuple[int, int]:
    """The bits of 1 / n as float64, rounded down and up."""
    inverse = 1 / n
    down = inverse if Fraction(inverse) * n <= 1 else nextafter(inverse, 0)
    up = inverse if Fraction(inverse) * n >= 1 else nextafter(inverse, 1)
    return bits_of(down), bits_of(up)


def bits_of(x: float) -> int:
    found: int = torch.tensor(x, dtype=torch.float64).view(torch.int64).item()
    return found
