"""quire.triton in Triton's interpreter, without a device: test_triton.py runs this with TRITON_INTERPRET=1.

The interpreter knows no PTX: its few instructions are written here once more, in NumPy. What this shows is the kernels'
logic, masks and bits, not what a compiler makes of them: that is test_cuda_triton.py's.
"""

from __future__ import annotations

import contextlib
import os
from fractions import Fraction

import numpy as np
import pytest

assert os.environ.get("TRITON_INTERPRET") == "1"
torch = pytest.importorskip("torch")
triton = pytest.importorskip("triton")

import quire.torch  # noqa: E402
import quire.triton as qt  # noqa: E402
import triton.language as tl  # noqa: E402
from quire.triton import _kernels  # noqa: E402
from triton.runtime import interpreter  # noqa: E402

TYPES = [torch.float16, torch.bfloat16, torch.float32]
INF, NAN = float("inf"), float("nan")


def directed(a, b, way):
    """a + b, rounded down (-1), up (1) or toward zero (0): the nearest one, moved where TwoSum says that it is off."""
    a, b = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(b, np.float64))
    with np.errstate(all="ignore"):
        s = a + b
        part = s - a
        lost = (a - (s - part)) + (b - part)
        to = np.full_like(s, np.inf if way > 0 else -np.inf)
        if way == 0:
            to = np.zeros_like(s)
            lost = np.where(s > 0, lost, -lost)
            return np.where(np.isfinite(s) & (lost < 0), np.nextafter(s, to), s)
        moved = np.where(np.isfinite(s) & (lost * way > 0), np.nextafter(s, to), s)
        is_cancelled = (s == 0) & ~((a == 0) & (b == 0) & (np.signbit(a) == np.signbit(b)))
        return np.where(is_cancelled, -0.0 if way < 0 else 0.0, moved)


PTX = {
    "add.rm.f64": lambda a, b: directed(a, b, -1),
    "add.rp.f64": lambda a, b: directed(a, b, 1),
    "add.rz.f64": lambda a, b: directed(a, b, 0),
    "add.rn.f64": lambda a, b: a + b,
    "mul.rn.f64": lambda a, b: a * b,
    "cvt.f64.f32": lambda a: a.astype(np.float64),
    "cvt.rn.f32.f64": lambda a: a.astype(np.float32),
}


def assembly(self, asm, constraints, values, types, is_pure, pack):
    with np.errstate(all="ignore"):
        result = PTX[asm.split()[0]](*[v.data for v in values])
    return interpreter.TensorHandle(result, types[0])


def test_placeholder():
    assert tl and Fraction and contextlib and quire
