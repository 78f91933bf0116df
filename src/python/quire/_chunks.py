"""Arrays that no layout describes, through accumulators: piece by piece, in memory of a fixed size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ._long import LONG
from ._quire import ffi, lib
from ._types import ASUM, AVERAGE, DOT, NRM2, PLAIN_BITS, STDDEV, VARIANCE, fail, number_of, pointer

Array = np.ndarray[Any, Any]
CHUNK = 1 << 16  # elements that are copied at a time


def slices(arrays: tuple[Array, ...]) -> Iterator[tuple[Array, ...]]:
    """Flat arrays, in pieces between which Python sees to Ctrl-C."""
    for begin in range(0, arrays[0].size, LONG):
        yield tuple(a[begin : begin + LONG] for a in arrays)


def chunks(arrays: tuple[Array, ...]) -> Iterator[tuple[Array, ...]]:
    """The elements of arrays of one shape as contiguous pieces; of one array, in the order of memory."""
    x = arrays[0]
    if all(a.flags.c_contiguous for a in arrays):
        yield from slices(tuple(a.reshape(-1) for a in arrays))
    elif all(a.flags.f_contiguous for a in arrays):
        yield from slices(tuple(a.T.reshape(-1) for a in arrays))
    elif x.size:
        bits = PLAIN_BITS.get(x.dtype)  # NumPy's iterator casts nothing then
        plain = [a.view(bits) for a in arrays] if bits is not None else list(arrays)
        walk = np.nditer(
            plain,
            ["external_loop", "buffered"],
            [["readonly", "contig"]] * len(plain),  # type: ignore[call-overload]  # which NumPy's stubs lack
            order="K",
            buffersize=CHUNK,
        )
        for pieces in walk:
            yield tuple(p.view(x.dtype) for p in (pieces if len(plain) > 1 else (pieces,)))


def accumulate(words: Any, arrays: tuple[Array, ...], call: Callable[..., int], name: str) -> None:
    """Adds arrays to a C accumulator."""
    code = number_of(arrays[0].dtype)
    for pieces in chunks(arrays):
        status = call(ffi.NULL, words, code, pieces[0].size, *(pointer(p) for p in pieces))
        if status:
            fail(status, name)


def reduce_whole(what: Any, operation: int, arrays: tuple[Array, ...], results: Array, name: str) -> int:
    """The exact reduction of all elements to results, of one element. Returns the status of the library."""
    words, squares = ffi.new("quire_accumulator *"), ffi.NULL
    if operation in (DOT, AVERAGE):
        accumulate(words, arrays, lib.quire_accumulate_products, name)
        if operation == AVERAGE:
            squares = ffi.new("quire_accumulator *")  # which is where the sum of weights goes
            accumulate(squares, arrays[1:], lib.quire_accumulate, name)
    elif operation == NRM2:
        accumulate(words, arrays * 2, lib.quire_accumulate_products, name)
    elif operation == ASUM:
        accumulate(words, arrays, lib.quire_accumulate_magnitudes, name)
    else:
        accumulate(words, arrays, lib.quire_accumulate, name)
        if operation in (VARIANCE, STDDEV):
            squares = ffi.new("quire_accumulator *")
            accumulate(squares, arrays * 2, lib.quire_accumulate_products, name)
    status: int = lib.quire_finish(what, words, squares, pointer(results))
    return status
