"""Accumulators: whatever the order, the pieces, the merges and the journeys, the exact total rounded once."""

from __future__ import annotations

import copy
import pickle
from fractions import Fraction
from math import nan

import numpy as np
import pytest
import quire
from data import arrays, filled
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import NAMES, bits, dtype_of, exact_sum, rounded

settings.register_profile("quire", deadline=None, max_examples=100, print_blob=True)
settings.load_profile("quire")


def floats(x):
    return [float(v) for v in x.ravel()]


@given(st.data())
def test_sum_of_pieces(data):
    pieces = data.draw(st.lists(arrays(), max_size=4))
    a, b = quire.Accumulator(), quire.Accumulator()
    for piece in pieces:
        (a if data.draw(st.booleans()) else b).add(piece)
    a += b
    terms = [t for piece in pieces for t in floats(piece)]
    name, rounding = data.draw(st.sampled_from(NAMES)), data.draw(st.sampled_from(["nearest", "upward", "downward"]))
    assert a.sum(dtype_of(name), rounding=rounding).tobytes() == bits(exact_sum(terms, name, rounding), name)
    assert a.count == len(terms)


@pytest.mark.parametrize("name", NAMES)
def test_products_magnitudes_mean_norm(name):
    x = filled((300, 40), name, "any finite bits", 1)[::2, ::-3]
    y = filled((300, 40), name, "any finite bits", 2)[1::2, ::3]
    dot = sum((Fraction(a) * Fraction(b) for a, b in zip(floats(x), floats(y), strict=True)), Fraction(0))
    assert quire.Accumulator().add_products(x, y).sum(dtype_of(name)).tobytes() == bits(rounded(dot, name), name)
    square = sum((Fraction(t) ** 2 for t in floats(x)), Fraction(0))
    assert quire.Accumulator().add_products(x, x).norm(dtype_of(name)).tobytes() == bits(
        rounded(square, name, root=True), name
    )
    total = sum(map(Fraction, floats(x)))
    assert quire.Accumulator(x).mean(dtype_of(name)).tobytes() == bits(rounded(total / x.size, name), name)
    magnitudes = exact_sum([abs(t) for t in floats(x)], name)
    assert quire.Accumulator().add_magnitudes(x).sum(dtype_of(name)).tobytes() == bits(magnitudes, name)


def test_journeys():
    x = filled((1000,), "float64", "any finite bits", 3)
    a = quire.Accumulator(x)
    assert len(a.to_bytes()) == 1120
    for b in (
        quire.Accumulator.from_bytes(a.to_bytes()),
        pickle.loads(pickle.dumps(a)),
        copy.deepcopy(a),
        copy.copy(a),
    ):
        assert b == a and b.sum().tobytes() == a.sum().tobytes() and b.count == 1000
        b += 1.0
        assert b != a
    assert quire.Accumulator(x[:500]) + quire.Accumulator(x[500:]) == a
    assert quire.Accumulator(x[::-1]) == a


def test_words_are_added_up_by_any_integer_sum():
    x = filled((64, 1000), "float32", "any finite bits", 4)
    ranks = [quire.Accumulator(row) for row in x]
    merged = quire.Accumulator()
    merged.words[:] = np.sum([a.words for a in ranks], axis=0)  # as MPI_Allreduce of MPI_INT64_T does
    assert merged == quire.Accumulator(x)
    assert merged.words.dtype == np.int64 and merged.words.shape == (140,)


def test_empty():
    assert quire.Accumulator().sum().tobytes() == np.float64(0.0).tobytes()
    assert quire.Accumulator([-0.0]).sum().tobytes() == np.float64(-0.0).tobytes()
    assert np.isnan(quire.Accumulator().mean())
    assert repr(quire.Accumulator([1.5, 2])) == "<quire.Accumulator of 2 terms: 3.5>"


def test_moments():
    x = filled((997,), "float32", "any finite bits", 5)
    m = quire.Moments(x[:400])
    m += quire.Moments(x[400:])
    n, terms = x.size, [Fraction(t) for t in floats(x)]
    assert m.count == n and m == quire.Moments(x) and pickle.loads(pickle.dumps(m)) == m
    assert m.mean("float32").tobytes() == bits(rounded(sum(terms) / n, "float32"), "float32")
    assert m.norm("float32").tobytes() == bits(rounded(sum(t * t for t in terms), "float32", root=True), "float32")
    for correction in (0, 1, 996):
        value = (n * sum(t * t for t in terms) - sum(terms) ** 2) / Fraction(n * (n - correction))
        assert m.var(correction=correction).tobytes() == bits(rounded(value, "float64"), "float64")
        assert m.std(correction=correction).tobytes() == bits(rounded(value, "float64", root=True), "float64")
    assert m.var() == m.var(correction=0)
    assert m.var(correction=n).tobytes() == bits(nan, "float64")


def test_interrupted_moments(monkeypatch):
    from quire import _accumulators as accumulators

    def interrupted(words, operands, call, name):
        if len(operands) == 2:
            raise KeyboardInterrupt
        accumulate(words, operands, call, name)

    m, accumulate = quire.Moments([1.0, 2.0]), accumulators.accumulate
    monkeypatch.setattr(accumulators, "accumulate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        m.add([3.0])
    monkeypatch.undo()
    assert m == quire.Moments([1.0, 2.0])


def test_bad_input():
    a = quire.Accumulator([1.0])
    before = a.to_bytes()
    for error, call in [
        (TypeError, lambda: a.add([1j])),
        (TypeError, lambda: a.add(["a"])),
        (TypeError, lambda: a.merge(1.0)),
        (ValueError, lambda: a.add_products([1.0], [1.0, 2.0])),
        (TypeError, lambda: a.sum("int32")),
        (ValueError, lambda: a.sum(rounding="sideways")),
        (ValueError, lambda: quire.Accumulator.from_bytes(b"123")),
        (ValueError, lambda: quire.Moments.from_bytes(b"123")),
        (TypeError, lambda: quire.Moments().merge(a)),
        (TypeError, lambda: hash(a)),
    ]:
        with pytest.raises(error) as raised:
            call()
        assert "\n" not in str(raised.value)
    assert a.to_bytes() == before
