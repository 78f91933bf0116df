"""What type checkers know of the reductions: which result comes of which arguments.

Of NumPy's floats all of an array becomes a scalar of its dtype, or of the dtype that is named; with ``keepdims`` an
array; with ``out`` that very array. Along an axis the result is a scalar or an array, by how many axes are left, which
no type says, so it is Any, as in NumPy's own stubs; and so is that of an array of another library.

Only type checkers read this file: ``typing_extensions`` need not be installed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol, SupportsIndex, TypedDict, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Unpack

from ._types import Method, Rounding

Axes = SupportsIndex | tuple[SupportsIndex, ...] | None
Floats = float | Sequence[float] | Sequence[Sequence[float]]
No = Literal[False]
Yes = Literal[True]

F = TypeVar("F", bound=np.floating[Any])
G = TypeVar("G", bound=np.floating[Any])
A = TypeVar("A", bound=NDArray[Any])


class Spread(TypedDict, total=False):
    """What every reduction takes."""

    rounding: Rounding
    where: ArrayLike | object


class Mean(Spread, total=False):
    method: Method


class Sum(Mean, total=False):
    initial: float | np.floating[Any] | None


class Norm(Mean, total=False):
    ord: int | float


class Deviation(Spread, total=False):
    correction: int | float
    ddof: int | float | None


class SumCall(Protocol):
    """`quire.sum`."""

    @overload
    def __call__(
        self, x: NDArray[F], /, axis: None = None, *, dtype: None = None, keepdims: No = False, **more: Unpack[Sum]
    ) -> F: ...
    @overload
    def __call__(
        self, x: Floats, /, axis: None = None, *, dtype: None = None, keepdims: No = False, **more: Unpack[Sum]
    ) -> np.float64: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        /,
        axis: None = None,
        *,
        dtype: type[G] | np.dtype[G],
        keepdims: No = False,
        **more: Unpack[Sum],
    ) -> G: ...
    @overload
    def __call__(
        self, x: NDArray[F], /, axis: Axes = None, *, dtype: None = None, keepdims: Yes, **more: Unpack[Sum]
    ) -> NDArray[F]: ...
    @overload
    def __call__(
        self, x: ArrayLike, /, axis: Axes = None, *, dtype: type[G] | np.dtype[G], keepdims: Yes, **more: Unpack[Sum]
    ) -> NDArray[G]: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        /,
        axis: Axes = None,
        *,
        out: A,
        dtype: object = None,
        keepdims: bool = False,
        **more: Unpack[Sum],
    ) -> A: ...
    @overload
    def __call__(
        self,
        x: object,
        /,
        axis: Axes = None,
        *,
        dtype: object = None,
        out: object = None,
        keepdims: bool = False,
        **more: Unpack[Sum],
    ) -> Any: ...


class MeanCall(Protocol):
    """`quire.mean` and `quire.asum`."""

    @overload
    def __call__(
        self, x: NDArray[F], /, axis: None = None, *, dtype: None = None, keepdims: No = False, **more: Unpack[Mean]
    ) -> F: ...
    @overload
    def __call__(
        self, x: Floats, /, axis: None = None, *, dtype: None = None, keepdims: No = False, **more: Unpack[Mean]
    ) -> np.float64: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        /,
        axis: None = None,
        *,
        dtype: type[G] | np.dtype[G],
        keepdims: No = False,
        **more: Unpack[Mean],
    ) -> G: ...
    @overload
    def __call__(
        self, x: NDArray[F], /, axis: Axes = None, *, dtype: None = None, keepdims: Yes, **more: Unpack[Mean]
    ) -> NDArray[F]: ...
    @overload
    def __call__(
        self, x: ArrayLike, /, axis: Axes = None, *, dtype: type[G] | np.dtype[G], keepdims: Yes, **more: Unpack[Mean]
    ) -> NDArray[G]: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        /,
        axis: Axes = None,
        *,
        out: A,
        dtype: object = None,
        keepdims: bool = False,
        **more: Unpack[Mean],
    ) -> A: ...
    @overload
    def __call__(
        self,
        x: object,
        /,
        axis: Axes = None,
        *,
        dtype: object = None,
        out: object = None,
        keepdims: bool = False,
        **more: Unpack[Mean],
    ) -> Any: ...


class NormCall(Protocol):
    """`quire.vector_norm`, which is `quire.norm`."""

    @overload
    def __call__(
        self, x: NDArray[F], /, *, axis: None = None, dtype: None = None, keepdims: No = False, **more: Unpack[Norm]
    ) -> F: ...
    @overload
    def __call__(
        self, x: Floats, /, *, axis: None = None, dtype: None = None, keepdims: No = False, **more: Unpack[Norm]
    ) -> np.float64: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        /,
        *,
        axis: None = None,
        dtype: type[G] | np.dtype[G],
        keepdims: No = False,
        **more: Unpack[Norm],
    ) -> G: ...
    @overload
    def __call__(
        self, x: NDArray[F], /, *, axis: Axes = None, dtype: None = None, keepdims: Yes, **more: Unpack[Norm]
    ) -> NDArray[F]: ...
    @overload
    def __call__(
        self, x: ArrayLike, /, *, axis: Axes = None, dtype: type[G] | np.dtype[G], keepdims: Yes, **more: Unpack[Norm]
    ) -> NDArray[G]: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        /,
        *,
        axis: Axes = None,
        out: A,
        dtype: object = None,
        keepdims: bool = False,
        **more: Unpack[Norm],
    ) -> A: ...
    @overload
    def __call__(
        self,
        x: object,
        /,
        *,
        axis: Axes = None,
        dtype: object = None,
        out: object = None,
        keepdims: bool = False,
        **more: Unpack[Norm],
    ) -> Any: ...


class DeviationCall(Protocol):
    """`quire.var` and `quire.std`."""

    @overload
    def __call__(
        self,
        x: NDArray[F],
        /,
        axis: None = None,
        *,
        dtype: None = None,
        keepdims: No = False,
        **more: Unpack[Deviation],
    ) -> F: ...
    @overload
    def __call__(
        self, x: Floats, /, axis: None = None, *, dtype: None = None, keepdims: No = False, **more: Unpack[Deviation]
    ) -> np.float64: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        /,
        axis: None = None,
        *,
        dtype: type[G] | np.dtype[G],
        keepdims: No = False,
        **more: Unpack[Deviation],
    ) -> G: ...
    @overload
    def __call__(
        self, x: NDArray[F], /, axis: Axes = None, *, dtype: None = None, keepdims: Yes, **more: Unpack[Deviation]
    ) -> NDArray[F]: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        /,
        axis: Axes = None,
        *,
        dtype: type[G] | np.dtype[G],
        keepdims: Yes,
        **more: Unpack[Deviation],
    ) -> NDArray[G]: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        /,
        axis: Axes = None,
        *,
        out: A,
        dtype: object = None,
        keepdims: bool = False,
        **more: Unpack[Deviation],
    ) -> A: ...
    @overload
    def __call__(
        self,
        x: object,
        /,
        axis: Axes = None,
        *,
        dtype: object = None,
        out: object = None,
        keepdims: bool = False,
        **more: Unpack[Deviation],
    ) -> Any: ...


class VecdotCall(Protocol):
    """`quire.vecdot`."""

    @overload
    def __call__(
        self,
        x1: NDArray[F],
        x2: NDArray[F],
        /,
        *,
        axis: SupportsIndex = -1,
        out: A,
        dtype: object = None,
        method: Method = "exact",
        rounding: Rounding = "nearest",
    ) -> A: ...
    @overload
    def __call__(
        self,
        x1: object,
        x2: object,
        /,
        *,
        axis: SupportsIndex = -1,
        dtype: object = None,
        out: object = None,
        method: Method = "exact",
        rounding: Rounding = "nearest",
    ) -> Any: ...
