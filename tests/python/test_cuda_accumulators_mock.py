"""Accumulators of arrays on CUDA devices, without a device: with the false CuPy of false_cupy.py."""

from __future__ import annotations

import pickle
import threading

import numpy as np
import pytest
import quire
from data import filled
from false_cupy import Described, Stream, ndarray, on_device

X = filled((6, 5, 7), "float32", "any finite bits", 3)
Y = filled((6, 5, 7), "float64", "any finite bits", 4)
VIEWS = [
    lambda x: x,
    lambda x: x[::-1, :, ::-1],
    lambda x: x.transpose(2, 0, 1),
    lambda x: x[:, 1:3, ::3],
    lambda x: x[::-2, ::-1].transpose(1, 0, 2),
    lambda x: np.broadcast_to(x[:1], (4, 5, 7)),
    lambda x: x[:0],
    lambda x: x[1, 2, 3, ...],
    lambda x: x[:, 2, 3],
    lambda x: x[2, ::-2, 3],
    lambda x: np.broadcast_to(x[2, 3, 4], (9,)),
]


@pytest.mark.parametrize("view", VIEWS)
def test_what_is_added(cp, view):
    x, y = view(X), view(Y)
    a, right = quire.Accumulator(), quire.Accumulator()
    for total, x_of, y_of in ((a, on_device(x), on_device(y)), (right, x, y)):
        total.add(x_of).add_magnitudes(y_of).add_products(x_of, y_of).add_products(x_of, x_of)
        total += 1.0
    assert len(a._parts) == 1 and a == right and not a._parts
    m = quire.Moments(on_device(x))
    assert m == quire.Moments(x) and m.var().tobytes() == quire.Moments(x).var().tobytes()


def test_nothing_is_copied_that_is_dense(cp, monkeypatch):
    copied = []
    monkeypatch.setattr(cp, "ascontiguousarray", lambda x: copied.append(x.shape) or ndarray(x.host.copy()))
    for dense in (X, X[::-1, ::-1, ::-1], X.transpose(2, 0, 1), X[2:4], X[:0].T):
        quire.Accumulator(on_device(dense)).add_products(on_device(dense), on_device(dense))
    assert not [shape for shape in copied if 0 not in shape]
    quire.Accumulator(on_device(X[:, :2]))
    assert copied[-1] == (6, 2, 7)


def test_values_are_fetched_when_they_are_asked_for(cp):
    right = quire.Accumulator(X)
    for ask in (
        lambda a: a.sum(),
        lambda a: a.mean(np.float32),
        lambda a: a.norm(),
        lambda a: a.count,
        lambda a: a.words.tolist(),
        lambda a: a.to_bytes(),
        lambda a: pickle.loads(pickle.dumps(a)).sum(),
        lambda a: (quire.Accumulator() + a).sum(),
        repr,
    ):
        a = quire.Accumulator(on_device(X))
        assert a._parts
        assert str(ask(a)) == str(ask(right)) and not a._parts
        assert a.add(on_device(X)).count == 2 * X.size
    a = quire.Accumulator(on_device(X))
    a.merge(quire.Accumulator(X))
    assert a._parts and a.count == 2 * X.size


def test_a_part_for_each_stream_device_and_thread(cp, monkeypatch):
    a, streams = quire.Accumulator(), [Stream(0), Stream(4096), Stream(8192)]
    for cp.stream in streams * 2:
        a.add(on_device(X)).add(ndarray(X, 1))
    assert len(a._parts) == 6
    cp.stream = Stream(2)  # of each thread its own
    a.add(on_device(X))
    thread = threading.Thread(target=lambda: a.add(on_device(X)))
    thread.start()
    thread.join()
    assert len(a._parts) == 8 and a.count == 14 * X.size
    assert all(stream.synchronized == 2 for stream in streams) and cp.stream.synchronized == 0
    assert ndarray.synchronized == [0, 0]
    for number in range(200):
        cp.stream = Stream(number + 100)
        a.add(on_device(X))
        assert len(a._parts) <= 64
    assert a.count == 214 * X.size


def test_a_fetch_that_fails_loses_nothing(cp, monkeypatch):
    a = quire.Accumulator(on_device(X))
    with monkeypatch.context() as patch:
        patch.setattr(cp, "asnumpy", lambda x: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            a.sum()
    assert a == quire.Accumulator(X)


def test_graphs_are_refused(cp):
    a = quire.Accumulator()
    cp.stream = Stream(8192, capturing=True)
    with pytest.raises(NotImplementedError, match="a CUDA graph cannot capture"):
        a.add(on_device(X))
    assert not a._parts and a.count == 0


def test_bad_input_changes_nothing(cp):
    x = on_device(X)
    a = quire.Accumulator(x)
    for error, words, call in [
        (TypeError, "a ndarray, is not", lambda: a.add_products(x, X)),
        (TypeError, "a ndarray, is not", lambda: a.add_products(X, x)),
        (ValueError, "x has shape (6, 5, 7), y has (5, 7)", lambda: a.add_products(x, x[0])),
        (ValueError, "on device 0, y on 1", lambda: a.add_products(x, ndarray(X, 1))),
        (TypeError, "floating-point numbers", lambda: a.add(on_device(np.arange(3) * 1j))),
        (TypeError, "floating-point numbers", lambda: quire.Moments(on_device(np.arange(3) * 1j))),
        (TypeError, "floating-point numbers", lambda: a.add(Described(on_device(np.arange(3) * 1j)))),
    ]:
        with pytest.raises(error) as raised:
            call()
        assert words in str(raised.value) and "\n" not in str(raised.value)
    assert a == quire.Accumulator(X)
