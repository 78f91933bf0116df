"""PyTorch's own reductions, made exact: the bits of a row do not depend on the batch around it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import prod
from typing import Any, TypeAlias

import torch
from torch import Tensor

from .._types import ASUM, MEAN, NRM2, STDDEV, SUM, VARIANCE
from . import _override_keys, _override_norms
from ._launch import CODES, reduce

_is_compiling = torch.compiler.is_dynamo_compiling
_lock = threading.Lock()
_depth = 0  # how many have entered and not left, in all threads
_library: torch.library.Library | None = None  # never destroyed: a thread may be in one of its kernels at any time
_devices: set[str] = set()  # those that have our kernels

Dims: TypeAlias = "Sequence[int] | int | None"
Maybe: TypeAlias = "Tensor | None"  # None: PyTorch's own kernel has it, be it with an error


def _axes(x: Tensor, dim: Dims) -> tuple[int, ...] | None:
    """PyTorch's dimensions as axes: none named means all; a tensor of no dimension has one. None: they are wrong."""
    if dim is None or dim == []:
        return tuple(range(x.ndim))
    dims, ndim = [dim] if isinstance(dim, int) else dim, max(x.ndim, 1)
    axes = {d % ndim for d in dims if -ndim <= d < ndim}
    if len(axes) != len(dims):
        return None
    return tuple(sorted(axes)) if x.ndim else ()


def _reduced(
    name: str,
    operation: int,
    x: Tensor,
    dim: Dims,
    keepdim: bool,
    dtype: torch.dtype | None,
    out: Maybe,
    correction: int = 0,
) -> Maybe:
    """A reduction as PyTorch has it: a format that is named, or else that of out, is the result's."""
    axes = _axes(x, dim)
    if out is not None:
        if out.device != x.device or dtype not in (None, out.dtype):
            return None
        dtype = out.dtype
    if axes is None or x.dtype not in CODES or dtype not in (None, *CODES):
        return None
    if _is_compiling():  # the frame of a kernel that compiled code has called
        words = {"correction": correction} if name in ("var", "std") else {}
        operator = getattr(torch.ops.quire, "asum" if operation == ASUM else name)
        results = operator(x, axes, keepdim, dtype=dtype, **words)
    else:
        results = reduce(name, operation, (x,), axes, keepdim, dtype, "exact", "nearest", correction)
    return results if out is None else torch.ops.aten.clone.out(results, out=out)  # which resizes out, or warns


def _converted(x: Tensor, dtype: torch.dtype | None) -> Tensor:
    """PyTorch converts integers to the format that is named before it adds them."""
    return x if dtype not in CODES or x.is_floating_point() or x.is_complex() else x.to(dtype)


def _sum(x: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: Any = None, out: Maybe = None) -> Maybe:
    x = _converted(x, out.dtype if dtype is None and out is not None else dtype)
    return _reduced("sum", SUM, x, dim, keepdim, dtype, out)


def _nansum(x: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: Any = None, out: Maybe = None) -> Maybe:
    if x.dtype in CODES:
        x = x.masked_fill(x != x, 0)
    return _sum(x, dim, keepdim, dtype=dtype, out=out)


def _mean(x: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: Any = None, out: Maybe = None) -> Maybe:
    return _reduced("mean", MEAN, _converted(x, dtype), dim, keepdim, dtype, out)


def _norm(
    x: Tensor, ord: Any = 2, dim: Dims = None, keepdim: bool = False, *, dtype: Any = None, out: Maybe = None
) -> Maybe:
    wanted = x.dtype if dtype is None else dtype
    if ord not in (1, 2) or (out is not None and out.dtype != wanted):
        return None
    if wanted != x.dtype and torch.promote_types(x.dtype, wanted) != wanted:
        return None
    return _reduced("vector_norm", NRM2 if ord == 2 else ASUM, x, dim, keepdim, dtype, out)


def _moment(
    name: str, operation: int, x: Tensor, dim: Dims, correction: Any, keepdim: bool, out: Maybe = None
) -> Maybe:
    """Not of a correction that is no whole number, nor of one that leaves nothing: there PyTorch has infinities."""
    correction = 1 if correction is None else correction
    axes = _axes(x, dim)
    if axes is None or not float(correction).is_integer() or prod(x.shape[a] for a in axes) <= correction:
        return None
    return _reduced(name, operation, x, dim, keepdim, None, out, int(correction))


def _var(x: Tensor, dim: Dims = None, *, correction: Any = None, keepdim: bool = False, out: Maybe = None) -> Maybe:
    return _moment("var", VARIANCE, x, dim, correction, keepdim, out)


def _std(x: Tensor, dim: Dims = None, *, correction: Any = None, keepdim: bool = False, out: Maybe = None) -> Maybe:
    return _moment("std", STDDEV, x, dim, correction, keepdim, out)


def _with_mean(moment: Callable[..., Maybe]) -> Callable[..., tuple[Maybe, Maybe] | None]:
    def both(x: Tensor, dim: Dims = None, *, correction: Any = None, keepdim: bool = False) -> Any:
        first = moment(x, dim, correction=correction, keepdim=keepdim)
        return None if first is None else (first, _mean(x, dim, keepdim))

    return both


OVERRIDES: dict[str, Callable[..., Any]] = {
    "sum": _sum,
    "sum.dim_IntList": _sum,
    "sum.IntList_out": _sum,
    "nansum": _nansum,
    "nansum.out": _nansum,
    "mean": _mean,
    "mean.dim": _mean,
    "mean.out": _mean,
    "var.correction": _var,
    "var.correction_out": _var,
    "std.correction": _std,
    "std.correction_out": _std,
    "var_mean.correction": _with_mean(_var),
    "std_mean.correction": _with_mean(_std),
    "linalg_vector_norm": _norm,
    "linalg_vector_norm.out": _norm,
    **_override_keys.OVERRIDES,
    **_override_norms.OVERRIDES,
}


def _override(library: torch.library.Library, name: str, key: str, ours: Callable[..., Any]) -> None:
    """Puts ours in front of what PyTorch has for a dispatch key."""
    original = torch.library.get_kernel(f"aten::{name}", key)

    def kernel(keys: Any, x: Tensor, *arguments: Any, **words: Any) -> Any:
        if _depth:
            results = ours(x, *arguments, **words)
            if results is not None:
                return results
        return original.call_boxed(keys, x, *arguments, **words)

    library.impl(name, kernel, key, with_keyset=True)


def _register(device: str) -> None:
    """Gives PyTorch our kernels, once in a process: taking one out while another thread is in it would crash."""
    global _library
    _library = _library or torch.library.Library("aten", "IMPL")
    for name, ours in OVERRIDES.items():
        _override(_library, name, device, ours)
    for name, ours in _override_norms.ABOVE_AUTOGRAD.items():
        for key in (f"Autograd{device}", device):
            _override(_library, name, key, ours)
    _devices.add(device)


def _register_missing() -> None:
    for device in ("CPU", "CUDA"):
        if device not in _devices and (device == "CPU" or torch.cuda.is_available()):
            compiler = sys.modules.get("torch._dynamo")  # which would compile what code that it compiled calls
            (compiler.disable(_register) if compiler else _register)(device)


@contextmanager
def batch_invariant() -> Iterator[None]:
    """Puts exact sums in place of PyTorch's own: of elements, by key, running ones, those in softmax and norms.

    That is torch.sum, mean, var, std, linalg.vector_norm, nansum, var_mean, std_mean; index_add, scatter_add,
    scatter_reduce by "sum" and "mean", bincount, the gradients of index_select, gather, embedding and embedding_bag;
    cumsum; softmax, log_softmax, layer_norm, rms_norm and their gradients.

    Within it these calls, with or without out, in place, those of tensors' methods, and those that PyTorch makes of
    them give the correctly rounded result (softmax and the norms: have correctly rounded sums in them), for
    floating-point tensors on the CPU and on CUDA devices: the bits of a row do not depend on the batch around it.

    It holds for all threads of the process, autograd's too, from when the first one enters until the last one leaves.
    Threads may enter and leave at any time, while others reduce. After the first entry these calls of PyTorch's pass
    through Python, outside as well, which takes some microseconds more a call.

    PyTorch's own are, as outside: sums of integers, unless a floating-point dtype or out asks for them in it, and of
    complex numbers; norms of other orders than 1 and 2; a correction that is no whole number, or is not less than the
    number of elements; embeddings with scale_grad_by_freq. Matrix products, dot, index_put with accumulate, losses and
    other fused kernels are not touched; nor is a function that torch.compile has compiled, which has kernels of its
    own, but for calls of torch.ops.quire. On a device a key out of range is left out.

    Examples
    --------
    >>> import torch, quire.torch
    >>> x = torch.tensor([1e8, 1.0, -1e8])
    >>> with quire.torch.batch_invariant():
    ...     x.sum(), x.mean(dtype=torch.float64)
    (tensor(1.), tensor(0.3333, dtype=torch.float64))
    """
    global _depth
    with _lock:
        _register_missing()
        _depth += 1
    try:
        yield
    finally:
        with _lock:
            _depth -= 1
