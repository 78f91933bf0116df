"""The way of every reduction of NumPy arrays: types, layout, the call, the result."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from . import _arrays, _long
from ._chunks import reduce_whole
from ._integers import as_integers, delivered_integers, promoted, wanted_integer
from ._layout import Axes, Plan, normalized, plan
from ._masks import BLANKED
from ._quire import ffi, lib
from ._types import (
    CODES,
    DOT,
    I64,
    INT128,
    INTEGERS,
    METHODS,
    SUM,
    code_of,
    fail,
    number_of,
    pointer,
    reduction,
    refuse_words,
    result_dtype,
)

Array = np.ndarray[Any, Any]
NULL, LONG = ffi.NULL, _long.LONG
_empty, _reduce = np.empty, lib.quire_reduce
_F64 = np.dtype(np.float64)


def operand(x: Any, name: str) -> Array:
    """An array of the machine's own numbers, aligned: x itself if it is one."""
    if type(x) is not np.ndarray:
        is_list = isinstance(x, (list, tuple, int))
        made = _arrays.as_numpy(x, name)
        x = as_integers(x, made, name) if is_list and made.dtype.kind in "fO" else made
    a: Array = x
    if a.dtype not in CODES and a.dtype not in INTEGERS:
        native = a.dtype if a.dtype.isnative else a.dtype.newbyteorder("=")
        if native not in INTEGERS:
            code_of(native, name)
        a = a.astype(native, copy=False)
    return a if a.flags.aligned else a.copy()


def results_for(out: Any, dtype: Any, x_dtype: np.dtype[Any], name: str) -> np.dtype[Any]:
    """The dtype of results: dtype, else that of out, else that of x."""
    if out is None:
        if dtype is None:
            return _F64 if x_dtype in INTEGERS else x_dtype
        return INT128 if dtype is INT128 else result_dtype(dtype, name)
    checked_out(out, name)
    wanted = result_dtype(out.dtype.newbyteorder("=") if dtype is None else dtype, name)
    if wanted != out.dtype.newbyteorder("="):
        raise TypeError(f"quire.{name}: dtype is {wanted.name}, but out has {out.dtype.name}")
    return wanted


def checked_out(out: Any, name: str) -> None:
    if out is None:
        return
    if not isinstance(out, np.ndarray):
        raise TypeError(f"quire.{name}: out must be a NumPy array, not {type(out).__name__}")
    if not out.flags.writeable:
        raise ValueError(f"quire.{name}: out is read-only")


def delivered(results: Array, out: Array | None) -> Any:
    """What the caller gets: out, a scalar for one result, or the array."""
    if out is not None:
        if results is not out:
            out[...] = results
        return out
    return results[()] if results.ndim == 0 else results


def checked_shape(out: Array | None, shape: tuple[int, ...], name: str) -> None:
    if out is not None and out.shape != shape:
        raise ValueError(f"quire.{name}: out has shape {out.shape}, but the result has {shape}")


def place(out: Array | None, shape: tuple[int, ...], dtype: np.dtype[Any], inputs: tuple[Array, ...]) -> Array:
    """Memory for contiguous results: out itself if it will do."""
    if out is not None and out.shape == shape and out.dtype == dtype and out.flags.carray:
        if not any(np.may_share_memory(out, x) for x in inputs):
            return out
    return np.empty(shape, dtype)


def are_contiguous(arrays: tuple[Array, ...]) -> bool:
    """Whether arrays lie side by side in memory, in one order of their axes."""
    return all(a.flags.c_contiguous for a in arrays) or all(a.flags.f_contiguous for a in arrays)


class Call(NamedTuple):
    """How arrays of one layout are reduced. Pure, so equal layouts share it."""

    what: Any  # quire_reduction *
    way: Plan
    in_place: bool  # the arrays are read as they are, and the results stand in their order


@lru_cache(maxsize=4096)
def prepared(
    operation: int,
    x_dtype: np.dtype[Any],
    wanted: np.dtype[Any],
    method: str,
    rounding: str,
    correction: int,
    shape: Axes,
    byte_strides: tuple[Axes, ...],
    axis: Any,
    keepdims: bool,
) -> Call:
    what = reduction(operation, number_of(x_dtype), number_of(wanted), method, rounding, correction)
    way = plan(shape, byte_strides, x_dtype.itemsize, axis, keepdims, method == "exact")
    return Call(what, way, way.order is None and way.flip is None and way.back is None)


def reduce(
    name: str,
    operation: int,
    arrays: tuple[Array, ...],
    axis: Any,
    dtype: Any,
    out: Any,
    keepdims: Any,
    method: str,
    rounding: str,
    correction: int = 0,
) -> Any:
    """Reduces arrays (one, or two of one shape and dtype) along axes."""
    x = arrays[0]
    x_dtype = x.dtype
    if x_dtype in INTEGERS:
        integer = wanted_integer(name, operation, x_dtype, dtype, out)
        if integer is not None:
            checked_out(out, name)
            sums = reduce(name, operation, arrays, axis, INT128, None, keepdims, method, rounding)
            return delivered_integers(sums, integer, dtype is None, out, name)
        wanted = results_for(out, dtype, x_dtype, name)
    else:
        wanted = results_for(out, dtype, x_dtype, name) if out is not None or dtype is not None else x_dtype
    strides = (x.strides,) if len(arrays) == 1 else (x.strides, arrays[1].strides)
    try:
        what, way, in_place = prepared(
            operation, x_dtype, wanted, method, rounding, correction, x.shape, strides, axis, bool(keepdims)
        )
    except TypeError:  # of something that cannot be hashed; what it is, is told by whoever looks closer
        refuse_words(method, rounding)
        raise
    is_long = x.size > LONG
    if not in_place or out is not None or (is_long and way.vectors == 1):
        return reduce_elsewhere(name, operation, arrays, what, way, wanted, out)
    results = _empty(way.shape, wanted)
    call = _long.reduce if is_long else _reduce
    if len(arrays) == 1:
        status = call(NULL, what, way.layouts[0], pointer(x), NULL, NULL, pointer(results))
    else:
        x_layout, y_layout = way.layouts
        status = call(NULL, what, x_layout, pointer(x), y_layout, pointer(arrays[1]), pointer(results))
    if status:
        fail(status, name)
    return results if way.shape else results[()]


def reduce_elsewhere(
    name: str, operation: int, arrays: tuple[Array, ...], what: Any, way: Plan, wanted: np.dtype[Any], out: Array | None
) -> Any:
    """The same of arrays that are turned, copied or taken in pieces first, or of results that go to out."""
    is_long = arrays[0].size > LONG
    in_pieces = way.order is not None or (is_long and are_contiguous(arrays))
    in_pieces = in_pieces and way.vectors == 1 and what.method == METHODS["exact"]
    if in_pieces:
        pass
    elif way.order is not None:
        arrays = tuple(np.ascontiguousarray(a.transpose(way.order)) for a in arrays)
    elif way.flip is not None:
        arrays = tuple(a[way.flip] for a in arrays)
    final = way.shape if way.back is None else tuple(way.shape[a] for a in way.back)
    checked_shape(out, final, name)
    results = place(out if way.back is None else None, way.shape, wanted, arrays)
    if in_pieces:
        status = reduce_whole(what, operation, arrays, results, name)
    else:
        y_layout, y = (NULL, NULL) if len(arrays) == 1 else (way.layouts[1], pointer(arrays[1]))
        call = _long.reduce if is_long else _reduce
        status = call(NULL, what, way.layouts[0], pointer(arrays[0]), y_layout, y, pointer(results))
    if status:
        fail(status, name)
    return delivered(results if way.back is None else results.transpose(way.back), out)


def dot(
    a: Array, b: Array, axis: int, dtype: Any, out: Any, method: str, rounding: str, xp: Any = np, last: Any = None
) -> Any:
    """The dot products of two arrays along an axis; xp: their library; last: what reduces them, if not `reduce`."""
    a, b = promoted(a, b, "vecdot")
    if a.ndim == 0 or b.ndim == 0:
        raise ValueError("quire.vecdot: x1 and x2 must have at least one dimension")
    if axis != -1:
        a, b = (xp.moveaxis(x, normalized(axis, x.ndim)[0], -1) for x in (a, b))
    if a.shape[-1] != b.shape[-1]:
        raise ValueError(f"quire.vecdot: x1 has {a.shape[-1]} elements along the axis, x2 has {b.shape[-1]}")
    if a.shape != b.shape:
        try:
            shape = np.broadcast_shapes(a.shape, b.shape)
        except ValueError:
            raise ValueError(f"quire.vecdot: shapes {a.shape} and {b.shape} do not fit together") from None
        a, b = xp.broadcast_to(a, shape), xp.broadcast_to(b, shape)
    return (last or reduce)("vecdot", DOT, (a, b), -1, dtype, out, False, method, rounding)


def segments(
    name: str,
    operation: int,
    x: Array,
    begin: Array,
    end: Array,
    results: Array,
    method: str,
    rounding: str,
    correction: int = 0,
) -> None:
    """Reduces x[begin[s]:end[s]] to results[s]; offsets are int32 or int64 and lie within x."""
    what = reduction(operation, number_of(x.dtype), number_of(results.dtype), method, rounding, correction)
    status = _long.interruptible_if_long(lib.quire_reduce_segments, x.size)(
        NULL,
        what,
        begin.size,
        I64 if begin.dtype.itemsize == 8 else 1,
        pointer(begin),
        pointer(end),
        pointer(x),
        NULL,
        pointer(results),
    )
    if status:
        fail(status, name)


def blanked(x: Array, mask: Array) -> Array:
    """A copy of x, with -0 where the mask is False; by arithmetic, since numpy.where takes a branch an element."""
    bits = x.view(f"i{x.itemsize}")
    sign = bits.dtype.type(-(1 << 8 * x.itemsize - 1))
    copy: Array = np.bitwise_xor(bits, sign, out=np.empty_like(bits))
    copy *= mask
    copy ^= sign
    return copy.view(x.dtype)


def reduce_where(
    name: str,
    operation: int,
    x: Array,
    where: Any,
    axis: Any,
    dtype: Any,
    out: Any,
    keepdims: Any,
    method: str,
    rounding: str,
    correction: int = 0,
) -> Any:
    """The same of the elements that a mask selects: a vector is what is left of it, in its order."""
    _arrays.refuse_masked(where, name)
    mask = np.asarray(where)
    if mask.dtype != np.bool_:
        raise TypeError(f"quire.{name}: where must be an array of bool, not of {mask.dtype.name}")
    if mask.shape != x.shape:
        try:
            mask = np.broadcast_to(mask, x.shape)
        except ValueError:
            raise ValueError(
                f"quire.{name}: where has shape {mask.shape}, which does not fit x, of {x.shape}"
            ) from None
    integer = wanted_integer(name, operation, x.dtype, dtype, out)
    if integer is not None:
        checked_out(out, name)
        sums = reduce_where(name, operation, x, where, axis, INT128, None, keepdims, method, rounding)
        return delivered_integers(sums, integer, dtype is None, out, name)
    wanted = results_for(out, dtype, x.dtype, name)
    reduced = normalized(axis, x.ndim)
    if method == "exact" and operation in BLANKED and x.dtype not in INTEGERS:
        results = np.asarray(
            reduce(name, operation, (blanked(x, mask),), axis, wanted, None, keepdims, method, rounding)
        )
        checked_shape(out, results.shape, name)
        if operation == SUM:  # that of nothing is +0, and not that of the -0 in place of what is left out
            results[~mask.any(axis=reduced, keepdims=bool(keepdims))] = 0
        return delivered(results, out)
    kept = tuple(a for a in range(x.ndim) if a not in reduced)
    shape = tuple(x.shape[a] for a in kept)
    final = tuple(1 if a in reduced else x.shape[a] for a in range(x.ndim)) if keepdims else shape
    checked_shape(out, final, name)
    x, mask = x.transpose(kept + reduced), mask.transpose(kept + reduced)
    counts = np.count_nonzero(mask, axis=tuple(range(len(kept), x.ndim))) if x.ndim else np.asarray(int(mask))
    offsets = np.zeros(np.size(counts) + 1, np.int64)
    np.cumsum(np.ravel(counts), out=offsets[1:])
    chosen = x.reshape(-1).take(np.flatnonzero(mask))  # quicker by far than x[mask], which takes a branch an element
    results = np.empty(final, wanted)
    segments(name, operation, chosen, offsets[:-1], offsets[1:], results.reshape(-1), method, rounding, correction)
    return delivered(results, out)
