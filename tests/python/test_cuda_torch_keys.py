"""Sums by key, running sums, softmax and norms of tensors on a CUDA device: the bits of the CPU, and nothing waits."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="SKIP: PyTorch is not installed")

import quire  # noqa: E402
import quire.torch as qt  # noqa: E402
from data import filled  # noqa: E402
from quire._quire import lib  # noqa: E402
from reference import NAMES  # noqa: E402
from tensors import bits, tensor  # noqa: E402

if not torch.cuda.is_available():
    pytest.skip("SKIP: no CUDA device, or a PyTorch without CUDA", allow_module_level=True)
if not lib.quire_has_cuda():
    pytest.skip("SKIP: this quire was built without CUDA", allow_module_level=True)

F = torch.nn.functional
TYPES = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
N, GROUPS = 500, 9


@contextlib.contextmanager
def nothing_waits():
    """An error for whatever waits for the device."""
    torch.cuda.set_sync_debug_mode("error")
    try:
        yield
    finally:
        torch.cuda.set_sync_debug_mode("default")


def has_gathered():
    try:
        qt.segment_sum(torch.ones(2, 2, device="cuda"), torch.tensor([0, 2], device="cuda"))
    except NotImplementedError as error:
        assert "the CUDA backend of this library cannot do it" in str(error)
        return False
    return True


def keys_of(n=N, groups=GROUPS, shape=None):
    return torch.from_numpy(np.random.default_rng(5).integers(0, groups, shape or n))


CALLS = {
    "group_sum": lambda x, z, k, w: qt.group_sum(x, k, GROUPS),
    "group_sum of columns": lambda x, z, k, w: qt.group_sum(x.T, k, GROUPS, 1),
    "group_sum by plain": lambda x, z, k, w: qt.group_sum(x, k, GROUPS, method="plain"),
    "group_sum to doubles": lambda x, z, k, w: qt.group_sum(x, k, GROUPS, dtype=torch.float64, rounding="upward"),
    "group_var": lambda x, z, k, w: quire.group_var(x, k, GROUPS),
    "group_mean": lambda x, z, k, w: quire.group_mean(x, k, GROUPS),
    "index_add": lambda x, z, k, w: qt.index_add(z, 0, k, x),
    "index_add with alpha": lambda x, z, k, w: qt.index_add(z, 0, k.int(), x, alpha=0.5),
    "index_select": lambda x, z, k, w: qt.index_select(z, 0, k),
    "scatter_add": lambda x, z, k, w: qt.scatter_add(z, 0, w, x),
    "scatter_add of rows": lambda x, z, k, w: qt.scatter_add(z, 0, k[:, None].expand(x.shape), x),
    "gather": lambda x, z, k, w: qt.gather(z, 0, w),
    "bincount": lambda x, z, k, w: qt.bincount(k, x[:, 0].float(), groups=GROUPS),
    "cumsum": lambda x, z, k, w: qt.cumsum(x, 0),
    "cumsum of rows": lambda x, z, k, w: qt.cumsum(x, 1, rounding="downward"),
    "cumsum backwards": lambda x, z, k, w: torch.ops.quire.cumsum(x, 0, True),
    "quire.cumsum": lambda x, z, k, w: quire.cumsum(x),
    "quire.cumulative_sum": lambda x, z, k, w: quire.cumulative_sum(x, axis=0, include_initial=True),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("call", CALLS)
def test_bits_are_those_of_the_cpu(call, name):
    if "8" in name and call in ("index_select", "gather"):
        pytest.skip("PyTorch's own")
    x, z = tensor(filled((N, 3), name, "any finite bits", 1)), tensor(filled((GROUPS, 3), name, "any finite bits", 2))
    arguments = x, z, keys_of(), keys_of(shape=(N, 3))
    right = CALLS[call](*arguments)
    on_device = [t.cuda() for t in arguments]
    CALLS[call](*on_device)  # contexts, kernels
    with nothing_waits():
        found = CALLS[call](*on_device)
    assert found.is_cuda and bits(found.float().nan_to_num(7)) == bits(right.float().nan_to_num(7))
    assert "8" in name or bits(found.nan_to_num(7)) == bits(right.nan_to_num(7))


def test_what_is_outside_is_dropped():
    x, z = torch.randn(6, 2), torch.randn(3, 2)
    keys = torch.tensor([0, -1, 2, 3, 2**40, 1])
    kept, inside = torch.tensor([0, 2, 5]), torch.tensor([0, 2, 1])
    d, e, k = x.cuda(), z.cuda(), keys.cuda()
    with nothing_waits():
        sums, added = qt.group_sum(d, k, 3), qt.index_add(e, 0, k, d)
        scattered, rows = qt.scatter_add(e, 0, k[:, None].expand(6, 2).contiguous(), d), qt.index_select(e, 0, k)
        gathered = qt.gather(e, 0, k[:, None])
    assert bits(sums) == bits(qt.group_sum(x[kept], inside, 3))
    assert bits(added) == bits(scattered) == bits(qt.index_add(z, 0, inside, x[kept]))
    right = torch.zeros(6, 2)
    right[kept] = z[inside]
    assert torch.equal(rows.cpu(), right) and torch.equal(gathered.cpu(), right[:, :1])
    d.requires_grad_()
    qt.group_sum(d, k, 3).sum().backward()
    assert d.grad.sum(1).tolist() == [2, 0, 2, 0, 0, 2]


def test_groups_must_be_given():
    x, k = torch.ones(3, device="cuda"), torch.arange(3, device="cuda")
    for call in (lambda: qt.group_sum(x, k), lambda: qt.bincount(k, x), lambda: quire.group_mean(x, k)):
        with pytest.raises(ValueError, match="on a device groups must be given"):
            call()
    with pytest.raises(ValueError, match="x is on cuda:0, keys on cpu"):
        torch.ops.quire.group_sum(x, k.cpu(), 3)


def test_segments_of_matrices():
    if not has_gathered():
        pytest.skip("SKIP: the CUDA backend of this library has no gathered rows")
    x = torch.randn(30, 4, 3)
    offsets = torch.tensor([-3, 7, 7, 99], device="cuda")
    assert bits(qt.segment_sum(x.cuda(), offsets)) == bits(qt.segment_sum(x, [0, 7, 7, 30]))


def test_gradients():
    keys, wide = keys_of(12, 5).cuda(), keys_of(shape=(12, 2), groups=5).cuda()
    x, z = torch.randn(12, 2, dtype=torch.float64, device="cuda"), torch.randn(5, 2, dtype=torch.float64, device="cuda")
    x.requires_grad_(), z.requires_grad_()
    calls = [
        lambda x, z: qt.group_sum(x, keys, 5),
        lambda x, z: qt.index_add(z, 0, keys, x, alpha=2),
        lambda x, z: qt.scatter_add(z, 0, wide, x),
        lambda x, z: qt.gather(z, 0, wide),
        lambda x, z: qt.cumsum(x, 0),
        lambda x, z: qt.softmax(x),
        lambda x, z: qt.log_softmax(x, 0),
        lambda x, z: qt.rms_norm(x, 2, z[0]),
        lambda x, z: qt.layer_norm(x, 2, z[0], z[1]),
    ]
    for call in calls:
        assert torch.autograd.gradcheck(call, (x, z)) and torch.autograd.gradgradcheck(call, (x, z))
        call(x.float(), z.float()).sum().backward()


def rows(dtype, n):
    torch.manual_seed(n)
    return (torch.randn(40, n) * 3).to(dtype).cuda(), torch.randn(n).to(dtype).cuda(), torch.randn(n).to(dtype).cuda()


@pytest.mark.parametrize("dtype", TYPES)
def test_norms_have_the_bits_of_the_cpu(dtype):
    for n in (1, 7, 1000, 5000):
        x, w, b = rows(dtype, n)
        for call in (
            lambda x, w, b: qt.rms_norm(x, x.shape[1], w),
            lambda x, w, b: qt.rms_norm(x, x.shape[1], None, 1e-6),
            lambda x, w, b: qt.layer_norm(x, x.shape[1], w, b),
            lambda x, w, b: qt.layer_norm(x, x.shape[1]),
        ):
            call(x, w, b)
            with nothing_waits():
                found = call(x, w, b)
            assert bits(found) == bits(call(x.cpu(), w.cpu(), b.cpu()))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("dim", [0, 1])
def test_softmax(dtype, dim):
    for n in (1, 7, 1000, 5000, 70000):
        x, _, _ = rows(dtype, n)
        for ours, theirs in ((qt.softmax, torch.softmax), (qt.log_softmax, torch.log_softmax)):
            found = ours(x, dim)
            assert torch.allclose(
                found.float(), theirs(x, dim).float(), rtol=1e-2, atol=1e-2 if dtype.itemsize == 2 else 1e-5
            )
            if dim == 1:
                for begin, end in ((0, 1), (3, 4), (5, 39)):
                    assert bits(ours(x[begin:end], dim)) == bits(found[begin:end])


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_compiled(backend):
    k, w = keys_of().cuda(), torch.randn(64, device="cuda", requires_grad=True)
    z, x = torch.randn(GROUPS, 64, device="cuda"), torch.randn(N, 64, device="cuda", requires_grad=True)
    for call in (
        lambda x: qt.index_add(z, 0, k, x),
        lambda x: qt.index_select(x, 0, k),
        lambda x: qt.cumsum(x, 0),
        qt.softmax,
        lambda x: qt.rms_norm(x, 64, w),
        lambda x: qt.layer_norm(x, 64, w, w),
    ):
        torch._dynamo.reset()
        compiled = torch.compile(lambda x: call(x) * 2, backend=backend, fullgraph=True)
        assert bits(compiled(x)) == bits(call(x) * 2)
        compiled(x).sum().backward()


def test_graphs():
    x, k = torch.randn(N, 8, device="cuda"), keys_of().cuda()
    z = torch.zeros(GROUPS, 8, device="cuda")

    def work():
        return qt.index_add(z, 0, k, x), qt.cumsum(x, 0), qt.softmax(x), qt.rms_norm(x, 8), qt.layer_norm(x, 8)

    work()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        results = work()
    for seed in (1, 2):
        torch.manual_seed(seed)
        x.copy_(torch.randn(N, 8))
        graph.replay()
        assert [bits(t) for t in results] == [bits(t) for t in work()]


def test_batch_invariant():
    x, z, k = torch.randn(20000, 8).cuda(), torch.randn(GROUPS, 8).cuda(), keys_of(20000).cuda()
    order = torch.randperm(20000, device="cuda")
    weight = torch.randn(GROUPS, 8, device="cuda", requires_grad=True)
    bags = torch.arange(0, 20000, 4, device="cuda")
    with qt.batch_invariant():
        for call, right in (
            (lambda: torch.index_add(z, 0, k, x), lambda: qt.index_add(z, 0, k, x)),
            (lambda: torch.index_add(z, 0, k[order], x[order]), lambda: qt.index_add(z, 0, k, x)),
            (lambda: z.clone().scatter_add_(0, k[:, None].expand(20000, 8), x), lambda: qt.index_add(z, 0, k, x)),
            (lambda: torch.bincount(k, x[:, 0]), lambda: qt.bincount(k, x[:, 0], groups=GROUPS)),
            (lambda: torch.cumsum(x, 0), lambda: qt.cumsum(x, 0)),
            (lambda: torch.softmax(x, -1), lambda: qt.softmax(x)),
            (lambda: F.log_softmax(x, 0), lambda: qt.log_softmax(x, 0)),
            (lambda: F.layer_norm(x, (8,), z[0], z[1]), lambda: qt.layer_norm(x, 8, z[0], z[1])),
            (lambda: F.rms_norm(x, (8,), z[0]), lambda: qt.rms_norm(x, 8, z[0])),
        ):
            assert bits(call()) == bits(right())
        for call, right in (
            (lambda: weight.index_select(0, k).backward(x), lambda: qt.group_sum(x, k, GROUPS)),
            (lambda: F.embedding(k, weight).backward(x), lambda: qt.group_sum(x, k, GROUPS)),
            (
                lambda: F.embedding_bag(k, weight, bags, mode="sum").backward(x[:5000]),
                lambda: qt.group_sum(x[:5000].repeat_interleave(4, 0), k, GROUPS),
            ),
        ):
            weight.grad = None
            call()
            assert bits(weight.grad) == bits(right())
