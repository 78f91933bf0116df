"""Exact sums that are kept open: added to, merged, sent, stored, and rounded at last."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _jax
from ._chunks import CHUNK, accumulate
from ._device_accumulators import WORDS, Parts, are_on_cuda
from ._integers import delivered_integers, promoted
from ._quire import ffi, lib
from ._reduce import Array, operand
from ._types import (
    F64,
    INT128,
    MEAN,
    NRM2,
    STDDEV,
    SUM,
    VARIANCE,
    Rounding,
    fail,
    number_of,
    pointer,
    reduction,
    result_dtype,
    whole_number,
)

STREAMS = 64  # on which an accumulator has parts on devices, before they are fetched


def pair(x: Any, y: Any, name: str) -> tuple[Array, Array]:
    """Two arrays of one shape, in the dtype that both promote to."""
    a, b = operand(x, name), operand(y, name)
    a, b = promoted(a, b, name)
    if a.shape != b.shape:
        raise ValueError(f"quire.{name}: x has shape {a.shape}, y has {b.shape}")
    return a, b


class Accumulator:
    """An exact sum under way: nothing is rounded before `sum`, `mean` or `norm` asks for the total.

    The order of additions and merges never shows in a result. Several threads may add to one accumulator at a time.
    Arrays on a CUDA device are added there, on the current stream of their library: nothing is waited for before the
    value is asked for.

    Parameters
    ----------
    x : array, optional
        What to begin with, as `add` takes it.

    Examples
    --------
    >>> import numpy as np, quire
    >>> a = quire.Accumulator(np.array([1e100, 1.0]))
    >>> a += np.array([-1e100])
    >>> a.sum(), a.count
    (np.float64(1.0), 3)
    """

    __slots__ = ("_c", "_lock", "_parts", "_words")

    def __init__(self, x: Any = None) -> None:
        self._words = np.zeros(WORDS, np.int64)
        self._c = ffi.from_buffer("quire_accumulator[1]", self._words)
        self._lock = threading.Lock()
        self._parts = Parts()
        if x is not None:
            self.add(x)

    def add(self, x: Any, /) -> Accumulator:
        """Adds every element of an array of any shape. Returns the accumulator."""
        return self._add(lib.quire_accumulate, "Accumulator.add", x)

    def add_magnitudes(self, x: Any, /) -> Accumulator:
        """Adds the magnitude of every element. Returns the accumulator."""
        return self._add(lib.quire_accumulate_magnitudes, "Accumulator.add_magnitudes", x)

    def add_products(self, x: Any, y: Any, /) -> Accumulator:
        """Adds x * y, element by element, without rounding the products. The shapes are equal. Returns the accumulator.

        >>> import quire
        >>> quire.Accumulator().add_products([3.0, 4.0], [3.0, 4.0]).norm()
        np.float64(5.0)
        """
        return self._add(lib.quire_accumulate_products, "Accumulator.add_products", x, y)

    def _add(self, call: Callable[..., int], name: str, *arrays: Any) -> Accumulator:
        if are_on_cuda(*arrays):
            if any(_jax.is_jax(x) for x in arrays):
                with _jax.lent(name, *arrays) as (taken, _):
                    return self._add(call, name, *taken)
            with self._lock:
                self._parts.add(call, arrays, name)
                if len(self._parts) > STREAMS:
                    self._fetch()
            return self
        operands = (operand(arrays[0], name),) if len(arrays) == 1 else pair(arrays[0], arrays[1], name)
        with self._lock:
            if operands[0].size <= CHUNK:
                accumulate(self._c, operands, call, name)
                return self
            words = ffi.new("quire_accumulator *")  # all of the array or nothing, if Ctrl-C comes between pieces
            accumulate(words, operands, call, name)
            lib.quire_merge(self._c, words)
        return self

    def _fetch(self) -> None:
        """Adds up what was added on devices. The lock is held."""
        for words in self._parts.fetched():
            lib.quire_merge(self._c, ffi.from_buffer("quire_accumulator[1]", words))

    def merge(self, other: Accumulator, /) -> Accumulator:
        """Adds what another accumulator holds. Returns the accumulator."""
        if not isinstance(other, Accumulator):
            raise TypeError(f"quire.Accumulator.merge takes an Accumulator, not {type(other).__name__}")
        words = other._snapshot()
        with self._lock:
            lib.quire_merge(self._c, ffi.from_buffer("quire_accumulator[1]", words))
        return self

    def __iadd__(self, other: Any) -> Accumulator:
        return self.merge(other) if isinstance(other, Accumulator) else self.add(other)

    def __add__(self, other: Any) -> Accumulator:
        return Accumulator().merge(self).merge(other) if isinstance(other, Accumulator) else NotImplemented

    def __eq__(self, other: object) -> bool:
        return self.to_bytes() == other.to_bytes() if isinstance(other, Accumulator) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def _snapshot(self) -> Array:
        """A carried copy of the words."""
        with self._lock:
            if self._parts:
                self._fetch()
            words = self._words.copy()
        lib.quire_carry(ffi.from_buffer("quire_accumulator[1]", words))
        return words

    def _finished(self, operation: int, dtype: Any, rounding: str, name: str) -> Any:
        return finished(operation, self, None, dtype, rounding, 0, f"Accumulator.{name}")

    def sum(self, dtype: Any = np.float64, *, rounding: Rounding = "nearest") -> Any:
        """What was added, rounded once to dtype; with dtype int, if it is an integer, itself, as a Python int."""
        return self._finished(SUM, dtype, rounding, "sum")

    def mean(self, dtype: Any = np.float64, *, rounding: Rounding = "nearest") -> Any:
        """What was added over `count`, rounded once; NaN if nothing was."""
        return self._finished(MEAN, dtype, rounding, "mean")

    def norm(self, dtype: Any = np.float64, *, rounding: Rounding = "nearest") -> Any:
        """The root of what was added, rounded once: the norm of x after ``add_products(x, x)``."""
        return self._finished(NRM2, dtype, rounding, "norm")

    @property
    def count(self) -> int:
        """How many numbers or products were added, modulo 2**64."""
        return int(self.words[135]) % 2**64

    @property
    def words(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """The 140 int64 words themselves, to be added up over ranks: ``comm.Allreduce(MPI.IN_PLACE, a.words)``.

        What is added on a CUDA device later is in them once the accumulator is asked again.
        """
        with self._lock:
            self._fetch()
        return self._words

    def to_bytes(self) -> bytes:
        """The 1120 bytes of the words, carried, little-endian. Equal sums of as many numbers give equal limbs."""
        return self._snapshot().astype("<i8").tobytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> Accumulator:
        """The accumulator whose `to_bytes` gave data."""
        view = memoryview(data).cast("B")
        if len(view) != 8 * WORDS:
            raise ValueError(
                f"quire.Accumulator.from_bytes: {len(view)} bytes are none; an accumulator has {8 * WORDS}"
            )
        made = cls()
        made._words[:] = np.frombuffer(view, "<i8")
        lib.quire_carry(made._c)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_bytes, (self.to_bytes(),)

    def __repr__(self) -> str:
        return f"<quire.Accumulator of {self.count} terms: {float(self.sum())!r}>"


def finished(
    operation: int,
    total: Accumulator,
    squares: Accumulator | None,
    dtype: Any,
    rounding: str,
    correction: int,
    name: str,
) -> Any:
    """What quire_finish makes of accumulators, as a NumPy scalar."""
    wanted = INT128 if dtype is int else result_dtype(dtype, name)
    if not isinstance(rounding, str):
        raise TypeError(f"rounding must be a string, not {rounding!r}")
    what = reduction(operation, F64, number_of(wanted), "exact", rounding, correction)
    result = np.empty((), wanted)
    words = total._snapshot()
    others = squares._snapshot() if squares is not None else None
    status = lib.quire_finish(
        what,
        ffi.from_buffer("quire_accumulator[1]", words),
        ffi.NULL if others is None else ffi.from_buffer("quire_accumulator[1]", others),
        pointer(result),
    )
    if status:
        fail(status, name)
    return delivered_integers(result, wanted, True, None, name) if wanted == INT128 else result[()]


class Moments:
    """Sums of numbers and of their squares, for the exact variance of data that comes in pieces.

    Examples
    --------
    >>> import numpy as np, quire
    >>> m = quire.Moments(np.array([1.0, 2.0]))
    >>> m += np.array([3.0, 6.0])
    >>> m.mean(), m.var(correction=1)
    (np.float64(3.0), np.float64(4.666666666666667))
    """

    __slots__ = ("_squares", "_sum")

    def __init__(self, x: Any = None) -> None:
        self._sum, self._squares = Accumulator(), Accumulator()
        if x is not None:
            self.add(x)

    def add(self, x: Any, /) -> Moments:
        """Adds every element of an array of any shape. Returns the moments."""
        a = x if are_on_cuda(x) else operand(x, "Moments.add")
        added = self if are_on_cuda(a) else Moments()  # apart, so that Ctrl-C leaves both sums without the array
        added._sum._add(lib.quire_accumulate, "Moments.add", a)
        added._squares._add(lib.quire_accumulate_products, "Moments.add", a, a)
        return self if added is self else self.merge(added)

    def merge(self, other: Moments, /) -> Moments:
        """Adds what other moments hold. Returns the moments."""
        if not isinstance(other, Moments):
            raise TypeError(f"quire.Moments.merge takes Moments, not {type(other).__name__}")
        self._sum.merge(other._sum)
        self._squares.merge(other._squares)
        return self

    def __iadd__(self, other: Any) -> Moments:
        return self.merge(other) if isinstance(other, Moments) else self.add(other)

    def __add__(self, other: Any) -> Moments:
        return Moments().merge(self).merge(other) if isinstance(other, Moments) else NotImplemented

    def __eq__(self, other: object) -> bool:
        return self.to_bytes() == other.to_bytes() if isinstance(other, Moments) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    @property
    def count(self) -> int:
        """How many numbers were added, modulo 2**64."""
        return self._sum.count

    def sum(self, dtype: Any = np.float64, *, rounding: Rounding = "nearest") -> Any:
        """The sum of the numbers, rounded once."""
        return self._sum.sum(dtype, rounding=rounding)

    def mean(self, dtype: Any = np.float64, *, rounding: Rounding = "nearest") -> Any:
        """Their mean, rounded once."""
        return self._sum.mean(dtype, rounding=rounding)

    def norm(self, dtype: Any = np.float64, *, rounding: Rounding = "nearest") -> Any:
        """The root of the sum of their squares, rounded once."""
        return self._squares.norm(dtype, rounding=rounding)

    def var(self, dtype: Any = np.float64, *, correction: int | float = 0, rounding: Rounding = "nearest") -> Any:
        """The variance, rounded once, with `quire.var`'s correction."""
        return finished(
            VARIANCE, self._sum, self._squares, dtype, rounding, whole_number(correction, "Moments.var"), "Moments.var"
        )

    def std(self, dtype: Any = np.float64, *, correction: int | float = 0, rounding: Rounding = "nearest") -> Any:
        """The standard deviation, rounded once."""
        return finished(
            STDDEV, self._sum, self._squares, dtype, rounding, whole_number(correction, "Moments.std"), "Moments.std"
        )

    def to_bytes(self) -> bytes:
        """The bytes of the sum, then those of the squares."""
        return self._sum.to_bytes() + self._squares.to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> Moments:
        """The moments whose `to_bytes` gave data."""
        view = memoryview(data).cast("B")
        if len(view) != 16 * WORDS:
            raise ValueError(f"quire.Moments.from_bytes: {len(view)} bytes are none; moments have {16 * WORDS}")
        made = cls()
        made._sum = Accumulator.from_bytes(bytes(view[: 8 * WORDS]))
        made._squares = Accumulator.from_bytes(bytes(view[8 * WORDS :]))
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_bytes, (self.to_bytes(),)

    def __repr__(self) -> str:
        return f"<quire.Moments of {self.count} numbers: mean {float(self.mean())!r}>"
