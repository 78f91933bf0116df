"""What a device makes of keys outside, without a device: its ways, with tensors of the CPU."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="SKIP: PyTorch is not installed")

import quire  # noqa: E402
import quire.torch as qt  # noqa: E402
from quire._types import MEAN, SUM  # noqa: E402
from quire.torch import _by_key, _key_operators, _scatter  # noqa: E402
from quire.torch._groups import TensorGroups  # noqa: E402
from tensors import bits  # noqa: E402

X, Z = torch.randn(6, 2), torch.randn(3, 2)
KEYS, KEPT, INSIDE = torch.tensor([0, -1, 2, 3, 2**40, 1]), torch.tensor([0, 2, 5]), torch.tensor([0, 2, 1])


def test_sums():
    found = _by_key.reduce_by_key("group_sum", SUM, X, KEYS, 3, 0)
    assert bits(found) == bits(qt.group_sum(X[KEPT], INSIDE, 3))
    right = bits(qt.index_add(Z, 0, INSIDE, X[KEPT]))
    assert bits(_by_key.sum_with("index_add", Z, KEYS, X, 0)) == right
    wide = KEYS[:, None].expand(6, 2)
    for index in (wide, wide.contiguous()):
        assert bits(_scatter.scattered("scatter_add", Z, 0, index, X)) == right
    across = _scatter.scattered("scatter_add", Z.T, 1, wide.T.contiguous(), X.T.contiguous())
    assert bits(across.T) == right


def test_means_without_what_is_there():
    wide = KEYS[:, None].expand(6, 2)
    for index in (wide, wide.contiguous()):
        found = _scatter.scattered("scatter_reduce", Z, 0, index, X, MEAN, False)
        assert bits(found) == bits(X[torch.tensor([0, 5, 2])])
        none = _scatter.scattered("scatter_reduce", Z, 0, index * 0 - 1, X, MEAN, False)
        assert bits(none) == bits(Z)


def test_groups():
    """What quire.groupby makes of keys on a device."""
    g = TensorGroups(KEYS.clamp(0, 2), 3)
    assert len(g) == 3 and g.keys.tolist() == [0, 1, 2]
    assert g.counts.tolist() == [2, 1, 3] and g.counts.dtype == torch.int64
    inside = TensorGroups(INSIDE, 3)
    for name in ("sum", "mean", "norm", "var", "std"):
        right = getattr(quire.groupby(INSIDE.numpy(), 3), name)(X[KEPT].numpy())
        assert getattr(inside, name)(X[KEPT]).numpy().tobytes() == right.tobytes()
        across = getattr(inside, name)(X[KEPT].T, axis=1, dtype=torch.float64)
        assert across.dtype == torch.float64 and across.shape == (2, 3)
    assert bits(inside.average(X[KEPT])) == bits(inside.mean(X[KEPT]))
    x = X[KEPT].clone().requires_grad_()
    (inside.sum(x) * torch.tensor([[1.0], [2.0], [3.0]])).sum().backward()
    assert x.grad[:, 0].tolist() == [1.0, 3.0, 2.0]
    for error, words, call in [
        (TypeError, "integers", lambda: TensorGroups(X[:, 0], 3)),
        (ValueError, "one dimension", lambda: TensorGroups(KEYS[None], 3)),
        (ValueError, "negative", lambda: TensorGroups(KEYS, -1)),
        (TypeError, "x is a list", lambda: inside.sum([1.0, 2.0, 3.0])),
        (NotImplementedError, "no where", lambda: inside.sum(X[KEPT], where=X[KEPT] > 0)),
        (ValueError, "the keys on cpu", lambda: inside.sum(X[KEPT].to("meta"))),
    ]:
        with pytest.raises(error, match=words):
            call()


def test_rows():
    right = torch.zeros(6, 2)
    right[KEPT] = Z[INSIDE]
    assert torch.equal(_key_operators.rows_or_zero(Z, 0, KEYS), right)
    assert torch.equal(_key_operators.rows_or_zero(Z.T, 1, KEYS), right.T)
    assert torch.equal(_key_operators.elements_or_zero(Z, 0, KEYS[:, None]), right[:, :1])
    assert _key_operators.rows_or_zero(Z[:0], 0, KEYS).tolist() == [[0, 0]] * 6
    assert _key_operators.elements_or_zero(Z[:0], 0, KEYS[:, None]).tolist() == [[0]] * 6
