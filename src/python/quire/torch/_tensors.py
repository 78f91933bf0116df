"""What quire.sum and its sisters do of tensors: straight to the library where PyTorch has nothing to record.

Else by torch.ops.quire, whose calls autograd, torch.compile, vmap and others see.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd import forward_ad

from .. import _arrays, _foreign, _functions, _integers, _masks
from .._layout import normalized
from .._types import ASUM, DOT, SUM, refuse_words, result_dtype
from . import _segments, _where  # noqa: F401  # which, with _operators, make torch.ops.quire
from ._launch import NAMES, WHOLE, checked_out, delivered, number_of, reduce, result_of, whole, wrong_shape

_strided, _kinds = torch.strided, (Tensor, torch.nn.Parameter)
_is_compiling, _is_grad_enabled = torch.compiler.is_dynamo_compiling, torch.is_grad_enabled
_modes, _transforms = torch._C._len_torch_dispatch_stack, torch._C._functorch.peek_interpreter_stack
_is_tracing = torch._C._is_tracing


def is_plain(x: Tensor) -> bool:
    """Whether a tensor is memory, and nobody records what is done with it."""
    return (
        type(x) is Tensor
        and (x.is_cuda or x.is_cpu)
        and x.layout is _strided
        and not (x.requires_grad and _is_grad_enabled())
        and not _modes()
        and _transforms() is None
        and not _is_tracing()
        and forward_ad._current_level < 0
        and not x.is_neg()
    )


def is_unobserved(*tensors: Tensor | None) -> bool:
    """Whether tensors are memory, and what is done with them is seen by autograd at most."""
    if _is_compiling() or _modes() or _transforms() is not None or _is_tracing() or forward_ad._current_level >= 0:
        return False
    for t in tensors:
        if t is None:
            continue
        if type(t) not in _kinds or not (t.is_cuda or t.is_cpu) or t.layout is not _strided or t.is_neg():
            return False
    return True


def named(dtype: Any, name: str) -> torch.dtype:
    """A torch.dtype of what names one: PyTorch's, NumPy's or a string."""
    if not isinstance(dtype, torch.dtype):
        dtype = getattr(torch, (_integers.integer_dtype(dtype) or result_dtype(dtype, name)).name)
    found: torch.dtype = dtype
    return found


def wanted(name: str, operation: int, x: Tensor, dtype: Any = None, out: Any = None) -> torch.dtype:
    """The dtype of the results for x: the one that dtype names, or that of out."""
    dtype = None if dtype is None else named(dtype, name)
    if out is not None:
        dtype = checked_out(out, x, dtype, name)
    return result_of(name, operation, x.dtype, dtype)


def check(x: Tensor, name: str) -> None:
    number_of(x.dtype, name)
    if x.layout is not _strided:
        raise TypeError(f"quire.{name}: this tensor is {x.layout}, and not strided as arrays are")


def one(
    name: str,
    operation: int,
    x: Tensor,
    axis: Any,
    dtype: Any,
    out: Any,
    keepdims: Any,
    method: str,
    rounding: str,
    where: Any,
    correction: int,
) -> Any:
    """A reduction of one tensor."""
    plain = not _is_compiling() and is_plain(x)
    if plain and axis is None and dtype is None and out is None and where is True and keepdims is False:
        if x.dtype not in WHOLE and x.is_contiguous() and type(method) is type(rounding) is str:
            return whole(name, operation, x, method, rounding, correction)
    if where is not True and where is not None:
        way = selected_on_host if plain and x.is_cpu and is_plain_mask(where) else selected
        return way(name, operation, x, where, out, axis, dtype, keepdims, method, rounding, correction)
    check(x, name)
    if dtype is not None or out is not None:
        dtype = wanted(name, operation, x, dtype, out)
    if plain:
        try:
            return reduce(name, operation, (x,), axis, bool(keepdims), dtype, method, rounding, correction, out)
        except TypeError:  # of something that cannot be hashed; what it is, is told by whoever looks closer
            refuse_words(method, rounding)
            raise
    refuse_words(method, rounding)
    refuse_tangents(name, x)
    words = {"correction": correction} if name in ("var", "std") else {"method": method}
    operator = getattr(torch.ops.quire, "asum" if operation == ASUM else name)
    dims = None if axis is None else list(normalized(axis, x.ndim))
    results = operator(x, dims, bool(keepdims), dtype=dtype, rounding=rounding, **words)
    return results if out is None else into(results, out, name)


def on_device_of(x: Tensor, where: Any, name: str) -> Tensor:
    """A mask beside x."""
    mask = _masks.checked(where, Tensor, x, name)
    if not isinstance(mask, Tensor):
        return torch.from_numpy(mask.copy()).to(x.device)
    if mask.device != x.device:
        raise ValueError(f"quire.{name}: x is on {x.device}, where on {mask.device}")
    return mask


def is_plain_mask(where: Any) -> bool:
    return not isinstance(where, Tensor) or (where.is_cpu and is_plain(where))


def selected_on_host(
    name: str,
    operation: int,
    x: Tensor,
    where: Any,
    out: Any,
    axis: Any,
    dtype: Any,
    *words: Any,
) -> Any:
    """The reduction of the elements that a mask selects, by NumPy."""
    check(x, name)
    dtype = wanted(name, operation, x, dtype, out)
    results = _foreign.selected(name, operation, x, where, None, axis, dtype, *words)
    return results if out is None else into(results, out, name)


def selected(
    name: str,
    operation: int,
    x: Tensor,
    where: Any,
    out: Any,
    axis: Any,
    dtype: Any,
    keepdims: Any,
    method: str,
    rounding: str,
    correction: int,
) -> Any:
    """The same on a device, and wherever calls are recorded."""
    check(x, name)
    _arrays.refuse_gradient(x, name)
    refuse_words(method, rounding)
    dtype = wanted(name, operation, x, dtype, out)
    mask = on_device_of(x, where, name)
    dims = None if axis is None else normalized(axis, x.ndim)
    if _is_compiling() or not (is_plain(x) and is_plain(mask)):
        refuse_tangents(name, x)
        words = {"dtype": dtype, "method": method, "rounding": rounding, "correction": correction}
        results = torch.ops.quire.where(x, mask, name, operation, dims, bool(keepdims), **words)
    else:
        results = _where.on_device(name, operation, x, mask, dims, dtype, bool(keepdims), method, rounding, correction)
    return results if out is None else into(results, out, name)


def refuse_tangents(name: str, *tensors: Tensor) -> None:
    """PyTorch takes an operator without forward-mode gradients for one whose gradient is 0."""
    if forward_ad._current_level >= 0 and any(forward_ad.unpack_dual(x).tangent is not None for x in tensors):
        raise NotImplementedError(f"quire.{name} has no forward-mode gradient")


def into(results: Tensor, out: Tensor, name: str) -> Tensor:
    if out.shape != results.shape:
        raise wrong_shape(out, results.shape, name)
    return delivered(results, out)


def vecdot(x: Any, y: Any, axis: int, dtype: Any, out: Any, method: str, rounding: str) -> Any:
    """The dot products of two tensors, of which one is a tensor as far as is known."""
    name = "vecdot"
    for t in (x, y):
        if not isinstance(t, Tensor):
            raise TypeError(f"quire.{name}: one operand is a tensor, the other is of {type(t).__name__}")
        check(t, name)
    if x.device != y.device:
        raise ValueError(f"quire.{name}: x1 is on {x.device}, x2 on {y.device}")
    refuse_words(method, rounding)
    x, y = pair(x, y, axis)
    dtype = wanted(name, DOT, x, dtype, out)
    if out is not None:
        checked_out(out, y, dtype, name)
    if _is_compiling() or not (is_plain(x) and is_plain(y)):
        refuse_tangents(name, x, y)
        results = torch.ops.quire.vecdot(x, y, -1, dtype=dtype, method=method, rounding=rounding)
        return results if out is None else into(results, out, name)
    return reduce(name, DOT, (x, y), -1, False, dtype, method, rounding, 0, out)


def pair(x: Tensor, y: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    """Two tensors broadcast to one shape and dtype, with the axis of the vectors last."""
    if axis == -1 and x.shape == y.shape and x.dtype == y.dtype and x.ndim:
        return x, y
    if x.ndim == 0 or y.ndim == 0:
        raise ValueError("quire.vecdot: x1 and x2 must have at least one dimension")
    if axis != -1:
        (a,), (b,) = normalized(axis, x.ndim), normalized(axis, y.ndim)
        x, y = x.movedim(a, -1), y.movedim(b, -1)
    if x.shape[-1] != y.shape[-1]:
        raise ValueError(f"quire.vecdot: x1 has {x.shape[-1]} elements along the axis, x2 has {y.shape[-1]}")
    x, y = promoted(x, y, "vecdot")
    if x.shape != y.shape:
        try:
            x, y = torch.broadcast_tensors(x, y)
        except RuntimeError:
            raise ValueError(
                f"quire.vecdot: shapes {tuple(x.shape)} and {tuple(y.shape)} do not fit together"
            ) from None
    return x, y


def promoted(x: Tensor, y: Tensor, name: str) -> tuple[Tensor, Tensor]:
    """Both in one dtype that holds the values of both, as NumPy has it."""
    if x.dtype == y.dtype:
        return x, y
    common = common_dtype(x.dtype, y.dtype)
    if common is None and WHOLE & {x.dtype, y.dtype} and are_doubles(x) and are_doubles(y):
        common = torch.float64
    if common is None:
        raise TypeError(f"quire.{name}: no format holds both {x.dtype} and {y.dtype}: convert one")
    return x.to(common), y.to(common)


def common_dtype(a: torch.dtype, b: torch.dtype) -> torch.dtype | None:
    if a in WHOLE and b in WHOLE:
        found = np.promote_types(NAMES[a], NAMES[b])
        return getattr(torch, found.name) if found.kind in "iu" else None
    if a in WHOLE or b in WHOLE:
        whole, real = (a, b) if a in WHOLE else (b, a)
        return next((f for f in (real, torch.float32, torch.float64) if is_held(whole, f)), None)
    try:
        return torch.promote_types(a, b)
    except RuntimeError:
        return None


def are_doubles(t: Tensor) -> bool:
    """Whether all numbers are known to be doubles: integers of 64 bits only where they may be looked at."""
    if t.dtype not in WHOLE or is_held(t.dtype, torch.float64):
        return True
    return not _is_compiling() and is_plain(t) and t.is_cpu and _integers.are_doubles(t.numpy())


def is_held(whole: torch.dtype, real: torch.dtype) -> bool:
    """Whether a format holds all integers of a dtype."""
    bits = 1 if whole == torch.bool else 8 * whole.itemsize
    return bool(2**bits <= 2 / torch.finfo(real).eps)


def segment_sum(x: Tensor, offsets: Any, dtype: Any, out: Any, method: str, rounding: str) -> Any:
    """Sums of segments of a tensor. Offsets that are no tensor are checked, and sent to the device."""
    name = "segment_sum"
    check(x, name)
    refuse_tangents(name, x)
    dtype = wanted(name, SUM, x, dtype, out)
    refuse_words(method, rounding)
    if not isinstance(offsets, Tensor):
        from .._segments import checked_offsets

        offsets = torch.from_numpy(checked_offsets(offsets, x.shape[0] if x.ndim else 0, name).copy()).to(x.device)
    results = torch.ops.quire.segment_sum(x, offsets, dtype=dtype, method=method, rounding=rounding)
    return results if out is None else into(results, out, name)


def known() -> None:
    """From now on quire.sum and its sisters know a tensor when they see one."""
    _functions.Tensor = Tensor
    _functions.reduce_tensor = one
    _foreign.TENSORS = sys.modules[__name__]
