"""Norms, softmax and their gradients in Triton's interpreter: each against quire.torch on the CPU, by every state that
decides a row or a column. test_triton.py runs this, after interpreted_triton.py, whose machine it takes."""

from __future__ import annotations

import contextlib
from fractions import Fraction

import numpy as np
import pytest
import quire
import quire.torch
import quire.triton as qt
import torch
import triton
import triton.language as tl
from interpreted_triton import INF, NAN, TYPES, machine, rows  # noqa: F401
from quire.torch import _fused, _norm_gradients, _softmax
from quire.triton import _again, _ends, _kernels, _launch, _norm_kernels, _ptx, _softmax_kernels


@triton.jit
def never(down, up):
    """In place of what two ends round to: a wrong value, which is not decided."""
    return _ptx._float(down) + 3.0, down != down


@triton.jit
def never_by_sums(s, down, up, by):
    return _ptx._float(s) + 3.0, s != s


# Which states are left: all, or those that read the elements again.
STATES = {"all": (), "again": ((_norm_kernels, "value", never), (_softmax_kernels, "value", never))}


EACH = [*(("all", dtype) for dtype in TYPES), ("again", torch.float32)]
each = pytest.mark.parametrize(("states", "dtype"), EACH, indirect=["states"])


@pytest.fixture(params=STATES)
def states(request, monkeypatch):
    for module, name, function in STATES[request.param]:
        monkeypatch.setattr(module, name, function)
    return request.param


def stored(y, dtype):
    """A result in a format: the interpreter cuts what becomes bfloat16, and does not round it."""
    if dtype == torch.bfloat16:
        y = (y.contiguous().view(torch.int32) >> 16 << 16).view(torch.float32)
    return y.to(dtype)


def same(found, right):
    """Whether all bits are, but those of NaN."""
    assert found.dtype == right.dtype and found.shape == right.shape
    kind = torch.int32 if found.dtype == torch.float32 else torch.int16
    is_nan = found.isnan()
    return torch.equal(is_nan, right.isnan()) and torch.equal(found[~is_nan].view(kind), right[~is_nan].view(kind))


def hard(dtype, n):
    """Rows as above, that are all alike, far from 0, of the least and the greatest numbers, of zeros of both signs."""
    x = rows(dtype, n)
    torch.manual_seed(n + 1)
    more = torch.randn(7, n)
    more[0] = 3.25
    more[1] = 1000 + more[1] / 8
    if dtype != torch.bfloat16:  # whose subnormal numbers the interpreter takes for others
        more[2] *= 1e-40
    more[3] = more[3].sign() * 3e38
    more[4] = -0.0
    more[5] = torch.where(more[5] > 0, 0.0, -0.0)
    more[6] = 0.0
    return torch.cat((x, more.to(dtype)))


@each
def test_layer_norm_has_the_bits_of_quire_torch(dtype, states):
    for n in (1, 5, 33):
        x, weight, bias = hard(dtype, n), torch.randn(n).to(dtype), torch.randn(n).to(dtype)
        for w, b, eps in ((weight, bias, 0.0), (None, None, 1e-40))[: 2 if n == 5 else 1]:
            right = stored(quire.torch.layer_norm(x.float(), n, w, b, eps), dtype)
            assert same(qt.layer_norm(x, w, b, eps, R=1 if n == 5 else 16), right), (n, eps)


@each
def test_rms_norm_has_them_in_every_state(dtype, states):
    for n in (5,):
        x = hard(dtype, n)
        assert same(qt.rms_norm(x, None, 1e-40), stored(quire.torch.rms_norm(x.float(), n, None, 1e-40), dtype))


@pytest.mark.parametrize("has_mean", [False, True])
def test_statistics_are_those_that_the_gradients_take(has_mean, states):
    x = hard(torch.float32, 9)
    _, mean, inverse = _kernels.norm_of_rows(x, 9, None, None, 1e-5, has_mean, True)
    _, right_mean, right_inverse = quire.torch._norms.norm(x, [9], None, None, 1e-5, has_mean)
    assert same(inverse, right_inverse) and (not has_mean or same(mean, right_mean))


@pytest.mark.parametrize(("states", "dtype"), [EACH[0], *EACH[2:]], indirect=["states"])
@pytest.mark.parametrize("has_mean", [False, True])
def test_gradients_of_norms(dtype, has_mean, states):
    for n in (1, 9):
        x, weight = hard(dtype, n), torch.randn(n).to(dtype)
        g = hard(dtype, n).flip(0) if n > 1 else torch.randn(len(x), n).to(dtype)
        _, mean, inverse = quire.torch._norms.norm(x, [n], None, None, 1e-5, has_mean)
        for w in (None, weight):
            right, _, _ = _norm_gradients.gradients(g, x, [n], w, mean, inverse, True, False, None)
            assert same(_kernels.norm_gradient_of_rows(g, x, n, w, mean, inverse), right), (n, w is None)


@pytest.mark.parametrize("alone", [0, _kernels.ROWS_ALONE])
@pytest.mark.parametrize("has_mean", [False, True])
def test_gradients_of_weights(has_mean, alone, monkeypatch):
    from quire.triton import _column_kernels

    monkeypatch.setattr(_kernels, "ROWS_ALONE", alone)
    for state in ("all", "again"):
        if state != "all":
            monkeypatch.setattr(_column_kernels, "value", never)
        for count, n in ((1, 3), (40, 5), (90, 18)):
            torch.manual_seed(n)
            x, g = torch.randn(count, n), torch.randn(count, n)
            if count > 1:
                g[:, 0] = 0.0
                g[:, 1] = torch.where(torch.arange(count) % 2 == 0, 1e30, -1e30)
                g[0, 1], g[1, 2], g[2, 3] = 1.0, INF, NAN
                g[:, 4] = -0.0
            if state != "all":
                x, g = x[:20, :5].contiguous(), g[:20, :5].contiguous()
                n = x.shape[1]
            _, mean, inverse = quire.torch._norms.norm(x, [n], None, None, 1e-5, has_mean)
            weight = torch.ones(n)
            for of_weight, of_bias in ((True, torch.float32), (True, None), (False, torch.float16)):
                if of_bias is not None and not has_mean:
                    continue
                _, gw, gb = _norm_gradients.gradients(g, x, [n], weight, mean, inverse, False, of_weight, of_bias)
                of = torch.float32 if of_weight else None
                found = _kernels.norm_gradients_of_columns(g, x, n, mean, inverse, of, of_bias)
                assert gw is None or same(found[0], gw)
                assert gb is None or same(found[1], gb)


@pytest.mark.parametrize("is_log", [False, True])
def test_gradients_of_softmax(is_log, states):
    for n in (1, 9):
        y, g = hard(torch.float32, n), hard(torch.float32, n).flip(0)
        if is_log:  # whose exponentials are another's
            y = torch.where(y.isfinite(), torch.zeros_like(y), y)
        right = _softmax.of_formula(g, y, 1, is_log)
        assert same(_kernels.softmax_gradient_of_rows(g, y, is_log), right)


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_has_its_bits_in_every_state(name, monkeypatch):
    x = torch.cat([hard(torch.float32, 9), torch.randn(5, 9) * 30])
    right = getattr(qt, name)(x)
    for module, word, function in STATES["again"]:
        monkeypatch.setattr(module, word, function)
    assert same(getattr(qt, name)(x), right)


@triton.jit
def quotients_kernel(x, total, y, N: tl.constexpr):
    k = tl.arange(0, N)
    t = tl.load(total + tl.program_id(0))
    at = tl.program_id(0) * N + k
    tl.store(y + at, _ptx._quotient(tl.load(x + at), _softmax_kernels.inverse_above(t)))


def test_quotients_are_rounded_once():
    """Those of softmax: of totals from 1 on; of subnormal results that lie in the middle of two as well."""
    torch.manual_seed(1)
    totals = torch.tensor([1.0, 6.0, 10.0, 14.0, 3.0, 65536.0, 1 + 2.0**-23, 2 - 2.0**-23])
    totals = torch.cat([totals, torch.rand(8) * 100 + 1])
    x = torch.rand(16, 64) * torch.exp2(torch.randint(-148, 1, (16, 64)).float())
    x[:, :16] = totals.double()[:, None] * torch.arange(1, 32, 2) * 2.0**-150  # a middle, where that is a float
    x[:, 16:20] = torch.tensor([0.0, 1.0, 2.0**-149, 1 - 2.0**-24])
    found = torch.empty_like(x)
    quotients_kernel[(16,)](x, totals, found, N=64)
    right = torch.from_numpy(x.numpy() / totals.numpy()[:, None])
    exact = [Fraction(a) / Fraction(t) for t, row in zip(totals.tolist(), x.tolist(), strict=True) for a in row]
    middles = [a * 2**150 % 2 == 1 for a in exact]
    assert same(found, right) and sum(middles) > 40


@triton.jit
def statistics_kernel(x, results, n, T: tl.constexpr):
    row = x + tl.program_id(0) * n
    mean = _again.quotient_of(_again.element, (row,), n, tl.full((), 0.0, tl.float64) + n, T)
    tl.store(results + 3 * tl.program_id(0), mean)
    tl.store(results + 3 * tl.program_id(0) + 1, _again.variance_of(row, n, mean, T))
    tl.store(results + 3 * tl.program_id(0) + 2, _again.sum_of(_again.square, (row,), n, T))


def neighbours(n):
    """Rows whose mean or variance is the middle of two floats, or beside it by little; of few ulps; of all sizes."""
    tiny = 2.0**-60
    some = [
        *([0.0, 4097.0, *[a] * (n - 2)] for a in (0.0,)),
        *([a, 4097.0] * (n // 2) for a in (0.0, tiny, -tiny, 1e-38, -1e-44)),
        *([a * 2.0**-70, 4097 * 2.0**-70] * (n // 2) for a in (0.0, tiny, -tiny)),
        [2.0**24, 2.0**24 + 2] * (n // 2),
        [2.0**24, *[0.0] * (n - 1)],
        [2.0**24 * n, n / 1.0, *[0.0] * (n - 2)],
        [2.0**24 * n, n / 1.0, tiny, *[0.0] * (n - 3)],
        [2.0**24 * n, n / 1.0, -tiny, *[0.0] * (n - 3)],
        [1.0, 1 + 2.0**-23, *[1.0] * (n - 2)],
        [1.0, 1 - 2.0**-24, *[1 + 2.0**-23] * (n - 2)],
        [1e38, -1e38, 1e-38, 1e-45, *[0.0] * (n - 4)],
        [3e38, -3e38] * (n // 2),
        [2e-23, -2e-23] * (n // 2),
        [2.0**-75, -(2.0**-75)] * (n // 2),
        [1.5 * 2.0**-75, *[0.0] * (n - 1)],
        [3e38] * n,
        [-0.0] * n,
        [INF, *[1.0] * (n - 1)],
        [INF, -INF, *[1.0] * (n - 2)],
        [NAN, *[1.0] * (n - 1)],
    ]
    torch.manual_seed(n)
    wide = torch.randn(6, n) * torch.exp2(torch.randint(-140, 120, (6, n)).float())
    return torch.cat([torch.tensor(some), wide, 1e4 + torch.randn(6, n) / 64])


@pytest.mark.parametrize("state", ["all", "limbs"])
def test_statistics_of_rows_in_memory(state, monkeypatch):
    if state == "limbs":
        monkeypatch.setattr(_again, "value_of_sums", never_by_sums)
    for n, T in ((4, 4), (12, 8))[: 1 if state == "limbs" else 2]:
        x = neighbours(n)
        results = torch.empty(len(x), 3)
        statistics_kernel[(len(x),)](x, results, n, T=T)
        right = [quire.mean(x, axis=1), quire.var(x, axis=1), quire.vecdot(x, x)]
        for k, column in enumerate(right):
            assert same(results[:, k].contiguous(), column), (n, k, results[:, k] - column)


@triton.jit
def beside_kernel(x, middles, results, n, T: tl.constexpr):
    middle = _ptx._number(tl.load(middles + 2 * tl.program_id(0)))
    middle = _ptx._add_nearest(middle, _ptx._number(tl.load(middles + 2 * tl.program_id(0) + 1)))
    row = x + tl.program_id(0) * n
    beside = _again.variance_beside(_again.element, _again.square, (row,), n, middle, T)
    tl.store(results + tl.program_id(0), beside)


def test_variances_beside_a_number():
    """Every variance against the middles about it, and itself, in integers."""
    for n in (1, 5):
        x = torch.cat([neighbours(6)[n::5, :n], torch.randn(2, n) * 1e-19])
        x = x[x.isfinite().all(1)]
        cases = []
        for row in x.tolist():
            exact = [Fraction(a) for a in row]
            variance = sum(a * a for a in exact) / n - (sum(exact) / n) ** 2
            below = np.float32(min(float(variance), 3e38))
            for a in (below, np.nextafter(below, np.float32(INF)), np.nextafter(below, np.float32(0))):
                ulp = np.spacing(a) if a else np.float32(2.0**-149)
                for half in (np.float32(0), np.float32(ulp / 2)):
                    if float(a) + float(half) > 0:
                        cases.append(
                            (row, [float(a), float(half)], variance - Fraction(float(a)) - Fraction(float(half)))
                        )
        results = torch.empty(len(cases), dtype=torch.int32)
        beside_kernel[(len(cases),)](
            torch.tensor([c[0] for c in cases]), torch.tensor([c[1] for c in cases]), results, n, T=4
        )
        assert results.tolist() == [(c[2] > 0) - (c[2] < 0) for c in cases]


@pytest.mark.parametrize("name", ["rms_norm", "layer_norm", "of an operator", "batch_invariant"])
def test_quire_torch_takes_the_kernels(name, monkeypatch):
    """Results and gradients by them and by PyTorch's arithmetic, which have the same bits."""
    x, w, b = hard(torch.float32, 9)[:, None], torch.randn(9), torch.randn(9).half()
    g, taken = torch.randn(x.shape), []
    call, leaves = {
        "rms_norm": (lambda x, w: quire.torch.rms_norm(x, 9, w), (x, w)),
        "layer_norm": (lambda x, w, b: quire.torch.layer_norm(x, 9, w, b), (x, w, b)),
        "of an operator": (lambda x, w, b: torch.ops.quire.layer_norm(x, [9], w, b), (x, w, b)),
        "batch_invariant": (lambda x, w: torch.nn.functional.layer_norm(x, (9,), w, w), (x, w)),
    }[name]
    results = []
    for takes in (False, True):
        monkeypatch.setattr(_fused, "takes", lambda x, n: taken.append(takes) or takes)
        some = [t.clone().requires_grad_() for t in leaves]
        with quire.torch.batch_invariant() if name == "batch_invariant" else contextlib.nullcontext():
            y = call(*some)
            results.append([y.detach(), *torch.autograd.grad(y, some, g)])
    assert taken == [False, False, True, True]
    assert all(same(a, c) for a, c in zip(*results, strict=True))


@triton.jit
def ends_kernel(ends, results, n, inverse_down, inverse_up):
    at = ends + 4 * tl.program_id(0)
    under, over = _norm_kernels.as_double(inverse_down), _norm_kernels.as_double(inverse_up)
    down, up = tl.load(at), tl.load(at + 1)
    lower, upper = _ends.ends_of_variance(down, up, tl.load(at + 2), tl.load(at + 3), under, over)
    least, most = _ends.ends_of_mean(down, up, under, over)
    tl.store(results + 4 * tl.program_id(0), lower)
    tl.store(results + 4 * tl.program_id(0) + 1, upper)
    tl.store(results + 4 * tl.program_id(0) + 2, least)
    tl.store(results + 4 * tl.program_id(0) + 3, most)


def test_ends_of_means_and_variances_hold_what_they_should():
    """Those of all sums between two ends, which here are far from each other, of either sign."""
    torch.manual_seed(1)
    for n in (3, 7, 4096):
        sums = torch.sort(torch.randn(40, 2, dtype=torch.float64) * 10, dim=1)[0]
        squares = torch.sort(sums.square().amax(1, True) / n + torch.rand(40, 2, dtype=torch.float64), dim=1)[0]
        found = torch.empty(40, 4, dtype=torch.float64)
        ends_kernel[(40,)](torch.cat((sums, squares), 1), found, n, *_launch.inverses(n))
        assert (sums[:, 0] * sums[:, 1] < 0).any()
        for (a, b, c, d), (lower, upper, least, most) in zip(
            torch.cat((sums, squares), 1).tolist(), found.tolist(), strict=True
        ):
            small = Fraction(0) if a < 0 < b else min(Fraction(a) ** 2, Fraction(b) ** 2)
            large = max(Fraction(a) ** 2, Fraction(b) ** 2)
            assert lower <= (Fraction(c) - large / n) / n and (Fraction(d) - small / n) / n <= upper
            assert least <= Fraction(a) / n and Fraction(b) / n <= most
            assert Fraction(lower) > (Fraction(c) - large / n) / n - Fraction(1, 2**44)
            assert Fraction(upper) < (Fraction(d) - small / n) / n + Fraction(1, 2**44)
            assert abs(Fraction(least) / (Fraction(a) / n) - 1) < Fraction(1, 2**50)
            assert abs(Fraction(most) / (Fraction(b) / n) - 1) < Fraction(1, 2**50)
