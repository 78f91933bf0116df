"""PyTorch's tensors: operators, gradients, the compiler, and its own reductions made exact."""

from __future__ import annotations

import contextlib
import doctest
import threading
import types

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="SKIP: PyTorch is not installed")

import quire  # noqa: E402
import quire.torch  # noqa: E402
from data import filled  # noqa: E402
from reference import NAMES  # noqa: E402
from tensors import bits, tensor  # noqa: E402

ONE = ["sum", "mean", "asum", "vector_norm", "var", "std"]
DIMS = [None, [0], [-1], [0, 1]]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("call", ONE)
def test_bits_are_those_of_numpy(call, name):
    x = filled((6, 5, 7), name, "any finite bits", 3)
    t, call = tensor(x), getattr(quire, call)
    for axis in (None, 0, -1, (0, 2), (1, 2), ()):
        for keepdims in (False, True):
            result, right = call(t, axis=axis, keepdims=keepdims), call(x, axis=axis, keepdims=keepdims)
            assert type(result) is torch.Tensor and result.dtype == t.dtype and tuple(result.shape) == right.shape
            assert bits(result) == np.ascontiguousarray(right).tobytes()
    views = [
        (t.permute(2, 0, 1), x.transpose(2, 0, 1)),
        (t[::2, 1:, ::3], x[::2, 1:, ::3]),
        (t[:1].expand(4, 5, 7), np.broadcast_to(x[:1], (4, 5, 7))),
    ]
    for view, same in views:
        assert bits(call(view, axis=1)) == np.ascontiguousarray(call(same, axis=1)).tobytes()
        assert bits(call(view, dtype=torch.float64)) == call(same, dtype=np.float64).tobytes()
    assert bits(call(t, axis=0, where=t.double() > 0)) == call(x, axis=0, where=x > 0).tobytes()


@pytest.mark.parametrize("name", NAMES)
def test_pairs_segments_accumulators(name):
    x = filled((6, 50), name, "any finite bits", 3)
    t = tensor(x)
    assert bits(quire.vecdot(t, t[0])) == quire.vecdot(x, x[0]).tobytes()
    assert bits(quire.segment_sum(t[0], torch.tensor([0, 7, 50]))) == quire.segment_sum(x[0], [0, 7, 50]).tobytes()
    assert quire.Accumulator(t) == quire.Accumulator(x)
    assert quire.sum(t, dtype="float32").dtype == torch.float32


@pytest.mark.parametrize("name", ONE)
def test_gradients(name):
    torch.manual_seed(1)
    x = torch.randn(4, 5, dtype=torch.float64, requires_grad=True)
    operator = getattr(torch.ops.quire, name)
    for dim in DIMS:
        for keepdim in (False, True):
            assert torch.autograd.gradcheck(lambda t: operator(t, dim, keepdim), x)
            assert torch.autograd.gradgradcheck(lambda t: operator(t, dim, keepdim), x)
    options = {"correction": 1} if name in ("var", "std") else {}
    assert torch.autograd.gradcheck(lambda t: operator(t, [1], **options), x)
    quire.sum(x.float()).backward()
    assert x.grad is not None and (x.grad == 1).all()


def test_gradients_of_norms_at_zero():
    x = torch.zeros(3, requires_grad=True)
    (quire.norm(x) + quire.std(x)).backward()
    assert x.grad.tolist() == [0, 0, 0]


def test_gradients_of_vecdot():
    torch.manual_seed(2)
    x, y = (torch.randn(4, 5, dtype=torch.float64, requires_grad=True) for _ in range(2))
    assert torch.autograd.gradcheck(quire.vecdot, (x, y)) and torch.autograd.gradgradcheck(quire.vecdot, (x, y[0]))


@pytest.mark.parametrize("name", [*ONE, "vecdot"])
def test_operators_are_well_formed(name):
    operator, x = getattr(torch.ops.quire, name), torch.randn(4, 3, 5, requires_grad=True)
    arguments = [(x, x, 1)] if name == "vecdot" else [(x,), (x, [0, 2]), (x, [-2], True), (x.permute(2, 1, 0), [0])]
    for one in arguments:
        assert set(torch.library.opcheck(operator, one).values()) == {"SUCCESS"}


def test_the_compiler_keeps_them():
    seen = []

    def backend(graph, inputs):
        seen.extend(node.target for node in graph.graph.nodes if node.op == "call_function")
        return graph.forward

    def f(x):
        return torch.ops.quire.sum(x * 2, [-1]) + 1

    x = torch.randn(8, 33)
    compiled = torch.compile(f, backend=backend, fullgraph=True)
    assert bits(compiled(x)) == bits(f(x))
    assert torch.ops.quire.sum in seen or torch.ops.quire.sum.default in seen
    assert bits(torch.compile(f, backend="aot_eager", fullgraph=True, dynamic=True)(x)) == bits(f(x))


def rms_norm(x, weight, eps=1e-6):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) * weight


def test_rms_norm_keeps_a_rows_bits_in_any_batch():
    torch.manual_seed(3)
    x, weight = torch.randn(257, 1000), torch.randn(1000)
    with quire.torch.batch_invariant():
        whole = rms_norm(x, weight)
        for part in (x[7:8], x[5:9], x[:100]):
            begin = part.storage_offset() // 1000
            assert bits(rms_norm(part, weight)) == bits(whole[begin : begin + len(part)])


def test_batch_invariant():
    x = tensor(filled((40, 1000), "float32", "any finite bits", 5)) * 1e-30
    calls = {
        "sum": lambda: (x.sum(), quire.sum(x)),
        "sum of rows": lambda: (torch.sum(x, -1), quire.sum(x, axis=-1)),
        "sum in double": lambda: (x.sum((0, 1), dtype=torch.float64), quire.sum(x, dtype=torch.float64)),
        "mean": lambda: (x.mean(), quire.mean(x)),
        "mean of columns": lambda: (x.mean(0, keepdim=True), quire.mean(x, axis=0, keepdims=True)),
        "var": lambda: (x.var(), quire.var(x, correction=1)),
        "var of rows": lambda: (torch.var(x, 1, correction=0), quire.var(x, axis=1)),
        "std": lambda: (x.std(1), quire.std(x, axis=1, correction=1)),
        "norm": lambda: (x.norm(), quire.norm(x)),
        "vector_norm": lambda: (torch.linalg.vector_norm(x, dim=1), quire.norm(x, axis=1)),
        "asum": lambda: (torch.linalg.vector_norm(x, 1), quire.asum(x)),
    }
    before = [bits(theirs) for theirs, _ in (call() for call in calls.values())]
    with quire.torch.batch_invariant(), quire.torch.batch_invariant():
        for name, call in calls.items():
            theirs, ours = call()
            assert bits(theirs) == bits(ours), name
        elsewhere = []
        thread = threading.Thread(target=lambda: elsewhere.append(bits(x.sum())))
        thread.start()
        thread.join()
        assert elsewhere == [bits(quire.sum(x))]
        assert torch.arange(5).sum() == 10 and torch.ones(3, dtype=torch.bool).sum() == 3
        assert torch.linalg.vector_norm(torch.tensor([1.0, -3.0]), float("inf")) == 3
        assert torch.ones(2, dtype=torch.complex64).sum() == 2
    after = [bits(theirs) for theirs, _ in (call() for call in calls.values())]
    assert before == after
    assert before != [bits(ours) for _, ours in (call() for call in calls.values())], "the test cannot tell them apart"


@pytest.mark.parametrize("name", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"])
def test_integers(name):
    """Those of NumPy's arrays, on the CPU: sums are int64, all else is rounded once from the exact integers."""
    dtype = np.dtype(name)
    raw = np.random.default_rng(5).integers(0, 256, 60 * dtype.itemsize, np.uint8)
    x = (raw % 2).astype(bool) if name == "bool" else raw.view(dtype)
    x = x.reshape(3, 4, 5)
    t = torch.from_numpy(x.copy())
    for call in ONE:
        for axis in (None, 1, (0, -1)):
            of_sums = {"dtype": np.float64} if call in ("sum", "asum") and name in ("int64", "uint64") else {}
            expected = np.asarray(getattr(quire, call)(x, axis=axis, **of_sums))
            found = getattr(quire, call)(t, axis=axis, **({"dtype": torch.float64} if of_sums else {}))
            wanted = torch.float64 if expected.dtype.kind == "f" else torch.int64
            assert isinstance(found, torch.Tensor) and found.dtype == wanted and found.shape == expected.shape
            assert found.numpy().astype(expected.dtype).tobytes() == expected.tobytes()
    flags = torch.from_numpy(x > 0)
    assert quire.sum(flags).item() == int((x > 0).sum()) and quire.sum(flags).dtype == torch.int64


def test_integers_in_full():
    x = torch.tensor([2**53 + 1, 0, 0])
    assert quire.sum(x).item() == 2**53 + 1 and quire.mean(x).item() == 3002399751580331.0
    assert quire.sum(x, dtype=torch.float32).dtype == torch.float32
    assert quire.sum(x, where=torch.tensor([False, True, True])).item() == 0
    assert quire.sum(x.reshape(1, 3), axis=1, keepdims=True).tolist() == [[2**53 + 1]]
    out = torch.empty((), dtype=torch.float64)
    assert quire.mean(x, out=out) is out and out.item() == 3002399751580331.0
    assert quire.sum(x, dtype=torch.bfloat16).dtype == torch.bfloat16
    with pytest.raises(ValueError, match="method"):
        quire.sum(x, method="magic")


def test_bad_input():
    x = torch.ones(3, 4)
    for error, words, call in [
        (TypeError, "floating-point numbers", lambda: quire.sum(torch.ones(3, dtype=torch.complex64))),
        (TypeError, "floating-point numbers", lambda: quire.sum(x, dtype=torch.int32)),
        (ValueError, "out of bounds", lambda: quire.sum(x, axis=2)),
        (ValueError, "method must be one of", lambda: quire.sum(x, method="magic")),
        (TypeError, "out must be a tensor", lambda: quire.sum(x, out=np.empty(()))),
        (ValueError, "out has shape (2,)", lambda: quire.sum(x, out=torch.empty(2))),
        (TypeError, "dtype is torch.float64, but", lambda: quire.sum(x, out=torch.empty(()), dtype="float64")),
        (ValueError, "elements of out share", lambda: quire.sum(x, axis=0, out=torch.empty(1).expand(4))),
        (ValueError, "out has shape (2,)", lambda: quire.sum(x, out=torch.empty(2), where=x > 0)),
        (TypeError, "axis must be an integer", lambda: quire.vecdot(x, x, axis=(0, 1))),
        (TypeError, "axis must be an integer", lambda: quire.vecdot(x, x, axis=None)),
        (TypeError, "axis must be an integer", lambda: quire.vecdot(x, x, axis=-1.0)),
        (ValueError, "out of bounds", lambda: quire.vecdot(x, x, axis=2)),
        (OverflowError, "beyond int64", lambda: quire.sum(torch.tensor([2**63 - 1, 1]))),
        (TypeError, "floating-point", lambda: quire.mean(torch.arange(3), dtype=torch.int64)),
        (
            TypeError,
            "dtype is torch.float64, but out has torch.float32",
            lambda: quire.mean(torch.arange(3), dtype="float64", out=torch.empty(())),
        ),
        (ValueError, "out has shape (2,)", lambda: quire.sum(torch.arange(3), out=torch.empty(2).long())),
        (ValueError, "out on meta", lambda: quire.sum(x, out=torch.empty((), device="meta"))),
        (TypeError, "not strided", lambda: quire.sum(x.to_sparse())),
        (TypeError, "not strided", lambda: quire.vecdot(x, x.to_sparse())),
        (TypeError, "no format holds both", lambda: quire.vecdot(x.to(torch.float8_e5m2), x.to(torch.float8_e4m3fn))),
        (ValueError, "elements along the axis", lambda: quire.vecdot(x, torch.ones(3))),
        (TypeError, "pass x.detach()", lambda: quire.sum(x.bfloat16().requires_grad_(), where=x > 0)),
        (TypeError, "the other is of ndarray", lambda: quire.vecdot(x, np.ones(4, np.float32))),
    ]:
        with pytest.raises(error) as raised:
            call()
        assert words in str(raised.value) and "\n" not in str(raised.value)


def test_out():
    x = filled((4, 5, 6), "float32", "any finite bits", 3)
    t = tensor(x)
    for axis in (None, 0, (0, 2), ()):
        for keepdims in (False, True):
            right = np.asarray(quire.mean(x, axis=axis, keepdims=keepdims))
            for out in (torch.empty(right.shape), torch.empty(*right.shape, 2)[..., 1]):
                assert quire.mean(t, axis=axis, keepdims=keepdims, out=out) is out and bits(out) == right.tobytes()
    out = torch.empty(4, 5)
    assert bits(quire.vecdot(t, t, out=out)) == bits(out) == quire.vecdot(x, x).tobytes()
    assert (
        bits(quire.segment_sum(t[0, 0], [0, 2, 6], out=out[0, :2])) == quire.segment_sum(x[0, 0], [0, 2, 6]).tobytes()
    )
    version = out._version
    quire.sum(t, axis=2, out=out)
    assert out._version > version
    assert bits(quire.sum(t, axis=0, out=t[0])) == quire.sum(x, axis=0).tobytes() == bits(t[0])


def test_the_functions_are_compiled_too():
    def f(x):
        return quire.sum(x * 2, axis=-1) + quire.norm(x, axis=-1, ord=1) + quire.vecdot(x, x) + quire.var(x, axis=1)

    x = torch.randn(8, 33)
    assert bits(torch.compile(f, backend="aot_eager", fullgraph=True)(x)) == bits(f(x))
    assert quire.norm(x, ord=1) == quire.asum(x)
    assert torch.equal(torch.vmap(quire.sum)(x), quire.sum(x, axis=1))
    with pytest.raises(NotImplementedError, match="no forward-mode gradient"):
        torch.func.jvp(quire.sum, (x,), (x,))


def test_contexts_of_tensors_on_cuda(monkeypatch):
    """Which context a tensor on a device gets; without a device, so it is a false one."""
    from quire import _contexts
    from quire.torch import _launch

    x, at = types.SimpleNamespace(is_cuda=True, get_device=lambda: 1), {"stream": 0, "current": 1, "capturing": False}
    entered = []
    monkeypatch.setattr(_launch, "stream_of", lambda device: at["stream"] if device == 1 else None)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: at["current"])
    monkeypatch.setattr(torch.cuda, "device", lambda device: entered.append(device) or contextlib.nullcontext())
    monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", lambda: at["capturing"])
    monkeypatch.setattr(_contexts, "cuda", lambda *key: ("cuda", *key))
    monkeypatch.setattr(_contexts, "captured", lambda *key: ("captured", *key))
    assert _launch.context_of(x, "sum") == ("cuda", 1, 0, "sum")
    at["stream"] = 4096
    assert _launch.context_of(x, "sum") == ("cuda", 1, 4096, "sum") and entered == []
    at["capturing"], at["current"] = True, 0
    assert _launch.context_of(x, "sum") == ("captured", 1, 4096, "sum") and entered == [1]


def test_the_segments_operator():
    x, offsets = torch.randn(50), torch.tensor([0, 7, 7, 50])
    assert set(torch.library.opcheck(torch.ops.quire.segment_sum, (x, offsets)).values()) == {"SUCCESS"}
    compiled = torch.compile(lambda x: quire.segment_sum(x, offsets), backend="aot_eager", fullgraph=True)
    assert bits(compiled(x)) == bits(quire.segment_sum(x, [0, 7, 7, 50]))


def test_examples_of_the_documentation():
    from quire.torch import _batch_invariant, _keys, _norms, _scans, _softmax

    for module in (quire.torch, _batch_invariant, _keys, _norms, _scans, _softmax):
        result = doctest.testmod(module)
        assert result.failed == 0 and result.attempted > 0
