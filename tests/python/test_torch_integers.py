"""Tensors of integers: running sums, products, segments, sums by key, compared with Python's integers."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="SKIP: PyTorch is not installed")

import quire  # noqa: E402
import quire.torch as qt  # noqa: E402
from quire.torch import _groups, _launch  # noqa: E402

TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"]
KEYS = [2, 0, 2, 5, 2, 0]
MOST = 2**63 - 1


def drawn(dtype, shape, seed=1):
    """Numbers of all sizes, 64-bit ones of which some dozens add up within 64 bits."""
    random = np.random.default_rng(seed)
    if dtype == "bool":
        return random.random(shape) < 0.5
    limits = np.iinfo(dtype)
    down = {"int64": 64, "uint64": 256}.get(dtype, 1)
    return random.integers(int(limits.min) // down, int(limits.max) // down, shape, dtype, endpoint=True)


def whole(x):
    """An array as one of Python's integers."""
    return np.vectorize(int, otypes=[object])(x)


def is_same(found, right, dtype=torch.int64):
    """Whether a tensor has Python's integers, in a floating-point dtype each rounded once, as Python's float does."""
    right = np.asarray(right, dtype=object)
    assert found.dtype == dtype and tuple(found.shape) == right.shape
    values = right.ravel().tolist()
    return found.reshape(-1).tolist() == ([float(v) for v in values] if dtype.is_floating_point else values)


def views(x):
    t = torch.from_numpy(x)
    yield t, x
    yield t.permute(2, 0, 1), x.transpose(2, 0, 1)
    yield t[::2, 1:, ::3], x[::2, 1:, ::3]
    yield t[:1].expand(4, *x.shape[1:]), np.broadcast_to(x[:1], (4, *x.shape[1:]))
    yield t[:0], x[:0]


@pytest.mark.parametrize("dtype", TYPES)
def test_running_sums(dtype):
    for t, x in views(drawn(dtype, (4, 5, 6))):
        for axis in (0, 1, -1):
            right = np.cumsum(whole(x), axis) if x.size else x.astype(object)
            for call in (qt.cumsum, quire.cumsum):
                assert is_same(call(t, axis), right)
                assert is_same(call(t, axis, dtype=torch.float64), right, torch.float64)
            flipped = np.flip(np.cumsum(np.flip(whole(x), axis), axis), axis) if x.size else right
            assert is_same(torch.ops.quire.cumsum(t, axis, True), flipped)
        if x.size:
            assert is_same(quire.cumsum(t), np.cumsum(whole(x).ravel()))
            longer = np.concatenate((np.zeros((x.shape[0], 1, x.shape[2]), object), np.cumsum(whole(x), 1)), 1)
            assert is_same(quire.cumulative_sum(t, axis=1, include_initial=True), longer)


def test_running_sums_elsewhere():
    x = torch.tensor([2**53, 1, 2, MOST - 2**54])
    assert quire.cumsum(x, dtype="float64").tolist() == [2.0**53, 2.0**53, 2.0**53 + 4, float(MOST - 2**53 + 3)]
    out = torch.zeros(4, dtype=torch.int64)
    assert quire.cumsum(x, out=out) is out and out.tolist() == [2**53, 2**53 + 1, 2**53 + 3, MOST - 2**53 + 3]
    assert quire.cumsum(x, out=x) is x and torch.equal(x, out)
    assert quire.cumsum(torch.tensor([200, 55], dtype=torch.uint8), dtype=torch.uint8).tolist() == [200, 255]
    assert qt.cumsum(torch.tensor(7), 0).item() == 7 and qt.cumsum(torch.tensor(True), 0).item() == 1
    for empty in (torch.zeros(0), torch.zeros(0, dtype=torch.int16)):
        found = quire.cumulative_sum(empty, include_initial=True)
        assert found.tolist() == [0] and found.dtype == (empty.dtype if empty.is_floating_point() else torch.int64)
    with pytest.raises(OverflowError, match="beyond int64"):
        quire.cumsum(torch.tensor([MOST, 1, -1]), out=out)
    with pytest.raises(OverflowError, match="beyond int8"):
        qt.cumsum(torch.tensor([100, 28, -9], dtype=torch.int8), 0, dtype=torch.int8)
    assert out.tolist() == [2**53, 2**53 + 1, 2**53 + 3, MOST - 2**53 + 3]


@pytest.mark.parametrize("dtype", TYPES)
def test_products(dtype):
    x, y = drawn(dtype, (3, 4)), drawn(dtype, (3, 4), 2)
    y = y // 8 if dtype == "uint32" else y
    t, u, right = torch.from_numpy(x), torch.from_numpy(y), (whole(x) * whole(y)).sum(1)
    assert is_same(quire.vecdot(t, u), right, torch.float64)
    assert is_same(quire.vecdot(t.T, u.T, axis=0), right, torch.float64)
    assert quire.vecdot(t, u, dtype=torch.float16).dtype == torch.float16
    out = torch.zeros(3, dtype=torch.float32)
    assert quire.vecdot(t, u, out=out) is out
    assert out.cpu().numpy().tobytes() == quire.vecdot(x, y, dtype=np.float32).tobytes()
    if x.itemsize < 8:
        assert all(-(2**63) <= v < 2**63 for v in right) and is_same(quire.vecdot(t, u, dtype=torch.int64), right)
    else:
        with pytest.raises(TypeError, match="no integer of 64 bits"):
            quire.vecdot(t, u, dtype=torch.int64)


def test_two_dtypes():
    """Both go to the dtype that NumPy finds, if it holds all that stands in them."""
    groups = _groups.TensorGroups(torch.tensor(KEYS[:3]), 6)
    for a in [*TYPES, "float16", "float32", "float64"]:
        for b in [*TYPES, "float16", "float32", "float64"]:
            x, y = np.array([1, 0, 1]).astype(a), np.array([1, 1, 0]).astype(b)
            t, u = torch.from_numpy(x), torch.from_numpy(y)
            right, found = quire.vecdot(x, y), quire.vecdot(t, u)
            assert str(found.dtype) == f"torch.{right.dtype}" and found.item() == 1
            right, found = quire.group_average(x, KEYS[:3], 6, weights=y), groups.average(t, u)
            assert str(found.dtype) == f"torch.{right.dtype}" and found.cpu().numpy().tobytes() == right.tobytes()
    short, half = torch.tensor([3], dtype=torch.int8), torch.ones(1, dtype=torch.bfloat16)
    assert quire.vecdot(short, half).dtype == torch.bfloat16
    groups = _groups.TensorGroups(torch.tensor([0, 0]), 1)
    for a, b in (("int64", "float64"), ("uint64", "int64"), ("int64", "bfloat16"), ("uint64", "float32")):
        t, u = torch.tensor([0, 2**53 + 1]).to(getattr(torch, a)), torch.ones(2).to(getattr(torch, b))
        for call in (quire.vecdot, groups.average):
            with pytest.raises(TypeError, match="no format holds both"):
                call(t, u)
    with pytest.raises(Exception, match="no format holds both"):  # where nobody can look at them
        torch.compile(quire.vecdot, backend="aot_eager", fullgraph=True)(torch.arange(2), torch.ones(2))


@pytest.mark.parametrize("dtype", TYPES)
def test_segments(dtype):
    x, offsets = drawn(dtype, (9, 3)), [0, 4, 4, 9, 2]
    ends = list(zip(offsets[:-1], offsets[1:], strict=True))
    for t, same in ((torch.from_numpy(x), x), (torch.from_numpy(x[:, 1].copy()), x[:, 1])):
        right = np.array([whole(same[b:e]).sum(0) if b < e else whole(same[:1] * 0)[0] for b, e in ends], object)
        for given in (offsets, torch.tensor(offsets), torch.tensor(offsets, dtype=torch.int32)):
            for call in (quire.segment_sum, qt.segment_sum):
                assert is_same(call(t, given), right)
                assert is_same(call(t, given, dtype=torch.float64), right, torch.float64)


@pytest.mark.parametrize("dtype", TYPES)
def test_by_key(dtype):
    x, keys = drawn(dtype, (6, 4)), torch.tensor(KEYS)
    sums = [sum(whole(x)[np.array(KEYS) == k], np.zeros(4, object)) for k in range(7)]
    t = torch.from_numpy(x)
    for of, axis in ((t, 0), (t.T, 1)):
        right = np.array(sums, object) if axis == 0 else np.array(sums, object).T
        for found in (
            qt.group_sum(of, keys, 7, axis),
            quire.group_sum(of, keys, 7, axis=axis),
            quire.group_sum(of, KEYS, 7, axis=axis),
            quire.groupby(keys, 7).sum(of, axis=axis, dtype=np.int64),
        ):
            assert is_same(found, right)
        assert is_same(qt.group_sum(of, keys, 7, axis, dtype=torch.float64), right, torch.float64)
        for call in (quire.group_mean, quire.group_norm, quire.group_var, quire.group_std):
            expected = call(x if axis == 0 else x.T, KEYS, 7, axis=axis)
            assert call(of, keys, 7, axis=axis).cpu().numpy().tobytes() == np.ascontiguousarray(expected).tobytes()
    out = torch.zeros(7, 4, dtype=torch.int64)
    assert quire.group_sum(t, keys, 7, out=out) is out and is_same(out, np.array(sums, object))


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8"])
def test_added_to_integers(dtype):
    """Of the dtype of x, within which the exact results lie; alpha too."""
    x, source = drawn(dtype, (6, 4)) // 16, drawn(dtype, (5, 4), 2) // 16
    index, kind = [3, 0, 3, 3, 5], getattr(torch, dtype)
    for alpha in (1, 2, -1) if dtype not in ("int64", "uint8") else (1, -1) if dtype == "int64" else (1, 3):
        right = whole(x)
        for row, i in zip(whole(source), index, strict=True):
            right[i] = right[i] + alpha * row
        t, u, i = torch.from_numpy(x), torch.from_numpy(source), torch.tensor(index)
        assert is_same(qt.index_add(t, 0, i, u, alpha=alpha), right, kind)
        assert is_same(qt.index_add(t.T, 1, i, u.T, alpha=alpha), right.T, kind)
        if alpha == 1:
            spread = i[:, None].expand(5, 4)
            assert is_same(qt.scatter_add(t, 0, spread, u), right, kind)
            assert is_same(qt.scatter_add(t, 0, spread.contiguous(), u), right, kind)
    places = torch.tensor([[0, 1, 0, 3], [0, 0, 2, 3]])
    right = whole(x)
    for a in range(2):
        for b in range(4):
            right[places[a, b], b] += int(source[a, b])
    assert is_same(qt.scatter_add(torch.from_numpy(x), 0, places, torch.from_numpy(source)), right, kind)


def test_added_beyond():
    least, i = torch.tensor([-(2**63)]), torch.tensor([0])
    assert qt.index_add(torch.tensor([-1]), 0, i, least, alpha=-1).item() == MOST
    assert (
        qt.index_add(torch.tensor([-128], dtype=torch.int8), 0, i, torch.tensor([-128], dtype=torch.int8), alpha=-1)
        == 0
    )
    for call in (
        lambda: qt.index_add(torch.tensor([0]), 0, i, least, alpha=-1),
        lambda: qt.index_add(torch.tensor([MOST]), 0, i, torch.tensor([1])),
        lambda: qt.scatter_add(torch.tensor([-1]), 0, i, least),
        lambda: qt.index_add(torch.tensor([100]).char(), 0, i, torch.tensor([2]).char(), alpha=14),
        lambda: qt.group_sum(torch.tensor([MOST, MOST]), torch.tensor([0, 0]), 1),
        lambda: qt.segment_sum(torch.tensor([[MOST], [1]]), [0, 2]),
    ):
        with pytest.raises(OverflowError, match="beyond int"):
            call()
    wide = torch.tensor([MOST, MOST, 2, -MOST, -MOST, -1])
    assert qt.group_sum(wide, torch.zeros(6, dtype=torch.int64), 1).item() == 1


def test_weights_of_integers():
    x, weights = torch.tensor([1, 0, 1, 1, 1]), torch.tensor([2**53, 7, 1, 1, 2**60])
    right = [7.0, float(2**53 + 2 + 2**60)]
    assert qt.bincount(x, weights).tolist() == quire.torch.bincount(x, weights, groups=2).tolist() == right
    assert qt.bincount(x[:4], weights[:4], 4).tolist() == [7.0, 2.0**53 + 2, 0.0, 0.0]
    with qt.batch_invariant():
        assert torch.bincount(x[:4], weights[:4]).tolist() == [7.0, 2.0**53 + 2]
    assert qt.bincount(x, weights > 7).tolist() == [0.0, 2.0] and qt.bincount(x, weights).dtype == torch.float64


def test_recorded():
    """Compiled calls, those of vmap, and shapes without memory."""
    x, keys = torch.tensor([[2**53 + 1, 2], [4, MOST - 5]]), torch.tensor([1, 1])
    for call in (
        lambda x: quire.sum(x, axis=1),
        lambda x: quire.sum(x, axis=1, dtype=torch.float32),
        lambda x: quire.mean(x, axis=0),
        lambda x: quire.sum(x, axis=1, where=x > 3),
        lambda x: quire.vecdot(x, x),
        lambda x: qt.cumsum(x, 1),
        lambda x: qt.cumsum(x, 1, dtype=torch.float64),
        lambda x: qt.segment_sum(x, torch.tensor([0, 1, 2])),
        lambda x: qt.group_sum(x, keys, 2, 1),
        lambda x: qt.index_add(x, 0, keys[:1], x[:1] - 2**54),
    ):
        right, found = call(x), torch.compile(call, backend="aot_eager", fullgraph=True)(x)
        assert found.dtype == right.dtype and torch.equal(found, right)
    assert torch.func.vmap(quire.sum)(x).tolist() == [2**53 + 3, MOST - 1]
    for operator, arguments in (
        (torch.ops.quire.sum, (x, [1])),
        (torch.ops.quire.cumsum, (x, 1)),
        (torch.ops.quire.vecdot, (x, x)),
        (torch.ops.quire.group_sum, (x, keys, 2, 1)),
        (torch.ops.quire.segment_sum, (x, torch.tensor([0, 1]))),
    ):
        assert set(torch.library.opcheck(operator, arguments).values()) == {"SUCCESS"}


def test_refuses():
    i, x, flags = torch.tensor([0]), torch.arange(3), torch.ones(3, dtype=torch.bool)
    small = torch.ones(1, dtype=torch.uint8)
    for error, words, call in [
        (TypeError, "floating-point numbers", lambda: qt.cumsum(torch.ones(2, dtype=torch.complex64), 0)),
        (TypeError, "floating-point numbers", lambda: qt.cumsum(torch.ones(2), 0, dtype=torch.int64)),
        (TypeError, "not on torch.bool", lambda: qt.cumsum(x, 0, dtype=torch.bool)),
        (TypeError, "dtype is torch.float64, but out has torch.int64", lambda: quire.cumsum(x, out=x, dtype=float)),
        (TypeError, "no integer of 64 bits", lambda: quire.group_mean(x, x, 3, dtype=torch.int64)),
        (TypeError, "no integer of 64 bits", lambda: quire.vecdot(x, x, dtype=torch.int64)),
        (ValueError, "no method but 'exact'", lambda: quire.segment_sum(x, [0, 1], method="kahan")),
        (ValueError, "no method but 'exact'", lambda: quire.sum(x, method="plain")),
        (TypeError, "sums of bools are none", lambda: qt.index_add(flags, 0, i, flags[:1])),
        (TypeError, "sums of bools are none", lambda: qt.scatter_add(flags, 0, i, flags)),
        (TypeError, "alpha must be an integer", lambda: qt.index_add(x, 0, i, x[:1], alpha=2.0)),
        (TypeError, "alpha must be 1 or -1", lambda: qt.index_add(x, 0, i, x[:1], alpha=2)),
        (ValueError, "does not hold alpha, -1", lambda: qt.index_add(small, 0, i, small, alpha=-1)),
        (ValueError, "does not hold alpha, 256", lambda: qt.index_add(small, 0, i, small, alpha=256)),
    ]:
        with pytest.raises(error) as raised:
            call()
        assert words in str(raised.value)


def test_graphs(monkeypatch):
    """While a CUDA graph is captured, sums that may not fit are refused before anything is done."""

    def there(dtype, n):
        return SimpleNamespace(
            is_cuda=True,
            dtype=dtype,
            numel=lambda: n,
            get_device=lambda: 0,
            new_empty=lambda shape, dtype: (shape, dtype),
        )

    monkeypatch.setattr(_launch, "is_capturing", lambda device: True)
    two_words = (3, 2), torch.int64
    assert _launch.room("sum", 1, there(torch.int32, 2**31), (3,), torch.int64) == two_words
    assert _launch.room("sum", 1, there(torch.int64, 9), (3,), torch.float64) == ((3,), torch.float64)
    for operation, x, dtype in (
        (1, there(torch.int64, 2), torch.int64),
        (1, there(torch.int32, 2**32), torch.int64),
        (3, there(torch.int32, 4), torch.int64),
        (1, there(torch.int8, 2), torch.int8),
    ):
        with pytest.raises(NotImplementedError, match="name a floating-point dtype"):
            _launch.room("sum", operation, x, (3,), dtype)
        monkeypatch.setattr(_launch, "is_capturing", lambda device: False)
        assert _launch.room("sum", operation, x, (3,), dtype) == two_words
        monkeypatch.setattr(_launch, "is_capturing", lambda device: True)
