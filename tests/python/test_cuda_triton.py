"""quire.triton on a device: blocks of families that two ends leave open, by several numbers of warps, against exact
fractions; and its kernels, whose bits depend neither on the batch nor on the launch."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

torch = pytest.importorskip("torch")
triton = pytest.importorskip("triton")
if not torch.cuda.is_available():
    pytest.skip("no CUDA device", allow_module_level=True)

import quire.triton as qt  # noqa: E402
import triton.language as tl  # noqa: E402
from quire.triton import _again, _ends, _exact, _limbs, _norm_kernels, _ptx, _softmax_kernels  # noqa: E402

TYPES = [torch.float16, torch.bfloat16, torch.float32]


@triton.jit(do_not_specialize=["n"])
def reduce_kernel(x, y, results, n, N: tl.constexpr, OPERATION: tl.constexpr):
    k = tl.arange(0, N)
    at = tl.program_id(0) * n + k
    a = tl.load(x + at, mask=k < n, other=3.0)
    if OPERATION == "dot":
        b = tl.load(y + at, mask=k < n, other=5.0)
        result = qt.dot(a, b, k < n)
    elif OPERATION == "sumsq":
        result = qt.sumsq(a, k < n)
    else:
        result = qt.sum(a, k < n)
    tl.store(results + tl.program_id(0), result)


@triton.jit(do_not_specialize=["n"])
def states_kernel(x, results, n, N: tl.constexpr, STATE: tl.constexpr):
    """The wider states as the first one; tiles that are merged."""
    k = tl.arange(0, N)
    a = tl.load(x + tl.program_id(0) * n + k, mask=k < n, other=3.0)
    number = _ptx._masked(_ptx._number(a), k < n)
    if STATE == "limbs":
        result = _ptx._float(_limbs.total(_exact._of_block, (number,), N, N))
        is_decided = n > 0
    else:
        none = number * 0.0
        s, down, up = tl.reduce((number, none, none), 0, _ends._merge_sums)
        result, is_decided = _again.value_of_sums(s, down, up, tl.full((), 1.0, tl.float64))
    tl.store(results + 2 * tl.program_id(0), result)
    tl.store(results + 2 * tl.program_id(0) + 1, is_decided.to(tl.float32))


@triton.jit
def tiles_kernel(x, results, n, TILE: tl.constexpr):
    row = x + tl.program_id(0) * n
    k = tl.arange(0, TILE)
    down, up = qt.ends(tl.load(row + k, mask=k < n, other=3.0), 0, k < n)
    for begin in range(TILE, n, TILE):
        at = begin + k
        tile_down, tile_up = qt.ends(tl.load(row + at, mask=at < n, other=3.0), 0, at < n)
        down, up = qt.merge(down, up, tile_down, tile_up)
    result, is_decided = qt.value(down, up)
    tl.store(results + 2 * tl.program_id(0), result)
    tl.store(results + 2 * tl.program_id(0) + 1, is_decided.to(tl.float32))


@triton.jit
def again_kernel(x, weight, y, n, eps, T: tl.constexpr):
    """Rows by the states that read the elements again, from the first on."""
    row = tl.program_id(0) * n
    _norm_kernels.norm_again(x + row, weight, weight, y + row, x, x, n, eps, False, True, False, False, T)


@triton.jit
def softmax_again_kernel(x, y, n, IS_LOG: tl.constexpr, T: tl.constexpr):
    row = tl.program_id(0) * n
    _softmax_kernels.softmax_again(x + row, y + row, n, IS_LOG, T)


@triton.jit
def moments_kernel(x, results, n, T: tl.constexpr):
    """The mean and the variance of rows by these states."""
    row = x + tl.program_id(0) * n
    to = results + 2 * tl.program_id(0)
    mean = _again.quotient_of(_again.element, (row,), n, tl.full((), 0.0, tl.float64) + n, T)
    tl.store(to, mean)
    tl.store(to + 1, _again.variance_of(row, n, mean, T))


@triton.jit
def quotients_kernel(x, total, y, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    t = tl.load(total + tl.program_id(0))
    tl.store(y + at, _ptx._quotient(tl.load(x + at), _softmax_kernels.inverse_above(t)))


def rounded(exact: Fraction) -> np.float32:
    """The float nearest to a fraction that is not 0, ties to even."""
    with np.errstate(over="ignore"):
        guess = np.float32(float(exact)) if abs(exact) < 2**200 else np.float32(np.inf if exact > 0 else -np.inf)
    limit = Fraction(2**128 - 2**103)
    if abs(exact) >= limit:
        return np.float32(np.inf if exact > 0 else -np.inf)
    if np.isinf(guess):
        guess = np.copysign(np.finfo(np.float32).max, guess)
    near = [np.nextafter(guess, np.float32(-np.inf)), guess, np.nextafter(guess, np.float32(np.inf))]
    near = [f for f in near if np.isfinite(f)]
    best = min(near, key=lambda f: (abs(Fraction(float(f)) - exact), f.view(np.uint32) & 1))
    return best if best != 0 else np.copysign(best, np.float32(1 if exact > 0 else -1))


def expected(x: np.ndarray, y: np.ndarray | None = None) -> np.float32:
    """The rule of quire.h: NaN, infinities, the sign of a zero, else the nearest float."""
    x = x.astype(np.float64)
    with np.errstate(all="ignore"):
        terms = x if y is None else x * y.astype(np.float64)
        if not np.isfinite(terms).all():
            return np.float32(np.sum(terms[~np.isfinite(terms)]))
    exact = sum(map(Fraction, terms.tolist()), Fraction(0))
    if exact == 0:
        return np.float32(-0.0 if np.signbit(terms).all() and not terms.any() else 0.0)
    return rounded(exact)


def same(found: np.float32, wanted: np.float32) -> bool:
    if np.isnan(wanted):
        return found.view(np.uint32) == 0x7FC00000
    return bool(found.view(np.uint32) == wanted.view(np.uint32))


def vector(rng: random.Random, n: int, dtype: torch.dtype) -> torch.Tensor:
    """Numbers of one size or of all, that cancel, that lie between two results, zeros, and special ones."""
    least, most = {torch.float16: (-24, 15), torch.bfloat16: (-133, 127), torch.float32: (-149, 127)}[dtype]
    bits = {torch.float16: 11, torch.bfloat16: 8, torch.float32: 24}[dtype]
    way = rng.randrange(7)
    if way == 0:
        x = [rng.gauss(0, 1) for _ in range(n)]
    elif way == 1:
        x = [rng.choice([-1, 1]) * (1 + rng.random()) * 2.0 ** rng.randint(least, most - 1) for _ in range(n)]
    elif way == 2:
        half = [rng.gauss(0, 1) * 2.0 ** rng.randint(-10, 10) for _ in range(n // 2)]
        x = half + [-a for a in half] + [2.0**least] * (n % 2)
    elif way == 3:  # the middle of two floats, and something far below it
        x = [2.0 ** min(most, 24), 1.0] + [rng.choice([-1, 1]) * 2.0 ** rng.randint(least, least + 3) for _ in range(n)]
        x = x[:n]
    elif way == 4:
        x = [rng.choice([0.0, -0.0]) if rng.random() < 0.5 else -0.0 for _ in range(n)]
    elif way == 5:
        x = [float(rng.randrange(-(2 ** (bits - 1)), 2 ** (bits - 1))) for _ in range(n)]
    else:
        x = [rng.gauss(0, 1) for _ in range(n)]
        x[rng.randrange(n)] = rng.choice([float("inf"), -float("inf"), float("nan")])
        x[rng.randrange(n)] = rng.choice([float("inf"), -float("inf"), 0.0])
    rng.shuffle(x)
    return torch.tensor(x, dtype=torch.float64).to(dtype)


def matrix(seed: int, rows: int, n: int, dtype: torch.dtype) -> torch.Tensor:
    rng = random.Random(seed)
    return torch.stack([vector(rng, n, dtype) for _ in range(rows)])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("operation", ["sum", "sumsq", "dot"])
def test_bits(dtype: torch.dtype, operation: str) -> None:
    for seed, n in enumerate([1, 2, 5, 33, 100, 1000]):
        x, y = matrix(seed, 60, n, dtype), matrix(100 + seed, 60, n, dtype)
        wanted = [
            expected(a, {"sum": None, "sumsq": a, "dot": b}[operation])
            for a, b in zip(x.double().numpy(), y.double().numpy(), strict=True)
        ]
        for warps in (1, 8):
            results = torch.empty(60, device="cuda")
            reduce_kernel[(60,)](
                x.cuda(), y.cuda(), results, n, N=64 if n <= 64 else 1024, OPERATION=operation, num_warps=warps
            )
            for i, (found, want) in enumerate(zip(results.cpu().numpy(), wanted, strict=True)):
                assert same(found, want), (operation, dtype, n, warps, i, float(found), float(want))


@pytest.mark.parametrize("state", ["sums", "limbs"])
def test_wider_states(state: str) -> None:
    decided = 0
    for seed, n in enumerate([2, 33, 700]):
        x = matrix(seed, 80, n, torch.float32)
        x = torch.where(x.isfinite(), x, torch.ones_like(x))
        results = torch.empty(80, 2, device="cuda")
        states_kernel[(80,)](x.cuda(), results, n, N=1024, STATE=state)
        for a, (found, is_decided) in zip(x.numpy(), results.cpu().numpy(), strict=True):
            want = expected(a)
            decided += bool(is_decided)
            if state == "limbs" and want == 0:  # whose sign limbs do not know
                assert found == 0
            elif is_decided:
                assert same(found, want), (n, float(found), float(want))
    assert decided > 120


def test_tiles_that_are_merged() -> None:
    x = torch.randn(200, 1000, device="cuda")
    for tile in (16, 128, 512):
        results = torch.empty(200, 2, device="cuda")
        tiles_kernel[(200,)](x, results, 1000, TILE=tile)
        found = results.cpu().numpy()
        assert found[:, 1].sum() >= 199  # ordinary numbers
        for a, (result, is_decided) in zip(x.cpu().numpy(), found, strict=True):
            assert not is_decided or same(result, expected(a))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [5000, 1000, 7])
def test_kernels_keep_bits(n: int, dtype: torch.dtype) -> None:
    x = matrix(n, 40, n, dtype).cuda()
    weight = torch.randn(n, device="cuda").to(dtype)
    for call in (lambda x, **launch: qt.rms_norm(x, weight, **launch), qt.softmax, qt.log_softmax):
        y = call(x)
        for begin, end in ((0, 1), (3, 4), (5, 39)):
            assert torch.equal(call(x[begin:end]).nan_to_num(7), y[begin:end].nan_to_num(7))
        for warps in (2, 16):
            assert torch.equal(call(x, R=1, num_warps=warps).nan_to_num(7), y.nan_to_num(7))
    other, block = torch.empty_like(x), triton.next_power_of_2(n)
    tile = min(block, 256)
    again_kernel[(40,)](x, weight, other, n, 1e-6, T=tile, enable_fp_fusion=False)
    assert torch.equal(other.nan_to_num(7), qt.rms_norm(x, weight).nan_to_num(7))
    for is_log, call in ((False, qt.softmax), (True, qt.log_softmax)):
        softmax_again_kernel[(40,)](x, other, n, IS_LOG=is_log, T=tile, enable_fp_fusion=False)
        assert torch.equal(other.nan_to_num(7), call(x).nan_to_num(7))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [5000, 1000, 7, 1])
def test_norms_have_the_bits_of_the_cpu(n: int, dtype: torch.dtype) -> None:
    import quire.torch

    x, weight = matrix(n, 40, n, dtype), torch.randn(n).to(dtype)
    for w in (None, weight):
        for eps in (1e-6, 0.0, 1e-40):
            right = quire.torch.rms_norm(x, n, w, eps)
            found = qt.rms_norm(x.cuda(), None if w is None else w.cuda(), eps)
            assert torch.equal(found.cpu().nan_to_num(7), right.nan_to_num(7))
            right = quire.torch.layer_norm(x, n, w, w, eps)
            found = qt.layer_norm(x.cuda(), *(() if w is None else (w.cuda(), w.cuda())), eps=eps)
            assert torch.equal(found.cpu().nan_to_num(7), right.nan_to_num(7))


def test_special_rows() -> None:
    inf, nan = float("inf"), float("nan")
    x = torch.tensor([[inf, 1, -2], [nan, 1, 2], [1e30, 1, 0], [0, -0.0, 0], [-inf, -inf, -inf], [-inf, 1, 1]])
    for of in (torch.float32, torch.bfloat16):
        rows = x.to(of).cuda()
        for ours, theirs in (
            (lambda t: qt.rms_norm(t, eps=0.0), lambda t: t.float() * (1 / t.float().square().mean(1, True).sqrt())),
            (qt.softmax, lambda t: torch.softmax(t, -1)),
            (qt.log_softmax, lambda t: torch.log_softmax(t, -1)),
        ):
            assert torch.allclose(ours(rows).float(), theirs(rows).float(), rtol=1e-2, equal_nan=True)


def near_middle(rng: random.Random, n: int) -> list[float]:
    """Numbers whose squares sum to a little less than the middle of two floats: two ends do not see on which side."""
    x = [float(np.float32(rng.gauss(0, 1))) for _ in range(n - 2)]
    total = sum((Fraction(a) ** 2 for a in x), Fraction(0))
    least = rounded(total)
    if Fraction(float(least)) > total:
        least = np.nextafter(least, np.float32(0))
    middle = (Fraction(float(least)) + Fraction(float(np.nextafter(least, np.float32(np.inf))))) / 2
    if middle <= total:
        return near_middle(rng, n)
    for _ in range(2):
        root = np.float32(float(middle - total) ** 0.5)
        while Fraction(float(root)) ** 2 >= middle - total:
            root = np.nextafter(root, np.float32(0))
        x.append(float(root))
        total += Fraction(float(root)) ** 2
    return x


def test_undecided_rows() -> None:
    rng, n = random.Random(5), 64
    x = torch.tensor([near_middle(rng, n) for _ in range(300)])
    weight = torch.randn(n)
    squares, y = torch.empty(300, device="cuda"), torch.empty(300, n, device="cuda")
    reduce_kernel[(300,)](x.cuda(), x.cuda(), squares, n, N=64, OPERATION="sumsq")
    wanted = [expected(a, a) for a in x.numpy()]
    assert all(same(found, want) for found, want in zip(squares.cpu().numpy(), wanted, strict=True))
    again_kernel[(300,)](x.cuda(), weight.cuda(), y, n, 1e-6, T=32, enable_fp_fusion=False)
    for launch in ({}, {"R": 1}, {"R": 4, "num_warps": 8}):
        assert torch.equal(qt.rms_norm(x.cuda(), weight.cuda(), **launch), y)
    import quire.torch

    assert torch.equal(quire.torch.rms_norm(x, n, weight, 1e-6), y.cpu())


def test_means_and_variances_in_the_middle() -> None:
    """Of two floats, or beside it by what a double does not hold; and rows that are wide or nearly alike."""
    import quire

    for n in (4, 64):
        tiny = 2.0**-60
        rows = [[a, 4097.0] * (n // 2) for a in (0.0, tiny, -tiny, 1e-38, -1e-44)]
        rows += [[2.0**24 * n, float(n), a, *[0.0] * (n - 3)] for a in (0.0, tiny, -tiny)]
        rows += [
            [1.0, 1 + 2.0**-23, *[1.0] * (n - 2)],
            [1e38, -1e38, 1e-38, 1e-45] * (n // 4),
            [2e-23, -2e-23] * (n // 2),
        ]
        rows += [[2.0**-75, -(2.0**-75)] * (n // 2), [3e38] * n, [-0.0] * n, [float("inf"), *[1.0] * (n - 1)]]
        wide = torch.randn(50, n) * torch.exp2(torch.randint(-140, 120, (50, n)).float())
        x = torch.cat([torch.tensor(rows), wide, 1e4 + torch.randn(50, n) / 64])
        mean, variance = quire.mean(x, axis=1), quire.var(x, axis=1)
        for tile in (4, 32):
            found = torch.empty(len(x), 2, device="cuda")
            moments_kernel[(len(x),)](x.cuda(), found, n, T=min(tile, n))
            found = found.cpu().numpy()
            for i, (m, v) in enumerate(zip(mean.numpy(), variance.numpy(), strict=True)):
                assert same(found[i, 0], m) and same(found[i, 1], v), (n, i)
        right = quire.torch.layer_norm(x, n, None, None, 0.0)
        assert torch.equal(qt.layer_norm(x.cuda(), eps=0.0).cpu().nan_to_num(7), right.nan_to_num(7))


def test_quotients_are_rounded_once() -> None:
    totals = torch.cat([torch.tensor([1.0, 6.0, 3.0, 10.0, 65536.0, 1 + 2.0**-23]), torch.rand(58) * 1000 + 1])
    x = torch.rand(64, 1024) * torch.exp2(torch.randint(-148, 1, (64, 1024)).float())
    x[:, :64] = totals.double()[:, None] * torch.arange(1, 128, 2) * 2.0**-150  # middles, where these are floats
    x[:, 64:67] = torch.tensor([0.0, 1.0, float("nan")])
    found = torch.empty_like(x, device="cuda")
    quotients_kernel[(64,)](x.cuda(), totals.cuda(), found, N=1024)
    right = torch.from_numpy(x.numpy() / totals.numpy()[:, None])
    assert torch.equal(found.cpu().nan_to_num(7), right.nan_to_num(7))


def test_kernels_are_near_torch() -> None:
    x, weight = torch.randn(3, 5, 500, device="cuda"), torch.randn(500, device="cuda")
    wanted = torch.nn.functional.rms_norm(x, (500,), weight, 1e-6)
    assert torch.allclose(qt.rms_norm(x, weight), wanted, rtol=1e-5, atol=1e-6)
    wanted = torch.nn.functional.layer_norm(x, (500,), weight, weight)
    assert torch.allclose(qt.layer_norm(x, weight, weight), wanted, rtol=1e-5, atol=1e-6)
    assert torch.allclose(qt.softmax(x), torch.softmax(x, -1), rtol=1e-5, atol=1e-8)
    assert torch.allclose(qt.log_softmax(x), torch.log_softmax(x, -1), rtol=1e-5, atol=1e-6)
    assert qt.softmax(x[:0]).shape == (0, 5, 500)


def test_refuses() -> None:
    x = torch.randn(3, 8, device="cuda")
    for bad in (x.double(), x.cpu(), x.long()):
        with pytest.raises(TypeError, match="takes float16, bfloat16 or float32"):
            qt.softmax(bad)
    with pytest.raises(ValueError, match="rows of 1 to 65536"):
        qt.softmax(x[:, :0])
    with pytest.raises(ValueError, match="weight is a vector of 8"):
        qt.rms_norm(x, x)
    with pytest.raises(ValueError, match="bias is a vector of 8"):
        qt.layer_norm(x, None, x)
