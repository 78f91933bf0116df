"""A CuPy whose memory is the CPU's, and contexts that are NULL, for tests of the ways of CuPy's arrays on any machine.

What goes to the library is then what would go to a device, and its results are those of the CPU.
"""

from __future__ import annotations

import sys
import types

import numpy as np
import pytest
from quire import _contexts, _cupy
from quire._quire import ffi, lib


class Device:
    def __init__(self, number):
        self.id = number

    def synchronize(self):
        ndarray.synchronized.append(self.id)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


class Pointer:
    def __init__(self, address):
        self.ptr = address


class ndarray:
    """What _cupy.py wants of a CuPy array, around one of NumPy's."""

    __dlpack__ = None
    synchronized = []  # noqa: RUF012  # devices that were waited for

    def __init__(self, host, number=0):
        self.host, self.device = host, Device(number)

    def __getattr__(self, name):
        return getattr(self.host, name)

    @property
    def data(self):
        return Pointer(self.host.__array_interface__["data"][0])

    def __dlpack_device__(self):
        return (2, self.device.id)

    def __getitem__(self, key):
        return ndarray(self.host[key], self.device.id)

    def __setitem__(self, key, value):
        self.host[key.host if isinstance(key, ndarray) else key] = value.host

    def __bool__(self):  # which would wait for a device
        ndarray.synchronized.append(self.device.id)
        return bool(self.host)

    def __sub__(self, other):
        return ndarray(self.host - unwrapped(other), self.device.id)


def method(name):
    return lambda self, *more, **words: ndarray(getattr(self.host, name)(*more, **words), self.device.id)


for name in ("transpose", "astype", "reshape", "view", "any", "all"):
    setattr(ndarray, name, method(name))


def operator_method(name):
    return lambda self, other: ndarray(getattr(self.host, name)(unwrapped(other)), self.device.id)


for name in ("__eq__", "__and__", "__ge__", "__le__", "__rshift__"):
    setattr(ndarray, name, operator_method(name))


def unwrapped(x):
    if isinstance(x, tuple):
        return tuple(unwrapped(one) for one in x)
    return x.host if isinstance(x, ndarray) else x


def of_numpy(name):
    """A function of NumPy as one of the false CuPy's."""
    function = getattr(np, name)
    return lambda *arguments: ndarray(function(*unwrapped(arguments)))


FUNCTIONS = ["arange", "ascontiguousarray", "asarray", "broadcast_to", "clip", "concatenate", "cumsum", "empty"]
FUNCTIONS += ["empty_like", "full", "moveaxis", "transpose", "where", "zeros", "zeros_like"]


class Described:
    """An array of a library that has the CUDA array interface alone."""

    def __init__(self, x, **more):
        address = (x.data.ptr, True)
        self.__cuda_array_interface__ = {"shape": x.shape, "typestr": x.dtype.str, "data": address, **more}


class Stream:
    """One that counts who waits for what."""

    def __init__(self, ptr, capturing=False):
        self.ptr, self.capturing, self.waits, self.synchronized = ptr, capturing, [], 0

    def is_capturing(self):
        return self.capturing

    def synchronize(self):
        self.synchronized += 1

    def record(self):
        return ("event of", self.ptr)

    def wait_event(self, event):
        self.waits.append(event)


class WithCuda:
    """The library as one that was built with CUDA."""

    @staticmethod
    def quire_has_cuda():
        return 1

    def __getattr__(self, name):
        return getattr(lib, name)


def on_device(x):
    """A NumPy array as one of the false CuPy; it shares the memory and keeps the strides."""
    return ndarray(x)


@pytest.fixture
def cp(monkeypatch):
    """A false CuPy, imported by whoever wants CuPy."""
    made = types.ModuleType("cupy")
    made.ndarray = ndarray
    made.stream = Stream(0)
    made.opened = []
    monkeypatch.setattr(ndarray, "synchronized", [])
    for name in ("int8", "int16", "int32", "int64"):
        setattr(made, name, getattr(np, name))
    for name in FUNCTIONS:
        setattr(made, name, of_numpy(name))
    made.asnumpy = lambda x: x.host.copy()
    made.may_share_memory = lambda x, y: np.may_share_memory(x.host, y.host)

    class Raw:  # of cupy.ndarray(shape, dtype, memory, strides)
        def __new__(cls, shape, dtype, memory, strides):
            buffer, offset = memory
            return ndarray(np.ndarray(shape, dtype, buffer, offset, strides))

    cuda = types.SimpleNamespace(
        get_current_stream=lambda: made.stream,
        Device=Device,
        ExternalStream=Stream,
        UnownedMemory=lambda address, size, owner: ffi.buffer(ffi.cast("char *", address), size),
        MemoryPointer=lambda memory, offset: (memory, offset),
    )
    made.cuda, made.Raw = cuda, Raw

    def context(kind):
        def opened(device, stream, name, owner=None):
            made.opened.append((kind, device, stream, owner is made.stream))
            return ffi.NULL

        return opened

    monkeypatch.setitem(sys.modules, "cupy", made)
    monkeypatch.setattr(_cupy, "lib", WithCuda())
    monkeypatch.setattr(_contexts, "cuda", context("cuda"))
    monkeypatch.setattr(_contexts, "captured", context("captured"))
    return made
