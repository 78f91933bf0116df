"""JAX's arrays: on a GPU in place, on CuPy's current stream, while XLA makes, reads and frees on streams of its own."""

from __future__ import annotations

import os
import time

import numpy as np
import pytest

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
jax = pytest.importorskip("jax", reason="SKIP: JAX is not installed")

import quire  # noqa: E402
from data import filled  # noqa: E402
from quire._quire import lib  # noqa: E402

X = filled((6, 50), "float32", "small integers", 7)


def test_on_the_cpu():
    x = jax.device_put(X, jax.devices("cpu")[0])
    result = quire.sum(x, axis=0)
    assert isinstance(result, jax.Array) and np.asarray(result).tobytes() == quire.sum(X, axis=0).tobytes()


@pytest.fixture
def gpu():
    try:
        device = jax.devices("cuda")[0]
    except RuntimeError:
        pytest.skip("SKIP: JAX has no CUDA device")
    if not lib.quire_has_cuda():
        pytest.skip("SKIP: this quire was built without CUDA")
    return device


@pytest.fixture
def cp():
    return pytest.importorskip("cupy", reason="SKIP: CuPy is not installed")


@pytest.fixture
def served(gpu):
    """The device, if XLA can wait for streams that are not its own."""
    try:
        gpu.get_stream_for_external_ready_events()
    except Exception as error:
        pytest.skip(f"SKIP: this JAX refuses to wait for another's stream: {error}")
    return gpu


def same(result, right):
    assert isinstance(result, jax.Array) and result.shape == np.shape(right) and result.dtype == right.dtype
    return np.asarray(result).tobytes() == np.ascontiguousarray(right).tobytes()


def test_what_cupy_takes_of_them(gpu, cp):
    result = quire.sum(cp.from_dlpack(jax.device_put(X, gpu)), axis=0)
    assert cp.asnumpy(result).tobytes() == quire.sum(X, axis=0).tobytes()
    assert np.asarray(jax.dlpack.from_dlpack(result)).tobytes() == quire.sum(X, axis=0).tobytes()


@pytest.mark.parametrize("name", ["float16", "float32"])
@pytest.mark.parametrize("family", ["any finite bits", "small integers"])
def test_bits(served, cp, name, family):
    host = filled((6, 50), name, family, 7)
    x, mask = jax.device_put(host, served), jax.device_put(host > 0, served)
    for call in (quire.sum, quire.mean, quire.asum, quire.norm, quire.var, quire.std):
        for axis in (None, 0, -1, (0, 1)):
            result = call(x, axis=axis, keepdims=True)
            assert same(result, call(host, axis=axis, keepdims=True)) and result.devices() == {served}
            assert same(call(x, axis=axis, where=mask), call(host, axis=axis, where=host > 0))
    assert same(quire.vecdot(x, x[0]), quire.vecdot(host, host[0]))
    assert same(quire.vecdot(x, cp.asarray(host[0])), quire.vecdot(host, host[0]))
    offsets = np.array([0, 9, 50], np.int32)
    assert same(quire.segment_sum(x[0], jax.device_put(offsets, served)), quire.segment_sum(host[0], offsets))
    assert same(quire.sum(x[:, :0], axis=0), quire.sum(host[:, :0], axis=0))
    assert quire.Accumulator(x) == quire.Accumulator(host) and quire.Moments(x) == quire.Moments(host)


def test_what_is_refused(served, cp):
    x = jax.device_put(X, served)
    with pytest.raises(TypeError, match="JAX has no float64"):
        quire.sum(x, dtype=np.float64)
    with pytest.raises(TypeError, match="out is for"):
        quire.sum(x, out=cp.empty((), np.float32))
    with pytest.raises(TypeError, match="floating-point numbers"):
        quire.sum(jax.device_put(np.arange(3, dtype=np.complex64), served))
    with pytest.raises(TypeError, match="JAX has no int64"):
        quire.sum(jax.device_put(np.arange(3, dtype=np.int32), served))


@pytest.mark.parametrize("own_stream", [False, True])
def test_memory_that_changes_hands(served, cp, own_stream):
    """XLA frees and reuses memory while the stream, kept busy, has not come to the sums yet; and the other way."""

    @jax.jit
    def made(k):
        return jax.lax.broadcasted_iota("float32", (1024, 4096), 0) * 0.5 + k

    @jax.jit
    def read(r):
        return r * 2 + 1

    rights = [quire.sum(np.asarray(made(np.float32(k))), axis=0) for k in range(4)]
    busy = cp.ones((2048, 2048), np.float32)
    with cp.cuda.Stream(non_blocking=True) if own_stream else cp.cuda.Stream.null:
        kept = []
        for k in range(200):
            if k % 8 == 0:
                for _ in range(4):
                    busy = busy @ busy * np.float32(1e-4)
            result = quire.sum(made(np.float32(k % 4)), axis=0)
            kept.append((result if k % 2 else None, read(result)))
            del result
        for k, (result, twice) in enumerate(kept):
            assert result is None or same(result, rights[k % 4]), k
            assert same(twice, rights[k % 4] * np.float32(2) + np.float32(1)), k


def test_memory_does_not_grow(served, cp):
    x = jax.device_put(np.ones((1000, 1000), np.float32), served)

    def used():
        cp.cuda.Device(0).synchronize()
        for _ in range(2000):  # until the thread that holds what is lent has seen it
            if served.memory_stats()["bytes_in_use"] < 8e6:
                break
            time.sleep(0.001)
        return served.memory_stats()["bytes_in_use"], cp.get_default_memory_pool().total_bytes()

    jax.block_until_ready([quire.sum(x * k, axis=1) for k in range(20)])
    before = used()
    for _ in range(3000):
        quire.sum(x * 2, axis=1)
    after = used()
    assert after[0] <= before[0] + 8e6 and after[1] <= before[1] + 8e6, (before, after)


def test_keys_and_running_sums(served, cp):
    x, keys = jax.device_put(X, served), np.random.default_rng(1).integers(0, 4, 50).astype(np.int32)
    for k in (keys, jax.device_put(keys, served)):
        assert same(quire.group_sum(x, k, 5, axis=1), quire.group_sum(X, keys, 5, axis=1))
        assert same(quire.group_norm(x, k, 5, axis=-1), quire.group_norm(X, keys, 5, axis=-1))
    assert same(quire.cumsum(x, 1), quire.cumsum(X, 1)) and same(quire.cumsum(x), quire.cumsum(X))
    right = quire.cumulative_sum(X, axis=0, include_initial=True)
    assert same(quire.cumulative_sum(x, axis=0, include_initial=True), right)
    g = quire.groupby(jax.device_put(keys, served), 5)
    try:
        found = g.sum(x, axis=1)
    except NotImplementedError as error:
        pytest.skip(f"SKIP: {error}")
    assert same(found, quire.groupby(keys, 5).sum(X, axis=1))
