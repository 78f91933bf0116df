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


def moved(q, off, way):
    """q, which is the nearest number to what is off from it by some of the sign of off, rounded in a direction."""
    with np.errstate(all="ignore"):
        to = {-1: -np.inf, 1: np.inf, 0: 0.0}[way]
        is_beyond = off * np.sign(q) < 0 if way == 0 else off * way > 0
        return np.where(np.isfinite(q) & is_beyond, np.nextafter(q, np.full_like(q, to)), q)


def halves(a):
    """Two halves of 26 bits (Dekker): their products are exact."""
    high = a * 134217729.0
    high = high - (high - a)
    return high, a - high


def error_of_product(a, b, p):
    (a1, a0), (b1, b0) = halves(a), halves(b)
    return ((a1 * b1 - p) + a1 * b0 + a0 * b1) + a0 * b0


def times(a, b, way):
    """a * b rounded in a direction: of numbers whose products do not underflow."""
    a, b = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(b, np.float64))
    with np.errstate(all="ignore"):
        p = a * b
        return moved(p, np.nan_to_num(error_of_product(a, b, p)), way)


def over(a, b, way):
    """a / b rounded in a direction, b > 0."""
    a, b = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(b, np.float64))
    with np.errstate(all="ignore"):
        q = a / b
        p = q * b
        return moved(q, np.nan_to_num((a - p) - error_of_product(q, b, p)), way)


def quotient(x, inverse):
    above = times(x.astype(np.float64), inverse, 1)
    return (above.view(np.int64) & -8).view(np.float64).astype(np.float32)


PTX = {
    "add.rm.f64": lambda a, b: directed(a, b, -1),
    "add.rp.f64": lambda a, b: directed(a, b, 1),
    "add.rz.f64": lambda a, b: directed(a, b, 0),
    "add.rn.f64": lambda a, b: a + b,
    "mul.rn.f64": lambda a, b: a * b,
    "mul.rm.f64": lambda a, b: times(a, b, -1),
    "mul.rp.f64": lambda a, b: times(a, b, 1),
    "div.rm.f64": lambda a, b: over(a, b, -1),
    "div.rp.f64": lambda a, b: over(a, b, 1),
    "div.rz.f64": lambda a, b: over(a, b, 0),
    "{": quotient,
    "cvt.f64.f32": lambda a: a.astype(np.float64),
    "cvt.rn.f32.f64": lambda a: a.astype(np.float32),
}


class Assembly:
    """The result of an instruction, as the interpreter's callers ask for it."""

    def __init__(self, asm, values):
        with np.errstate(all="ignore"):
            self.result = np.asarray(PTX[asm.split()[0]](*[v.data for v in values]))

    def get_result(self, i):
        kind = tl.float32 if self.result.dtype == np.float32 else tl.float64
        return interpreter.TensorHandle(self.result, kind)


of_tensors = interpreter._patch_lang_tensor


def with_integers(tensor, scope):
    """Numbers are arrays of one element in the interpreter, of which NumPy 2.4 makes no integer."""
    of_tensors(tensor, scope)
    scope.set_attr(tensor, "__index__", lambda self: int(np.asarray(self.handle.data).item()))


PATCHED = set()


def called(function, *arguments, **words):
    """A call within a kernel: patches Triton's modules for each function once, which takes nearly all of the time."""
    if function.fn not in PATCHED:
        interpreter._patch_lang(function.fn)
        PATCHED.add(function.fn)
    return function.rewrite()(*arguments, **words)


@pytest.fixture(autouse=True)
def machine(monkeypatch):
    """PTX for the interpreter, and CPU tensors for the kernels' callers."""
    builder = interpreter.InterpreterBuilder
    monkeypatch.setattr(
        builder, "create_inline_asm", lambda self, asm, constraints, values, *more: Assembly(asm, values)
    )
    monkeypatch.setattr(interpreter, "_patch_lang_tensor", with_integers)
    monkeypatch.setattr(interpreter.InterpretedFunction, "__call__", called)
    monkeypatch.setattr(torch.cuda, "device", lambda device: contextlib.nullcontext())
    monkeypatch.setattr(_kernels, "_rows_of", lambda x, name: x.contiguous())


def rows(dtype, n):
    """Normal numbers, of many exponents, that cancel, zeros and special ones."""
    torch.manual_seed(n)
    x = torch.randn(12, n)
    x[1] *= torch.exp2(torch.randint(-20, 10, (n,)).float())
    x[2] = -x[2].flip(0)
    x[3] = 0
    x[4, 0], x[5, 0], x[6] = INF, NAN, -INF
    x[7] *= 1e-20
    x[8] *= 1e18
    return x.to(dtype)


@triton.jit
def sums_kernel(x, y, results, n, N: tl.constexpr):
    k = tl.arange(0, N)
    a = tl.load(x + k, mask=k < n, other=3.0)
    b = tl.load(y + k, mask=k < n, other=5.0)
    tl.store(results, qt.sum(a, k < n))
    tl.store(results + 1, qt.sumsq(a, k < n))
    tl.store(results + 2, qt.dot(a, b, k < n))


@pytest.mark.parametrize("dtype", TYPES)
def test_sums(dtype):
    for n in (1, 5, 8):
        for x in rows(dtype, n):
            y, found = rows(dtype, n)[1], torch.empty(3)
            sums_kernel[(1,)](x, y, found, n, N=8)
            f = torch.float32
            right = [quire.sum(x, dtype=f), quire.vecdot(x, x, dtype=f), quire.vecdot(x, y, dtype=f)]
            assert found.view(torch.int32).tolist() == torch.stack(right).view(torch.int32).tolist(), (n, x)


@pytest.mark.parametrize("dtype", TYPES)
def test_rms_norm_has_the_bits_of_quire_torch(dtype):
    for n in (1, 5, 33):
        x, weight = rows(dtype, n), torch.randn(n).to(dtype)
        for w, eps in ((None, 1e-6), (weight, 0.0), (weight, 1e-40)):
            right = quire.torch.rms_norm(x.float(), n, w, eps)
            if dtype == torch.bfloat16:  # which the interpreter cuts, and does not round
                right = (right.view(torch.int32) >> 16 << 16).view(torch.float32)
            right = right.to(dtype)
            for launch in ({}, {"R": 1}, {"R": 16}):
                found = qt.rms_norm(x, w, eps, **launch)
                assert found.dtype == dtype and torch.equal(found.nan_to_num(7), right.nan_to_num(7)), (n, eps)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_is_near_that_of_quire_torch(dtype, name):
    for n in (1, 5, 33):
        x = rows(dtype, n)
        right, call = getattr(quire.torch, name)(x), getattr(qt, name)
        found = call(x)
        assert torch.allclose(found.float(), right.float(), rtol=1e-2, atol=1e-6, equal_nan=True)
        for begin, end in ((0, 1), (3, 9)):
            assert torch.equal(call(x[begin:end], R=1).nan_to_num(7), found[begin:end].nan_to_num(7))


def below(middle, *elements):
    """Elements whose squares sum to less than a number by what no double beside it holds."""
    row, rest = list(elements), Fraction(middle) - sum(Fraction(a) ** 2 for a in elements)
    for _ in range(3):
        root = np.float32(float(rest) ** 0.5)
        while Fraction(float(root)) ** 2 >= rest:
            root = np.nextafter(root, np.float32(0))
        row.append(float(root))
        rest -= Fraction(float(root)) ** 2
    assert 0 < rest < 2.0**-40
    return row


@triton.jit
def along_rows_kernel(x, y, results, n, R: tl.constexpr, TILE: tl.constexpr):
    """The example of docs/kernels.md: sums and dot products along an axis, of rows in tiles."""
    r, c = tl.arange(0, R)[:, None], tl.arange(0, TILE)[None, :]
    mask = c < n
    tile = tl.load(x + r * n + c, mask=mask, other=3.0)
    down, up = qt.ends(tile, 1, mask)
    products_down, products_up = qt.ends_of_products(tile, tl.load(y + r * n + c, mask=mask, other=5.0), 1, mask)
    for begin in range(TILE, n, TILE):
        at = begin + c
        mask = at < n
        tile = tl.load(x + r * n + at, mask=mask, other=3.0)
        more_down, more_up = qt.ends(tile, 1, mask)
        down, up = qt.merge(down, up, more_down, more_up)
        more_down, more_up = qt.ends_of_products(tile, tl.load(y + r * n + at, mask=mask, other=5.0), 1, mask)
        products_down, products_up = qt.merge(products_down, products_up, more_down, more_up)
    sums, is_decided = qt.value(down, up)
    dots, are_decided = qt.value(products_down, products_up)
    row = results + 4 * tl.arange(0, R)
    tl.store(row, sums)
    tl.store(row + 1, dots)
    tl.store(row + 2, is_decided.to(tl.float32))
    tl.store(row + 3, are_decided.to(tl.float32))


@pytest.mark.parametrize("dtype", TYPES)
def test_ends_along_an_axis_of_rows_in_tiles(dtype):
    n = 21
    torch.manual_seed(n)
    x, y, found = torch.randn(8, n).to(dtype), torch.randn(8, n).to(dtype), torch.empty(8, 4)
    x[5], x[6, 3], x[7] = -0.0, INF, NAN
    along_rows_kernel[(1,)](x, y, found, n, R=8, TILE=8)
    right = [quire.sum(x, axis=1, dtype=torch.float32), quire.vecdot(x, y, dtype=torch.float32)]
    assert (found[:, 2:] == 1).all()  # ordinary numbers, zeros and special ones
    for column, sums in zip(found.T, right, strict=False):
        assert column.contiguous().view(torch.int32).tolist() == sums.view(torch.int32).tolist()
