"""What accumulators have on CUDA devices: words in a device's memory, for each stream on which something was added.

To add queues work on the current stream of the array's library, and waits for nothing. The words are fetched, which
waits for their streams, when the value is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib import import_module
from threading import get_ident
from typing import Any, NamedTuple

import numpy as np

from . import _arrays, _contexts, _cupy
from ._integers import promoted
from ._layout import plan
from ._quire import ffi
from ._types import fail, number_of

WORDS = 140
PER_THREAD = 2  # cudaStreamPerThread: another stream in each thread, under one number
_ADDRESS, _ACCUMULATOR = ffi.typeof("void *"), ffi.typeof("quire_accumulator *")

Dense = tuple[tuple[Any, ...], int, int]  # arrays that lie in memory in one order, their size, their format


def are_on_cuda(*arrays: Any) -> bool:
    """Whether an array of these is on a CUDA device."""
    for x in arrays:  # noqa: SIM110  # a generator would take longer than the sum of some numbers
        if type(x) is not np.ndarray and _arrays.is_foreign(x) and _arrays.is_on_cuda(x):
            return True
    return False


def dense(arrays: tuple[Any, ...], strides: tuple[Any, ...], itemsize: int) -> tuple[Any, ...] | None:
    """Arrays, turned around if need be, whose elements lie side by side in the same order; None if they do not."""
    way = plan(tuple(arrays[0].shape), strides, itemsize, None, False, True)
    steps = {layout.stride for layout in way.layouts}
    if way.order is not None or steps not in ({1}, {-1}):
        return None
    flip = way.flip if steps == {1} else (slice(None, None, -1),) * arrays[0].ndim
    return arrays if flip is None else tuple(a[flip] for a in arrays)


def other_shape(x: Any, y: Any, name: str) -> ValueError:
    return ValueError(f"quire.{name}: x has shape {tuple(x.shape)}, y has {tuple(y.shape)}")


class OfTensors:
    """Tensors, and PyTorch's streams."""

    def __init__(self) -> None:
        self.torch = import_module("torch")
        self.launch = import_module("quire.torch._launch")
        self.tensors = import_module("quire.torch._tensors")

    def dense(self, arrays: tuple[Any, ...], name: str) -> Dense:
        for x in arrays:
            if not _arrays.is_tensor(x):
                raise TypeError(f"quire.{name}: one operand is a tensor, the other is of {type(x).__name__}")
            _arrays.refuse_gradient(x, name)
            _arrays.refuse_without_memory(x, name)
            self.tensors.check(x, name)
            if x.device != arrays[0].device:
                raise ValueError(f"quire.{name}: x is on {arrays[0].device}, y on {x.device}")
            if x.shape != arrays[0].shape:
                raise other_shape(arrays[0], x, name)
        if len(arrays) == 2:
            arrays = self.tensors.promoted(*arrays, name)
        arrays = tuple(x.resolve_neg() for x in arrays)
        found = dense(arrays, tuple(x.stride() for x in arrays), 1) or tuple(x.contiguous() for x in arrays)
        return found, found[0].numel(), self.launch.number_of(found[0].dtype, name)

    def context(self, x: Any, name: str) -> tuple[int, int, Any]:
        device = x.get_device()
        stream = self.launch.stream_of(device)
        if stream and self.launch.is_capturing(device):
            return device, stream, None
        return device, stream, _contexts.cuda(device, stream, name)

    def stream(self, device: int) -> Any:
        return self.torch.cuda.current_stream(device)

    def zeros(self, x: Any) -> Any:
        return self.torch.zeros(WORDS, dtype=self.torch.int64, device=x.device)

    def address(self, x: Any) -> int:
        address: int = x.data_ptr()
        return address

    def on_host(self, words: Any, stream: Any) -> Any:
        stream.synchronize()
        return words.cpu().numpy()


class OfCupy:
    """CuPy's arrays, and what CuPy can see."""

    def __init__(self, cp: Any) -> None:
        self.cp = cp

    def dense(self, arrays: tuple[Any, ...], name: str) -> Dense:
        for x in arrays:
            if not are_on_cuda(x):
                raise TypeError(
                    f"quire.{name}: one operand is on a CUDA device, the other, a {type(x).__name__}, is not"
                )
        found = tuple(_cupy.operand(x, name) for x in arrays)
        for a in found:
            _cupy.same_device(found[0], a, name, "y")
            if a.shape != found[0].shape:
                raise other_shape(found[0], a, name)
        with found[0].device:
            if len(found) == 2:
                found = promoted(*found, name)
            side_by_side = dense(found, tuple(a.strides for a in found), found[0].dtype.itemsize)
            found = side_by_side or tuple(self.cp.ascontiguousarray(a) for a in found)
        return found, found[0].size, number_of(found[0].dtype)

    def context(self, x: Any, name: str) -> tuple[int, int, Any]:
        device = x.device.id
        with x.device:
            stream = self.cp.cuda.get_current_stream()
            if stream.ptr > PER_THREAD and stream.is_capturing():
                return device, stream.ptr, None
            return device, stream.ptr, _contexts.cuda(device, stream.ptr, name, stream)

    def stream(self, device: int) -> Any:
        with self.cp.cuda.Device(device):
            return self.cp.cuda.get_current_stream()

    def zeros(self, x: Any) -> Any:
        with x.device:
            return self.cp.zeros(WORDS, np.int64)

    def address(self, x: Any) -> int:
        address: int = x.data.ptr
        return address

    def on_host(self, words: Any, stream: Any) -> Any:
        with words.device:
            # A stream under this number may be that of another thread.
            (words.device if stream.ptr == PER_THREAD else stream).synchronize()
            return self.cp.asnumpy(words)


@lru_cache(maxsize=1)
def pytorch() -> OfTensors:
    return OfTensors()


class Part(NamedTuple):
    library: OfTensors | OfCupy
    stream: Any
    words: Any  # int64, on the device, allocated on that stream


class Parts(dict[tuple[bool, int, int], Part]):
    """Those of one accumulator, by library, device and stream. The accumulator's lock is held in every call."""

    def add(self, call: Callable[..., int], arrays: tuple[Any, ...], name: str) -> None:
        """Queues call, one of the library that accumulate, for one array or two."""
        of_tensors = any(_arrays.is_tensor(x) for x in arrays)
        library = pytorch() if of_tensors else OfCupy(_cupy.cupy(name, arrays[0]))
        arrays, size, code = library.dense(arrays, name)
        device, stream, context = library.context(arrays[0], name)
        if context is None:
            raise NotImplementedError(f"quire.{name}: a CUDA graph cannot capture what is added to an accumulator")
        key = of_tensors, device, stream if stream != PER_THREAD else -get_ident()
        part = self.get(key) or Part(library, library.stream(device), library.zeros(arrays[0]))
        addresses = (ffi.cast(_ADDRESS, library.address(a)) for a in arrays)
        status = call(context, ffi.cast(_ACCUMULATOR, library.address(part.words)), code, size, *addresses)
        if status:
            fail(status, name)
        self[key] = part

    def fetched(self) -> Iterator[Any]:
        """The words of each part, on the host. It is given up then."""
        for key, part in list(self.items()):
            yield part.library.on_host(part.words, part.stream)
            del self[key]
