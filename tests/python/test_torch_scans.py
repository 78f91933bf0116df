"""quire.torch.cumsum: bits, gradients, the compiler."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="SKIP: PyTorch is not installed")

import quire  # noqa: E402
import quire.torch as qt  # noqa: E402
from data import filled  # noqa: E402
from reference import NAMES  # noqa: E402
from tensors import bits, tensor  # noqa: E402


@pytest.mark.parametrize("name", NAMES)
def test_bits(name):
    x = filled((6, 5, 7), name, "any finite bits", 3)
    t = tensor(x)
    for view, same in (
        (t, x),
        (t.permute(2, 0, 1), x.transpose(2, 0, 1)),
        (t[::2, 1:, ::3], x[::2, 1:, ::3]),
        (t[:1].expand(4, 5, 7), np.broadcast_to(x[:1], (4, 5, 7))),
        (t[:0], x[:0]),
    ):
        for axis in (0, 1, -1):
            for words in ({}, {"rounding": "upward"}, {"dtype": np.float64}):
                right = quire.cumsum(same, axis, **words)
                assert bits(qt.cumsum(view, axis, **words)) == right.tobytes()
                assert bits(quire.cumsum(view, axis, **words)) == right.tobytes()
                backwards = torch.ops.quire.cumsum(
                    view, axis, True, **{**words, **({"dtype": torch.float64} if "dtype" in words else {})}
                )
                assert bits(backwards) == np.flip(quire.cumsum(np.flip(same, axis), axis, **words), axis).tobytes()
        assert bits(quire.cumsum(view)) == quire.cumsum(same).tobytes()
        found = quire.cumulative_sum(view, axis=1, include_initial=True)
        assert bits(found) == quire.cumulative_sum(same, axis=1, include_initial=True).tobytes()
    out = torch.empty(6, 5, 7, dtype=torch.float64)
    assert quire.cumsum(t, 1, out=out) is out and bits(out) == quire.cumsum(x, 1, dtype=float).tobytes()
    itself = t.clone()
    assert quire.cumsum(itself, 1, out=itself) is itself and bits(itself) == quire.cumsum(x, 1).tobytes()
    assert qt.cumsum(torch.tensor(2.5), 0).item() == 2.5


def test_gradients():
    torch.manual_seed(1)
    x = torch.randn(4, 5, dtype=torch.float64, requires_grad=True)
    for dim in (0, 1, -1):
        assert torch.autograd.gradcheck(lambda t: qt.cumsum(t, dim), x)
        assert torch.autograd.gradgradcheck(lambda t: qt.cumsum(t, dim), x)
    y = torch.zeros(3, requires_grad=True)
    qt.cumsum(y, 0).backward(torch.tensor([1.0, 1e8, -1e8]))
    assert y.grad.tolist() == [1.0, 0.0, -1e8]
    z = torch.zeros(3, dtype=torch.bfloat16, requires_grad=True)
    qt.cumsum(z, 0, dtype=torch.float64).backward(torch.tensor([1.0, 1e8, -1e8]).double())
    assert z.grad.dtype == torch.bfloat16 and z.grad[0] == 1


def test_compiled():
    x = torch.randn(4, 5, requires_grad=True)
    compiled = torch.compile(lambda x: qt.cumsum(x, 1) * 2, backend="aot_eager", fullgraph=True)
    assert bits(compiled(x)) == bits(qt.cumsum(x, 1) * 2)
    checks = torch.library.opcheck(torch.ops.quire.cumsum, (x, 1))
    assert set(checks.values()) == {"SUCCESS"}


def test_refuses():
    for error, words, call in [
        (IndexError, "out of bounds", lambda: qt.cumsum(torch.ones(3), 1)),
        (ValueError, "rounding must be one of", lambda: qt.cumsum(torch.ones(3), 0, rounding="up")),
        (ValueError, "out has shape (2,)", lambda: quire.cumsum(torch.ones(3), 0, out=torch.ones(2))),
        (
            ValueError,
            "no gradient with out",
            lambda: quire.cumsum(torch.ones(3, requires_grad=True), out=torch.ones(3)),
        ),
    ]:
        with pytest.raises(error) as raised:
            call()
        assert words in str(raised.value)
