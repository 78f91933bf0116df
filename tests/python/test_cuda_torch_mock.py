"""The ways of tensors on CUDA devices, without a device: tensors of the CPU are taken for those of a device."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="SKIP: PyTorch is not installed")

import quire  # noqa: E402
from data import filled  # noqa: E402
from false_cupy import Stream  # noqa: E402
from quire import _arrays, _device_accumulators  # noqa: E402
from quire._quire import ffi  # noqa: E402
from quire._types import ASUM, MEAN, NRM2, STDDEV, SUM, VARIANCE  # noqa: E402
from quire.torch import _tensors  # noqa: E402
from reference import NAMES  # noqa: E402
from tensors import bits, tensor  # noqa: E402

X = filled((6, 5, 7), "float32", "any finite bits", 3)
Y = filled((6, 5, 7), "float64", "any finite bits", 4)
OPERATIONS = {"sum": SUM, "asum": ASUM, "vector_norm": NRM2, "mean": MEAN, "var": VARIANCE, "std": STDDEV}


@pytest.fixture
def as_on_cuda(monkeypatch):
    """PyTorch, whose tensors of the CPU are taken for those of a device."""
    kind, stream = _device_accumulators.OfTensors, Stream(0)
    monkeypatch.setattr(_arrays, "is_on_cuda", _arrays.is_tensor)
    monkeypatch.setattr(kind, "context", lambda self, x, name: (0, 0, ffi.NULL))
    monkeypatch.setattr(kind, "stream", lambda self, device: stream)


@pytest.mark.usefixtures("as_on_cuda")
def test_accumulators():
    x, y = tensor(X), tensor(Y)
    a = quire.Accumulator(x)
    assert a._parts and a == quire.Accumulator(X) and not a._parts
    for t, u, right in [
        (x, y, (X, Y)),
        (x.permute(2, 0, 1), y.permute(2, 0, 1), (X, Y)),
        (x[:, ::2], y[:, ::2], (X[:, ::2], Y[:, ::2])),
        (x[:1].expand(4, 5, 7), y[:4], (np.broadcast_to(X[:1], (4, 5, 7)), Y[:4])),
        (x.bfloat16(), x.half(), None),
        (torch.tensor(3.0), torch.tensor(2.0), (np.float32(3), np.float32(2))),
    ]:
        if right is None:
            right = (t.float().numpy(), u.float().numpy())
        a, b = quire.Accumulator(t), quire.Accumulator(right[0])
        assert a.add_products(t, u) == b.add_products(*right)
        assert quire.Moments(t) == quire.Moments(right[0])


@pytest.mark.usefixtures("as_on_cuda")
def test_accumulators_refuse():
    x = torch.ones(3)
    a = quire.Accumulator(x)
    for error, words, call in [
        (TypeError, "has no gradient here", lambda: a.add(torch.ones(3, requires_grad=True))),
        (TypeError, "not on torch.complex64", lambda: a.add(torch.arange(3) * 1j)),
        (TypeError, "no format holds both", lambda: a.add_products(torch.arange(3) + 2**53, x)),
        (TypeError, "no format holds both", lambda: a.add_products(x, torch.arange(3) + 2**53)),
        (TypeError, "not strided", lambda: a.add(x.to_sparse())),
        (TypeError, "the other is of list", lambda: a.add_products(x, [1.0, 2.0, 3.0])),
        (ValueError, "x has shape (3,), y has (2,)", lambda: a.add_products(x, x[:2])),
        (ValueError, "x is on cpu, y on meta", lambda: a.add_products(x, x.to("meta"))),
    ]:
        with pytest.raises(error) as raised:
            call()
        assert words in str(raised.value) and "\n" not in str(raised.value)
    assert a.sum() == 3


def selected(name, t, where, out=None, axis=None, dtype=None, keepdims=False, method="exact", rounding="nearest"):
    """A reduction with where, on the way of a device."""
    return _tensors.selected(name, OPERATIONS[name], t, where, out, axis, dtype, keepdims, method, rounding, 0)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("call", OPERATIONS)
def test_where(call, name):
    x = filled((6, 5, 7), name, "any finite bits", 3)
    random = np.random.default_rng(1)
    zeros = np.where(random.random(x.shape) < 0.3, np.zeros((), x.dtype), -np.zeros((), x.dtype))
    masks = [random.random(x.shape) < p for p in (0.0, 0.1, 0.5, 1.0)] + [random.random(7) < 0.5, np.array(False)]
    views = [(lambda t: t, lambda x: x), (lambda t: t.permute(2, 1, 0)[::2], lambda x: x.transpose(2, 1, 0)[::2])]
    for mask, y in [(mask, y) for mask in masks for y in (x, zeros)]:
        for view, cpu_view in views if mask.ndim == 3 else views[:1]:
            v, m, a, b = view(tensor(y)), view(torch.from_numpy(mask)), cpu_view(y), cpu_view(mask)
            for axis in (None, 0, (0, 2), ()):
                for more in {}, {"rounding": "downward"}, {"method": "plain"}, {"keepdims": True}:
                    if "method" in more and call in ("var", "std"):
                        continue
                    right = np.asarray(getattr(quire, call)(a, axis=axis, where=b, **more))
                    for where in (m, b):
                        got = selected(call, v, where, axis=axis, **more)
                        assert type(got) is torch.Tensor and tuple(got.shape) == right.shape
                        assert bits(got) == right.tobytes()
    right = getattr(quire, call)(x, axis=0, where=masks[2], dtype=np.float64)
    out = torch.empty(7, 5, dtype=torch.float64).T
    assert selected(call, tensor(x), masks[2], out=out, axis=0) is out and bits(out) == right.tobytes()


def test_where_refuses():
    t, out = torch.ones(3, 4), torch.full((4,), 7.0)
    for error, words, call in [
        (TypeError, "array of bool, not of torch.float32", lambda: selected("sum", t, t, out, 0)),
        (TypeError, "array of bool, not of int64", lambda: selected("sum", t, [1, 0, 0, 1], out, 0)),
        (ValueError, "where has shape (3,), which does not fit x, of (3, 4)", lambda: selected("sum", t, [True] * 3)),
        (ValueError, "x is on cpu, where on meta", lambda: selected("sum", t, (t > 0).to("meta"), out, 0)),
        (ValueError, "out has shape (4,)", lambda: selected("mean", t, t > 0, out, 1)),
        (ValueError, "out has shape (4,)", lambda: selected("sum", t, t > 0, out, 1)),
        (ValueError, "method must be one of", lambda: selected("sum", t, t > 0, out, 0, method="magic")),
        (TypeError, "rounding must be a string", lambda: selected("sum", t, t > 0, out, 0, rounding=[])),
        (TypeError, "has no gradient here", lambda: selected("sum", t.clone().requires_grad_(), t > 0)),
        (TypeError, "floating-point numbers", lambda: selected("sum", t * 1j, t > 0)),
    ]:
        with pytest.raises(error) as raised:
            call()
        assert words in str(raised.value) and "\n" not in str(raised.value)
    assert (out == 7).all()
