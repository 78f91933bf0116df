"""quire.torch's norms and softmax on a CUDA device, where they are kernels of quire.triton: the bits of the CPU,
forward and backward, in any batch, of any memory, in graphs and under a compiler.

Nearly all of the time is Triton's, which compiles some 290 kernels. So tests share lengths of rows, and are small, for
processes side by side: OMP_NUM_THREADS=1 pytest -n 14 --dist worksteal, of pytest-xdist.
"""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="SKIP: PyTorch is not installed")
pytest.importorskip("triton", reason="SKIP: Triton is not installed")

import quire.torch as qt  # noqa: E402

if not torch.cuda.is_available():
    pytest.skip("SKIP: no CUDA device, or a PyTorch without CUDA", allow_module_level=True)

TYPES = [torch.float16, torch.bfloat16, torch.float32]
INF, NAN = float("inf"), float("nan")


def same(found, right):
    """Whether all bits are, but those of NaN."""
    assert found.dtype == right.dtype and found.shape == right.shape
    found, right = found.detach().cpu(), right.detach().cpu()
    kind = torch.int32 if found.dtype == torch.float32 else torch.int16
    is_nan = found.isnan()
    return torch.equal(is_nan, right.isnan()) and torch.equal(found[~is_nan].view(kind), right[~is_nan].view(kind))


def rows(dtype, count, n, seed=1, is_finite=False):
    """Normal numbers, some rows of which are far from 0, of all sizes, all alike, or have something special, which is
    in all gradients of weights then."""
    torch.manual_seed(seed)
    x = torch.randn(count, n)
    for i in range(0, count - 8, 9):
        x[i] += 1000
        x[i + 1] *= torch.exp2(torch.randint(-20, 15, (n,)).float())
        x[i + 2] = 3.25
        x[i + 3] = torch.where(x[i + 3] > 0, 0.0, -0.0)
        x[i + 4] *= 1e-20
        if not is_finite:
            x[i + 5, i % n] = INF
            x[i + 6, i % n] = NAN
    return x.clamp(-60000, 60000).to(dtype) if is_finite else x.to(dtype)


def both(call, *tensors):
    """The result of a call and its gradients, on the CPU and on the device."""
    results = []
    for device in ("cpu", "cuda"):
        leaves = [t.to(device).requires_grad_() for t in tensors]
        y = call(*leaves)
        torch.manual_seed(5)
        g = torch.randn(y.shape).to(y.dtype).to(device)
        results.append([y, *torch.autograd.grad(y, leaves, g)])
    return results


def check(call, *tensors):
    right, found = both(call, *tensors)
    for k, (a, c) in enumerate(zip(found, right, strict=True)):
        assert same(a, c), (k, (a.cpu() != c).nonzero()[:5])


def random_weights(dtype, n):
    return torch.randn(n).to(dtype), torch.randn(n).to(dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [20000, 5000, 4096, 1000, 128, 7, 1])
def test_norms_and_their_gradients(n, dtype):
    x, (w, b) = rows(dtype, 40, n, is_finite=n in (7, 1000)), random_weights(dtype, n)
    check(lambda x, w: qt.rms_norm(x, n, w, 1e-6), x, w)
    check(lambda x, w, b: qt.layer_norm(x, n, w, b), x, w, b)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [5000, 7])  # a row by one program, and some rows
def test_norms_without_weights_and_with_those_of_another_type(n, dtype):
    x, (w, b) = rows(dtype, 40, n, is_finite=n == 7), random_weights(dtype, n)
    check(lambda x: qt.rms_norm(x, n), x)
    check(lambda x, w: qt.layer_norm(x, n, w), x, w)
    check(lambda x: qt.layer_norm(x, n), x)
    check(lambda x, w, b: qt.layer_norm(x, n, w, b), x, w.float(), b.float())


def test_gradients_of_weights_over_many_rows():
    for count, n in ((1, 7), (256, 100), (257, 100), (70001, 7), (3000, 1000)):
        x, w, b = torch.randn(count, n), torch.randn(n), torch.randn(n)
        x[:, 0] = 1e4
        right, found = both(lambda x, w, b: qt.layer_norm(x, n, w, b), x, w, b)
        assert all(same(a, c) for a, c in zip(found, right, strict=True))
        order = torch.randperm(count, device="cuda")
        w, b = (t.cuda().requires_grad_() for t in (w, b))
        x, g = x.cuda(), torch.randn(count, n, device="cuda")
        sums = [torch.autograd.grad(qt.layer_norm(x[p], n, w, b), (w, b), g[p]) for p in (slice(None), order)]
        assert same(sums[0][0], sums[1][0]) and same(sums[0][1], sums[1][1])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [1, 7, 128, 1000, 5000, 20000])
def test_gradients_of_softmax(dtype, n):
    for is_log in (False, True):
        y, g = rows(dtype, 40, n), rows(dtype, 40, n, 2).flip(0)
        if is_log:
            y = torch.where(y.isfinite(), torch.zeros_like(y), y)  # whose exponentials are PyTorch's
        right = torch.ops.quire.softmax_gradient(g, y, 1, is_log)
        assert same(torch.ops.quire.softmax_gradient(g.cuda(), y.cuda(), 1, is_log), right)
    x = rows(dtype, 40, n)
    for ours, theirs in ((qt.softmax, torch.softmax), (qt.log_softmax, torch.log_softmax)):
        a, b = (x.cuda().requires_grad_() for _ in range(2))
        g = torch.randn(40, n).to(dtype).cuda()
        ours(a).backward(g)
        theirs(b, -1).backward(g)
        assert torch.allclose(a.grad.float(), b.grad.float(), rtol=2e-2, atol=2e-2, equal_nan=True)


def layers(n, w, b):
    return {
        "softmax": lambda x: qt.softmax(x),
        "log_softmax": lambda x: qt.log_softmax(x),
        "rms_norm": lambda x: qt.rms_norm(x, n, w),
        "layer_norm": lambda x: qt.layer_norm(x, n, w, b),
    }


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", layers(1, None, None))
@pytest.mark.parametrize("n", [4096, 1000, 7])
def test_bits_of_a_row_in_any_batch_and_memory(n, name, dtype):
    w, b = (torch.randn(n, device="cuda").to(dtype) for _ in range(2))
    x, g = rows(dtype, 40, n).cuda(), torch.randn(40, n, device="cuda").to(dtype)
    call = layers(n, w, b)[name]

    def with_gradient(x, g):
        x = x.detach().requires_grad_()
        y = call(x)
        return y, torch.autograd.grad(y, x, g)[0]

    y, gx = with_gradient(x, g)
    assert same(call(x), y)
    for begin, end in ((0, 1), (3, 9), (5, 40)):
        some = with_gradient(x[begin:end].clone(), g[begin:end].clone())
        assert same(some[0], y[begin:end]) and same(some[1], gx[begin:end])
    wide = torch.empty(40, n + 3, dtype=dtype, device="cuda")[:, 1 : n + 1].copy_(x)
    memories = [wide, x.T.contiguous().T, x.view(5, 8, n)]
    if n == 4096:  # for unaligned memory kernels are compiled anew: where loads are widest
        memories.append(torch.empty(40 * n + 1, dtype=dtype, device="cuda")[1:].view(40, n).copy_(x))
    for memory in memories:
        some = with_gradient(memory, g.view(memory.shape))
        assert same(some[0].view(40, n), y) and same(some[1].reshape(40, n), gx)
    expanded = with_gradient(x, g[:1].expand(40, n))
    assert same(expanded[1], with_gradient(x, g[:1].expand(40, n).contiguous())[1])


@pytest.mark.parametrize("name", layers(1, None, None))
def test_gradients_of_gradients(name):
    """By PyTorch's arithmetic; the gradient itself has the bits of the kernels, but for exponentials."""
    n = 7
    w, b = (torch.randn(n, device="cuda") for _ in range(2))
    x, g = torch.randn(20, n, device="cuda", requires_grad=True), torch.randn(20, n, device="cuda")
    call = layers(n, w, b)[name]
    (once,) = torch.autograd.grad(call(x), x, g)
    (again,) = torch.autograd.grad(call(x), x, g, create_graph=True)
    assert again.requires_grad and (name == "log_softmax" or same(again, once))
    (second,) = torch.autograd.grad(again.square().sum(), x)
    on_cpu = layers(n, w.cpu(), b.cpu())[name]
    a = x.detach().cpu().requires_grad_()
    (first,) = torch.autograd.grad(on_cpu(a), a, g.cpu(), create_graph=True)
    assert torch.allclose(second.cpu(), torch.autograd.grad(first.square().sum(), a)[0], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("name", layers(1, None, None))
def test_compiled_and_in_graphs(name):
    torch._dynamo.reset()
    n = 1000
    w, b = (torch.randn(n, device="cuda", requires_grad=True) for _ in range(2))
    x = torch.randn(64, n, device="cuda", requires_grad=True)
    call = layers(n, w, b)[name]
    wanted = [t for t in (x, w, b) if name.endswith("norm") or t is x][: 2 if name == "rms_norm" else 3]
    right = torch.autograd.grad(call(x), wanted, torch.ones_like(x))
    compiled = torch.compile(call, fullgraph=True)
    assert same(compiled(x), call(x))
    assert all(
        same(a, c) for a, c in zip(torch.autograd.grad(compiled(x), wanted, torch.ones_like(x)), right, strict=True)
    )
    with torch.no_grad():
        call(x)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = call(x)
        x.mul_(3)
        graph.replay()
        assert same(y, call(x))


def test_batch_invariant_takes_them():
    n = 1000
    x, w, b = torch.randn(64, n, device="cuda", requires_grad=True), *(torch.randn(n, device="cuda") for _ in range(2))
    g = torch.randn(64, n, device="cuda")
    F = torch.nn.functional
    for theirs, ours in (
        (lambda: F.layer_norm(x, (n,), w, b), lambda: qt.layer_norm(x, n, w, b)),
        (lambda: F.rms_norm(x, (n,), w), lambda: qt.rms_norm(x, n, w)),
        (lambda: torch.softmax(x, -1), lambda: qt.softmax(x)),
        (lambda: torch.log_softmax(x, -1), lambda: qt.log_softmax(x)),
    ):
        y = ours()
        (gx,) = torch.autograd.grad(y, x, g)
        with qt.batch_invariant():
            z = theirs()
            (gz,) = torch.autograd.grad(z, x, g)
        assert same(z, y) and same(gz, gx)
