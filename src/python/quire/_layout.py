"""Where the vectors of an array stand, in the library's terms: outer x inner vectors of n elements, with strides."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from operator import index
from typing import Any, NamedTuple

import numpy as np

from ._quire import ffi

Axes = tuple[int, ...]
Group = tuple[int, Axes]  # a size, and a stride for each array


class Plan(NamedTuple):
    """How one reduction of one layout is called. Pure, so equal layouts share it."""

    vectors: int  # how many results
    order: Axes | None  # to be transposed to this and copied first: kept axes, then reduced ones
    flip: Any | None  # an index that turns axes around first
    layouts: tuple[Any, ...]  # quire_layout *, one for each array
    shape: Axes  # of the results in memory
    back: Axes | None  # the transposition that puts the axes of results in their order


def integer(a: Any) -> int:
    """The integer that something is. True and False are none, as in NumPy."""
    if isinstance(a, bool):
        raise TypeError("a bool is not an integer here")
    return index(a)


def plain_axis(axis: Any) -> Axes | int | None:
    """An axis or a tuple of axes in Python's integers, so that a cache takes no (1.0,) for (1,)."""
    if axis is None or type(axis) is int:
        return axis
    try:
        return tuple(integer(a) for a in axis) if isinstance(axis, tuple) else integer(axis)
    except TypeError:
        raise TypeError(f"axis must be None, an integer or a tuple of integers, not {axis!r}") from None


def one_axis(axis: Any, name: str) -> int:
    """What names a single axis."""
    try:
        return integer(axis)
    except TypeError:
        raise TypeError(f"quire.{name}: axis must be an integer, not {axis!r}") from None


def normalized(axis: Any, ndim: int) -> Axes:
    """The axes reduced, as numbers in [0, ndim), in increasing order: the order of their elements is the array's."""
    axis = plain_axis(axis)
    if axis is None:
        return tuple(range(ndim))
    axes = axis if isinstance(axis, tuple) else (axis,)
    for a in axes:
        if not -ndim <= a < ndim:
            raise np.exceptions.AxisError(a, ndim)
    axes = tuple(sorted(a % ndim for a in axes))
    if len(set(axes)) != len(axes):
        raise ValueError(f"axis names one axis twice: {axis!r}")
    return axes


def collapsed(groups: list[Group]) -> list[Group]:
    """Neighbouring axes that one stride can walk become one."""
    merged: list[Group] = []
    for size, strides in groups:
        if size == 1:
            continue
        if merged and all(up == size * low for up, low in zip(merged[-1][1], strides, strict=True)):
            merged[-1] = (merged[-1][0] * size, strides)
        else:
            merged.append((size, strides))
    return merged


def layout(outer: Group, vector: Group, inner: Group, which: int) -> Any:
    made = ffi.new("quire_layout *")
    made.outer, made.n, made.inner = outer[0], vector[0], inner[0]
    made.outer_stride, made.stride, made.inner_stride = outer[1][which], vector[1][which], inner[1][which]
    return made


def by_size(axes: Axes, strides: tuple[Axes, ...]) -> Axes:
    """Axes by falling stride of the first array, as they lie in memory."""
    return tuple(sorted(axes, key=lambda a: -abs(strides[0][a])))


@lru_cache(maxsize=4096)
def plan(
    shape: Axes, byte_strides: tuple[Axes, ...], itemsize: int, axis: Any, keepdims: bool, any_order: bool
) -> Plan:
    """Plans a reduction of arrays of one shape, of which byte_strides has one tuple each.

    any_order: the result does not depend on the order of a vector's elements, as the exact method's does not.
    """
    ndim, arrays = len(shape), len(byte_strides)
    strides = tuple(tuple(s // itemsize for s in of_one) for of_one in byte_strides)
    reduced = normalized(axis, ndim)
    kept = tuple(a for a in range(ndim) if a not in reduced)
    n, vectors = prod(shape[a] for a in reduced), prod(shape[a] for a in kept)
    final = (
        tuple(1 if a in reduced else size for a, size in enumerate(shape))
        if keepdims
        else tuple(shape[a] for a in kept)
    )
    one: Group = (1, (0,) * arrays)

    def groups(axes: Axes, flipped: bool = False) -> list[Group]:
        return collapsed(
            [
                (shape[a], tuple(-of_one[a] if flipped and strides[0][a] < 0 else of_one[a] for of_one in strides))
                for a in axes
            ]
        )

    def made(outer: Group, vector: Group, inner: Group) -> tuple[Any, ...]:
        return tuple(layout(outer, vector, inner, which) for which in range(arrays))

    if n == 0 or vectors == 0:
        return Plan(vectors, None, None, made((vectors, one[1]), (n, one[1]), one), final, None)

    vector, flip = groups(reduced), None
    if any_order and len(vector) > 1:
        vector = groups(by_size(reduced, strides), flipped=True)
        flip = tuple(slice(None, None, -1) if a in reduced and strides[0][a] < 0 else slice(None) for a in range(ndim))
    results, back, shape_in_memory = groups(kept), None, final
    if len(results) > 2:
        sorted_axes = by_size(kept, strides)
        results = groups(sorted_axes)
        # Where a result's axis stands: with keepdims the reduced axes are in place, else they are gone.
        places = sorted_axes if keepdims else tuple(kept.index(a) for a in sorted_axes)
        lengths = tuple(shape[a] for a in sorted_axes)
        if keepdims:
            places, lengths = reduced + places, (1,) * len(reduced) + lengths
        back, shape_in_memory = tuple(places.index(a) for a in range(len(places))), lengths

    if len(vector) > 1 or len(results) > 2:
        rows: Group = (vectors, (n,) * arrays)
        return Plan(vectors, kept + reduced, None, made(rows, (n, (1,) * arrays), one), final, None)
    run = vector[0] if vector else (1, (1,) * arrays)
    if len(results) == 2:
        outer, inner = results
    elif results and abs(results[0][1][0]) < abs(run[1][0]):
        outer, inner = one, results[0]
    else:
        outer, inner = (results or [one])[0], one
    if flip is not None and all(part == slice(None) for part in flip):
        flip = None
    return Plan(vectors, None, flip, made(outer, run, inner), shape_in_memory, back)
