"""Arrays on CUDA devices that are no tensors: CuPy's, and what CuPy can see. On CuPy's current stream, in place.

Memory for results is CuPy's, whose pool knows streams; so arrays of other libraries need CuPy, too.
"""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Any

import numpy as np

from . import _arrays, _contexts, _masks
from ._device_integers import always_fits, narrowed, wanted_whole
from ._layout import plan
from ._quire import ffi, lib
from ._reduce import checked_shape, dot
from ._types import (
    CODES,
    I32,
    I64,
    INT128_CODE,
    INTEGERS,
    SUM,
    code_of,
    fail,
    number_of,
    reduction,
    refuse_words,
    result_dtype,
)


def refusal(name: str) -> TypeError:
    return TypeError(
        f"quire.{name}: JAX arrays on a GPU are not taken here, since only XLA knows when their memory may be read: "
        "pass cupy.from_dlpack(x), and keep x until the result is used"
    )


def imported(name: str, x: Any) -> Any:
    """CuPy, which an array of another library needs for its result."""
    if not lib.quire_has_cuda():
        raise RuntimeError(f"quire.{name}: this array is on a CUDA device, and this quire was built without CUDA")
    try:
        import cupy as found
    except ImportError:
        raise TypeError(
            f"quire.{name}: memory for the result of a {type(x).__name__} on a CUDA device comes from CuPy, which is "
            "not installed"
        ) from None
    return found


def cupy(name: str, x: Any) -> Any:
    """The same for arrays that CuPy may share as it likes. JAX's have a way of their own, in _jax.py."""
    if type(x).__module__.partition(".")[0] in ("jax", "jaxlib") and lib.quire_has_cuda():
        raise refusal(name)
    return imported(name, x)


def shared(cp: Any, x: Any, name: str) -> Any:
    """An array with DLPack as CuPy's, ordered on the current stream behind what makes it."""
    try:
        return cp.from_dlpack(x)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise TypeError(f"quire.{name}: CuPy cannot share the memory of this {type(x).__name__}: {error}") from None


def adopted(x: Any, name: str) -> Any:
    """x as a CuPy array that shares its memory, ordered on the current stream behind what makes it."""
    cp = cupy(name, x)
    if isinstance(x, cp.ndarray):
        return x
    if hasattr(x, "__dlpack__"):
        return shared(cp, x, name)
    described = x.__cuda_array_interface__
    if described.get("mask") is not None:
        raise TypeError(f"quire.{name} knows no masked arrays")
    shape, dtype, strides = tuple(described["shape"]), np.dtype(described["typestr"]), described.get("strides")
    if dtype not in INTEGERS:
        code_of(dtype, name)
    if strides is None:
        strides = tuple(dtype.itemsize * prod(shape[a + 1 :]) for a in range(len(shape)))
    reach = [s * (size - 1) for s, size in zip(strides, shape, strict=True)]
    first, last = sum(r for r in reach if r < 0), sum(r for r in reach if r > 0) + dtype.itemsize
    address = described["data"][0]
    if prod(shape) == 0:
        return cp.empty(shape, dtype)
    memory = cp.cuda.UnownedMemory(address + first, last - first, x)
    stream = described.get("stream")
    current = cp.cuda.get_current_stream()
    if stream is not None and stream != current.ptr:
        current.wait_event(cp.cuda.ExternalStream(stream).record())
    return cp.ndarray(shape, dtype, cp.cuda.MemoryPointer(memory, -first), strides)


def operand(x: Any, name: str) -> Any:
    """An array of the library's formats, or of integers."""
    a = adopted(x, name)
    if a.dtype not in CODES and a.dtype not in INTEGERS:
        code_of(a.dtype, name)
    if any(s % a.dtype.itemsize for s in a.strides):
        raise ValueError(f"quire.{name}: the strides of x are no multiples of its elements' size")
    return a


def context_of(cp: Any, device: int, name: str) -> Any:
    stream = cp.cuda.get_current_stream()  # of the device that is current
    if stream.ptr > 2 and stream.is_capturing():  # 0, 1 and 2 are default streams
        return _contexts.captured(device, stream.ptr, name, stream)
    return _contexts.cuda(device, stream.ptr, name, stream)


def same_device(x: Any, y: Any, name: str, other: str) -> None:
    if x.device.id != y.device.id:
        raise ValueError(f"quire.{name}: x is on device {x.device.id}, {other} on {y.device.id}")


def results_for(out: Any, dtype: Any, x: Any, name: str, operation: int) -> tuple[Any, np.dtype[Any]]:
    """out as a CuPy array, and the dtype of results: that of integers where these are asked for."""
    whole = wanted_whole(name, operation, x.dtype, dtype, out)
    if out is None:
        if whole is not None:
            return None, whole
        default = np.dtype(np.float64) if x.dtype in INTEGERS else x.dtype
        return None, default if dtype is None else result_dtype(dtype, name)
    if not _arrays.is_foreign(out) or not _arrays.is_on_cuda(out):
        raise TypeError(f"quire.{name}: out must be on the device, as x is, and not a {type(out).__name__}")
    target = adopted(out, name)
    wanted = result_dtype(target.dtype if dtype is None else dtype, name) if whole is None else whole
    if wanted != target.dtype:
        raise TypeError(f"quire.{name}: dtype is {wanted.name}, but out has {target.dtype.name}")
    same_device(x, target, name, "out")
    if target.size and any(s == 0 and size > 1 for s, size in zip(target.strides, target.shape, strict=True)):
        raise ValueError(f"quire.{name}: elements of out share memory")
    return target, wanted


def place(cp: Any, target: Any, shape: tuple[int, ...], dtype: np.dtype[Any], inputs: tuple[Any, ...]) -> Any:
    """Memory for contiguous results: the target itself if it will do. Integers come as two words each."""
    if dtype.kind in "iu":
        return cp.empty((*shape, 2), np.int64)
    if target is not None and target.shape == shape and target.flags.c_contiguous:
        if not any(cp.may_share_memory(target, a) for a in inputs):
            return target
    return cp.empty(shape, dtype)


def result_code(dtype: np.dtype[Any]) -> int:
    """The library's number of results."""
    return INT128_CODE if dtype.kind in "iu" else CODES[dtype]


def settled(results: Any, dtype: np.dtype[Any], x: Any, operation: int, name: str) -> Any:
    """Results in their dtype."""
    if dtype.kind not in "iu":
        return results
    return narrowed(results, dtype, always_fits(operation, x.dtype, x.size, dtype), dtype, name)


def delivered(results: Any, target: Any, out: Any) -> Any:
    if target is None:
        return results
    if results is not target:
        target[...] = results
    return out


def reduce(
    name: str,
    operation: int,
    arrays: tuple[Any, ...],
    axis: Any,
    dtype: Any,
    out: Any,
    keepdims: Any,
    method: str,
    rounding: str,
    correction: int = 0,
) -> Any:
    """Reduces arrays (one, or two of one shape, dtype and device) along axes."""
    x = arrays[0]
    cp = cupy(name, x)
    refuse_words(method, rounding)
    target, wanted = results_for(out, dtype, x, name, operation)
    what = reduction(operation, number_of(x.dtype), result_code(wanted), method, rounding, correction)
    strides = tuple(a.strides for a in arrays)
    way = plan(x.shape, strides, x.dtype.itemsize, axis, bool(keepdims), method == "exact")
    final = way.shape if way.back is None else tuple(way.shape[a] for a in way.back)
    checked_shape(target, final, name)
    with x.device:
        context = context_of(cp, x.device.id, name)
        if way.order is not None:
            arrays = tuple(cp.ascontiguousarray(a.transpose(way.order)) for a in arrays)
        elif way.flip is not None:
            arrays = tuple(a[way.flip] for a in arrays)
        results = place(cp, target if way.back is None else None, way.shape, wanted, arrays)
        y_layout, y = (ffi.NULL, 0) if len(arrays) == 1 else (way.layouts[1], arrays[1].data.ptr)
        status = lib.reduce_at(context, what, way.layouts[0], arrays[0].data.ptr, y_layout, y, results.data.ptr)
        if status:
            fail(status, name)
        results = settled(results, wanted, x, operation, name)
        return delivered(results if way.back is None else results.transpose(way.back), target, out)


def one(
    name: str,
    operation: int,
    x: Any,
    axis: Any,
    dtype: Any,
    out: Any,
    keepdims: Any,
    method: str,
    rounding: str,
    where: Any,
    correction: int,
) -> Any:
    """A reduction of one array."""
    a = operand(x, name)
    way = reduce
    if where is not True and where is not None:
        way = partial(reduce_where, where)
    return returned(way(name, operation, (a,), axis, dtype, out, keepdims, method, rounding, correction), x, a, out)


def reduce_where(
    where: Any,
    name: str,
    operation: int,
    arrays: tuple[Any],
    axis: Any,
    dtype: Any,
    out: Any,
    keepdims: Any,
    method: str,
    rounding: str,
    correction: int,
) -> Any:
    """The same of the elements that a mask selects."""
    (x,) = arrays
    cp = cupy(name, x)
    refuse_words(method, rounding)
    target, wanted = results_for(out, dtype, x, name, operation)
    if _arrays.is_foreign(where) and _arrays.is_on_cuda(where):
        where = adopted(where, name)
        same_device(x, where, name, "where")
    mask = _masks.checked(where, cp.ndarray, x, name)

    def whole(a: Any) -> Any:
        return reduce(name, operation, (a,), axis, wanted, None, keepdims, method, rounding, correction)

    def segments(a: Any, offsets: Any) -> Any:
        return reduce_segments(name, operation, a, offsets, wanted, None, method, rounding, correction)

    with x.device:
        mask = cp.asarray(mask)
        results = _masks.reduce(cp, cp.transpose, operation, x, mask, axis, bool(keepdims), method, whole, segments)
        checked_shape(target, results.shape, name)
        return delivered(results, target, out)


def vecdot(x: Any, y: Any, axis: int, dtype: Any, out: Any, method: str, rounding: str) -> Any:
    """The dot products of two arrays."""
    for one, other in ((x, y), (y, x)):
        if not _arrays.is_foreign(one) or not _arrays.is_on_cuda(one):
            raise TypeError(
                f"quire.vecdot: a {type(other).__name__} is on a CUDA device, the other operand, a "
                f"{type(one).__name__}, is not"
            )
    a, b = operand(x, "vecdot"), operand(y, "vecdot")
    same_device(a, b, "vecdot", "x2")
    with a.device:
        return returned(dot(a, b, axis, dtype, out, method, rounding, cupy("vecdot", a), reduce), x, a, out)


def segment_sum(x: Any, offsets: Any, dtype: Any, out: Any, method: str, rounding: str) -> Any:
    """Sums of segments. Offsets on the device that are outside of x are moved to its ends, unseen."""
    from ._segments import checked_offsets

    name = "segment_sum"
    a = operand(x, name)
    cp = cupy(name, a)
    if a.ndim != 1:
        raise ValueError(f"quire.{name}: x must have one dimension, not {a.ndim}")
    if _arrays.is_foreign(offsets) and _arrays.is_on_cuda(offsets):
        ends = offsets if isinstance(offsets, cp.ndarray) else cp.from_dlpack(offsets)
        if ends.ndim != 1 or ends.size == 0:
            raise ValueError(
                f"quire.{name}: offsets must have one dimension and one element more than there are segments"
            )
        if ends.dtype not in (np.int32, np.int64):
            raise TypeError(f"quire.{name}: offsets on a device must be int32 or int64, not {ends.dtype.name}")
        same_device(a, ends, name, "offsets")
    else:
        ends = checked_offsets(offsets, a.size, name)
    target, wanted = results_for(out, dtype, a, name, SUM)
    checked_shape(target, (ends.size - 1,), name)
    with a.device:
        ends = cp.clip(ends, 0, a.size) if isinstance(ends, cp.ndarray) else cp.asarray(ends)
        results = reduce_segments(name, SUM, cp.ascontiguousarray(a), ends, wanted, target, method, rounding)
        return returned(delivered(results, target, out), x, a, out)


def reduce_segments(
    name: str,
    operation: int,
    x: Any,
    offsets: Any,
    wanted: np.dtype[Any],
    target: Any,
    method: str,
    rounding: str,
    correction: int = 0,
) -> Any:
    """Reduces x[offsets[s]:offsets[s + 1]], which are contiguous and on the device that is current."""
    what = reduction(operation, number_of(x.dtype), result_code(wanted), method, rounding, correction)
    cp = cupy(name, x)
    context = context_of(cp, x.device.id, name)
    results = place(cp, target, (offsets.size - 1,), wanted, (x, offsets))
    index = I64 if offsets.dtype == np.int64 else I32
    status = lib.reduce_segments_at(
        context, what, offsets.size - 1, index, offsets.data.ptr, x.data.ptr, results.data.ptr
    )
    if status:
        fail(status, name)
    return settled(results, wanted, x, operation, name)


def returned(results: Any, x: Any, adopted: Any, out: Any) -> Any:
    """Results as an array of the library of x, if it takes arrays by DLPack; else CuPy's."""
    if out is not None or x is adopted or not hasattr(x, "__dlpack__"):
        return results
    module = _arrays.namespace_of(x)
    return module.from_dlpack(results) if hasattr(module, "from_dlpack") else results
