"""The way from a tensor to the library: its pointer, its strides, and on CUDA the current stream of its device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from .. import _contexts
from .._device_integers import always_fits, narrowed
from .._integers import refuse_fractions
from .._layout import Plan, plan
from .._quire import ffi, lib
from .._types import ASUM, FORMATS, I32, I64, INT128_CODE, SUM, fail, reduction
from .._types import INTEGERS as ELEMENTS

CODES = {getattr(torch, name): code for name, code in FORMATS.items()}
INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
LATER = [getattr(torch, name) for name in ("uint16", "uint32", "uint64") if hasattr(torch, name)]
WHOLE = frozenset((*INTEGERS, *LATER, torch.bool))  # what is summed as integers
NAMES = {t: str(t).rpartition(".")[2] for t in WHOLE}
WHOLE_CODES = {t: ELEMENTS[np.dtype(name)] for t, name in NAMES.items()}
NULL = ffi.NULL
_reduce_vector, _reduce = lib.reduce_vector_at, lib.reduce_at


def _public_stream(device: int) -> int:
    stream: int = torch.cuda.current_stream(device).cuda_stream
    return stream


# What compiled graphs of PyTorch call, too: a number without a Stream object around it.
stream_of: Callable[[int], int] = getattr(torch._C, "_cuda_getCurrentRawStream", _public_stream)

# And what they allocate by on a CPU, in half the time of new_empty_strided.
_guards = getattr(getattr(torch._C, "_dynamo", None), "guards", None)
_empty_cpu = getattr(_guards, "_empty_strided_cpu", None)


def number_like(x: Tensor) -> Tensor:
    """Memory for one number of the format of x, beside it."""
    found: Tensor
    if _empty_cpu is not None and x.is_cpu:
        found = _empty_cpu((), (), x.dtype)
    else:
        found = x.new_empty_strided((), ())
    return found


def code(dtype: torch.dtype, name: str) -> int:
    found = CODES.get(dtype)
    if found is None:
        hint = ": x.double() is exact up to 2**53" if dtype in INTEGERS else ""
        raise TypeError(f"quire.{name} works on floating-point numbers ({', '.join(FORMATS)}), not on {dtype}{hint}")
    return found


def number_of(dtype: torch.dtype, name: str) -> int:
    """The library's number of elements, integers among them."""
    return WHOLE_CODES[dtype] if dtype in WHOLE else code(dtype, name)


def result_of(name: str, operation: int, x_dtype: torch.dtype, dtype: torch.dtype | None) -> torch.dtype:
    """The dtype of results: the one that is named; else of floats theirs, of sums of integers int64, of others float64.

    A TypeError where there is no such result.
    """
    if x_dtype not in WHOLE:
        code(x_dtype, name)
        if dtype is None:
            return x_dtype
    elif dtype is None:
        return torch.int64 if operation in (SUM, ASUM) else torch.float64
    elif dtype in WHOLE and dtype != torch.bool:
        refuse_fractions(name, operation, NAMES[x_dtype], x_dtype.itemsize)
        return dtype
    code(dtype, name)
    return dtype


def is_capturing(device: int) -> bool:
    """Whether the current stream of a device is being captured for a graph."""
    if device == torch.cuda.current_device():
        return bool(torch.cuda.is_current_stream_capturing())
    with torch.cuda.device(device):
        return bool(torch.cuda.is_current_stream_capturing())


def context_of(x: Tensor, name: str) -> Any:
    """Where x is, and where its device is at work."""
    if x.is_cuda:
        device = x.get_device()
        stream = stream_of(device)
        if stream and is_capturing(device):  # the default stream, 0, cannot be captured
            return _contexts.captured(device, stream, name)
        return _contexts.cuda(device, stream, name)
    if x.is_cpu:
        return NULL
    raise TypeError(f"quire.{name} works on tensors of the CPU and of CUDA devices, not of {x.device}")


@lru_cache(maxsize=1024)
def what_of(
    name: str,
    operation: int,
    x_dtype: torch.dtype,
    dtype: torch.dtype,
    method: str,
    rounding: str,
    correction: int,
) -> Any:
    """What is computed, in the library's terms; dtype: of the results, as result_of has it."""
    result = INT128_CODE if dtype in WHOLE else code(dtype, name)
    return reduction(operation, number_of(x_dtype, name), result, method, rounding, correction)


def room(name: str, operation: int, x: Tensor, shape: Sequence[int], dtype: torch.dtype) -> Tensor:
    """Memory of contiguous results, beside x; of integers two words each, of which `settled` makes their dtype.

    Whether integers fit cannot be looked at while a CUDA graph is captured: then those that may not fit are refused.
    """
    if dtype not in WHOLE:
        return x.new_empty(shape, dtype=dtype)
    if x.is_cuda and not are_sure_to_fit(operation, x, dtype) and is_capturing(x.get_device()):
        raise NotImplementedError(
            f"quire.{name}: a CUDA graph cannot capture it, since these sums may be beyond {NAMES[dtype]}, which is "
            "looked at: name a floating-point dtype"
        )
    return x.new_empty((*shape, 2), dtype=torch.int64)


def are_sure_to_fit(operation: int, x: Tensor, dtype: torch.dtype) -> bool:
    """Whether integer results of elements of x fit their dtype, whatever the elements are."""
    return always_fits(operation, np.dtype(NAMES[x.dtype]), x.numel(), np.dtype(NAMES[dtype]))


def settled(results: Tensor, name: str, operation: int, x: Tensor, dtype: torch.dtype) -> Tensor:
    """The results that stand in what `room` gave. Whether integers fit is looked at, which waits for the device."""
    if dtype not in WHOLE:
        return results
    found: Tensor = narrowed(results, np.dtype(NAMES[dtype]), are_sure_to_fit(operation, x, dtype), dtype, name)
    return found


class Call(NamedTuple):
    """How tensors of one layout are reduced. Pure, so equal layouts share it."""

    what: Any  # quire_reduction *
    dtype: torch.dtype  # of the results
    way: Plan
    strides: tuple[int, ...]  # of the results in memory
    shape: tuple[int, ...]  # of the results in their order


@lru_cache(maxsize=4096)
def prepared(
    name: str,
    operation: int,
    shape: tuple[int, ...],
    strides: tuple[tuple[int, ...], ...],
    axis: Any,
    keepdim: bool,
    x_dtype: torch.dtype,
    dtype: torch.dtype | None,
    method: str,
    rounding: str,
    correction: int,
) -> Call:
    dtype = result_of(name, operation, x_dtype, dtype)
    what = what_of(name, operation, x_dtype, dtype, method, rounding, correction)
    way = plan(shape, strides, 1, axis, keepdim, method == "exact")
    final = way.shape if way.back is None else tuple(way.shape[a] for a in way.back)
    steps, step = [], 1
    for size in reversed(way.shape):
        steps.append(step)
        step *= max(size, 1)  # an axis of length 0 counts as one of length 1
    return Call(what, dtype, way, tuple(reversed(steps)), final)


def whole(name: str, operation: int, x: Tensor, method: str, rounding: str, correction: int) -> Tensor:
    """The short way of a contiguous tensor of floats to one number of its own format."""
    what = what_of(name, operation, x.dtype, x.dtype, method, rounding, correction)
    context = context_of(x, name)
    result = number_like(x)
    status = _reduce_vector(context, what, x.numel(), x.data_ptr(), result.data_ptr())
    if status:
        fail(status, name)
    return result


def reduce(
    name: str,
    operation: int,
    tensors: tuple[Tensor, ...],
    axis: Any,
    keepdim: bool,
    dtype: torch.dtype | None,
    method: str,
    rounding: str,
    correction: int = 0,
    out: Tensor | None = None,
) -> Tensor:
    """Reduces tensors (one, or two of one shape, dtype and device) along dimensions.

    axis: as quire.sum has it. dtype: None for that of `result_of`. out: of the right device and dtype, with dtype its
    own.
    """
    x = tensors[0]
    strides = (x.stride(),) if len(tensors) == 1 else (x.stride(), tensors[1].stride())
    what, dtype, way, result_strides, shape = prepared(
        name, operation, x.shape, strides, axis, keepdim, x.dtype, dtype, method, rounding, correction
    )
    if out is not None and out.shape != shape:
        raise wrong_shape(out, shape, name)
    context = context_of(x, name)
    if dtype in WHOLE:
        results = room(name, operation, x, way.shape, dtype)
    elif out is not None and way.back is None and is_target(out, tensors):
        results = out
    else:
        results = x.new_empty_strided(way.shape, result_strides, dtype=dtype)
    if way.order is not None:
        order = way.order
        tensors = tuple(t.permute(order).contiguous() for t in tensors)
    y_layout, y = (NULL, 0) if len(tensors) == 1 else (way.layouts[1], tensors[1].data_ptr())
    status = _reduce(context, what, way.layouts[0], tensors[0].data_ptr(), y_layout, y, results.data_ptr())
    if status:
        fail(status, name)
    results = settled(results, name, operation, x, dtype)
    if way.back is not None:
        results = results.permute(way.back)
        return results.contiguous() if out is None else delivered(results, out)
    return results if out is None else delivered(results, out)


def reduce_segments(
    name: str,
    operation: int,
    x: Tensor,
    offsets: Tensor,
    dtype: torch.dtype | None,
    method: str,
    rounding: str,
    correction: int = 0,
) -> Tensor:
    """Reduces x[offsets[s]:offsets[s + 1]]; both are contiguous, and the offsets lie within x."""
    dtype = result_of(name, operation, x.dtype, dtype)
    what = what_of(name, operation, x.dtype, dtype, method, rounding, correction)
    context = context_of(x, name)
    results = room(name, operation, x, (offsets.numel() - 1,), dtype)
    index = I64 if offsets.dtype == torch.int64 else I32
    status = lib.reduce_segments_at(
        context, what, offsets.numel() - 1, index, offsets.data_ptr(), x.data_ptr(), results.data_ptr()
    )
    if status:
        fail(status, name)
    return settled(results, name, operation, x, dtype)


def checked_out(out: Any, x: Tensor, dtype: torch.dtype | None, name: str) -> torch.dtype:
    """The dtype of results that go to out."""
    if not isinstance(out, Tensor):
        raise TypeError(f"quire.{name}: out must be a tensor, as x is, not {type(out).__name__}")
    if out.device != x.device:
        raise ValueError(f"quire.{name}: x is on {x.device}, out on {out.device}")
    if dtype is not None and dtype != out.dtype:
        raise TypeError(f"quire.{name}: dtype is {dtype}, but out has {out.dtype}")
    if torch.is_grad_enabled() and (out.requires_grad or x.requires_grad):
        raise ValueError(f"quire.{name} has no gradient with out, and a tensor requires one: pass x.detach()")
    if out.layout is not torch.strided:
        raise TypeError(f"quire.{name}: out is {out.layout}, and not strided as arrays are")
    if not out.is_contiguous() and out.numel():
        if any(stride == 0 and size > 1 for stride, size in zip(out.stride(), out.shape, strict=True)):
            raise ValueError(f"quire.{name}: elements of out share memory")
    return out.dtype


def is_target(out: Tensor, tensors: tuple[Tensor, ...]) -> bool:
    """Whether results can be written to out itself: contiguous, and nowhere in the input."""
    base = out.untyped_storage().data_ptr()
    return out.is_contiguous() and not out.is_neg() and all(t.untyped_storage().data_ptr() != base for t in tensors)


def wrong_shape(out: Tensor, shape: Sequence[int], name: str) -> ValueError:
    return ValueError(f"quire.{name}: out has shape {tuple(out.shape)}, but the result has {tuple(shape)}")


def delivered(results: Tensor, out: Tensor) -> Tensor:
    if results is out:
        torch.autograd.graph.increment_version(out)
        return out
    with torch.no_grad():
        return out.copy_(results)
