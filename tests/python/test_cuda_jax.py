"""JAX's arrays on a GPU are refused by a line that says what to do; and that works."""

from __future__ import annotations

import os

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


def test_on_a_gpu():
    try:
        device = jax.devices("cuda")[0]
    except RuntimeError:
        pytest.skip("SKIP: JAX has no CUDA device")
    if not lib.quire_has_cuda():
        pytest.skip("SKIP: this quire was built without CUDA")
    x = jax.device_put(X, device)
    with pytest.raises(TypeError, match=r"only XLA knows .* pass cupy.from_dlpack\(x\)"):
        quire.sum(x)
    cp = pytest.importorskip("cupy", reason="SKIP: CuPy is not installed")
    result = quire.sum(cp.from_dlpack(x), axis=0)
    assert cp.asnumpy(result).tobytes() == quire.sum(X, axis=0).tobytes()
    assert np.asarray(jax.dlpack.from_dlpack(result)).tobytes() == quire.sum(X, axis=0).tobytes()
