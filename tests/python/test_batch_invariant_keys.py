"""quire.torch.batch_invariant(): sums by key, running sums, softmax and norms; their gradients; PyTorch's errors."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="SKIP: PyTorch is not installed")

import quire.torch as qt  # noqa: E402
from data import filled  # noqa: E402
from tensors import bits, tensor  # noqa: E402
from torch.fx.experimental.proxy_tensor import make_fx  # noqa: E402

F = torch.nn.functional
N, GROUPS = 400, 7
RANDOM = np.random.default_rng(3)
X = tensor(filled((N, 5), "float32", "telescoping", 1)) * 1e-30
Z = tensor(filled((GROUPS, 5), "float32", "any finite bits", 2)) * 1e-30
KEYS = torch.from_numpy(RANDOM.integers(0, GROUPS - 1, N))
WIDE = torch.from_numpy(RANDOM.integers(0, GROUPS - 1, (N, 5)))
FIXED = torch.randn(N, 5, generator=torch.Generator().manual_seed(1))
MANY = torch.randn(100, N, generator=torch.Generator().manual_seed(2))  # of which PyTorch's sums of squares differ


def has(keys, g):
    return X[keys == g]


MEANS = torch.stack(
    [
        qt.group_sum(
            torch.cat((Z[g : g + 1], has(KEYS, g))), torch.zeros(1 + len(has(KEYS, g))).long(), 1, dtype=torch.float64
        )[0]
        / (1 + len(has(KEYS, g)))
        for g in range(GROUPS)
    ]
)
ZEROS = torch.zeros(GROUPS, 5)

# PyTorch's call, and what it must be.
CALLS = {
    "index_add": (lambda: torch.index_add(Z, 0, KEYS, X), lambda: qt.index_add(Z, 0, KEYS, X)),
    "index_add with alpha": (lambda: Z.index_add(0, KEYS, X, alpha=3), lambda: qt.index_add(Z, 0, KEYS, X, alpha=3)),
    "index_add in place": (lambda: Z.clone().index_add_(0, KEYS, X), lambda: qt.index_add(Z, 0, KEYS, X)),
    "index_add along the last": (
        lambda: torch.index_add(Z.T, -1, KEYS.int(), X.T),
        lambda: qt.index_add(Z, 0, KEYS, X).T,
    ),
    "index_add with out": (
        lambda: torch.index_add(Z, 0, KEYS, X, out=torch.empty(0)),
        lambda: qt.index_add(Z, 0, KEYS, X),
    ),
    "scatter_add": (lambda: torch.scatter_add(Z, 0, WIDE, X), lambda: qt.scatter_add(Z, 0, WIDE, X)),
    "scatter_add in place": (lambda: Z.clone().scatter_add_(0, WIDE, X), lambda: qt.scatter_add(Z, 0, WIDE, X)),
    "scatter_add with out": (
        lambda: torch.scatter_add(Z, 0, WIDE, X, out=torch.empty(GROUPS, 5)),
        lambda: qt.scatter_add(Z, 0, WIDE, X),
    ),
    "scatter_add of rows": (
        lambda: Z.scatter_add(0, KEYS[:, None].expand(N, 5), X),
        lambda: qt.index_add(Z, 0, KEYS, X),
    ),
    "scatter_reduce": (lambda: Z.scatter_reduce(0, WIDE, X, "sum"), lambda: qt.scatter_add(Z, 0, WIDE, X)),
    "scatter_reduce in place": (
        lambda: Z.clone().scatter_reduce_(0, WIDE, X, "sum"),
        lambda: qt.scatter_add(Z, 0, WIDE, X),
    ),
    "scatter_reduce without itself": (
        lambda: (ZEROS + 9).scatter_reduce(0, WIDE, X, "sum", include_self=False)[: GROUPS - 1],
        lambda: qt.scatter_add(ZEROS, 0, WIDE, X)[: GROUPS - 1],
    ),
    "mean": (lambda: Z.scatter_reduce(0, KEYS[:, None].expand(N, 5), X, "mean"), lambda: MEANS.float()),
    "bincount": (lambda: torch.bincount(KEYS, X[:, 0]), lambda: qt.bincount(KEYS, X[:, 0])),
    "bincount of doubles": (
        lambda: torch.bincount(KEYS, FIXED[:, 0].double(), 9),
        lambda: qt.bincount(KEYS, FIXED[:, 0].double(), 9),
    ),
    "cumsum": (lambda: torch.cumsum(X, 0), lambda: qt.cumsum(X, 0)),
    "cumsum in place": (lambda: X.clone().cumsum_(0), lambda: qt.cumsum(X, 0)),
    "cumsum with out": (lambda: torch.cumsum(X, 0, out=torch.empty(N, 5)), lambda: qt.cumsum(X, 0)),
    "cumsum in doubles": (
        lambda: torch.cumsum(FIXED, 0, dtype=torch.float64),
        lambda: qt.cumsum(FIXED, 0, dtype=torch.float64),
    ),
    "cumsum to halves": (
        lambda: torch.cumsum(FIXED, 0, dtype=torch.float16),
        lambda: qt.cumsum(FIXED, 0, dtype=torch.float16),
    ),
    "softmax": (lambda: torch.softmax(FIXED, 0), lambda: qt.softmax(FIXED, 0)),
    "softmax of halves to floats": (
        lambda: torch.softmax(FIXED.half(), 0, dtype=torch.float32),
        lambda: qt.softmax(FIXED.half().float(), 0),
    ),
    "log_softmax": (lambda: F.log_softmax(FIXED.T, -1), lambda: qt.log_softmax(FIXED.T)),
    "layer_norm": (
        lambda: F.layer_norm(FIXED.T, (N,), X[:, 0], X[:, 1]),
        lambda: qt.layer_norm(FIXED.T, N, X[:, 0], X[:, 1]),
    ),
    "rms_norm": (lambda: F.rms_norm(MANY, (N,), X[:, 0], 1e-6), lambda: qt.rms_norm(MANY, N, X[:, 0], 1e-6)),
    "rms_norm of a module": (
        lambda: torch.nn.RMSNorm(N, elementwise_affine=False)(MANY),
        lambda: qt.rms_norm(MANY, N),
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls(name):
    call, right = CALLS[name]
    outside = call()
    with qt.batch_invariant(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of an out that is resized
        within = call()
    assert within.dtype == outside.dtype and within.shape == outside.shape
    assert bits(within) == bits(right())
    if name not in ("scatter_reduce without itself", "cumsum in doubles", "bincount of doubles", "mean"):
        assert bits(outside) != bits(within), "the test cannot tell them apart"


def test_means_are_of_what_is_there():
    x, index, source = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0, 0, 2]), torch.tensor([1e8, 5.0, -1e8])
    with qt.batch_invariant():
        assert x.scatter_reduce(0, index, source, "mean", include_self=False).tolist() == [50000004.0, 2.0, -1e8]
        assert x.scatter_reduce(0, torch.tensor([0, 0, 0]), source, "mean").tolist() == [1.5, 2.0, 3.0]
        assert x.scatter_reduce(0, index, source, "amax").tolist() == [1e8, 2.0, 3.0]


def gradient(call, x, g):
    x = x.clone().requires_grad_()
    (found,) = torch.autograd.grad(call(x), x, g)
    return found


WEIGHT = torch.randn(GROUPS, 5, generator=torch.Generator().manual_seed(2))
BAGS = torch.arange(0, N, 4)
G = tensor(filled((N, 5), "float32", "telescoping", 4)) * 1e-30
GRADIENTS = {
    "index_select": (lambda w: w.index_select(0, KEYS), WEIGHT, G, lambda: qt.group_sum(G, KEYS, GROUPS)),
    "gather": (lambda w: w.gather(0, WIDE), WEIGHT, G, lambda: qt.scatter_add(ZEROS, 0, WIDE, G)),
    "embedding": (
        lambda w: F.embedding(KEYS.view(4, -1), w),
        WEIGHT,
        G.view(4, -1, 5),
        lambda: qt.group_sum(G, KEYS, GROUPS),
    ),
    "embedding with padding": (
        lambda w: F.embedding(KEYS, w, padding_idx=2),
        WEIGHT,
        G,
        lambda: torch.where(torch.arange(GROUPS)[:, None] == 2, 0, qt.group_sum(G, KEYS, GROUPS)),
    ),
    "embedding_bag": (
        lambda w: F.embedding_bag(KEYS, w, BAGS, mode="sum"),
        WEIGHT,
        G[: len(BAGS)],
        lambda: qt.group_sum(G[: len(BAGS)].repeat_interleave(4, 0), KEYS, GROUPS),
    ),
    "embedding_bag of means": (
        lambda w: F.embedding_bag(KEYS, w, BAGS, mode="mean"),
        WEIGHT,
        G[: len(BAGS)],
        lambda: qt.group_sum((G[: len(BAGS)] / 4).repeat_interleave(4, 0), KEYS, GROUPS),
    ),
    "cumsum": (lambda x: torch.cumsum(x, 0), X, G, lambda: torch.ops.quire.cumsum(G, 0, True)),
    "index_add": (lambda x: torch.index_add(Z, 0, KEYS, x), X, WEIGHT, lambda: WEIGHT[KEYS]),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name):
    call, x, g, right = GRADIENTS[name]
    outside = gradient(call, x, g)
    with qt.batch_invariant():
        within = gradient(call, x, g)
    assert bits(within) == bits(right())
    assert name == "index_add" or bits(outside) != bits(within), "the test cannot tell them apart"


def test_weights_of_samples():
    factors = torch.randn(N, generator=torch.Generator().manual_seed(3))
    with qt.batch_invariant():
        call = lambda w: F.embedding_bag(KEYS, w, BAGS, mode="sum", per_sample_weights=factors)  # noqa: E731
        found = gradient(call, WEIGHT, G[: len(BAGS)])
    rows = G[: len(BAGS)].repeat_interleave(4, 0)
    right = torch.stack(
        [
            torch.stack([torch.ops.quire.vecdot(rows[g == KEYS, j], factors[g == KEYS]) for j in range(5)])
            for g in range(GROUPS)
        ]
    )
    assert bits(found) == bits(right)


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "layer_norm", "rms_norm"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_gradients_of_rows_keep_their_bits(name, dtype):
    x, g = FIXED.to(dtype), G.clamp(-1, 1).nan_to_num(0).to(dtype)
    weight, bias = (FIXED[i].clone().to(dtype) for i in (0, 1))
    call = {
        "softmax": lambda x: torch.softmax(x, -1),
        "log_softmax": lambda x: torch.log_softmax(x, -1),
        "layer_norm": lambda x: F.layer_norm(x, (5,), weight, bias),
        "rms_norm": lambda x: F.rms_norm(x, (5,), weight),
    }[name]
    near = gradient(call, x, g)
    with qt.batch_invariant():
        whole = gradient(call, x, g)
        for begin, end in ((0, 1), (7, 9), (3, 20)):
            assert bits(gradient(call, x[begin:end], g[begin:end])) == bits(whole[begin:end])
    assert torch.allclose(near.double(), whole.double(), rtol=3e-2, atol=3e-2)


def test_gradients_of_weights_have_no_order():
    order = torch.randperm(N, generator=torch.Generator().manual_seed(5))
    for call in (lambda x, w: F.layer_norm(x, (5,), w, w), lambda x, w: F.rms_norm(x, (5,), w)):
        with qt.batch_invariant():
            found = [
                bits(gradient(lambda w: call(x, w), FIXED[0], g)) for x, g in ((FIXED, X), (FIXED[order], X[order]))
            ]
        assert found[0] == found[1]


def test_second_gradients():
    x = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    keys = torch.tensor([1, 0, 1])
    with qt.batch_invariant():
        for call in (
            lambda x: torch.softmax(x, 1),
            lambda x: torch.log_softmax(x, 0),
            lambda x: F.layer_norm(x, (4,)),
            lambda x: F.rms_norm(x, (4,)),
            lambda x: torch.cumsum(x, 1),
            lambda x: x.index_select(0, keys),
            lambda x: torch.zeros(2, 4).double().index_add(0, keys, x),
        ):
            assert torch.autograd.gradcheck(call, x) and torch.autograd.gradgradcheck(call, x)


def raised_by(call):
    with pytest.raises(Exception) as raised:
        call()
    return type(raised.value), str(raised.value)


def test_errors_are_pytorchs():
    for call in (
        lambda: torch.index_add(Z, 0, KEYS + 3, X),
        lambda: torch.index_add(Z, 0, KEYS[:5], X),
        lambda: torch.index_add(Z, 3, KEYS, X),
        lambda: torch.index_add(Z, 0, KEYS, X.double()),
        lambda: torch.index_add(Z, 0, KEYS.float(), X),
        lambda: torch.scatter_add(Z, 0, WIDE + 3, X),
        lambda: torch.scatter_add(Z, 0, WIDE[:, :1].expand(N, 9), X),
        lambda: Z.scatter_reduce(0, WIDE, X, "median"),
        lambda: torch.bincount(KEYS - 5, X[:, 0]),
        lambda: torch.bincount(KEYS, X),
        lambda: torch.cumsum(X, 2),
        lambda: torch.softmax(X, 2),
        lambda: torch.softmax(X.long(), 1),
        lambda: F.layer_norm(X, (4,)),
        lambda: F.rms_norm(X, (4,)),
        lambda: F.embedding(KEYS + 3, WEIGHT),
    ):
        outside = raised_by(call)
        with qt.batch_invariant():
            assert raised_by(call) == outside


def test_what_stays_pytorchs():
    whole = torch.arange(12).view(3, 4)
    number = torch.tensor(2.0)
    for call in (
        lambda: torch.index_add(whole, 0, torch.tensor([0, 0]), whole[:2]),
        lambda: torch.cumsum(whole, 0),
        lambda: torch.bincount(KEYS),
        lambda: torch.scatter_add(whole, 0, torch.zeros(1, 4).long(), whole),
        lambda: torch.cumsum(torch.view_as_complex(FIXED[:, :2].contiguous()), 0),
        lambda: number.index_add(0, torch.tensor([0]), torch.tensor(3.0)),
        lambda: torch.softmax(FIXED[:, :0], 1),
        lambda: F.layer_norm(FIXED[:0], (5,)),
    ):
        outside = call()
        with qt.batch_invariant():
            assert torch.equal(call(), outside)


def test_a_compiled_function_keeps_its_own():
    torch._dynamo.reset()
    compiled = torch.compile(lambda x: F.rms_norm(x, (5,)) + torch.softmax(x, 1), backend="aot_eager")
    outside = compiled(FIXED)
    with qt.batch_invariant():
        assert torch.allclose(compiled(FIXED), outside)


def test_transforms_and_tangents_are_pytorchs():
    """rms_norm is taken above autograd, where these would be lost."""
    x, t = FIXED[:3], FIXED[3:6]

    def norm(x):
        return F.rms_norm(x, (5,))

    outside = torch.func.jvp(norm, (x,), (t,))[1], torch.func.grad(lambda x: norm(x).sum())(x), torch.vmap(norm)(x)
    with qt.batch_invariant():
        within = torch.func.jvp(norm, (x,), (t,))[1], torch.func.grad(lambda x: norm(x).sum())(x), torch.vmap(norm)(x)
    assert all(torch.allclose(a, b, atol=1e-6) for a, b in zip(outside, within, strict=True))
    assert outside[0].abs().max() > 0


def test_a_graph_that_is_traced_within_keeps_pytorchs_norm():
    trace = make_fx(lambda x: F.rms_norm(x, (5,)))
    with qt.batch_invariant():
        assert "quire" not in str(trace(FIXED).graph)
