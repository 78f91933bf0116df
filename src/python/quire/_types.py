"""The formats, methods and roundings of the library, under the names that Python knows them by."""

from __future__ import annotations

import operator
from functools import lru_cache
from typing import Any, Literal, NoReturn

import numpy as np

from ._quire import ffi, lib

Method = Literal["exact", "kahan", "pairwise", "plain"]
Rounding = Literal["nearest", "downward", "upward", "toward_zero"]

SUM, ASUM, DOT, NRM2, MEAN, VARIANCE, STDDEV = 1, 2, 3, 4, 5, 6, 7
AVERAGE, COVARIANCE, CORRELATION = 9, 10, 11
F16, BF16, F32, F64, E5M2, E4M3 = 1, 2, 3, 4, 5, 6
I32, I64 = 1, 2

METHODS = {"exact": 1, "kahan": 2, "pairwise": 3, "plain": 4}
ROUNDINGS = {"nearest": 0, "downward": 1, "upward": 2, "toward_zero": 3}

FORMATS = {"float16": F16, "bfloat16": BF16, "float32": F32, "float64": F64, "float8_e5m2": E5M2, "float8_e4m3fn": E4M3}

# NumPy's own formats; those of ml_dtypes join when the first array of them is seen, which finds ml_dtypes imported.
CODES: dict[np.dtype[Any], int] = {np.dtype(name): FORMATS[name] for name in ("float16", "float32", "float64")}

# Integers are elements alone, and their sums, of 128 bits, are results alone (_integers.py).
INTEGERS: dict[np.dtype[Any], int] = {
    np.dtype(name): code
    for name, code in (
        *((f"int{8 << i}", 16 + i) for i in range(4)),
        *((f"uint{8 << i}", 20 + i) for i in range(4)),
        ("bool", 20),
    )
}
INT128: np.dtype[Any] = np.dtype("V16")
INT128_CODE = 24

# NumPy exports no buffer of another package's formats, but of integers of their size.
PLAIN_BITS: dict[np.dtype[Any], Any] = {}

_from_buffer = ffi.from_buffer

INVALID_METHOD, INVALID_OPERATION, INVALID_MOMENTS, MISALIGNED, WRONG_CONTEXT, NO_INTEGER = 12, 15, 19, 21, 23, 24
OUT_OF_MEMORY, NOT_DEVICE_MEMORY, INVALID_STREAM = 30, 42, 43


def code_of(dtype: np.dtype[Any], name: str) -> int:
    """The library's number of a format that is in the machine's byte order; TypeError for any other dtype."""
    code = CODES.get(dtype)
    if code is None:
        code = FORMATS.get(dtype.name)
        if code is None or dtype.type.__module__.partition(".")[0] != "ml_dtypes":
            is_whole = dtype in INTEGERS
            hint = ": x.astype(numpy.float64) is exact up to 2**53" if is_whole else ""
            if dtype.kind == "O":
                hint = ": numpy.asarray(x, numpy.float64), or of pandas x.to_numpy(float, na_value=numpy.nan)"
            raise TypeError(
                f"quire.{name} works on floating-point numbers ({', '.join(FORMATS)})"
                f"{'' if is_whole else ' and integers'}, not on {dtype.name}{hint}"
            )
        PLAIN_BITS[dtype] = np.dtype(f"u{dtype.itemsize}")
        CODES[dtype] = code
    return code


def number_of(dtype: np.dtype[Any]) -> int:
    """The library's number of what elements or results are, all of which have been looked at before."""
    code = CODES.get(dtype)
    if code is not None:
        return code
    return INT128_CODE if dtype == INT128 else INTEGERS[dtype]


def result_dtype(dtype: Any, name: str) -> np.dtype[Any]:
    """The dtype that a caller names, by NumPy's words or those of another library of the array API."""
    found: np.dtype[Any]
    try:
        found = np.dtype(dtype)
    except TypeError:
        word = str(dtype).rpartition(".")[2]  # torch.float32, array_api_strict.float32
        if word not in FORMATS:
            raise TypeError(f"quire.{name}: dtype must be one of {', '.join(FORMATS)}, not {dtype!r}") from None
        if word in ("float16", "float32", "float64"):
            return np.dtype(word)
        import ml_dtypes

        found = np.dtype(getattr(ml_dtypes, word))
    found = found.newbyteorder("=")
    if found not in CODES:
        try:
            code_of(found, name)
        except TypeError:
            raise TypeError(f"quire.{name}: dtype must be one of {', '.join(FORMATS)}, not {found.name}") from None
    return found


@lru_cache(maxsize=1024)
def reduction(operation: int, x_type: int, result_type: int, method: str, rounding: str, correction: int) -> Any:
    """The C struct that says what is computed. All calls that want the same share it, and it is never written again."""
    refuse_words(method, rounding)
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(map(repr, METHODS))}, not {method!r}")
    if rounding not in ROUNDINGS:
        raise ValueError(f"rounding must be one of {', '.join(map(repr, ROUNDINGS))}, not {rounding!r}")
    what = ffi.new("quire_reduction *")
    what.operation, what.type, what.result_type = operation, x_type, result_type
    what.method, what.rounding, what.correction = METHODS[method], ROUNDINGS[rounding], correction
    return what


def whole_number(value: Any, name: str) -> int:
    """A correction, which the array API lets be 1.0 as well as 1."""
    number = value.__index__() if hasattr(value, "__index__") else None
    if number is None and isinstance(value, (float, np.floating)) and float(value).is_integer():
        number = int(value)
    if number is None or not -(2**63) <= number < 2**63:
        raise TypeError(f"quire.{name}: correction must be a whole number, not {value!r}")
    return operator.index(number)


def pointer(a: np.ndarray[Any, Any]) -> Any:
    """The address of the first element. It keeps the array alive, and the array cannot be resized meanwhile."""
    if not a.flags.c_contiguous:
        a = a[(slice(0, 1),) * a.ndim]  # only contiguous arrays have buffers, and one element is contiguous
    try:
        return _from_buffer(a)
    except ValueError:
        return _from_buffer(a.view(PLAIN_BITS[a.dtype]))


def refuse_words(method: Any, rounding: Any) -> None:
    """A TypeError for what is no string where one of the library's words should be."""
    for word, value in (("method", method), ("rounding", rounding)):
        if not isinstance(value, str):
            raise TypeError(f"{word} must be a string, not {value!r}") from None


def fail(status: int, name: str) -> NoReturn:
    """Raises what a status of the library means. Arguments have been checked, so there are few that can come."""
    text = f"quire.{name}: {ffi.string(lib.quire_status_string(status)).decode()}"
    if status == WRONG_CONTEXT:
        raise NotImplementedError(f"quire.{name}: the CUDA backend of this library cannot do it; the CPU can")
    if status == INVALID_OPERATION:
        raise NotImplementedError(text)
    if status == INVALID_METHOD:
        raise ValueError(f"quire.{name}: integers have no method but 'exact'")
    if status == NO_INTEGER:
        raise ValueError(f"quire.{name}: there is no such result as an integer of 128 bits")
    if status in (INVALID_MOMENTS, MISALIGNED, NOT_DEVICE_MEMORY, INVALID_STREAM):
        raise ValueError(text)
    if status == OUT_OF_MEMORY:
        raise MemoryError(text)
    raise RuntimeError(text)
