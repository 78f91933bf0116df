"""Contexts. The CPU needs none: NULL is the calling thread. A CUDA context has one thread and one device."""

from __future__ import annotations

import threading
from typing import Any

from ._quire import ffi, lib
from ._types import fail

_mine = threading.local()


def cuda(device: int, stream: int, name: str) -> Any:
    """This thread's context on a device, whose work goes to a stream (a cudaStream_t as a number)."""
    contexts: dict[int, tuple[Any, int]] = _mine.__dict__.setdefault("contexts", {})
    pointer = ffi.cast("struct CUstream_st *", stream)
    if device not in contexts:
        made = ffi.new("quire_context **")
        status = lib.quire_open_cuda(made, device, pointer)
        if status:
            fail(status, name)
        # Closed when the thread ends and drops its dictionary.
        contexts[device] = ffi.gc(made[0], lib.quire_close), stream
    context, current = contexts[device]
    if current != stream:
        status = lib.quire_set_stream(context, pointer)
        if status:
            fail(status, name)
        contexts[device] = context, stream
    return context
