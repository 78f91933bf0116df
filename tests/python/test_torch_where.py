"""Reductions of masked tensors where PyTorch records calls: the compiler, vmap, tracers, fake tensors."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="SKIP: PyTorch is not installed")

import quire  # noqa: E402
from data import filled  # noqa: E402
from quire._types import MEAN  # noqa: E402
from tensors import bits, tensor  # noqa: E402
from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402
from torch.fx.experimental.proxy_tensor import make_fx  # noqa: E402

X = tensor(filled((8, 33), "float32", "any finite bits", 3))
MASK = torch.from_numpy(np.random.default_rng(1).random((8, 33)) < 0.5)
CALLS = {
    "sum": lambda x, mask: quire.sum(x, axis=-1, where=mask),
    "sum of all": lambda x, mask: quire.sum(x, where=mask, dtype=torch.float64),
    "mean": lambda x, mask: quire.mean(x, axis=(0,), where=mask, keepdims=True),
    "var": lambda x, mask: quire.var(x, axis=1, correction=1, where=mask),
    "std": lambda x, mask: quire.std(x, where=mask, rounding="upward"),
    "norm": lambda x, mask: quire.norm(x, axis=-1, where=mask),
    "norm of order 1": lambda x, mask: quire.norm(x, axis=-1, ord=1, where=mask),
    "an ordered method": lambda x, mask: quire.sum(x, axis=0, where=mask, method="kahan"),
    "a row for all": lambda x, mask: quire.mean(x, axis=1, where=mask[0]),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_compiler(name):
    call = CALLS[name]
    for dynamic in (False, True):
        torch.compiler.reset()
        compiled = torch.compile(
            lambda x, mask: call(x * 2, mask) + 1, backend="aot_eager", fullgraph=True, dynamic=dynamic
        )
        assert bits(compiled(X, MASK)) == bits(call(X * 2, MASK) + 1)
    assert bits(make_fx(call)(X, MASK)(X / 3, ~MASK)) == bits(call(X / 3, ~MASK)), "the graph has constants"


@pytest.mark.parametrize("name", ["sum", "mean", "var", "std", "norm"])
def test_vmap(name):
    call = getattr(quire, name)
    right = call(X, axis=1, where=MASK)
    assert bits(torch.vmap(lambda x, mask: call(x, where=mask))(X, MASK)) == bits(right)
    assert bits(torch.vmap(lambda x: call(x, where=MASK[0]))(X)) == bits(call(X, axis=1, where=MASK[0]))
    assert bits(torch.vmap(lambda mask: call(X[0], where=mask))(MASK)) == bits(
        call(X[:1].expand(8, 33), axis=1, where=MASK)
    )
    assert bits(torch.vmap(lambda x: call(x, where=MASK[0].numpy()))(X)) == bits(call(X, axis=1, where=MASK[0]))


def test_fake_tensors_are_not_read():
    for call in CALLS.values():
        right = call(X.numpy(), MASK.numpy())
        with FakeTensorMode() as mode:
            x = mode.from_tensor(X)
            found = call(x, mode.from_tensor(MASK))
        assert type(found) is type(x) and tuple(found.shape) == right.shape
    with pytest.raises(TypeError, match="reads memory"):
        quire.Accumulator(x)
    with pytest.raises(TypeError, match="reads memory"):
        torch.vmap(lambda t: quire.Accumulator(t).sum())(X)


def test_the_operator():
    assert set(torch.library.opcheck(torch.ops.quire.where, (X, MASK, "mean", MEAN, [1])).values()) == {"SUCCESS"}
    for raises, words, call in [
        (TypeError, "pass x.detach()", lambda: torch.func.grad(lambda x: quire.sum(x, where=MASK))(X)),
        (NotImplementedError, "forward-mode", lambda: torch.func.jvp(lambda x: quire.sum(x, where=MASK), (X,), (X,))),
        (ValueError, "does not fit x", lambda: torch.vmap(lambda x: quire.sum(x, where=MASK))(X)),
        (TypeError, "array of bool", lambda: torch.vmap(lambda x: quire.sum(x, where=x))(X)),
    ]:
        with pytest.raises(raises) as raised:
            call()
        assert words in str(raised.value) and "\n" not in str(raised.value)


def test_out():
    out, wide = torch.empty(8, 2)[:, 0], torch.empty(8, dtype=torch.float64)
    assert quire.sum(X, axis=-1, where=MASK, out=out) is out and bits(out) == bits(CALLS["sum"](X, MASK))
    quire.sum(X, axis=-1, where=MASK.numpy(), out=wide)
    assert bits(wide) == bits(quire.sum(X, axis=-1, where=MASK, dtype=torch.float64))
    with pytest.raises(ValueError, match="out has shape"):
        quire.sum(X, where=MASK, out=wide)
