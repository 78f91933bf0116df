"""Arrays of other libraries: in through DLPack or the buffer protocol, results back to the library they came from."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ._types import PLAIN_BITS

Array = np.ndarray[Any, Any]
CPU = 1  # kDLCPU
OTHER_FORMATS = ("bfloat16", "float8_e5m2", "float8_e4m3fn")


def is_foreign(x: Any) -> bool:
    """Whether results for x are arrays of another library than NumPy."""
    return type(x) is not np.ndarray and not isinstance(x, (np.ndarray, np.generic)) and hasattr(x, "__dlpack__")


def as_numpy(x: Any, name: str) -> Array:
    """x as a NumPy array, without a copy wherever NumPy can share its memory."""
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError(f"quire.{name} knows no masked arrays: pass x.data, and where=~numpy.ma.getmaskarray(x)")
    if is_foreign(x):
        return shared(x, name)
    try:
        a = np.asarray(x)
    except ValueError as error:
        raise TypeError(f"quire.{name}: x is no array: {error}") from None
    return a if type(a) is np.ndarray else a.view(np.ndarray)


def shared(x: Any, name: str) -> Array:
    """The memory of another library's array, as a NumPy array."""
    device = x.__dlpack_device__()
    if device[0] != CPU:
        raise TypeError(
            f"quire.{name}: this {type(x).__name__} is not in the memory of the CPU (DLPack's device type is "
            f"{int(device[0])})"
        )
    try:
        word = str(getattr(x, "dtype", "")).rpartition(".")[2]
        if word in OTHER_FORMATS and is_tensor(x):  # DLPack has names for them, but NumPy has not
            import ml_dtypes

            bits = sys.modules["torch"].uint16 if x.itemsize == 2 else sys.modules["torch"].uint8
            return np.from_dlpack(x.detach().view(bits)).view(getattr(ml_dtypes, word))
        return np.from_dlpack(x)
    except (BufferError, ImportError, RuntimeError, TypeError) as error:
        raise TypeError(f"quire.{name}: NumPy cannot share the memory of this {type(x).__name__}: {error}") from None


def is_tensor(x: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, torch.Tensor)


def namespace_of(x: Any) -> Any:
    """The module whose from_dlpack makes an array like x."""
    if hasattr(x, "__array_namespace__"):
        return x.__array_namespace__()
    return sys.modules[type(x).__module__.partition(".")[0]]


def like(result: Any, x: Any) -> Any:
    """A result of NumPy as an array of the library of x; it shares the memory."""
    result = np.asarray(result)
    if result.dtype in PLAIN_BITS:
        module = namespace_of(x)
        bits = module.from_dlpack(result.view(PLAIN_BITS[result.dtype]))
        return bits.view(getattr(module, result.dtype.name))
    return namespace_of(x).from_dlpack(result)


def foreign(name: str, *arrays: Any, out: Any, **options: Any) -> Any:
    """A call of quire.name for arrays of which one at least is of another library, which gets the result."""
    from . import _functions

    if out is not None:
        raise TypeError(f"quire.{name}: out is for NumPy arrays; {type(arrays[0]).__name__} gives a new array")
    owner = next(x for x in arrays if is_foreign(x))
    if is_tensor(owner) and options.get("where", True) is True and name != "segment_sum":
        from . import torch

        options.pop("where", None)
        options.pop("method" if name in ("var", "std") else "correction", None)
        return torch._call(name, arrays, **options)
    options.pop("method" if name in ("var", "std") else "correction", None)
    if is_foreign(options.get("where")):
        options["where"] = shared(options["where"], name)
    result = getattr(_functions, name)(*(as_numpy(x, name) for x in arrays), **options)
    return like(result, owner)
