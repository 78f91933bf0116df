"""Contexts. The CPU needs none: NULL is the calling thread. On CUDA each thread has one for each stream that it uses.

A context has memory of its own on the device, 10.0 MB, through which the blocks of a reduction exchange their sums.
So two streams that work at the same time need two contexts, and so does a graph, which may be replayed at any time.
"""

from __future__ import annotations

import threading
from typing import Any

from ._quire import ffi, lib
from ._types import fail

STREAMS = 16  # contexts of a thread on a device, at most


class Contexts(dict[tuple[int, int], Any]):
    """Those of a thread, by device and stream. When the thread ends they wait for another, since to close one waits."""

    def __init__(self) -> None:
        self.owners: dict[tuple[int, int], Any] = {}

    def __del__(self) -> None:
        for key, context in self.items() if _idle is not None else ():  # None when the interpreter ends
            _idle.append((key, context, self.owners.get(key)))


_mine = threading.local()
_idle: list[tuple[tuple[int, int], Any, Any]] = []
_captured: dict[tuple[int, int], Any] = {}
_lock = threading.Lock()


def cuda(device: int, stream: int, name: str, owner: Any = None) -> Any:
    """This thread's context for a stream (a cudaStream_t as a number) of a device.

    owner: an object that must live as long as the stream is to be used.
    """
    try:
        return _mine.contexts[device, stream]
    except (AttributeError, KeyError):
        return _added(device, stream, name, owner)


def captured(device: int, stream: int, name: str, owner: Any = None) -> Any:
    """The context of graphs that are captured on a stream. It is never closed: nobody knows when a graph is gone."""
    with _lock:
        found = _captured.get((device, stream))
        if found is None:
            found = _captured[device, stream] = _opened(device, stream, name), owner
    return found[0]


def _pointer(stream: int) -> Any:
    return ffi.cast("struct CUstream_st *", stream)


def _opened(device: int, stream: int, name: str) -> Any:
    if not lib.quire_has_cuda():
        raise RuntimeError(f"quire.{name}: this array is on a CUDA device, and this quire was built without CUDA")
    made = ffi.new("quire_context **")
    status = lib.quire_open_cuda(made, device, _pointer(stream))
    if status:
        fail(status, name)
    return made[0]


def _added(device: int, stream: int, name: str, owner: Any) -> Any:
    contexts = _mine.__dict__.setdefault("contexts", Contexts())
    mine = [key for key in contexts if key[0] == device]
    context = before = None
    if len(mine) >= STREAMS:
        context, before = contexts.pop(mine[0]), contexts.owners.pop(mine[0])
    else:
        with _lock:
            idle = [entry for entry in _idle if entry[0][0] == device]
            if idle:
                entry = next((e for e in idle if e[0][1] == stream), idle[0])
                _idle.remove(entry)
                _, context, before = entry
    if context is not None and lib.quire_set_stream(context, _pointer(stream)):
        lib.quire_close(context)  # its stream has been destroyed
        context = None
    del before  # the stream that it came from had to live until now
    if context is None:
        context = _opened(device, stream, name)
    contexts[device, stream], contexts.owners[device, stream] = context, owner
    return context
