"""Arrays of other libraries: in through DLPack or the buffer protocol, results back to the library they came from."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ._types import PLAIN_BITS

Array = np.ndarray[Any, Any]
CPU, CUDA, MANAGED = 1, 2, 13  # kDLCPU, kDLCUDA, kDLCUDAManaged
OTHER_FORMATS = ("bfloat16", "float8_e5m2", "float8_e4m3fn")


def is_foreign(x: Any) -> bool:
    """Whether results for x are arrays of another library than NumPy."""
    if type(x) is np.ndarray or isinstance(x, (np.ndarray, np.generic)):
        return False
    if is_tensor(x) or hasattr(x, "__cuda_array_interface__"):
        return True
    if not hasattr(x, "__dlpack__"):
        return False
    # pyarrow's arrays have no way back, so that what NumPy makes of them has NumPy's results.
    return not hasattr(x, "__array__") or hasattr(x, "__array_namespace__") or hasattr(module_of(x), "from_dlpack")


def module_of(x: Any) -> Any:
    """The module that an array's class is from, where its from_dlpack would be."""
    return sys.modules.get(type(x).__module__.partition(".")[0])


def is_on_cuda(x: Any) -> bool:
    """Whether another library's array is in the memory of a CUDA device."""
    if is_tensor(x):
        return bool(x.is_cuda)
    if hasattr(x, "__dlpack_device__"):
        return x.__dlpack_device__()[0] in (CUDA, MANAGED)
    return hasattr(x, "__cuda_array_interface__")


def refuse_masked(x: Any, name: str) -> None:
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError(f"quire.{name} knows no masked arrays: pass x.data, and where=~numpy.ma.getmaskarray(x)")


def as_numpy(x: Any, name: str) -> Array:
    """x as a NumPy array, without a copy wherever NumPy can share its memory."""
    refuse_masked(x, name)
    if is_foreign(x):
        return shared(x, name)
    try:
        a = np.asarray(x)
    except ValueError as error:
        raise TypeError(f"quire.{name}: x is no array: {error}") from None
    return a if type(a) is np.ndarray else a.view(np.ndarray)


def shared(x: Any, name: str) -> Array:
    """The memory of another library's array, as a NumPy array."""
    refuse_gradient(x, name)
    refuse_without_memory(x, name)
    if is_on_cuda(x):
        raise TypeError(f"quire.{name} works in the memory of the CPU, and this {type(x).__name__} is on a CUDA device")
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
            return np.from_dlpack(x.view(bits)).view(getattr(ml_dtypes, word))
        return np.from_dlpack(x)
    except (BufferError, ImportError, RuntimeError, TypeError) as error:
        raise TypeError(f"quire.{name}: NumPy cannot share the memory of this {type(x).__name__}: {error}") from None


def refuse_gradient(x: Any, name: str) -> None:
    if is_tensor(x) and x.requires_grad:
        raise TypeError(f"quire.{name} has no gradient here, and this tensor requires one: pass x.detach()")


def refuse_without_memory(x: Any, name: str) -> None:
    """Not of tensors that stand for others: PyTorch may lend, in their name, memory that nobody has written."""
    if is_tensor(x):
        torch = sys.modules["torch"]
        if torch._C._functorch.is_functorch_wrapped_tensor(x) or isinstance(x, torch._subclasses.FakeTensor):
            raise TypeError(
                f"quire.{name} reads memory, and this {type(x).__name__} has none: it stands for tensors, as in vmap, "
                "torch.func.grad and fake modes"
            )


def is_tensor(x: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, torch.Tensor)


def namespace_of(x: Any) -> Any:
    """The module whose from_dlpack makes an array like x."""
    if hasattr(x, "__array_namespace__"):
        return x.__array_namespace__()
    return module_of(x)


def like(result: Any, x: Any) -> Any:
    """A result of NumPy as an array of the library of x; it shares the memory."""
    if isinstance(result, int):  # an OverflowError if there is no such array
        result = np.asarray(result, np.uint64 if "uint" in str(x.dtype) else np.int64)
    result = np.asarray(result)
    if result.dtype in PLAIN_BITS:
        module = namespace_of(x)
        bits = module.from_dlpack(result.view(PLAIN_BITS[result.dtype]))
        return bits.view(getattr(module, result.dtype.name))
    return namespace_of(x).from_dlpack(result)
