"""CuPy's arrays, and what CuPy can see: the bits are those of NumPy's arrays, on CuPy's current stream."""

from __future__ import annotations

import numpy as np
import pytest

cp = pytest.importorskip("cupy", reason="SKIP: CuPy is not installed")

import quire  # noqa: E402
from data import filled  # noqa: E402
from quire._quire import lib  # noqa: E402


def devices():
    try:
        return cp.cuda.runtime.getDeviceCount()
    except cp.cuda.runtime.CUDARuntimeError:
        return 0


if not devices():
    pytest.skip("SKIP: no CUDA device", allow_module_level=True)
if not lib.quire_has_cuda():
    pytest.skip("SKIP: this quire was built without CUDA", allow_module_level=True)

ONE = [quire.sum, quire.mean, quire.asum, quire.norm]
VIEWS = [
    lambda x: x,
    lambda x: x[::-1, :, ::-2],
    lambda x: x.transpose(2, 0, 1),
    lambda x: x[:, 1:3, ::3],
    lambda x: x[:0],
    lambda x: x[1, 2, 3, ...],
]


def same(result, right):
    assert type(result) is cp.ndarray and result.shape == np.shape(right) and result.dtype == right.dtype
    return cp.asnumpy(result).tobytes() == np.ascontiguousarray(right).tobytes()


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
@pytest.mark.parametrize("call", ONE)
def test_bits_are_those_of_numpy(call, name):
    x = filled((6, 5, 7), name, "any finite bits", 3)
    for view in VIEWS:
        a, y = view(cp.asarray(x)), view(x)
        for axis in [None, 0, -1, (0, 2), (1, 2), ()] if y.ndim else [None, ()]:
            for keepdims in (False, True):
                right = np.asarray(call(y, axis=axis, keepdims=keepdims))
                assert same(call(a, axis=axis, keepdims=keepdims), right)
                out = cp.zeros(right.shape, x.dtype)
                assert call(a, axis=axis, keepdims=keepdims, out=out) is out and same(out, right)
    a = cp.broadcast_to(cp.asarray(x[:1]), (4, 5, 7))
    assert same(call(a, axis=1, method="pairwise"), call(np.broadcast_to(x[:1], (4, 5, 7)), axis=1, method="pairwise"))


def test_variances():
    x = filled((60, 50), "float32", "any finite bits", 3)
    a = cp.asarray(x)
    try:
        quire.var(a)
    except NotImplementedError as error:
        pytest.skip(f"SKIP: {error}")
    for call in (quire.var, quire.std):
        for axis in (None, 0, 1):
            assert same(call(a, axis=axis, correction=1), np.asarray(call(x, axis=axis, correction=1)))


def test_pairs_and_segments():
    x = filled((6, 50), "float32", "any finite bits", 3)
    a = cp.asarray(x)
    assert same(quire.vecdot(a, a[0].astype(cp.float64)), quire.vecdot(x, x[0].astype(np.float64)))
    ends = [0, 7, 7, 50, 20]
    right = quire.segment_sum(x[0], ends)
    for offsets in (ends, np.array(ends), cp.asarray(ends), cp.asarray(ends, np.int32)):
        assert same(quire.segment_sum(a[0], offsets), right)
    assert same(quire.segment_sum(a[0], cp.asarray([-9, 7, 99])), quire.segment_sum(x[0], [0, 7, 50]))


class Interface:
    """The CUDA array interface alone, as other libraries have it."""

    def __init__(self, a, **more):
        self.__cuda_array_interface__ = {**a.__cuda_array_interface__, **more}


class Dlpack:
    """DLPack alone, of a library whose from_dlpack takes anything."""

    def __init__(self, a):
        self.a = a

    def __array_namespace__(self):
        return Dlpack

    def __dlpack__(self, **options):
        return self.a.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.a.__dlpack_device__()

    @classmethod
    def from_dlpack(cls, a):
        return cls(cp.from_dlpack(a))


def test_other_libraries():
    x = filled((6, 5, 7), "float32", "any finite bits", 3)
    for view in VIEWS[:5]:
        a, y = view(cp.asarray(x)), view(x)
        right = np.asarray(quire.sum(y, axis=1))
        assert same(quire.sum(Interface(a), axis=1), right)
        if min(a.strides) >= 0:
            result = quire.sum(Dlpack(a), axis=1)
            assert type(result) is Dlpack and same(result.a, right)
    out = cp.zeros((6, 7), np.float32)
    quire.sum(Interface(cp.asarray(x)), axis=1, out=Interface(out))
    assert same(out, quire.sum(x, axis=1))
    stream = cp.cuda.Stream(non_blocking=True)
    a = cp.asarray(x)
    cp.cuda.Device().synchronize()
    with stream:
        a *= 2
    assert same(quire.sum(Interface(a, stream=stream.ptr)), quire.sum(x * 2))


def test_streams_and_graphs():
    x = cp.zeros((300, 1000), np.float32)
    out, total = cp.empty(1000, np.float32), cp.empty((), np.float32)
    for _ in range(40):  # streams that come and go
        stream = cp.cuda.Stream(non_blocking=True)
        with stream:
            x.fill(3)
            rows = quire.sum(x, axis=1)
            quire.sum(x, axis=0, out=out)
            quire.sum(x, out=total)
        stream.synchronize()
        assert (rows == 3000).all() and (out == 900).all() and total == 9e5
        x.fill(0)
        cp.cuda.Device().synchronize()
    with stream:
        stream.begin_capture()
        quire.sum(x, axis=0, out=out)
        quire.sum(x, out=total)
        graph = stream.end_capture()
        for value in (1, 2):
            x.fill(value)
            graph.launch(stream)
            stream.synchronize()
            assert (out == 300 * value).all() and total == 3e5 * value


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
@pytest.mark.parametrize("call", [*ONE, quire.var, quire.std])
def test_where(call, name):
    x, random = filled((30, 5, 70), name, "any finite bits", 3), np.random.default_rng(1)
    masks = [random.random(x.shape) < p for p in (0.0, 0.01, 0.5, 1.0)] + [random.random(70) < 0.5]
    for mask in masks:
        for y in (x, np.where(random.random(x.shape) < 0.3, x.dtype.type(0.0), x.dtype.type(-0.0))):
            for axis in (None, 0, (0, 2), ()):
                right = np.asarray(call(y, axis=axis, where=mask))
                assert same(call(cp.asarray(y), axis=axis, where=cp.asarray(mask)), right)
                if call not in (quire.var, quire.std):
                    right = np.asarray(call(y, axis=axis, where=mask, method="plain"))
                    assert same(call(cp.asarray(y), axis=axis, where=mask, method="plain"), right)
    right = call(x, axis=0, where=masks[2])
    assert same(call(cp.asarray(x), axis=0, where=Interface(cp.asarray(masks[2]))), right)


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_accumulators(name):
    x, y = (filled((60, 50, 7), name, "any finite bits", seed) for seed in (3, 4))
    for view in [*VIEWS, lambda x: x[::-1, ::-1, ::-1]]:
        a, b, c, d = view(cp.asarray(x)), view(cp.asarray(y)), view(x), view(y)
        on_cuda = quire.Accumulator(a).add_magnitudes(b).add_products(a, b)
        assert on_cuda == quire.Accumulator(c).add_magnitudes(d).add_products(c, d)
        assert quire.Moments(a) == quire.Moments(c)
    assert quire.Accumulator(Interface(cp.asarray(x))) == quire.Accumulator(Dlpack(cp.asarray(x)))
    total = quire.Accumulator()
    for number in range(100):  # streams that come and go
        with cp.cuda.Stream(non_blocking=True):
            total.add(cp.full(10**6, number, np.float32))
    assert total.sum() == 99 * 50 * 10**6


def test_bad_input_writes_nothing():
    a, out = cp.ones((3, 4), np.float32), cp.full(4, 7, np.float32)
    for error, words, call in [
        (TypeError, "floating-point numbers", lambda: quire.sum(cp.arange(3) * 1j)),
        (ValueError, "out of bounds", lambda: quire.sum(a, axis=2, out=out)),
        (ValueError, "out has shape", lambda: quire.sum(a, axis=1, out=out)),
        (TypeError, "but out has float32", lambda: quire.sum(a, axis=0, out=out, dtype=float)),
        (TypeError, "out must be on the device", lambda: quire.sum(a, axis=0, out=np.empty(4, np.float32))),
        (TypeError, "array of bool, not of float32", lambda: quire.sum(a, axis=0, where=a, out=out)),
        (ValueError, "does not fit x", lambda: quire.sum(a, axis=0, where=np.ones((4, 3), bool), out=out)),
        (ValueError, "out has shape", lambda: quire.mean(a, axis=1, where=a > 0, out=out)),
        (TypeError, "the other operand, a ndarray, is not", lambda: quire.vecdot(a, np.ones(4, np.float32))),
        (TypeError, "a ndarray, is not", lambda: quire.Accumulator().add_products(a, np.ones((3, 4), np.float32))),
        (ValueError, "y has (4,)", lambda: quire.Accumulator().add_products(a, a[0])),
    ]:
        with pytest.raises(error) as raised:
            call()
        assert words in str(raised.value) and "\n" not in str(raised.value)
    assert (out == 7).all()


def test_memory_does_not_grow():
    a = cp.ones((100, 100), np.float32)

    def turns(n):
        for _ in range(n):
            quire.sum(a)
            quire.sum(a, axis=0)
        cp.cuda.Device().synchronize()
        return cp.get_default_memory_pool().total_bytes(), cp.cuda.runtime.memGetInfo()[0]

    before = turns(100)
    assert turns(10000) == before


def test_sums_by_key():
    x, random = filled((60, 5, 7), "float32", "any finite bits", 3), np.random.default_rng(1)
    for axis in (0, 1, -1):
        keys = random.integers(0, 4, x.shape[axis])
        for call in (quire.group_sum, quire.group_mean, quire.group_norm):
            right = call(x, keys, 4, axis=axis)
            for k in (keys, cp.asarray(keys), cp.asarray(keys, cp.int32)):
                assert same(call(cp.asarray(x), k, 4, axis=axis), right)
        out = cp.zeros(np.shape(right))
        assert quire.group_sum(cp.asarray(x), cp.asarray(keys), 4, axis=axis, out=out) is out
        assert same(out, quire.group_sum(x, keys, 4, axis=axis, dtype=float))
    keys = np.array([0, -1, 2, 3, 1, 2**40])
    right = quire.group_sum(x[[0, 2, 4]], [0, 2, 1], 3)
    assert same(quire.group_sum(cp.asarray(x[:6]), cp.asarray(keys), 3), right)
    with pytest.raises(ValueError, match="groups must be given"):
        quire.group_sum(cp.asarray(x[:6]), cp.asarray(keys))


def test_groups_that_are_sorted_once():
    x, keys = filled((6, 50), "float32", "any finite bits", 3), np.random.default_rng(1).integers(0, 4, 50)
    g, right = quire.groupby(cp.asarray(keys), 5), quire.groupby(keys, 5)
    assert g.counts.tolist() == right.counts.tolist() and g.keys.tolist() == right.keys.tolist()
    try:
        found = g.sum(cp.asarray(x), axis=1)
    except NotImplementedError as error:
        pytest.skip(f"SKIP: {error}")
    assert same(found, right.sum(x, axis=1)) and same(g.norm(cp.asarray(x), axis=1), right.norm(x, axis=1))


def test_running_sums():
    x = filled((6, 5, 7), "float32", "any finite bits", 3)
    for view in VIEWS[:5]:
        a, y = view(cp.asarray(x)), view(x)
        for axis in (0, 1, -1):
            assert same(quire.cumsum(a, axis), quire.cumsum(y, axis))
            right = quire.cumulative_sum(y, axis=axis, include_initial=True, dtype=float)
            assert same(quire.cumulative_sum(a, axis=axis, include_initial=True, dtype=float), right)
        assert same(quire.cumsum(a), quire.cumsum(y))
    a = cp.asarray(x)
    assert quire.cumsum(a, 1, out=a) is a and same(a, quire.cumsum(x, 1))
