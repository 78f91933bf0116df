"""Every reduction, over every layout, has the bits of the exact result rounded once."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from math import copysign, fsum, inf, nan

import numpy as np
import pytest
import quire
from data import arrays, axes, filled, vectors
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import FORMATS, NAMES, bits, dtype_of, exact_mean, exact_sum, rounded

ROUNDINGS = ["nearest", "downward", "upward", "toward_zero"]
METHODS = ["exact", "kahan", "pairwise", "plain"]
settings.register_profile("quire", deadline=None, max_examples=150, print_blob=True)
settings.load_profile("quire")


def floats(row):
    return [float(v) for v in row]


def agree(result, expected, shape, name):
    """The bits, the shape and the dtype of a result; expected is a list of floats."""
    assert np.shape(result) == shape
    assert result.dtype == dtype_of(name)
    assert isinstance(result, np.ndarray) == (shape != ())
    assert np.ascontiguousarray(result).tobytes() == b"".join(bits(value, name) for value in expected)


@given(st.data())
def test_sum(data):
    x = data.draw(arrays())
    axis, keepdims = data.draw(axes(x.ndim)), data.draw(st.booleans())
    rounding, name = data.draw(st.sampled_from(ROUNDINGS)), data.draw(st.sampled_from([x.dtype.name, *NAMES]))
    shape, in_place, rows = vectors(x, axis)
    result = quire.sum(x, axis=axis, dtype=dtype_of(name), keepdims=keepdims, rounding=rounding)
    agree(result, [exact_sum(floats(row), name, rounding) for row in rows], in_place if keepdims else shape, name)


@given(st.data())
def test_defaults(data):
    x = data.draw(arrays(max_dims=2))
    agree(quire.sum(x), [exact_sum(floats(x.ravel()), x.dtype.name)], (), x.dtype.name)


@given(st.data())
def test_where(data):
    x = data.draw(arrays())
    axis, keepdims = data.draw(axes(x.ndim)), data.draw(st.booleans())
    mask = np.random.default_rng(data.draw(st.integers(0, 99))).random(x.shape) < data.draw(
        st.sampled_from([0, 0.5, 1])
    )
    shape, in_place, rows = vectors(x, axis)
    masks = vectors(mask, axis)[2]
    chosen = [floats(row[m]) for row, m in zip(rows, masks, strict=True)]
    name, rounding = x.dtype.name, data.draw(st.sampled_from(ROUNDINGS))
    result = quire.sum(x, axis=axis, keepdims=keepdims, where=mask, rounding=rounding)
    agree(result, [exact_sum(terms, name, rounding) for terms in chosen], in_place if keepdims else shape, name)
    out = np.full(shape, 7.0)
    assert quire.sum(x, axis=axis, where=mask, out=out) is out
    agree(out if shape else out[()], [exact_sum(terms, "float64") for terms in chosen], shape, "float64")
    magnitudes = [exact_sum([abs(t) for t in terms], name) for terms in chosen]
    agree(quire.asum(x, axis=axis, where=mask), magnitudes, shape, name)
    alone = b"".join(quire.norm(row[m]).tobytes() for row, m in zip(rows, masks, strict=True))
    assert np.ascontiguousarray(quire.norm(x, axis=axis, where=mask)).tobytes() == alone
    agree(quire.mean(x, axis=axis, where=mask), [exact_mean(terms, name) for terms in chosen], shape, name)


@given(st.data())
def test_mean_asum_norm(data):
    x = data.draw(arrays(families=["any finite bits", "small integers", "telescoping"]))
    axis, name = data.draw(axes(x.ndim)), x.dtype.name
    shape, _, rows = vectors(x, axis)
    terms = [floats(row) for row in rows]
    agree(quire.asum(x, axis=axis), [exact_sum([abs(t) for t in row], name) for row in terms], shape, name)
    agree(
        quire.vector_norm(x, axis=axis),
        [rounded(sum((Fraction(t) ** 2 for t in row), Fraction(0)), name, root=True) for row in terms],
        shape,
        name,
    )
    agree(quire.mean(x, axis=axis), [exact_mean(row, name) for row in terms], shape, name)


@given(st.data())
def test_vecdot(data):
    x = data.draw(arrays(families=["any finite bits", "small integers"]).filter(lambda a: a.ndim > 0))
    y = filled(x.shape[data.draw(st.integers(0, x.ndim - 1)) :], x.dtype.name, "any finite bits", 5)
    axis = data.draw(st.integers(-y.ndim, -1))
    shape, _, rows = vectors(x, axis)
    others = vectors(np.broadcast_to(y, x.shape), axis)[2]
    expected = [exact_dot(floats(u), floats(v), "float64") for u, v in zip(rows, others, strict=True)]
    agree(quire.vecdot(x, y, axis=axis, dtype=np.float64), expected, shape, "float64")


def exact_dot(u, v, name):
    negative_zeros = [(a == 0 or b == 0) and copysign(1, a) != copysign(1, b) for a, b in zip(u, v, strict=True)]
    value = sum((Fraction(a) * Fraction(b) for a, b in zip(u, v, strict=True)), Fraction(0))
    return rounded(value, name, zero=-0.0 if u and all(negative_zeros) else 0.0)


@given(st.data())
def test_a_vector_keeps_its_bits_in_any_layout(data):
    x = data.draw(arrays(families=["normal", "any finite bits"], max_side=12, max_dims=3))
    axis, method = data.draw(axes(x.ndim)), data.draw(st.sampled_from(METHODS))
    shape, _, rows = vectors(x, axis)
    for call in (quire.sum, quire.mean, quire.asum, quire.norm):
        whole = call(x, axis=axis, method=method)
        assert np.shape(whole) == shape
        alone = b"".join(call(row.copy(), method=method).tobytes() for row in rows)
        assert np.ascontiguousarray(whole).tobytes() == alone


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "axis", [(), 0, 1, 2, 3, (0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3), (0, 1, 2), (1, 2, 3), None]
)
def test_every_order_of_axes(axis, method):
    contiguous, random = filled((3, 4, 5, 6), "float32", "normal", 1), np.random.default_rng(1)
    told_apart = False
    for order in permutations(range(4)):
        for x in (contiguous.transpose(order), contiguous[:, ::-1, :, ::-1].transpose(order)):
            shape, in_place, rows = vectors(x, axis)
            alone = b"".join(quire.sum(row.copy(), method=method).tobytes() for row in rows)
            for keepdims in (False, True):
                result = quire.sum(x, axis=axis, keepdims=keepdims, method=method)
                assert result.shape == (in_place if keepdims else shape)
                assert np.ascontiguousarray(result).tobytes() == alone
            shuffled = (random.permutation(row) for row in rows)
            told_apart |= b"".join(quire.sum(row, method=method).tobytes() for row in shuffled) != alone
    assert not told_apart or method != "exact"
    assert told_apart or method in ("exact", "kahan") or axis == (), "the test cannot tell orders apart"


@given(st.data())
def test_variance(data):
    x = data.draw(arrays(families=["any finite bits", "small integers"]))
    axis, correction = data.draw(axes(x.ndim)), data.draw(st.integers(0, 2))
    name = x.dtype.name
    shape, _, rows = vectors(x, axis)
    values = []
    for row in rows:
        terms, n = [Fraction(float(t)) for t in row], len(row)
        values.append(
            (n * sum(t * t for t in terms) - sum(terms) ** 2) / Fraction(n * (n - correction))
            if n > 0 and n - correction > 0
            else None
        )
    agree(
        quire.var(x, axis=axis, correction=correction),
        [nan if v is None else rounded(v, name) for v in values],
        shape,
        name,
    )
    agree(
        quire.std(x, axis=axis, correction=float(correction)),
        [nan if v is None else rounded(v, name, root=True) for v in values],
        shape,
        name,
    )


def test_fsum():
    for seed in range(20):
        x = filled((10007,), "float64", "telescoping", seed) * 2.0**-20
        x = np.where(np.abs(x) > 1e290, 1.0, x)
        assert quire.sum(x).tobytes() == np.float64(fsum(x)).tobytes()


@pytest.mark.parametrize("name", NAMES)
def test_large_arrays_of_every_layout(name):
    x = filled((70, 90, 50), name, "any finite bits", 3)
    expected = exact_sum(floats(x.ravel()), name)
    for view in (x, x.T, x[::-1, :, ::-1], x.transpose(1, 0, 2), x[:, ::-1].transpose(1, 2, 0)):
        agree(quire.sum(view), [expected], (), name)
    part = x[1:, 3:77, ::2]  # no layout describes it: it goes through an accumulator
    agree(quire.sum(part), [exact_sum(floats(part.ravel()), name)], (), name)
    agree(
        quire.vector_norm(part),
        [rounded(sum(Fraction(t) ** 2 for t in floats(part.ravel())), name, root=True)],
        (),
        name,
    )
    agree(quire.asum(part), [exact_sum([abs(t) for t in floats(part.ravel())], name)], (), name)
    terms, n = [Fraction(t) for t in floats(part.ravel())], part.size
    variance = (n * sum(t * t for t in terms) - sum(terms) ** 2) / n**2
    agree(quire.var(part), [rounded(variance, name)], (), name)
    agree(quire.std(part), [rounded(variance, name, root=True)], (), name)
    agree(
        quire.vecdot(part[:, 0, 0], part[:, 1, 1], dtype=np.float64),
        [exact_dot(floats(part[:, 0, 0]), floats(part[:, 1, 1]), "float64")],
        (),
        "float64",
    )
    rows = part[:3]  # nor this, with several results: it is copied
    agree(quire.sum(rows, axis=(1, 2)), [exact_sum(floats(row.ravel()), name) for row in rows], (3,), name)


@pytest.mark.parametrize("name", NAMES)
def test_special_values(name):
    def of(*terms):
        return np.array(terms, np.float64).astype(dtype_of(name))

    for terms in ([], [-0.0], [-0.0, -0.0], [0.0, -0.0], [1, -1], [-0.0, 1, -1], [nan], [-nan, 1]):
        agree(quire.sum(of(*terms)), [exact_sum(terms, name)], (), name)
    agree(quire.sum(of(1, -1), rounding="downward"), [-0.0], (), name)
    agree(quire.mean(of()), [nan], (), name)
    if FORMATS[name][3]:
        for terms in ([inf], [-inf, 1], [inf, -inf], [inf, nan]):
            agree(quire.sum(of(*terms)), [exact_sum(terms, name)], (), name)


def test_segments():
    x = filled((1000,), "float32", "any finite bits", 8)
    random = np.random.default_rng(0)
    for kind in (np.int32, np.int64, np.uint16):
        ends = random.integers(0, 1001, 50).astype(kind)
        result = quire.segment_sum(x, ends)
        spans = [x[a:b] if b > a else x[:0] for a, b in zip(ends[:-1], ends[1:], strict=True)]
        agree(result, [exact_sum(floats(s), "float32") for s in spans], (49,), "float32")
    agree(
        quire.segment_sum(x[::-2], [0, 3, 500], dtype="float64"),
        [exact_sum(floats(x[::-2][:3]), "float64"), exact_sum(floats(x[::-2][3:]), "float64")],
        (2,),
        "float64",
    )


def test_foreign_byte_order_and_misalignment():
    x = filled((40,), "float64", "any finite bits", 8)
    expected = [exact_sum(floats(x), "float64")]
    agree(quire.sum(x.astype(">f8")), expected, (), "float64")
    shifted = np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(np.float64)
    assert not shifted.flags.aligned
    agree(quire.sum(shifted), expected, (), "float64")
    record = np.zeros(40, "i1,f8")
    record["f1"] = x
    agree(quire.sum(record["f1"]), expected, (), "float64")
