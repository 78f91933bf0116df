"""Integers, against Python's own: exact sums, results of 64 bits that fit or an OverflowError, doubles rounded once."""

import math
from fractions import Fraction

import numpy as np
import pytest
import quire

KINDS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"]
INTEGERS = KINDS[:-1]


def arrays(kind):
    """Of one shape: random, both extremes, their mixture, 2**53 + 1."""
    rng = np.random.default_rng(KINDS.index(kind))
    if kind == "bool":
        yield rng.integers(0, 2, (4, 5, 6)).astype(bool)
        return
    limits = np.iinfo(kind)
    yield rng.integers(limits.min, limits.max, (4, 5, 6), kind, endpoint=True)
    yield np.full((4, 5, 6), limits.max, kind)
    yield np.full((4, 5, 6), limits.min, kind)
    yield rng.choice(np.array([limits.min, limits.max, 0, 1], kind), (4, 5, 6))
    if limits.max > 2**53:
        yield np.array([2**53 + 1] * 119 + [2], kind).reshape(4, 5, 6)


def ints(a):
    return [int(v) for v in a.ravel()]


def correctly_rounded(numerator, denominator=1):
    """Python divides integers so."""
    return numerator / denominator


def root(q):
    """That of a fraction, rounded once: of 200 bits more than a double has, the last one sticky."""
    scaled = (q.numerator << 400) // q.denominator
    r = math.isqrt(scaled)
    exact = r * r == scaled and (q.numerator << 400) % q.denominator == 0
    return (2 * r + (not exact)) / (1 << 201)


def variance(v, correction=0):
    n = len(v)
    return Fraction(n * sum(i * i for i in v) - sum(v) ** 2, n * (n - correction))


@pytest.mark.parametrize("kind", KINDS)
def test_all_elements(kind):
    for a in arrays(kind):
        v = ints(a)
        total = quire.sum(a)
        assert type(total) is int and total == sum(v)
        assert quire.asum(a) == sum(map(abs, v))
        assert quire.sum(a[::-1, ::2]) == sum(ints(a[::-1, ::2]))
        assert quire.mean(a) == correctly_rounded(sum(v), len(v))
        assert quire.norm(a) == root(Fraction(sum(i * i for i in v)))
        q = variance(v)
        assert quire.var(a) == correctly_rounded(q.numerator, q.denominator)
        assert quire.std(a, correction=1) == root(variance(v, 1))
        assert quire.vecdot(a.ravel(), a.ravel()) == correctly_rounded(sum(i * i for i in v))
        assert quire.sum(a, dtype=np.float32) == np.float32(correctly_rounded(sum(v)))
        assert quire.mean(a).dtype == np.float64


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("axis", [0, 1, -1, (0, 2), (2, 1)])
def test_axes(kind, axis):
    wanted = np.uint64 if kind.startswith("u") else np.int64
    limits = np.iinfo(wanted)
    for whole in arrays(kind):
        for a in (whole, whole[::-1, :, ::2], whole.transpose(2, 0, 1)):
            right = np.sum(a.astype(object), axis=axis)
            if all(limits.min <= v <= limits.max for v in right.ravel()):
                found = quire.sum(a, axis=axis)
                assert found.dtype == wanted and (found == right).all()
                kept = quire.sum(a, axis=axis, keepdims=True)
                assert (kept == np.sum(a.astype(object), axis=axis, keepdims=True)).all()
            else:
                with pytest.raises(OverflowError):
                    quire.sum(a, axis=axis)
            n = a.size // right.size
            means = quire.mean(a, axis=axis)
            assert all(m == correctly_rounded(int(v), n) for m, v in zip(means.ravel(), right.ravel(), strict=True))


@pytest.mark.parametrize("kind", KINDS)
def test_masks(kind):
    for a in arrays(kind):
        mask = np.random.default_rng(1).integers(0, 2, a.shape).astype(bool)
        mask[0, 0] = False
        assert quire.sum(a, where=mask) == sum(ints(a[mask]))
        means = quire.mean(a, axis=-1, where=mask)
        assert np.isnan(means[0, 0])
        chosen = ints(a[1, 1][mask[1, 1]])
        assert means[1, 1] == correctly_rounded(sum(chosen), len(chosen))


@pytest.mark.parametrize("kind", INTEGERS)
def test_named_results(kind):
    limits = np.iinfo(kind)
    a = np.array([[limits.max, 0], [1, 1]], kind)
    for dtype in (kind, np.dtype(kind), getattr(np, kind)):
        assert quire.sum(a[:, 1], dtype=dtype) == 1 and type(quire.sum(a[:, 1], dtype=dtype)) is getattr(np, kind)
        with pytest.raises(OverflowError):
            quire.sum(a, axis=0, dtype=dtype)
    out = np.full(2, 7, kind)
    with pytest.raises(OverflowError):
        quire.sum(a, axis=0, out=out)
    assert (out == 7).all()
    assert quire.sum(a, axis=1, out=out) is out and out.tolist() == [limits.max, 2]
    doubles = np.zeros(2)
    assert quire.sum(a, axis=1, out=doubles) is doubles and doubles.tolist() == [float(limits.max), 2.0]


def test_lists():
    assert quire.sum([1, 2, 3]) == 6 and type(quire.sum([1, 2, 3])) is int
    assert quire.sum([True, False, True]) == 2
    assert quire.sum([2**63, 1, 2**64 - 1]) == 2**63 + 2**64
    assert quire.sum([-(2**63), 2**63 - 1]) == -1
    assert quire.mean([2**53 + 1, 0, 0]) == 3002399751580331.0
    assert quire.sum([1, 0.5]) == 1.5
    for x in ([2**63, -1], [2**64], [-(2**63) - 1], 2**70):
        with pytest.raises(OverflowError):
            quire.sum(x)
    with pytest.raises(TypeError, match="among floats"):
        quire.sum([2**53 + 1, 0.5])
    for beside in (0.5, np.nan, np.inf):
        with pytest.raises(TypeError, match="9007199254740993 stands among floats, and no float64 holds it"):
            quire.sum([[2**53 + 1, 0], [beside, 1.0]], axis=1)


def test_refused():
    a = np.arange(3)
    for method in ("kahan", "pairwise", "plain"):
        with pytest.raises(ValueError, match="exact"):
            quire.sum(a, method=method)
    for call in (quire.mean, quire.norm, quire.var, quire.std):
        with pytest.raises(TypeError, match="floating-point"):
            call(a, dtype=np.int64)
    for beyond in (a + 2**53, a - 2**53 - 1):
        with pytest.raises(TypeError, match="in common"):
            quire.vecdot(beyond, np.ones(3))
        with pytest.raises(TypeError, match="in common"):
            quire.vecdot(np.ones(3, np.uint64), beyond)
    with pytest.raises(TypeError, match="in common"):
        quire.Accumulator().add_products(a + 2**53, np.ones(3))
    with pytest.raises(TypeError, match="no dtype holds both"):
        quire.vecdot(a, np.ones(3).astype(pytest.importorskip("ml_dtypes").bfloat16))


def test_beside_floats():
    """Integers of 64 bits, and lists of Python's, that are doubles."""
    assert quire.average([1e16, 1.0, -1e16], weights=[1, 2, 1]) == 0.5
    a = np.array([-(2**53), 3, 2**53])
    assert (
        quire.vecdot(a, np.array([1.0, 1.0, 1.0], np.float16)) == 3
        and quire.vecdot(a[1:], np.ones(2, "u8")) == 2.0**53 + 4
    )
    assert quire.vecdot(a[:0], np.ones(0)) == 0 and quire.cov(a, np.ones(3)).tolist() == [[2.0**106, 0], [0, 0]]
    assert quire.Accumulator().add_products(a, [0.5, 0.5, 0.5]).sum() == 1.5
    assert quire.group_average([0.5, 2.5], [0, 0], 1, weights=np.array([3, 1])).tolist() == [1.0]


def test_of_two_dtypes():
    assert quire.vecdot(np.arange(3, dtype=np.int32), np.ones(3)) == 3
    assert quire.vecdot(np.arange(3, dtype=np.int32), np.arange(3, dtype=np.uint8), dtype=np.int64) == 5


@pytest.mark.parametrize("kind", KINDS)
def test_running_sums(kind):
    for whole in arrays(kind):
        a = whole if kind not in ("int64", "uint64") else whole // 128
        for axis in range(3):
            right = np.cumsum(a.astype(object), axis)
            found = quire.cumsum(a, axis)
            assert found.dtype == (np.uint64 if kind.startswith("u") else np.int64) and (found == right).all()
            with_none = quire.cumulative_sum(a, axis=axis, include_initial=True)
            assert (np.take(with_none, 0, axis) == 0).all() and (np.delete(with_none, 0, axis) == right).all()
        assert (quire.cumsum(a) == np.cumsum(a.astype(object).reshape(-1))).all()


def rounded(value, rounding):
    """A Python int as the nearest double, or the nearest below or above."""
    near = float(value)
    if rounding == "downward" and int(near) > value:
        return math.nextafter(near, -math.inf)
    if rounding == "upward" and int(near) < value:
        return math.nextafter(near, math.inf)
    return near


@pytest.mark.parametrize("rounding", ["nearest", "downward", "upward"])
@pytest.mark.parametrize("kind", ["int64", "uint64"])
def test_running_sums_as_floats(kind, rounding):
    limits = np.iinfo(kind)
    x = np.random.default_rng(7).integers(limits.min, limits.max, 3000, kind, endpoint=True)
    x[::7], x[1::7] = limits.max, limits.min
    right = [rounded(v, rounding) for v in np.cumsum(x.astype(object))]
    found = quire.cumsum(x, dtype=np.float64, rounding=rounding)
    assert found.dtype == np.float64 and found.tolist() == right
    assert quire.cumulative_sum(x[::-1], include_initial=True, dtype=float).tolist()[0] == 0
    out = np.empty(3000)
    assert quire.cumsum(x, out=out, rounding=rounding) is out and out.tolist() == right


def test_running_sums_that_do_not_fit():
    most = np.array([2**63 - 1, -(2**63), 2**62, 2**62, 1])
    out = np.full(5, 7)
    with pytest.raises(OverflowError, match="int64"):
        quire.cumsum(most, out=out)
    assert (out == 7).all()
    right = [2**63 - 1, -1, 2**62 - 1, 2**63 - 1]
    assert quire.cumsum(most[:-1], out=out[:-1]).tolist() == right and out[4] == 7
    with pytest.raises(OverflowError, match="uint64"):
        quire.cumsum(np.array([2**64 - 1, 1], np.uint64))
    with pytest.raises(OverflowError, match="uint64"):
        quire.cumsum(np.array([1, -2]), dtype=np.uint64)
    with pytest.raises(OverflowError, match="int8"):
        quire.cumsum([100, 27, 1], dtype=np.int8)
    small = quire.cumsum([100, 27, -1], dtype=np.int8)
    assert small.dtype == np.int8 and small.tolist() == [100, 127, 126]
    assert quire.cumsum(np.array([2**63, 2**63 - 1], np.uint64)).tolist() == [2**63, 2**64 - 1]
    with pytest.raises(TypeError, match="out has int8"):
        quire.cumsum(most, dtype=np.int64, out=np.empty(5, np.int8))
    assert quire.cumsum([True, False, True]).tolist() == [1, 1, 2]
    assert quire.cumsum(np.array([], np.int32)).dtype == np.int64


@pytest.mark.parametrize("kind", KINDS)
def test_groups(kind):
    for whole in arrays(kind):
        a = whole.reshape(30, 4) if kind not in ("int64", "uint64") else whole.reshape(30, 4) // 32
        keys = np.arange(30) % 7
        right = np.array([np.sum(a[keys == g].astype(object), axis=0) for g in range(7)])
        for found in (quire.group_sum(a, keys, 7), quire.groupby(keys).sum(a)):
            assert found.dtype == (np.uint64 if kind.startswith("u") else np.int64) and (found == right).all()
        means = quire.group_mean(a, keys, 7)
        assert means.dtype == np.float64 and means[6, 3] == correctly_rounded(int(right[6, 3]), 4)
        mask = np.zeros(30, bool)
        mask[:7] = True
        assert (quire.groupby(keys).sum(a, where=mask[:, None]) == a[:7].astype(object)).all()
        parts = quire.segment_sum(a[:, 0], [0, 3, 3, 30])
        assert parts.tolist() == [sum(ints(a[:3, 0])), 0, sum(ints(a[3:, 0]))]


def test_group_overflow():
    with pytest.raises(OverflowError):
        quire.group_sum(np.array([2**62, 2**62, 1]), [0, 0, 1])
    with pytest.raises(OverflowError):
        quire.segment_sum(np.array([2**62, 2**62, 1]), [0, 2, 3])
    assert quire.bincount([0, 1, 1], weights=[7, 2**53 + 1, 2]).tolist() == [7.0, float(2**53 + 4)]


@pytest.mark.parametrize("kind", KINDS)
def test_accumulators(kind):
    for a in arrays(kind):
        total = quire.Accumulator(a[:2])
        total += a[2:].transpose(1, 2, 0)
        assert total.sum(int) == sum(ints(a)) and type(total.sum(int)) is int
        assert total.mean() == correctly_rounded(sum(ints(a)), a.size)
        q = variance(ints(a))
        assert quire.Moments(a).var() == correctly_rounded(q.numerator, q.denominator)
        assert quire.Accumulator().add_products(a, a).norm() == root(Fraction(sum(i * i for i in ints(a))))


def test_integers_and_floats_meet():
    a = quire.Accumulator([2**62, 1]).add([0.5])
    with pytest.raises(ValueError, match="integer"):
        a.sum(int)
    assert a.add([0.5]).sum(int) == 2**62 + 2


def test_byte_orders():
    a = np.array([1, 2, 300])
    assert quire.sum(a.astype(">i4")) == 303 and quire.sum(a.astype("<u2")) == 303


def difference(x, y):
    return len(x) * sum(a * b for a, b in zip(x, y, strict=True)) - sum(x) * sum(y)


@pytest.mark.parametrize("kind", KINDS)
def test_pairs(kind):
    """Averages, covariances and correlations of integers are float64, rounded once from the exact ones."""
    for a in arrays(kind):
        rows = a.reshape(4, -1)
        x, y = ints(rows[0]), ints(rows[1])
        found = quire.cov(rows[:2]), quire.corrcoef(rows[:2])
        assert found[0].dtype == found[1].dtype == np.float64
        assert found[0][0, 1] == correctly_rounded(difference(x, y), len(x) * (len(x) - 1))
        assert found[0][1, 1] == quire.var(rows[1], correction=1)
        above, below = difference(x, y), difference(x, x) * difference(y, y)
        if below:
            right = root(Fraction(above**2, below))
            assert found[1][0, 1] == (-right if above < 0 else right)
        else:
            assert np.isnan(found[1][0, 1])
        if sum(y):
            right = correctly_rounded(sum(i * j for i, j in zip(x, y, strict=True)), sum(y))
            assert quire.average(rows[0], weights=rows[1]) == right
            averages, weights = quire.average(rows[0], weights=rows[1], returned=True)
            assert averages == right and weights == float(sum(y)) and weights.dtype == np.float64
    assert quire.average([2**53 + 1, 2**53 + 3]) == 2**53 + 2
    assert quire.average([3, 5], weights=[1, 3]) == 4.5


def test_pairs_refused():
    whole = np.array([1, 2**60 + 1, 3])
    with pytest.raises(TypeError, match="in common"):
        quire.average(whole, weights=np.ones(3))
    with pytest.raises(TypeError, match="in common"):
        quire.cov(whole, np.ones(3))
    with pytest.raises(TypeError, match="in common"):
        quire.corrcoef(whole, whole.astype(np.uint64))
    with pytest.raises(ZeroDivisionError):
        quire.average(whole, weights=np.array([2, -1, -1]))
    with pytest.raises(TypeError, match="initial"):
        quire.sum(whole, initial=1)
