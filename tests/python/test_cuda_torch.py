"""Tensors on a CUDA device: the bits are those of the CPU, in place, on the current stream, without waiting."""

from __future__ import annotations

import resource
import threading

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="SKIP: PyTorch is not installed")

import quire  # noqa: E402
import quire.torch  # noqa: E402
from data import filled  # noqa: E402
from quire._quire import lib  # noqa: E402
from reference import NAMES  # noqa: E402
from tensors import bits, tensor, views  # noqa: E402

if not torch.cuda.is_available():
    pytest.skip("SKIP: no CUDA device, or a PyTorch without CUDA", allow_module_level=True)
if not lib.quire_has_cuda():
    pytest.skip("SKIP: this quire was built without CUDA", allow_module_level=True)


def has_variance():
    try:
        quire.var(torch.ones(2, device="cuda"))
    except NotImplementedError as error:
        assert "the CUDA backend of this library cannot do it" in str(error)
        return False
    return True


VARIANCES = ["var", "std"] if has_variance() else []
ONE = ["sum", "mean", "asum", "vector_norm", *VARIANCES]
AXES = [None, 0, -1, (0, 2), (1, 2), ()]
VIEWS = views(5)


def same(result, right):
    assert type(result) is torch.Tensor and result.is_cuda and tuple(result.shape) == np.shape(right)
    return bits(result) == np.ascontiguousarray(right).tobytes()


def test_variances_are_there():
    if not VARIANCES:
        pytest.skip("SKIP: the CUDA backend of this library has no variances")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("call", ONE)
def test_bits_are_those_of_the_cpu(call, name):
    x = filled((6, 5, 7), name, "any finite bits", 3)
    t, call = tensor(x, "cuda"), getattr(quire, call)
    for view, cpu_view in VIEWS:
        v, y = view(t), cpu_view(x)
        for axis in [axis for axis in AXES if y.ndim or axis in (None, ())]:
            for keepdims in (False, True):
                right = call(y, axis=axis, keepdims=keepdims)
                assert same(call(v, axis=axis, keepdims=keepdims), right)
                out = torch.empty(np.shape(right), dtype=t.dtype, device="cuda")
                assert call(v, axis=axis, keepdims=keepdims, out=out) is out and same(out, right)
        assert same(call(v, dtype=torch.float64, rounding="upward"), call(y, dtype=np.float64, rounding="upward"))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("method", ["exact", "kahan", "pairwise", "plain"])
def test_methods(method, name):
    x = filled((37, 1000), name, "small integers", 5)
    t = tensor(x, "cuda")
    for call in (quire.sum, quire.mean, quire.asum, quire.norm):
        for axis in (None, 0, 1):
            assert same(call(t, axis=axis, method=method), call(x, axis=axis, method=method))
    assert same(quire.vecdot(t, t[3], method=method), quire.vecdot(x, x[3], method=method))


@pytest.mark.parametrize("shape", [(10**6 + 3,), (3, 300001), (300001, 3), (1000, 1000), (5000, 64)])
def test_larger_arrays(shape):
    for name in ("float32", "float16", "float64"):
        x = filled(shape, name, "any finite bits", 4)
        t = tensor(x, "cuda")
        for call in ONE:
            call = getattr(quire, call)
            for axis in range(len(shape)):
                assert same(call(t, axis=axis), call(x, axis=axis))
            assert same(call(t), call(x))


@pytest.mark.parametrize("name", NAMES)
def test_pairs_and_segments(name):
    x = filled((6, 50), name, "any finite bits", 3)
    t = tensor(x, "cuda")
    assert same(quire.vecdot(t, t[0]), quire.vecdot(x, x[0]))
    assert same(quire.vecdot(t, t, axis=0), quire.vecdot(x, x, axis=0))
    ends = [0, 7, 7, 50, 20]
    right = quire.segment_sum(x[0], ends)
    on_device = torch.tensor(ends, device="cuda")
    for offsets in (ends, np.array(ends), on_device, on_device.int(), on_device.repeat_interleave(2)[::2]):
        assert same(quire.segment_sum(t[0], offsets), right)
    assert same(quire.segment_sum(t[0], torch.tensor([-9, 7, 99], device="cuda")), quire.segment_sum(x[0], [0, 7, 50]))
    assert same(quire.segment_sum(t[:, 3], [0, 2, 6]), quire.segment_sum(x[:, 3].copy(), [0, 2, 6]))
    out = torch.empty(4, dtype=torch.float64, device="cuda")
    assert quire.segment_sum(t[0], ends, out=out) is out
    assert same(out, quire.segment_sum(x[0], ends, dtype=float))


def test_out():
    x = filled((40, 50), "float32", "any finite bits", 3)
    t = tensor(x, "cuda")
    right = quire.sum(x, axis=0)
    wide = torch.zeros(50, 2, device="cuda")
    assert quire.sum(t, axis=0, out=wide[:, 1]).data_ptr() == wide[:, 1].data_ptr() and same(wide[:, 1], right)
    version = wide._version
    quire.sum(t, out=wide[0, 0])
    assert wide._version > version
    quire.sum(t, axis=0, out=t[0])
    assert same(t[0], right)


def test_bad_input_writes_nothing():
    t, out = torch.ones(3, 4, device="cuda"), torch.full((4,), 7.0, device="cuda")
    grad = torch.ones(3, 4, device="cuda", requires_grad=True)
    for error, words, call in [
        (TypeError, "floating-point numbers", lambda: quire.sum(torch.arange(3, device="cuda") * 1j)),
        (TypeError, "but out has torch.float32", lambda: quire.sum(t, axis=0, dtype=torch.int32, out=out)),
        (ValueError, "out of bounds", lambda: quire.sum(t, axis=2, out=out)),
        (ValueError, "method must be one of", lambda: quire.sum(t, axis=0, method="magic", out=out)),
        (TypeError, "must be a string", lambda: quire.sum(t, axis=0, rounding=[], out=out)),
        (TypeError, "out must be a tensor", lambda: quire.sum(t, axis=0, out=np.empty(4, np.float32))),
        (ValueError, "x is on cuda:0, out on cpu", lambda: quire.sum(t, axis=0, out=torch.empty(4))),
        (ValueError, "x is on cpu, out on cuda:0", lambda: quire.sum(t.cpu(), axis=0, out=out)),
        (ValueError, "out has shape (4,)", lambda: quire.sum(t, axis=1, out=out)),
        (TypeError, "but out has torch.float32", lambda: quire.sum(t, axis=0, dtype="float64", out=out)),
        (ValueError, "share memory", lambda: quire.sum(t, axis=0, out=out[:1].expand(4))),
        (ValueError, "no gradient with out", lambda: quire.sum(grad, axis=0, out=out)),
        (TypeError, "array of bool, not of torch.float32", lambda: quire.sum(t, axis=0, where=t, out=out)),
        (ValueError, "does not fit x, of (3, 4)", lambda: quire.sum(t, axis=0, where=[True] * 3, out=out)),
        (ValueError, "x is on cuda:0, where on cpu", lambda: quire.sum(t, axis=0, where=t.cpu() > 0, out=out)),
        (ValueError, "out has shape (4,)", lambda: quire.mean(t, axis=1, where=t > 0, out=out)),
        (ValueError, "x1 is on cuda:0, x2 on cpu", lambda: quire.vecdot(t, t.cpu())),
        (TypeError, "the other is of ndarray", lambda: quire.vecdot(t, np.ones(4, np.float32))),
        (ValueError, "x is on cuda:0, offsets on cpu", lambda: quire.segment_sum(t[0], torch.tensor([0, 1]))),
        (ValueError, "offsets must lie in", lambda: quire.segment_sum(t[0], [0, 5])),
        (TypeError, "has no gradient here", lambda: quire.Accumulator(grad)),
        (ValueError, "x is on cuda:0, y on cpu", lambda: quire.Accumulator().add_products(t, t.cpu())),
        (TypeError, "the other is of ndarray", lambda: quire.Accumulator().add_products(t, np.ones((3, 4), "f"))),
        (TypeError, "not strided", lambda: quire.sum(t.to_sparse())),
        (TypeError, "not strided", lambda: quire.sum(t, out=t.to_sparse())),
    ]:
        with pytest.raises(error) as raised:
            call()
        assert words in str(raised.value) and "\n" not in str(raised.value)
    assert (out == 7).all()


def test_calls_follow_the_current_stream_and_wait_for_nothing():
    x, scalar = torch.zeros(1000, 1000, device="cuda"), torch.empty((), device="cuda")
    mask = torch.arange(1000, device="cuda") % 2 == 0

    def calls():
        x.fill_(2)
        masked = quire.sum(x, where=mask), quire.mean(x, axis=1, where=mask)
        return quire.sum(x, axis=1), quire.sum(x), quire.vecdot(x, x), quire.sum(x, out=scalar), *masked

    for stream in (torch.cuda.current_stream(), torch.cuda.Stream(), torch.cuda.Stream()):
        with torch.cuda.stream(stream):
            calls()  # opens the stream's context and loads kernels
            torch.cuda.synchronize()
            x.zero_()
            torch.cuda._sleep(100_000_000)  # cycles
            rows, total, dot, _, masked, means = calls()
            assert not stream.query(), "a call has waited for the device"
        stream.synchronize()
        assert (rows == 2000).all() and total == scalar == 2e6 and (dot == 4000).all()
        assert masked == 1e6 and (means == 2).all()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("call", ONE)
def test_where(call, name):
    x, call, random = filled((30, 5, 70), name, "any finite bits", 3), getattr(quire, call), np.random.default_rng(1)
    zeros = np.where(random.random(x.shape) < 0.3, np.zeros((), x.dtype), -np.zeros((), x.dtype))
    masks = [random.random(x.shape) < p for p in (0.0, 0.01, 0.5, 1.0)] + [random.random(70) < 0.5]
    methods = ["exact"] if call in (quire.var, quire.std) else ["exact", "plain"]
    for mask, y in [(mask, y) for mask in masks for y in (x, zeros)]:
        t, sent = tensor(y, "cuda"), torch.from_numpy(mask).cuda()
        for axis in (None, 0, (0, 2), ()):
            for more in [{"method": method} for method in methods] if len(methods) > 1 else [{}]:
                right = call(y, axis=axis, where=mask, rounding="downward", **more)
                assert same(call(t, axis=axis, where=sent, rounding="downward", **more), right)
    right = call(x, axis=0, where=masks[2], keepdims=True, dtype=np.float64)
    out = torch.empty(1, 5, 70, dtype=torch.float64, device="cuda")
    assert call(tensor(x, "cuda"), axis=0, where=masks[2], keepdims=True, out=out) is out and same(out, right)
    torch.compiler.reset()
    compiled = torch.compile(lambda t, m: call(t, axis=0, where=m), backend="aot_eager", fullgraph=True)
    assert same(compiled(tensor(x, "cuda"), sent := torch.from_numpy(masks[2]).cuda()), call(x, axis=0, where=masks[2]))
    assert same(
        torch.vmap(lambda t, m: call(t, where=m))(tensor(x, "cuda"), sent), call(x, axis=(1, 2), where=masks[2])
    )


def test_streams_do_not_disturb_each_other():
    x = [tensor(filled((200, 3000), "float32", "any finite bits", seed), "cuda") for seed in range(3)]
    right = [(bits(quire.sum(t)), bits(quire.sum(t, axis=1)), bits(quire.norm(t, axis=0))) for t in x]
    streams = [torch.cuda.Stream() for _ in range(40)]  # more than a thread keeps contexts
    torch.cuda.synchronize()
    results = []
    for turn in range(120):
        with torch.cuda.stream(streams[turn % 40]):
            t = x[turn % 3]
            results.append((turn % 3, quire.sum(t), quire.sum(t, axis=1), quire.norm(t, axis=0)))
    torch.cuda.synchronize()
    for which, *made in results:
        assert tuple(bits(r) for r in made) == right[which]


def test_threads():
    x = tensor(filled((100, 3000), "float32", "any finite bits", 1), "cuda")
    right, wrong = bits(quire.sum(x, axis=0)), []
    torch.cuda.synchronize()

    def work():
        with torch.cuda.stream(torch.cuda.Stream()):
            wrong.extend(None for _ in range(100) if bits(quire.sum(x, axis=0)) != right)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_graphs():
    x = torch.zeros(300, 1000, device="cuda")
    offsets = torch.tensor([0, 10, 1000], device="cuda")
    calls = [
        lambda: quire.sum(x),
        lambda: quire.sum(x, axis=0),
        lambda: quire.mean(x[:, ::2], axis=-1),
        lambda: quire.vecdot(x, x),
        lambda: quire.norm(x, axis=(0, 1), keepdims=True),
        lambda: quire.segment_sum(x[3], offsets),
        lambda: quire.sum(x, axis=0, where=x > 0),
        lambda: quire.mean(x, axis=1, where=x > 0),
        *([lambda: quire.var(x, axis=1)] if VARIANCES else []),
    ]
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for call in calls:
            call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        made = [call() for call in calls]
    for seed in range(3):
        x.copy_(tensor(filled((300, 1000), "float32", "any finite bits", seed)))
        torch.cuda.synchronize()
        graph.replay()
        with torch.cuda.stream(stream):  # at the same time
            beside = [call() for call in calls for _ in range(5)]
        torch.cuda.synchronize()
        for which, call in enumerate(calls):
            right = bits(call())
            assert bits(made[which]) == right and all(bits(b) == right for b in beside[5 * which : 5 * which + 5])


@pytest.mark.parametrize("name", ONE)
def test_gradients(name):
    torch.manual_seed(1)
    x = torch.randn(4, 5, dtype=torch.float64, device="cuda", requires_grad=True)
    call = getattr(quire, name)
    for axis in (None, 0, (0, 1)):
        assert torch.autograd.gradcheck(lambda t: call(t, axis=axis), x)
        assert torch.autograd.gradgradcheck(lambda t: call(t, axis=axis, keepdims=True), x)
    y = torch.randn(5, dtype=torch.float64, device="cuda", requires_grad=True)
    assert torch.autograd.gradcheck(quire.vecdot, (x, y))
    assert set(torch.library.opcheck(getattr(torch.ops.quire, name), (x, [0])).values()) == {"SUCCESS"}


def f(x):
    return quire.sum(x * 2, axis=-1) + quire.norm(x, axis=-1) + quire.vecdot(x, x)


def test_the_compiler_keeps_them():
    x = torch.randn(8, 33, device="cuda")
    compiled = torch.compile(f, backend="aot_eager", fullgraph=True)
    assert bits(compiled(x)) == bits(f(x))


def test_inductor_captures_them():
    x = torch.ones(8, 33, device="cuda")
    compiled = torch.compile(f, mode="reduce-overhead", fullgraph=True)
    for value in (1.0, 2.0, 3.0, 4.0):
        assert bits(compiled(x.fill_(value))) == bits(f(x))


def rms_norm(x, weight, eps=1e-6):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) * weight


def test_batch_invariant():
    x, weight = torch.randn(257, 1000, device="cuda"), torch.randn(1000, device="cuda")
    before = bits(x.sum())
    with quire.torch.batch_invariant():
        whole = rms_norm(x, weight)
        assert all(bits(rms_norm(x[a:b], weight)) == bits(whole[a:b]) for a, b in [(7, 8), (5, 9), (0, 100)])
        assert bits(x.sum()) == bits(quire.sum(x)) and bits(x.mean(0)) == bits(quire.mean(x, axis=0))
        assert bits(torch.linalg.vector_norm(x, dim=1)) == bits(quire.norm(x, axis=1))
        assert bits(torch.nansum(x, 1)) == bits(quire.sum(x, axis=1)) and x[0, 0].sum(-1) == x[0, 0]
        out = torch.empty(1000, device="cuda")
        assert torch.sum(x, 0, out=out) is out and bits(out) == bits(quire.sum(x, axis=0))
        spread = torch.ones(1, 1000, device="cuda", requires_grad=True)
        (x * spread).sum().backward()  # in a thread of autograd's
        assert bits(spread.grad[0]) == bits(out)
        if VARIANCES:
            right = bits(quire.var(x, axis=1, correction=1))
            assert bits(x.var(1)) == bits(torch.var_mean(x, 1)[0]) == right
        assert torch.arange(5, device="cuda").sum() == 10
    assert bits(x.sum()) == before


def test_memory_does_not_grow():
    x, out = torch.ones(100, 100, device="cuda"), torch.empty(100, device="cuda")
    tall = x.T[:, 3:]

    def turns(n):
        for _ in range(n):
            quire.sum(x)
            quire.sum(tall, axis=0)
            quire.sum(x, axis=1, out=out)
            quire.vecdot(x, x)
        total = quire.Accumulator()
        for _ in range(n // 10):
            quire.Accumulator(x).sum()
            total.add(x)
        torch.cuda.synchronize()
        return torch.cuda.memory_reserved(), torch.cuda.mem_get_info()[0]

    before, resident = turns(500), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert turns(25000) == before  # 100,000 calls
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - resident < 16 << 10, "in KiB"
