"""Accumulators of tensors on a CUDA device: in place, on the current stream, fetched when a value is asked for."""

from __future__ import annotations

import threading

import pytest

torch = pytest.importorskip("torch", reason="SKIP: PyTorch is not installed")

import quire  # noqa: E402
from data import filled  # noqa: E402
from quire._quire import lib  # noqa: E402
from reference import NAMES  # noqa: E402
from tensors import tensor, views  # noqa: E402

if not torch.cuda.is_available():
    pytest.skip("SKIP: no CUDA device, or a PyTorch without CUDA", allow_module_level=True)
if not lib.quire_has_cuda():
    pytest.skip("SKIP: this quire was built without CUDA", allow_module_level=True)

VIEWS = [*views(50), (lambda t: t[:, 2, 3], lambda x: x[:, 2, 3])]


@pytest.mark.parametrize("name", NAMES)
def test_accumulators(name):
    x, y = (filled((60, 50, 7), name, "any finite bits", seed) for seed in (3, 4))
    t, u = tensor(x, "cuda"), tensor(y, "cuda")
    for view, cpu_view in VIEWS:
        v, w, a, b = view(t), view(u), cpu_view(x), cpu_view(y)
        on_cuda = quire.Accumulator(v).add_magnitudes(w).add_products(v, w).add(w)
        assert on_cuda == quire.Accumulator(a).add_magnitudes(b).add_products(a, b).add(b)
        assert quire.Moments(v) == quire.Moments(a)
    total = quire.Accumulator(x)
    total += t
    assert total.merge(quire.Accumulator(t)) == quire.Accumulator(x).add(x).add(x)


def test_accumulators_follow_the_current_stream_and_wait_when_asked():
    x = torch.zeros(1000, 1000, device="cuda")
    a, m = quire.Accumulator(), quire.Moments()
    for stream in (torch.cuda.current_stream(), torch.cuda.Stream(), torch.cuda.Stream()):
        with torch.cuda.stream(stream):
            a.add(x)  # opens the stream's context, loads kernels, allocates the words
            m.add(x)
            torch.cuda.synchronize()
            x.zero_()
            torch.cuda._sleep(100_000_000)  # cycles
            x.fill_(2)
            a.add(x).add(x)
            m.add(x)
            assert not stream.query(), "a call has waited for the device"
        torch.cuda.synchronize()
        x.zero_()
        torch.cuda.synchronize()
    assert a.count == 9 * 10**6 and a.sum() == 12e6 and m.mean() == 1.0
    torch.cuda._sleep(100_000_000)
    x.fill_(3)
    assert a.add(x).sum() == 15e6, "a sum has not waited for the device"


def test_threads_add_to_one_accumulator():
    x = filled((100, 3000), "float32", "any finite bits", 1)
    t, a, right = tensor(x, "cuda"), quire.Accumulator(), quire.Accumulator()
    torch.cuda.synchronize()

    def work(own):
        with torch.cuda.stream(torch.cuda.Stream() if own else torch.cuda.default_stream()):
            for _ in range(50):
                a.add(t)

    threads = [threading.Thread(target=work, args=(number % 2,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for _ in range(300):
        right.add(x)
    assert a == right


def test_graphs_capture_no_accumulators():
    x, a = torch.ones(10, device="cuda"), quire.Accumulator()
    a.add(x)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x * 2
        with pytest.raises(NotImplementedError, match="a CUDA graph cannot capture"):
            a.add(x)
    graph.replay()
    assert (y == 2).all() and a.sum() == 10
