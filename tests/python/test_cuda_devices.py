"""Several CUDA devices: an array is reduced where it is, whichever device is current."""

from __future__ import annotations

import threading

import pytest

torch = pytest.importorskip("torch", reason="SKIP: PyTorch is not installed")

import quire  # noqa: E402
import quire.torch  # noqa: E402
from data import filled  # noqa: E402
from quire import _contexts  # noqa: E402
from quire._quire import lib  # noqa: E402
from tensors import bits, tensor  # noqa: E402

if torch.cuda.device_count() < 2:
    pytest.skip(f"SKIP: two CUDA devices are needed, {torch.cuda.device_count()} are there", allow_module_level=True)
if not lib.quire_has_cuda():
    pytest.skip("SKIP: this quire was built without CUDA", allow_module_level=True)

X = filled((40, 50), "float32", "any finite bits", 3)
MASK = X > 0


def calls(x, mask):
    """Results of every way to the library, for a tensor or a NumPy array."""
    yield from (quire.sum(x), quire.sum(x, axis=0), quire.mean(x, axis=1, keepdims=True), quire.norm(x[:, ::3]))
    yield from (quire.var(x, axis=0), quire.vecdot(x, x), quire.segment_sum(x[3], [0, 7, 50]))
    yield from (quire.sum(x, axis=0, where=mask), quire.mean(x, axis=1, where=mask), quire.sum(x, method="plain"))


RIGHT = [r.tobytes() for r in calls(X, MASK)]


@pytest.mark.parametrize("number", range(torch.cuda.device_count()))
@pytest.mark.parametrize("current", range(2))
def test_results_are_where_the_input_is(current, number):
    x, mask = tensor(X, f"cuda:{number}"), torch.from_numpy(MASK).to(f"cuda:{number}")
    with torch.cuda.device(current):
        results = list(calls(x, mask))
        assert torch.cuda.current_device() == current
        assert all(r.device == x.device for r in results) and [bits(r) for r in results] == RIGHT
        out = torch.empty(50, device=x.device)
        assert quire.sum(x, axis=0, out=out) is out and bits(out) == RIGHT[1]
        assert bits(torch.ops.quire.sum(x)) == RIGHT[0]
        with quire.torch.batch_invariant():
            assert bits(x.sum()) == RIGHT[0]
        assert torch.cuda.current_device() == current


def test_streams_of_the_other_device():
    x = torch.zeros(1000, 1000, device="cuda:1")
    stream = torch.cuda.Stream(1)
    with torch.cuda.stream(stream):
        quire.sum(x)  # opens the context and loads kernels
        quire.sum(x, axis=1)
    torch.cuda.synchronize(1)
    with torch.cuda.stream(stream):  # which makes device 1 current
        torch.cuda._sleep(100_000_000)  # cycles
        x.fill_(2)
        with torch.cuda.device(0):  # the stream of device 1 stays its current one
            total, rows = quire.sum(x), quire.sum(x, axis=1)
        assert not stream.query(), "a call has waited for the device"
    stream.synchronize()
    assert total == 2e6 and (rows == 2000).all()


def test_graphs_of_the_other_device():
    torch.ones(1, device="cuda:0")  # which sets up that device
    x, stream = torch.ones(300, 100, device="cuda:1"), torch.cuda.Stream(1)
    with torch.cuda.stream(stream):
        quire.sum(x, axis=0)
    torch.cuda.synchronize(1)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.device(1), torch.cuda.graph(graph, stream=stream):
        with torch.cuda.device(0):
            rows = quire.sum(x, axis=1)
        total = quire.sum(x)
    x.fill_(3)
    torch.cuda.synchronize(1)
    with torch.cuda.device(1):
        graph.replay()
    torch.cuda.synchronize(1)
    assert (rows == 300).all() and total == 90000


def test_threads_on_two_devices():
    wrong = []

    def work(number):
        x, mask = tensor(X, f"cuda:{number}"), torch.from_numpy(MASK).to(f"cuda:{number}")
        for turn in range(50):
            with torch.cuda.device((number + turn) % 2):
                wrong.extend(None for r, right in zip(calls(x, mask), RIGHT, strict=True) if bits(r) != right)

    threads = [threading.Thread(target=work, args=(number % 2,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_operands_on_two_devices_are_refused():
    x, y, out = torch.ones(4, device="cuda:0"), torch.ones(4, device="cuda:1"), torch.full((), 7.0, device="cuda:1")
    total = quire.Accumulator(x)
    for words, call in [
        ("x1 is on cuda:0, x2 on cuda:1", lambda: quire.vecdot(x, y, out=out)),
        ("x is on cuda:0, out on cuda:1", lambda: quire.sum(x, out=out)),
        ("x is on cuda:0, where on cuda:1", lambda: quire.sum(x, where=y > 0)),
        ("x is on cuda:0, offsets on cuda:1", lambda: quire.segment_sum(x, y.long())),
        ("x is on cuda:0, y on cuda:1", lambda: total.add_products(x, y)),
    ]:
        with pytest.raises(ValueError) as raised:
            call()
        assert words in str(raised.value) and "\n" not in str(raised.value)
    assert out == 7 and total.sum() == 4


def test_an_accumulator_over_devices():
    parts = [tensor(X[number::2], f"cuda:{number}") for number in range(2)]
    a, m = quire.Accumulator(), quire.Moments()
    for part in parts:
        a.add(part)
        m.add(part)
    assert a == quire.Accumulator(X) and m == quire.Moments(X) and bits(quire.sum(tensor(X))) == RIGHT[0]
    assert quire.Accumulator(parts[0]) + quire.Accumulator(parts[1]) == a
    with torch.cuda.device(1):
        b = quire.Accumulator(parts[0]).add_products(parts[0], parts[0])
    with torch.cuda.device(0):
        assert b == quire.Accumulator(X[::2]).add_products(X[::2], X[::2])


def test_contexts_are_those_of_a_device():
    opened = []

    def work():  # in a thread without contexts
        for number in (0, 1, 0, 1):
            quire.sum(torch.ones(3, device=f"cuda:{number}"))
        opened.extend(_contexts._mine.contexts.items())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert sorted(key for key, _ in opened) == [(0, 0), (1, 0)] and opened[0][1] != opened[1][1]


def test_cupy_on_the_other_device():
    cp = pytest.importorskip("cupy", reason="SKIP: CuPy is not installed")
    with cp.cuda.Device(1):
        x, mask, out = cp.asarray(X), cp.asarray(MASK), cp.zeros(50, cp.float32)
    results = list(calls(x, mask))
    assert cp.cuda.runtime.getDevice() == 0
    assert all(r.device.id == 1 for r in results) and [cp.asnumpy(r).tobytes() for r in results] == RIGHT
    assert quire.sum(x, axis=0, out=out) is out and cp.asnumpy(out).tobytes() == RIGHT[1]
    assert quire.Accumulator(x) == quire.Accumulator(X) and cp.cuda.runtime.getDevice() == 0
    y = cp.asarray(X)
    for words, call in [
        ("x is on device 1, x2 on 0", lambda: quire.vecdot(x, y)),
        ("x is on device 1, y on 0", lambda: quire.Accumulator().add_products(x, y)),
        ("x is on device 0, out on 1", lambda: quire.sum(y, axis=0, out=out)),
    ]:
        with pytest.raises(ValueError) as raised:
            call()
        assert words in str(raised.value)
