"""Reductions by key: each group's result has the bits of the same reduction of its rows alone."""

from __future__ import annotations

from math import inf, nan

import numpy as np
import pytest
import quire
from data import FAMILIES, filled
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import NAMES, dtype_of

ROUNDINGS = ["nearest", "downward", "upward", "toward_zero"]
METHODS = ["exact", "kahan", "pairwise", "plain"]
OPERATIONS = ["sum", "mean", "norm", "var", "std"]
settings.register_profile("quire", deadline=None, max_examples=150, print_blob=True)
settings.load_profile("quire")


def words_for(data, operation):
    """The rounding, and the method or the correction that an operation takes."""
    words = {"rounding": data.draw(st.sampled_from(ROUNDINGS))}
    if operation in ("var", "std"):
        return words | {"correction": data.draw(st.integers(-1, 2))}
    return words | {"method": data.draw(st.sampled_from(METHODS))}


def drawn(data):
    """An array, its axis of rows, and a key for each row."""
    shape = data.draw(st.lists(st.integers(0, 5), max_size=2))
    axis = data.draw(st.integers(0, len(shape)))
    n = data.draw(st.integers(0, 40))
    shape.insert(axis, n)
    name, family = data.draw(st.sampled_from(NAMES)), data.draw(st.sampled_from([*FAMILIES, "normal"]))
    x = filled(tuple(shape), name, family, data.draw(st.integers(0, 2**32)))
    groups = data.draw(st.integers(1, 8))
    keys = np.array(data.draw(st.lists(st.integers(0, groups - 1), min_size=n, max_size=n)), np.int64)
    return x, axis, keys, groups


def one_by_one(operation, x, axis, keys, names, words, mask=None):
    """The results of the reduction of each group's rows alone."""
    results = []
    for name in names:
        rows = np.compress(keys == name, x, axis=axis)
        where = True if mask is None else np.compress(keys == name, mask, axis=axis)
        results.append(getattr(quire, operation)(rows, axis=axis, where=where, **words))
    return np.stack(results, axis=axis)


def agree(found, expected):
    assert found.shape == expected.shape and found.dtype == expected.dtype
    assert np.ascontiguousarray(found).tobytes() == np.ascontiguousarray(expected).tobytes()


@given(st.data())
def test_groups(data):
    x, axis, keys, groups = drawn(data)
    operation = data.draw(st.sampled_from(OPERATIONS))
    words = words_for(data, operation)
    words["dtype"] = dtype_of(data.draw(st.sampled_from([x.dtype.name, *NAMES])))
    expected = one_by_one(operation, x, axis, keys, range(groups), words)
    g = quire.groupby(keys, groups)
    assert g.keys.tolist() == list(range(groups)) and len(g) == groups
    assert g.counts.tolist() == [int((keys == k).sum()) for k in range(groups)]
    assert quire.group_count(keys, groups).tolist() == g.counts.tolist()
    agree(getattr(g, operation)(x, axis=axis, **words), expected)
    agree(getattr(quire, f"group_{operation}")(x, keys, groups, axis=axis, **words), expected)
    turned = np.asfortranarray(x)[..., ::-1][..., ::-1]
    agree(getattr(g, operation)(turned, axis=axis - x.ndim, **words), expected)
    out = np.empty_like(expected)
    assert getattr(g, operation)(x, axis=axis, out=out, **words) is out
    agree(out, expected)


WEIGHT_FAMILIES = ["small integers", "any finite bits"]


def averages_one_by_one(x, w, axis, keys, names, words, mask=None):
    """quire.average of each group's rows alone; NaN or an infinity where their weights add up to zero."""
    results = []
    for name in names:
        rows, weights = (np.moveaxis(np.compress(keys == name, a, axis=axis), axis, -1) for a in (x, w))
        kept = np.ones(rows.shape, bool)
        if mask is not None:
            kept = np.moveaxis(np.compress(keys == name, mask, axis), axis, -1)
        found = np.empty(rows.shape[:-1], words["dtype"])
        for i in np.ndindex(found.shape):
            found[i] = one_average(rows[i][kept[i]], weights[i][kept[i]], words)
        results.append(found)
    return np.stack(results, axis=axis)


def one_average(x, w, words):
    try:
        return quire.average(x, weights=w, **words)
    except ZeroDivisionError:
        above = quire.vecdot(x.astype(np.float64), w.astype(np.float64))
        if not above or above != above or not x.size:
            return nan
        quotient = np.copysign(inf, above * np.copysign(1.0, quire.sum(w)))
        return quotient if words["dtype"].name != "float8_e4m3fn" else nan  # which has no infinities


@given(st.data())
def test_averages(data):
    x, axis, keys, groups = drawn(data)
    words = {"rounding": data.draw(st.sampled_from(ROUNDINGS)), "dtype": dtype_of(data.draw(st.sampled_from(NAMES)))}
    seed, family = data.draw(st.integers(0, 99)), data.draw(st.sampled_from(WEIGHT_FAMILIES))
    shape = [1] * x.ndim
    shape[axis] = -1
    of_rows = filled((x.shape[axis],), x.dtype.name, family, seed)
    whole = np.array(np.broadcast_to(of_rows.reshape(shape), x.shape))
    w = of_rows
    if data.draw(st.booleans()):
        w = whole = filled(x.shape, x.dtype.name, family, seed)
    expected = averages_one_by_one(x, whole, axis, keys, range(groups), words)
    g = quire.groupby(keys, groups)
    agree(g.average(x, w, axis=axis, **words), expected)
    agree(quire.group_average(x, keys, groups, weights=w, axis=axis, **words), expected)
    out = np.empty_like(expected)
    assert g.average(x, w, axis=axis - x.ndim, out=out, **words) is out
    agree(out, expected)
    mask = np.random.default_rng(seed).random(x.shape if data.draw(st.booleans()) else (x.shape[axis],)) < 0.6
    mask = mask if mask.ndim == x.ndim else mask.reshape(shape)
    found = g.average(x, w, axis=axis, where=mask, **words)
    agree(found, averages_one_by_one(x, whole, axis, keys, range(groups), words, np.broadcast_to(mask, x.shape)))


def test_averages_of_other_types():
    x, w, keys = np.array([1e16, 0.5, 1.0, -1e16]), np.array([1.0, 3.0, 2.0, 1.0], np.float32), [1, 0, 1, 1]
    found = quire.group_average(x, keys, weights=w)
    assert found.dtype == np.float64 and found.tolist() == [0.5, 0.5]
    g = quire.groupby(keys)
    assert g.average(x.astype(np.float32), w.astype(np.float64)).dtype == np.float64
    whole = np.array([2**53 + 1, 3, 1, 1])
    assert g.average(whole, [1, 5, 0, 1]).tolist() == [3.0, 2.0**52 + 1]
    assert g.average(x).tolist() == g.mean(x).tolist() == quire.group_average(x, keys).tolist()
    assert quire.group_average([1.0], [0], 2, weights=[2.0])[0] == 1
    assert np.isnan(quire.group_average([1.0], [0], 2, weights=[2.0])[1])
    cancel = quire.group_average([2.0, 1.0, 1.0, 2.0], [0, 0, 1, 1], weights=[1.0, -1.0, 1.0, -1.0])
    assert cancel.tolist() == [inf, -inf]
    with pytest.raises(ValueError, match="nor one for each of 4 rows"):
        g.average(x, [1.0, 2.0])
    with pytest.raises(ValueError, match="4 keys"):
        g.average(x[:3], w[:3])
    with pytest.raises(TypeError, match="floating-point"):
        quire.group_average(whole, keys, weights=whole, dtype=np.int64)
    with pytest.raises(TypeError, match="no dtype in common"):
        g.average(whole, w)


@given(st.data())
def test_where(data):
    x, axis, keys, groups = drawn(data)
    operation = data.draw(st.sampled_from(OPERATIONS))
    words = words_for(data, operation)
    random = np.random.default_rng(data.draw(st.integers(0, 99)))
    g = quire.groupby(keys, groups)
    mask = random.random(x.shape) < 0.6
    found = getattr(g, operation)(x, axis=axis, where=mask, **words)
    agree(found, one_by_one(operation, x, axis, keys, range(groups), words, mask))
    of_rows = random.random(x.shape[axis]) < 0.6
    shape = [1] * x.ndim
    shape[axis] = -1
    found = getattr(g, operation)(x, axis=axis, where=of_rows.reshape(shape), **words)
    mask = np.broadcast_to(of_rows.reshape(shape), x.shape)
    agree(found, one_by_one(operation, x, axis, keys, range(groups), words, mask))


@given(st.lists(st.tuples(st.text("abc", max_size=2), st.floats(allow_nan=False, width=32)), max_size=30))
def test_names(rows):
    keys, x = np.array([k for k, _ in rows], "U2"), np.array([v for _, v in rows], np.float32)
    g = quire.groupby(keys)
    assert g.keys.tolist() == sorted(set(keys.tolist()))
    assert g.sum(x).tobytes() == b"".join(quire.sum(x[keys == name]).tobytes() for name in g.keys)
    assert quire.group_sum(x, keys).tobytes() == g.sum(x).tobytes()


@given(st.data())
def test_any_order(data):
    x, _, keys, groups = drawn(data)
    if x.ndim != 1:
        return
    turned = np.random.default_rng(data.draw(st.integers(0, 99))).permutation(x.size)
    agree(quire.group_sum(x[turned], keys[turned], groups), quire.group_sum(x, keys, groups))


@given(st.data())
def test_bincount(data):
    keys = np.array(data.draw(st.lists(st.integers(0, 9), max_size=40)), data.draw(st.sampled_from(["i1", "u4", "i8"])))
    least = data.draw(st.integers(0, 12))
    weights = np.random.default_rng(1).integers(-100, 100, keys.size).astype(data.draw(st.sampled_from(["f4", "i2"])))
    agree(quire.bincount(keys, minlength=least), np.bincount(keys.astype(int), minlength=least))
    sums = np.bincount(keys.astype(int), weights, least).astype(np.float64)  # NumPy's are integers where keys are none
    agree(quire.bincount(keys, weights, least), sums)


def test_bincount_is_exact():
    assert quire.bincount([1, 1, 1, 0], [1e16, 1.0, -1e16, nan]).tolist()[1] == 1
    assert quire.bincount([0, 0], [inf, 1.0]).tolist() == [inf]
    assert quire.bincount([], []).tolist() == []
    with pytest.raises(ValueError, match="negative"):
        quire.bincount([0, -1], [1.0, 2.0])
    with pytest.raises(ValueError, match="same length"):
        quire.bincount([0, 1], [1.0])
    with pytest.raises(TypeError, match="integers"):
        quire.bincount([0.0, 1.0], [1.0, 2.0])
    with pytest.raises(TypeError):
        quire.bincount([0], [1j])


def test_columns_of_other_libraries():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"key": ["b", "a", None, "b"], "x": [1e16, 0.5, 8.0, -1e16]})
    g = quire.groupby(frame.key.astype("category"))  # what is missing belongs to no group
    assert g.keys.tolist() == ["a", "b"] and g.counts.tolist() == [1, 2]
    assert g.sum(frame.x).tolist() == [0.5, 0.0]
    assert quire.groupby(pandas.Categorical(["y", "x", "y"])).mean([1.0, 2.0, 2.0]).tolist() == [2.0, 1.5]
    assert quire.groupby(frame.x).keys.tolist() == sorted(frame.x)


def test_keys_that_are_missing():
    pd = pytest.importorskip("pandas")
    keys = pd.Series([2**53 + 1, 2**53, None], dtype="Int64")  # which NumPy has as doubles
    assert quire.group_sum([1.0, 2.0, 4.0], keys).tolist() == [2.0, 1.0]
    assert quire.groupby(pd.Series(["b", None, "a"])).sum([1.0, 2.0, 4.0]).tolist() == [4.0, 1.0]


def test_out_in_the_memory_of_what_is_read():
    rng = np.random.default_rng(1)
    keys, x, weights = rng.integers(0, 1000, 1000), rng.random(1000), 1 + rng.random(1000)
    averages, sums = quire.group_average(x, keys, 1000, weights=weights), quire.group_sum(x, keys, 1000)
    grouped = quire.groupby(keys, 1000)
    for call in (quire.group_average, lambda a, k, n, **words: grouped.average(a, **words)):
        out = weights.copy()
        np.testing.assert_array_equal(call(x, keys, 1000, weights=out, out=out), averages)
    taken = keys.copy()
    np.testing.assert_array_equal(quire.group_sum(x, taken, 1000, out=taken.view(np.float64)), sums)


def test_columns_of_polars():
    polars = pytest.importorskip("polars")
    g = quire.groupby(polars.Series(["b", "a", "b"]))
    assert g.keys.tolist() == ["a", "b"] and g.sum(polars.Series([1.0, 2.0, 4.0])).tolist() == [2.0, 5.0]


def test_arguments():
    x = np.ones((3, 2))
    g = quire.groupby([0, 1, 0], 2)
    for keys in ([0, 2, 0], [0, -1, 0], [0, 2**32, 0], np.array([0, 2**63, 0], np.uint64)):
        with pytest.raises(ValueError, match=r"\[0, 2\)"):
            quire.groupby(keys, 2)
        with pytest.raises(ValueError, match=r"\[0, 2\)"):
            quire.group_sum(x, keys, 2)
    with pytest.raises(TypeError, match="integers"):
        quire.groupby(["a", "b"], 2)
    with pytest.raises(TypeError, match="integer"):
        quire.groupby([0, 1], 2.5)
    with pytest.raises(ValueError, match="negative"):
        quire.groupby([0, 1], -1)
    with pytest.raises(ValueError, match="one dimension"):
        quire.groupby([[0, 1]], 2)
    with pytest.raises(ValueError, match="3 keys"):
        g.sum(x, axis=1)
    with pytest.raises(np.exceptions.AxisError):
        g.sum(x, axis=2)
    with pytest.raises(TypeError, match="axis"):
        g.sum(x, axis=None)
    with pytest.raises(ValueError, match="at least one dimension"):
        g.sum(1.0)
    with pytest.raises(ValueError, match="shape"):
        g.sum(x, out=np.empty(3))
    with pytest.raises(TypeError, match="array of bool"):
        g.sum(x, where=[1, 0, 1])
    with pytest.raises(ValueError, match="does not fit"):
        g.sum(x, where=np.ones(3, bool))
    with pytest.raises(TypeError, match="floating-point"):
        g.sum(np.ones(3, complex))
    with pytest.raises(ValueError, match="method"):
        g.sum(x, method="quick")


def test_keys_that_are_counted():
    """Keys that are read where they are: whether all of them are of a group is known from the counts."""
    x, keys = np.ones(4), np.array([0, 1, 5, 1])
    for bad in (5, -1, 2**32, 2**62, -(2**63)):
        keys[2] = bad
        for call in (lambda: quire.group_sum(x, keys, 2), lambda: quire.group_sum(x.astype(int), keys, 2)):
            with pytest.raises(ValueError, match=r"keys must lie in \[0, 2\)"):
                call()
        out = np.full(2, 7.0)
        with pytest.raises(ValueError, match=r"keys must lie in \[0, 2\)"):
            quire.group_mean(x, keys, 2, out=out)
        assert out.tolist() == [7, 7]
    keys[2] = 1
    assert quire.group_sum(x, keys, 2).tolist() == [1, 3] and quire.group_sum(x, keys, 5).tolist() == [1, 3, 0, 0, 0]
    keys.flags.writeable = False
    assert quire.group_sum(x, keys[::-1], 2).tolist() == quire.group_sum(x, keys, 2).tolist()
    with pytest.raises(ValueError, match=r"\[0, 0\)"):
        quire.group_sum(x, keys, 0)


def test_nothing():
    assert quire.groupby([], 3).sum(np.empty((0, 2))).tolist() == [[0, 0]] * 3
    assert np.isnan(quire.groupby([], 3).mean(np.empty(0))).all()
    assert quire.groupby([]).sum(np.empty(0)).shape == (0,)
    assert quire.group_sum(np.empty((2, 0)), [1, 0], 2).shape == (2, 0)
