"""JAX's arrays on CUDA devices, lent to CuPy, whose current stream they are reduced on.

By DLPack XLA has x ready before the stream reads it, and reads the result only behind the stream. But it gives memory
away as soon as nobody holds the array, and does not know what the stream has yet to do. So what the stream reads or
writes is held here until the stream is through. The memory of results is XLA's: XLA alone knows when it has read them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from queue import SimpleQueue
from typing import Any

from . import _cupy


def is_jax(x: Any) -> bool:
    return type(x).__module__.partition(".")[0] in ("jax", "jaxlib")


@lru_cache(maxsize=1)
def _holder() -> SimpleQueue[tuple[Any, Any]]:
    """A queue of events, and of what is to be held until each has happened. A thread waits for them."""
    queue: SimpleQueue[tuple[Any, Any]] = SimpleQueue()

    def hold() -> None:
        while True:
            event, held = queue.get()
            event.synchronize()
            del event, held

    threading.Thread(target=hold, name="quire, what JAX lends", daemon=True).start()
    return queue


def _refuse_unordered(x: Any, name: str) -> None:
    """A TypeError if XLA cannot wait for a stream that is not its own."""
    try:
        (device,) = x.devices()
        device.get_stream_for_external_ready_events()
    except Exception:  # of whatever kind: JAX has no word for it
        raise _cupy.refusal(name) from None


@contextmanager
def lent(name: str, *arguments: Any) -> Iterator[tuple[list[Any], list[Any]]]:
    """The arguments, with JAX's arrays as CuPy's; and a list to which more may be added that is to be held, too."""
    first = next(a for a in arguments if is_jax(a))
    cp = _cupy.imported(name, first)
    _refuse_unordered(first, name)
    with cp.cuda.Device(first.__dlpack_device__()[1]):
        stream = cp.cuda.get_current_stream()
        if stream.ptr > 2 and stream.is_capturing():  # 0, 1 and 2 are default streams
            raise NotImplementedError(f"quire.{name}: a CUDA graph cannot capture what is done with JAX's arrays")
        taken = [_cupy.shared(cp, a, name) if is_jax(a) else a for a in arguments]
        held = [a for a, argument in zip(taken, arguments, strict=True) if a is not argument]
        try:
            yield taken, held
        finally:
            event = cp.cuda.Event(block=True, disable_timing=True)
            event.record()
            _holder().put((event, held))


def through(name: str, way: Callable[..., Any], *arguments: Any) -> Any:
    """What a way of CuPy's arrays makes of JAX's, as an array of JAX on the same device."""
    first = next(a for a in arguments if is_jax(a))
    with lent(name, *arguments) as (taken, held):
        jax = import_module("jax")
        result = way(*taken)
        if jax.dtypes.canonicalize_dtype(result.dtype) != result.dtype:
            raise TypeError(f"quire.{name}: JAX has no {result.dtype.name} unless jax_enable_x64 is set")
        (device,) = first.devices()
        memory = jax.numpy.zeros(result.size, result.dtype, device=device)
        if result.size == 0:
            return memory.reshape(result.shape)
        target = _cupy.shared(_cupy.imported(name, first), memory, name)
        held.append(target)
        target[...] = result.reshape(-1)
        return jax.dlpack.from_dlpack(target.reshape(result.shape))
