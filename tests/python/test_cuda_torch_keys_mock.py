"""What a device makes of keys outside, without a device: its ways, with tensors of the CPU."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="SKIP: PyTorch is not installed")

import quire.torch as qt  # noqa: E402
from quire._types import MEAN, SUM  # noqa: E402
from quire.torch import _by_key, _key_operators, _scatter  # noqa: E402
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


def test_rows():
    right = torch.zeros(6, 2)
    right[KEPT] = Z[INSIDE]
    assert torch.equal(_key_operators.rows_or_zero(Z, 0, KEYS), right)
    assert torch.equal(_key_operators.rows_or_zero(Z.T, 1, KEYS), right.T)
    assert torch.equal(_key_operators.elements_or_zero(Z, 0, KEYS[:, None]), right[:, :1])
    assert _key_operators.rows_or_zero(Z[:0], 0, KEYS).tolist() == [[0, 0]] * 6
    assert _key_operators.elements_or_zero(Z[:0], 0, KEYS[:, None]).tolist() == [[0]] * 6
