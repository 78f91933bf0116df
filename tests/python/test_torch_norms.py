"""quire.torch's softmax, log_softmax, layer_norm and rms_norm: bits step by step, gradients, batches, the compiler."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="SKIP: PyTorch is not installed")

import quire  # noqa: E402
import quire.torch as qt  # noqa: E402
from tensors import bits  # noqa: E402

F = torch.nn.functional
DOUBLE = torch.float64
TYPES = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
INF, NAN = float("inf"), float("nan")
SPECIAL = torch.tensor([[INF, 1, -2], [NAN, 1, 2], [1e30, 1, 0], [-INF, -INF, -INF], [-INF, 1, 1], [0, -0.0, 0]])


def data(dtype, rows=40, n=33, seed=1):
    torch.manual_seed(seed)
    return (torch.randn(rows, n) * 3).to(dtype), torch.randn(n).to(dtype), torch.randn(n).to(dtype)


def steps(x):
    """As NumPy's, in the format that is worked in."""
    return x.double().numpy() if x.dtype == DOUBLE else x.float().numpy()


def rounded(y, dtype):
    return torch.from_numpy(y).to(dtype)


@pytest.mark.parametrize("dtype", TYPES)
def test_rms_norm_is_what_it_says(dtype):
    x, weight, _ = data(dtype)
    for eps in (1e-6, 0.0, 2.0):
        v = steps(x)
        inverse = 1 / np.sqrt(quire.vecdot(v, v)[:, None] / v.dtype.type(33) + v.dtype.type(eps))
        assert bits(qt.rms_norm(x, 33, None, eps)) == bits(rounded(v * inverse, dtype))
        assert bits(qt.rms_norm(x, [33], weight, eps)) == bits(rounded(v * inverse * steps(weight), dtype))
    least = float(np.finfo(steps(x).dtype).eps)
    assert bits(qt.rms_norm(x, 33)) == bits(qt.rms_norm(x, 33, None, least))
    assert torch.allclose(qt.rms_norm(x, 33, weight).float(), F.rms_norm(x, (33,), weight).float(), rtol=1e-2)


@pytest.mark.parametrize("dtype", TYPES)
def test_layer_norm_is_what_it_says(dtype):
    x, weight, bias = data(dtype)
    x = x + torch.tensor(50.0).to(dtype)
    v = steps(x)
    inverse = 1 / np.sqrt(quire.var(v, axis=1, keepdims=True) + v.dtype.type(1e-5))
    unit = (v - quire.mean(v, axis=1, keepdims=True)) * inverse
    assert bits(qt.layer_norm(x, 33)) == bits(rounded(unit, dtype))
    assert bits(qt.layer_norm(x, 33, weight)) == bits(rounded(unit * steps(weight), dtype))
    assert bits(qt.layer_norm(x, 33, weight, bias)) == bits(rounded(unit * steps(weight) + steps(bias), dtype))
    right = F.layer_norm(x, (33,), weight, bias)
    assert torch.allclose(qt.layer_norm(x, 33, weight, bias).float(), right.float(), rtol=2e-2, atol=2e-2)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_softmax_is_what_it_says(dtype, dim):
    x, _, _ = data(dtype)
    v = x.double() if dtype == DOUBLE else x.float()
    v = v - v.amax(dim, keepdim=True)
    e = v.exp()
    total = quire.sum(e.numpy(), axis=dim, keepdims=True)
    assert bits(qt.softmax(x, dim)) == bits((e / torch.from_numpy(total)).to(dtype))
    assert bits(qt.log_softmax(x, dim)) == bits((v - torch.from_numpy(total).log()).to(dtype))
    assert torch.allclose(qt.softmax(x, dim).float(), torch.softmax(x, dim).float(), rtol=1e-2, atol=1e-6)
    right = torch.log_softmax(x, dim)
    assert torch.allclose(qt.log_softmax(x, dim).float(), right.float(), rtol=1e-2, atol=1e-2)
    assert qt.softmax(x, dim, dtype=DOUBLE).dtype == qt.log_softmax(x, dim, dtype=DOUBLE).dtype == DOUBLE


@pytest.mark.parametrize("dtype", TYPES)
def test_special_rows(dtype):
    x = SPECIAL.to(dtype)
    for ours, theirs in (
        (lambda t: qt.rms_norm(t, 3, eps=0.0), lambda t: F.rms_norm(t, (3,), eps=0.0)),
        (lambda t: qt.layer_norm(t, 3), lambda t: F.layer_norm(t.double(), (3,))),
        (qt.softmax, lambda t: torch.softmax(t, -1)),
        (qt.log_softmax, lambda t: torch.log_softmax(t, -1)),
    ):
        found, right = ours(x).float(), theirs(x).float()
        if dtype != DOUBLE and theirs(SPECIAL).dtype == DOUBLE:
            right[2] *= dtype == torch.float16  # else of a variance that no float holds
        assert torch.allclose(found, right, rtol=2e-2, atol=1e-2, equal_nan=True), (found, right)


def layers(n, weight, bias):
    return {
        "softmax": lambda x: qt.softmax(x),
        "log_softmax": lambda x: qt.log_softmax(x),
        "rms_norm": lambda x: qt.rms_norm(x, n, weight),
        "layer_norm": lambda x: qt.layer_norm(x, n, weight, bias),
    }


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", layers(1, None, None))
def test_a_row_keeps_its_bits_in_any_batch(name, dtype):
    for n in (1, 7, 16, 33, 1000):
        x, weight, bias = data(dtype, 40, n)
        call = layers(n, weight, bias)[name]
        rows = [bits(call(row[None])) for row in x]
        for batch in (1, 2, 3, 5, 8, 13, 40):
            for begin in range(0, 41 - batch, 3):
                found = call(x[begin : begin + batch])
                assert [bits(row[None]) for row in found] == rows[begin : begin + batch]


def test_shapes():
    x = torch.randn(2, 3, 4, 5)
    w, b = torch.randn(4, 5), torch.randn(4, 5)
    assert torch.allclose(qt.layer_norm(x, (4, 5), w, b), F.layer_norm(x, (4, 5), w, b), atol=1e-5)
    assert torch.allclose(qt.rms_norm(x, (4, 5), w, 1e-6), F.rms_norm(x, (4, 5), w, 1e-6), atol=1e-5)
    across = x.permute(3, 1, 0, 2)
    assert bits(qt.layer_norm(across, 4)) == bits(qt.layer_norm(across.contiguous(), 4))
    assert bits(qt.softmax(across, 1)) == bits(qt.softmax(across.contiguous(), 1))
    assert qt.softmax(torch.tensor(3.0), 0).item() == 1 and qt.log_softmax(torch.tensor(3.0), -1).item() == 0
    for call in (qt.softmax, qt.log_softmax, lambda t: qt.layer_norm(t, 5), lambda t: qt.rms_norm(t, 5)):
        assert call(x[:0]).shape == (0, 3, 4, 5)
    assert qt.softmax(x[..., :0]).shape == (2, 3, 4, 0)


def gradient_cases():
    torch.manual_seed(3)
    x, w, b = (torch.randn(*s, dtype=DOUBLE, requires_grad=True) for s in ((4, 3, 5), (3, 5), (3, 5)))
    return {
        "softmax": (lambda x: qt.softmax(x, 1), (x,)),
        "softmax of one": (lambda x: qt.softmax(x[0, 0, 0], 0), (x,)),
        "log_softmax": (lambda x: qt.log_softmax(x), (x,)),
        "rms_norm": (lambda x, w: qt.rms_norm(x, (3, 5), w, 1e-3), (x, w)),
        "rms_norm without weight": (lambda x: qt.rms_norm(x, 5), (x,)),
        "layer_norm": (lambda x, w, b: qt.layer_norm(x, (3, 5), w, b), (x, w, b)),
        "layer_norm without bias": (lambda x, w: qt.layer_norm(x, (3, 5), w), (x, w)),
        "layer_norm alone": (lambda x: qt.layer_norm(x, 5), (x,)),
    }


@pytest.mark.parametrize("name", gradient_cases())
def test_gradients(name):
    call, arguments = gradient_cases()[name]
    assert torch.autograd.gradcheck(call, arguments) and torch.autograd.gradgradcheck(call, arguments)


@pytest.mark.parametrize("dtype", TYPES)
def test_gradients_of_weights_do_not_depend_on_the_order_of_rows(dtype):
    x, weight, bias = data(dtype, 200, 33)
    g = torch.randn(200, 33).to(dtype)
    order = torch.randperm(200)
    for call in (qt.layer_norm, lambda x, n, w, b: qt.rms_norm(x, n, w) + b * 0):
        found = []
        for rows, gs in ((x, g), (x[order], g[order])):
            w, b = weight.clone().requires_grad_(), bias.clone().requires_grad_()
            call(rows, 33, w, b).backward(gs)
            found.append((bits(w.grad), bits(b.grad) if call is qt.layer_norm else b""))
        assert found[0] == found[1]
    b = bias.clone().requires_grad_()
    qt.layer_norm(x, 33, weight, b).backward(g)
    assert bits(b.grad) == bits(quire.sum(g, axis=0))


def test_gradients_of_narrow_formats():
    for dtype in (torch.float16, torch.bfloat16):
        x, w, b = (t.requires_grad_() for t in data(dtype))
        for call in layers(33, w, b).values():
            call(x).float().square().sum().backward()
            assert x.grad.dtype == w.dtype and x.grad.isfinite().all()
        assert w.grad.dtype == b.grad.dtype == dtype
    x, w, _ = data(torch.bfloat16)
    w = w.float().requires_grad_()
    qt.rms_norm(x, 33, w).sum().backward()
    assert w.grad.dtype == torch.float32


@pytest.mark.parametrize("name", layers(1, None, None))
def test_compiled(name):
    torch._dynamo.reset()
    x, weight, bias = (t.requires_grad_() for t in data(torch.float32))
    call = layers(33, weight, bias)[name]
    compiled = torch.compile(lambda x: call(x) * 2, backend="aot_eager", fullgraph=True)
    assert bits(compiled(x)) == bits(call(x) * 2)
    found = torch.autograd.grad(compiled(x).square().sum(), x)[0]
    assert bits(found) == bits(torch.autograd.grad((call(x) * 2).square().sum(), x)[0])


@pytest.mark.parametrize("name", layers(1, None, None))
def test_operators_are_well_formed(name):
    x, w, b = (t.requires_grad_() for t in data(torch.float32, 4, 6))
    for y in (x, x.detach().T.contiguous().T.requires_grad_()):
        arguments = {"rms_norm": (y, [6], w), "layer_norm": (y, [6], w, b)}.get(name, (y, 1))
        operator = getattr(torch.ops.quire, name)
        assert set(torch.library.opcheck(operator, arguments).values()) == {"SUCCESS"}
        assert operator(*arguments).is_contiguous()  # as compilers are told


def test_refuses():
    x = torch.ones(3, 4)
    for error, words, call in [
        (TypeError, "floating-point numbers", lambda: qt.softmax(x.long())),
        (TypeError, "floating-point numbers", lambda: qt.rms_norm(x.long(), 4)),
        (IndexError, "out of bounds", lambda: qt.softmax(x, 2)),
        (ValueError, "does not end in (3,)", lambda: qt.layer_norm(x, 3)),
        (ValueError, "does not end in ()", lambda: qt.rms_norm(x, [])),
        (ValueError, "weight has shape (3,)", lambda: qt.rms_norm(x, 4, torch.ones(3))),
        (ValueError, "bias has shape (3,)", lambda: qt.layer_norm(x, 4, None, torch.ones(3))),
    ]:
        with pytest.raises(error) as raised:
            call()
        assert words in str(raised.value)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", layers(1, None, None))
def test_results_and_gradients_of_rows_do_not_depend_on_the_order_of_columns(name, dtype):
    x, weight, bias = data(dtype, 20, 1000)
    g, order = torch.randn(20, 1000).to(dtype), torch.randperm(1000)

    def both(x, w, b, g):
        x = x.clone().requires_grad_()
        y = layers(1000, w, b)[name](x)
        y.backward(g)
        return y, x.grad

    right = both(x, weight, bias, g)
    found = both(x[:, order], weight[order], bias[order], g[:, order])
    assert [bits(t) for t in found] == [bits(t[:, order]) for t in right]


def test_gradients_of_softmax_are_exact():
    g = torch.tensor([1e8, 1.0, -1e8, 0.0])
    for call, right in ((qt.softmax, [0.1875, -0.0625]), (qt.log_softmax, [0.75, -0.25])):
        x = torch.zeros(4, requires_grad=True)
        call(x).backward(g)
        assert x.grad[1::2].tolist() == right
