"""quire.torch's sums by key: bits, gradients, the compiler, bad input."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="SKIP: PyTorch is not installed")

import quire  # noqa: E402
import quire.torch as qt  # noqa: E402
from data import filled  # noqa: E402
from reference import NAMES, exact_sum  # noqa: E402
from reference import bits as right_bits  # noqa: E402
from tensors import bits, tensor  # noqa: E402

DOUBLE = torch.float64
KEYS = torch.tensor([3, 0, 3, 1, 1, 3, 5])


def numbers(*shape, seed=1):
    torch.manual_seed(seed)
    return torch.randn(*shape, dtype=DOUBLE, requires_grad=True)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.uint8])
def test_group_sum(name, dtype):
    x = filled((4, 50, 3), name, "telescoping", 3)
    keys = np.random.default_rng(5).integers(0, 9, 50)
    t, k = tensor(x), torch.from_numpy(keys).to(dtype)
    for axis, view, same in (
        (1, t, x),
        (-2, t, x),
        (0, t.permute(1, 0, 2), x.transpose(1, 0, 2)),
        (0, t[0], x[0]),
        (0, t[1, :, 2], x[1, :, 2]),
        (1, t[:1].expand(5, 50, 3), np.broadcast_to(x[:1], (5, 50, 3))),
    ):
        for words in ({}, {"method": "plain"}, {"rounding": "downward"}, {"dtype": np.float64}):
            right = quire.group_sum(same, keys, 11, axis=axis, **words)
            found = qt.group_sum(view, k, 11, axis, **words)
            assert tuple(found.shape) == right.shape and bits(found) == right.tobytes()
            assert bits(quire.group_sum(view, k, 11, axis=axis, **words)) == right.tobytes()
    found = qt.group_sum(t[0, :, 0], k, 11)
    for g in range(11):
        assert bits(found[g : g + 1]) == right_bits(exact_sum(x[0, keys == g, 0].astype(float).tolist(), name), name)
    assert qt.group_sum(t[0], k).shape == (int(keys.max()) + 1, 3)
    assert qt.group_sum(t[:, :0], k[:0], 2, 1).tolist() == [[[0.0] * 3] * 2] * 4
    assert qt.group_sum(t[:0], k, 11, 1).shape == (0, 11, 3) and qt.group_sum(t[0, :0], k[:0], 0).shape == (0, 3)


def test_other_reductions_by_key():
    x = filled((40, 3), "float32", "normal", 3)
    keys = np.random.default_rng(5).integers(0, 5, 40)
    for name in ("group_mean", "group_norm", "group_var", "group_std"):
        call = getattr(quire, name)
        right = call(x, keys, 6)
        for k in (keys, torch.from_numpy(keys), keys.tolist()):
            found = call(tensor(x), k, 6)
            assert type(found) is torch.Tensor and bits(found.nan_to_num(7)) == np.nan_to_num(right, nan=7).tobytes()
        out = torch.empty(6, 3, dtype=DOUBLE)
        assert call(tensor(x), keys, 6, out=out) is out
        assert bits(out.nan_to_num(7)) == np.nan_to_num(call(x, keys, 6, dtype=float), nan=7).tobytes()
        with pytest.raises(TypeError, match=r"pass x\.detach"):
            call(tensor(x).requires_grad_(), keys, 6)
    assert bits(quire.group_sum(tensor(x), ["a", "b"] * 20)) == quire.group_sum(x, ["a", "b"] * 20).tobytes()


@pytest.mark.parametrize("name", NAMES)
def test_index_add_rounds_once(name):
    x, source = filled((7, 4), name, "any finite bits", 1), filled((50, 4), name, "telescoping", 2)
    keys = np.random.default_rng(5).integers(0, 6, 50)
    rng = np.random.default_rng(9)
    for alpha in (1, -1, 3, 0.5, -0.25):
        found = qt.index_add(tensor(x), 0, torch.from_numpy(keys), tensor(source), alpha=alpha)
        for g in range(7):
            for j in range(4):
                terms = [float(x[g, j]), *(alpha * source[keys == g, j].astype(np.float64)).tolist()]
                if name == "float64" and alpha not in (1, -1):
                    continue  # products that no double holds
                assert bits(found[g, j : j + 1]) == right_bits(exact_sum(terms, name), name)
        order = rng.permutation(50)
        again = qt.index_add(tensor(x), 0, torch.from_numpy(keys[order]).int(), tensor(source[order]), alpha=alpha)
        assert bits(found) == bits(again)
        across = qt.index_add(tensor(x.T.copy()), 1, torch.from_numpy(keys), tensor(source).T, alpha=alpha)
        assert bits(across.T) == bits(found)


def test_index_add_of_what_a_loop_loses():
    x = torch.tensor([-1e8, 2.0])
    rows, keys = torch.tensor([1e8, 1.0]), torch.tensor([0, 0])
    assert qt.index_add(x, 0, keys, rows).tolist() == [1.0, 2.0] and x.tolist() == [-1e8, 2.0]
    assert qt.index_add(torch.tensor([1e8]), 0, keys, torch.tensor([1.0, -1e8])).tolist() == [1.0]


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_scatter_add(dim):
    rng = np.random.default_rng(3)
    x, source = filled((5, 6, 4), "float32", "any finite bits", 1), filled((9, 8, 7), "float32", "any finite bits", 2)
    a = dim % 3
    shape = [min(n, s) if b != a else s for b, (n, s) in enumerate(zip(x.shape, source.shape, strict=True))]
    shape[1] -= 1
    index = rng.integers(0, x.shape[a], shape)
    found = qt.scatter_add(tensor(x), dim, torch.from_numpy(index), tensor(source))
    terms = {place: [float(x[place])] for place in np.ndindex(x.shape)}
    for place in np.ndindex(*shape):
        to = list(place)
        to[a] = index[place]
        terms[tuple(to)].append(float(source[place]))
    for place in np.ndindex(x.shape):
        assert bits(found[place].reshape(1)) == right_bits(exact_sum(terms[place], "float32"), "float32")
    near = torch.scatter_add(
        torch.zeros(5, 6, 4, dtype=DOUBLE), dim, torch.from_numpy(index), torch.ones(9, 8, 7).double()
    )
    ones = qt.scatter_add(torch.zeros(5, 6, 4), dim, torch.from_numpy(index), torch.ones(9, 8, 7))
    assert torch.equal(near, ones.double())


def test_scatter_add_of_whole_rows():
    """An expanded index, as PyTorch Geometric's scatter has it, takes the way of index_add."""
    x, source = (
        tensor(filled((6, 5), "float32", "any finite bits", 1)),
        tensor(filled((40, 5), "float32", "any finite bits", 2)),
    )
    keys = torch.from_numpy(np.random.default_rng(3).integers(0, 6, 40))
    wide = keys[:, None].expand(40, 5)
    assert bits(qt.scatter_add(x, 0, wide, source)) == bits(qt.index_add(x, 0, keys, source))
    assert bits(qt.scatter_add(x, 0, wide.contiguous(), source)) == bits(qt.index_add(x, 0, keys, source))
    assert bits(qt.scatter_add(x.T, 1, wide.T, source.T).T) == bits(qt.index_add(x, 0, keys, source))
    narrow = wide[:, :1]
    assert bits(qt.scatter_add(x, 0, narrow, source)[:, 1:]) == bits(x[:, 1:])


def test_segment_sum_of_matrices():
    x = filled((30, 4, 3), "float32", "any finite bits", 1)
    for offsets in ([0, 7, 7, 30], [5, 2, 9], [3], [0, 30]):
        found = qt.segment_sum(tensor(x), torch.tensor(offsets, dtype=torch.int32))
        assert found.shape == (len(offsets) - 1, 4, 3)
        for s, (begin, end) in enumerate(zip(offsets, offsets[1:], strict=False)):
            assert bits(found[s]) == quire.sum(x[begin:end], axis=0).tobytes()
        assert bits(quire.segment_sum(tensor(x), offsets)) == bits(found)
    across = tensor(x).permute(2, 0, 1)[1]
    assert bits(qt.segment_sum(across, [0, 9])) == quire.sum(x[:9, :, 1], axis=0).tobytes()


def test_bincount():
    x, weights = np.random.default_rng(3).integers(0, 9, 50), filled((50,), "float64", "telescoping", 2)
    t, w = torch.from_numpy(x), tensor(weights)
    assert bits(qt.bincount(t, w)) == quire.bincount(x, weights).tobytes()
    assert bits(qt.bincount(t, w, 20)) == quire.bincount(x, weights, 20).tobytes()
    assert bits(qt.bincount(t, w, groups=12)) == quire.bincount(x, weights, 12).tobytes()
    assert torch.equal(qt.bincount(t), torch.bincount(t)) and torch.equal(
        qt.bincount(t, None, 12), torch.bincount(t, None, 12)
    )
    assert qt.bincount(t, w.float()).dtype == torch.float32 and qt.bincount(t, w.half()).dtype == DOUBLE
    assert qt.bincount(t[:0], w[:0], 3).tolist() == [0, 0, 0] and qt.bincount(t[:0]).shape == (0,)
    assert torch.autograd.gradcheck(lambda w: qt.bincount(t[:7], w), numbers(7))


CALLS = {
    "group_sum": lambda x, y: qt.group_sum(x, KEYS, 6),
    "group_sum by the last": lambda x, y: qt.group_sum(x.T, KEYS, 6, -1),
    "index_select": lambda x, y: qt.index_select(x, 0, KEYS[:6]),
    "index_add": lambda x, y: qt.index_add(y, 0, KEYS, x, alpha=3),
    "index_add once": lambda x, y: qt.index_add(y, 0, KEYS.int(), x),
    "scatter_add": lambda x, y: qt.scatter_add(y, 0, KEYS[:, None] + torch.tensor([[0, -1]]).clamp(0), x),
    "scatter_add of less": lambda x, y: qt.scatter_add(y, 0, KEYS[:4, None], x),
    "gather": lambda x, y: qt.gather(x, 0, KEYS[:, None].expand(7, 2)),
    "gather of few": lambda x, y: qt.gather(x, 0, KEYS[:, None]),
    "segment_sum": lambda x, y: qt.segment_sum(x, torch.tensor([1, 4, 4, 6])),
    "segment_sum of none": lambda x, y: qt.segment_sum(x, torch.tensor([2])).sum() + x.sum() * 0,
    "segment_sum of a vector": lambda x, y: qt.segment_sum(x[:, 0], torch.tensor([0, 0, 5])),
}


@pytest.mark.parametrize("name", CALLS)
def test_gradients(name):
    x, y = numbers(7, 2), numbers(6, 2, seed=2)
    assert torch.autograd.gradcheck(CALLS[name], (x, y)) and torch.autograd.gradgradcheck(CALLS[name], (x, y))


def test_the_gradient_of_index_select_is_exact():
    x = torch.ones(3, 2, requires_grad=True)
    g = torch.tensor([[1e8, 1.0], [1.0, 2.0], [-1e8, 3.0], [5.0, 7.0]])
    qt.index_select(x, 0, torch.tensor([1, 1, 1, 2])).backward(g)
    assert x.grad.tolist() == [[0, 0], [1, 6], [5, 7]]


@pytest.mark.parametrize("name", CALLS)
def test_compiled(name):
    x, y = numbers(7, 2), numbers(6, 2, seed=2)
    torch._dynamo.reset()  # which compiles one function a few times only
    call = CALLS[name]
    compiled = torch.compile(lambda x, y: call(x, y) * 2, backend="aot_eager", fullgraph=True)
    assert bits(compiled(x, y)) == bits(call(x, y) * 2)
    right = torch.autograd.grad(call(x, y).square().sum(), x)[0]
    found = torch.autograd.grad((compiled(x, y) / 2).square().sum(), x)[0]
    assert bits(found) == bits(right)


def test_dynamic_shapes_compile_once():
    compiled = torch.compile(
        lambda x, k, z: qt.index_add(z, 0, k, x), backend="aot_eager", fullgraph=True, dynamic=True
    )
    for n in (5, 9, 13):
        x, k, z = torch.randn(n, 3), torch.arange(n) % 4, torch.randn(4, 3)
        assert bits(compiled(x, k, z)) == bits(qt.index_add(z, 0, k, x))


OPERATORS = [
    ("group_sum", lambda x, y: (x, KEYS, 6)),
    ("group_sum", lambda x, y: (x.T, KEYS, 6, 1)),
    ("index_select", lambda x, y: (x, 0, KEYS[:3])),
    ("index_add", lambda x, y: (y, 0, KEYS, x)),
    ("scatter_add", lambda x, y: (y, 0, KEYS[:4, None], x)),
    ("gather", lambda x, y: (x, 0, KEYS[:, None])),
    ("segment_sum", lambda x, y: (x, torch.tensor([1, 4, 4, 6]))),
]


@pytest.mark.parametrize("name, arguments", OPERATORS)
def test_operators_are_well_formed(name, arguments):
    checks = torch.library.opcheck(getattr(torch.ops.quire, name), arguments(numbers(7, 2), numbers(6, 2)))
    assert set(checks.values()) == {"SUCCESS"}


def test_refuses():
    x, y = torch.ones(7, 2), torch.ones(6, 2)
    for error, words, call in [
        (ValueError, "keys must lie in [0, 5)", lambda: qt.group_sum(x, KEYS, 5)),
        (ValueError, "keys must lie in [0, 5)", lambda: quire.group_sum(x, KEYS, 5)),
        (ValueError, "keys must lie in [0, 6)", lambda: qt.group_sum(x, KEYS - 1, 6)),
        (ValueError, "keys must lie in [0, 0)", lambda: qt.group_sum(x, KEYS, 0)),
        (ValueError, "groups must not be negative", lambda: qt.group_sum(x[:0], KEYS[:0], -1)),
        (TypeError, "keys must be integers", lambda: qt.group_sum(x, KEYS.float(), 6)),
        (ValueError, "not one for each row", lambda: qt.group_sum(x, KEYS[:3], 6)),
        (ValueError, "not one for each row", lambda: qt.group_sum(x, KEYS[:, None], 6)),
        (TypeError, "floating-point numbers", lambda: qt.group_sum(x.cfloat(), KEYS, 6)),
        (
            ValueError,
            "x is on cpu, keys on meta",
            lambda: torch.ops.quire.group_sum.default.redispatch(
                torch._C.DispatchKeySet(torch._C.DispatchKey.CPU), x, KEYS.to("meta"), 6
            ),
        ),
        (ValueError, "does not fit an index of 7", lambda: qt.index_add(y, 0, KEYS, x[:3])),
        (ValueError, "they must be the same", lambda: qt.index_add(y, 0, KEYS, x.double())),
        (ValueError, "keys must lie in [0, 6)", lambda: qt.index_add(y, 0, KEYS + 1, x)),
        (ValueError, "keys must lie in [0, 7)", lambda: qt.index_select(x, 0, KEYS + 4)),
        (ValueError, "does not fit x", lambda: qt.scatter_add(y, 0, KEYS, x)),
        (ValueError, "does not fit x", lambda: qt.scatter_add(y, 0, KEYS[:, None].expand(7, 3), x)),
        (ValueError, "keys must lie in [0, 6)", lambda: qt.scatter_add(y, 0, KEYS[:, None] + 1, x)),
        (TypeError, "index must be int32 or int64", lambda: qt.scatter_add(y, 0, KEYS[:, None].float(), x)),
        (ValueError, "keys must lie in [0, 7)", lambda: qt.gather(x, 0, KEYS[:, None] + 2)),
        (ValueError, "offsets must lie in [0, 7]", lambda: qt.segment_sum(x, torch.tensor([0, 8]))),
        (ValueError, "offsets must lie in [0, 7]", lambda: qt.segment_sum(x, [0, 8])),
        (ValueError, "keys must lie in", lambda: qt.bincount(KEYS - 1, x[:, 0])),
        (ValueError, "x must have one dimension", lambda: qt.bincount(KEYS, x)),
    ]:
        with pytest.raises(error) as raised:
            call()
        assert words in str(raised.value) and "\n" not in str(raised.value)
    z = x.clone().requires_grad_()
    with pytest.raises(NotImplementedError, match="offsets never fall"):
        qt.segment_sum(z, torch.tensor([5, 2, 6])).sum().backward()
