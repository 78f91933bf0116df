"""PyTorch's own reductions, made exact: the bits of a row do not depend on the batch around it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from . import _operators  # noqa: F401  # which makes torch.ops.quire
from ._launch import CODES

ops = torch.ops.quire
_lock = threading.Lock()
_depth = 0
_library: torch.library.Library | None = None


def _dims(dim: Sequence[int] | int | None) -> Sequence[int] | None:
    """PyTorch's dimensions: none named means all."""
    if isinstance(dim, int):
        return [dim]
    return dim if dim else None


def _sum(x: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    return ops.sum(x, _dims(dim), keepdim, dtype=dtype)


def _mean(x: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    return ops.mean(x, _dims(dim), keepdim, dtype=dtype)


def _var(x: Tensor, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Tensor:
    return ops.var(x, _dims(dim), keepdim, correction=1 if correction is None else int(correction))


def _std(x: Tensor, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Tensor:
    return ops.std(x, _dims(dim), keepdim, correction=1 if correction is None else int(correction))


def _norm(x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    return (ops.vector_norm if ord == 2 else ops.asum)(x, _dims(dim), keepdim, dtype=dtype)


OVERRIDES: dict[str, Callable[..., Tensor]] = {
    "sum": _sum,
    "sum.dim_IntList": _sum,
    "mean": _mean,
    "mean.dim": _mean,
    "var.correction": _var,
    "std.correction": _std,
    "linalg_vector_norm": _norm,
}


def _can(name: str, x: Tensor, arguments: tuple[Any, ...], words: dict[str, Any]) -> bool:
    """Whether quire has this case; else PyTorch's own kernel is called."""
    if x.dtype not in CODES or words.get("dtype") not in (None, *CODES):
        return False
    if name == "linalg_vector_norm":
        return (arguments[0] if arguments else words.get("ord", 2)) in (1, 2)
    if name in ("var.correction", "std.correction"):
        correction = words.get("correction")
        return correction is None or float(correction).is_integer()
    return True


def _override(library: torch.library.Library, name: str, device: str) -> None:
    original = torch.library.get_kernel(f"aten::{name}", device)
    ours = OVERRIDES[name]

    def kernel(keys: Any, x: Tensor, *arguments: Any, **words: Any) -> Any:
        if _can(name, x, arguments, words):
            return ours(x, *arguments, **words)
        return original.call_boxed(keys, x, *arguments, **words)

    library.impl(name, kernel, device, with_keyset=True)


@contextmanager
def batch_invariant() -> Iterator[None]:
    """Puts exact sums in place of torch.sum, torch.mean, torch.var, torch.std and torch.linalg.vector_norm.

    Within it these calls, those of tensors' methods, and those that PyTorch makes of them give the correctly rounded
    result, for floating-point tensors on the CPU and on CUDA devices: the bits of a row do not depend on the batch
    around it. It holds for all threads of the process. Integers, norms of other orders and complex numbers go to
    PyTorch as ever. Matrix products, softmax, layer_norm and other fused kernels are not touched;
    nor is a function that torch.compile has compiled, which has reductions of its own, but for calls of
    torch.ops.quire.

    Examples
    --------
    >>> import torch, quire.torch
    >>> x = torch.tensor([1e8, 1.0, -1e8])
    >>> with quire.torch.batch_invariant():
    ...     x.sum(), x.mean(dtype=torch.float64)
    (tensor(1.), tensor(0.3333, dtype=torch.float64))
    """
    global _depth, _library
    with _lock:
        if _depth == 0:
            library = torch.library.Library("aten", "IMPL")
            for name in OVERRIDES:
                for device in ("CPU", "CUDA") if torch.cuda.is_available() else ("CPU",):
                    _override(library, name, device)
            _library = library
        _depth += 1
    try:
        yield
    finally:
        with _lock:
            _depth -= 1
            if _depth == 0 and _library is not None:
                _library._destroy()
                _library = None
