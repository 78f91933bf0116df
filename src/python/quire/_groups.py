"""Groups of rows with the same key, sorted once for many reductions."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _arrays
from ._integers import delivered_integers, wanted_integer
from ._keys import Rows, index_of, index_type, numbered, workspace
from ._long import interruptible_if_long
from ._quire import ffi, lib
from ._reduce import Array, checked_out, operand
from ._types import AVERAGE, INT128, MEAN, NRM2, STDDEV, SUM, VARIANCE, Method, Rounding, fail, pointer, whole_number
from ._weights import WeightedRows

NULL = ffi.NULL


class Groups:
    """Rows sorted by their keys, once for many reductions. `quire.groupby` makes it.

    Attributes
    ----------
    keys : array
        What the groups are called: the unique keys in rising order, the categories, or 0 to groups - 1.
    counts : array of int64
        How many rows each group has.
    """

    def __init__(self, keys: Any, groups: Any = None):
        codes, self._groups, self.keys = numbered(keys, groups, "groupby")
        index = index_of(codes, self._groups)
        self._n = index.size
        self._order = np.empty_like(index)
        self._offsets = np.empty(self._groups + 1, index.dtype)
        size = lib.quire_order_workspace(NULL, self._groups, index_type(index), index.size)
        room, _memory = workspace(size, "groupby")
        call = interruptible_if_long(lib.quire_order_by_key, max(index.size, self._groups))
        status = call(
            NULL,
            self._groups,
            index_type(index),
            index.size,
            pointer(index),
            pointer(self._order),
            pointer(self._offsets),
            room,
            size,
        )
        if status:
            fail(status, "groupby")
        self.counts = np.diff(self._offsets).astype(np.int64)

    def __len__(self) -> int:
        return self._groups

    def __repr__(self) -> str:
        return f"<quire groups: {self._groups} of {self._n} rows>"

    def sum(
        self,
        x: Any,
        /,
        *,
        axis: int = 0,
        dtype: Any = None,
        out: Any = None,
        method: Method = "exact",
        rounding: Rounding = "nearest",
        where: Any = True,
    ) -> Any:
        """The sum of each group's rows, element by element.

        Parameters
        ----------
        x : array of floating-point numbers
            Along the axis it has as many rows as there are keys.
        axis : int
            The axis of the rows. In the result the groups take its place.
        where : array of bool, optional
            Which elements count; it is broadcast to the shape of x.
        dtype, out, method, rounding
            As `quire.sum` has them.
        """
        return self._reduce("sum", SUM, x, axis, dtype, out, method, rounding, where)

    def mean(
        self,
        x: Any,
        /,
        *,
        axis: int = 0,
        dtype: Any = None,
        out: Any = None,
        method: Method = "exact",
        rounding: Rounding = "nearest",
        where: Any = True,
    ) -> Any:
        """The mean of each group's rows; of a group without rows it is NaN. Parameters: see `sum`."""
        return self._reduce("mean", MEAN, x, axis, dtype, out, method, rounding, where)

    def norm(
        self,
        x: Any,
        /,
        *,
        axis: int = 0,
        dtype: Any = None,
        out: Any = None,
        method: Method = "exact",
        rounding: Rounding = "nearest",
        where: Any = True,
    ) -> Any:
        """The Euclidean norm of each group's rows, element by element. Parameters: see `sum`."""
        return self._reduce("norm", NRM2, x, axis, dtype, out, method, rounding, where)

    def var(
        self,
        x: Any,
        /,
        *,
        axis: int = 0,
        correction: int | float = 0,
        dtype: Any = None,
        out: Any = None,
        rounding: Rounding = "nearest",
        where: Any = True,
    ) -> Any:
        """The variance of each group's rows. Parameters: see `sum`, and `quire.var` for the correction."""
        correction = whole_number(correction, "var")
        return self._reduce("var", VARIANCE, x, axis, dtype, out, "exact", rounding, where, correction)

    def std(
        self,
        x: Any,
        /,
        *,
        axis: int = 0,
        correction: int | float = 0,
        dtype: Any = None,
        out: Any = None,
        rounding: Rounding = "nearest",
        where: Any = True,
    ) -> Any:
        """The standard deviation of each group's rows. Parameters: see `var`."""
        correction = whole_number(correction, "std")
        return self._reduce("std", STDDEV, x, axis, dtype, out, "exact", rounding, where, correction)

    def average(
        self,
        x: Any,
        /,
        weights: Any = None,
        *,
        axis: int = 0,
        dtype: Any = None,
        out: Any = None,
        rounding: Rounding = "nearest",
        where: Any = True,
    ) -> Any:
        """The weighted average of each group's rows, sum(x * weights) / sum(weights), rounded once.

        Parameters
        ----------
        weights : array, optional
            One for each row, or of the shape of x; promoted as `quire.average` has it. Without weights, the mean.
        axis, dtype, out, rounding, where
            As `sum` has them.

        A group whose weights add up to zero has what IEEE 754 divides to: NaN, if it has no rows, else NaN or an
        infinity. (`quire.average` raises a ZeroDivisionError.)
        """
        if weights is None:
            return self.mean(x, axis=axis, dtype=dtype, out=out, rounding=rounding, where=where)
        rows = WeightedRows(x, weights, axis, self._n, self._groups, dtype, out, "average")
        what = rows.what(AVERAGE, "exact", rounding, 0)
        if where is True or where is None:
            self._gathered(what, rows.layout, rows.x, self._order, rows.results, "average", *rows.second())
        else:
            self._selected(what, rows, mask_for(where, rows, "average"))
        return rows.delivered(x)

    def _reduce(
        self,
        name: str,
        operation: int,
        x: Any,
        axis: Any,
        dtype: Any,
        out: Any,
        method: str,
        rounding: str,
        where: Any,
        correction: int = 0,
        weights: Any = None,
    ) -> Any:
        taken = operand(x, name)
        whole = wanted_integer(name, operation, taken.dtype, dtype, out)
        if whole is not None:
            checked_out(out, name)
            sums = self._reduce(name, operation, taken, axis, INT128, None, method, rounding, where)
            found = delivered_integers(sums, whole, False, out, name)
            return _arrays.like(found, x) if out is None and _arrays.is_foreign(x) else found
        rows = Rows(taken, axis, self._n, self._groups, dtype, out, name)
        what = rows.what(operation, method, rounding, correction)
        if where is True or where is None:
            self._gathered(what, rows.layout, rows.x, self._order, rows.results, name)
        else:
            self._selected(what, rows, mask_for(where, rows, name))
        return rows.delivered(x)

    def _gathered(
        self,
        what: Any,
        layout: Any,
        x: Array,
        order: Array,
        results: Array,
        name: str,
        y_layout: Any = NULL,
        y: Array | None = None,
    ) -> None:
        call = interruptible_if_long(lib.quire_reduce_gathered, max(x.size, self._n, results.size))
        status = call(
            NULL,
            what,
            self._groups,
            index_type(order),
            pointer(self._offsets[:-1]),
            pointer(self._offsets[1:]),
            pointer(order),
            layout,
            pointer(x),
            NULL if y is None else pointer(order),
            y_layout,
            NULL if y is None else pointer(y),
            pointer(results),
        )
        if status:
            fail(status, name)

    def _selected(self, what: Any, rows: Rows, mask: Array) -> None:
        """The same of the rows that a mask selects, of all vectors alike or of each its own: the others are absent."""
        if mask.ndim == 1:
            self._gathered(what, rows.layout, rows.x, self._without(mask), rows.results, rows.name, *rows.second())
            return
        one = ffi.new("quire_layout *")
        one.outer, one.n, one.inner = 1, self._n, 1
        one.outer_stride, one.stride, one.inner_stride = 0, 1, 0
        to = np.moveaxis(rows.results, rows.axis, -1)
        x = np.ascontiguousarray(np.moveaxis(rows.x, rows.axis, -1))
        elements = rows.second_of_elements()
        y = None if elements is None else np.ascontiguousarray(np.moveaxis(elements, rows.axis, -1))
        mask = np.moveaxis(mask, rows.axis, -1)
        found = np.empty(self._groups, rows.wanted)
        for i in np.ndindex(x.shape[:-1]):
            second = () if y is None else (one, y[i])
            self._gathered(what, one, x[i], self._without(mask[i]), found, rows.name, *second)
            to[i] = found

    def _without(self, mask: Array) -> Array:
        """The order, with -1 in place of rows that do not count."""
        return np.where(mask[self._order], self._order, self._order.dtype.type(-1))


class GroupsOnDevice(Groups):
    """As Groups, of keys on a device: they take no where."""

    def average(
        self,
        x: Any,
        /,
        weights: Any = None,
        *,
        axis: int = 0,
        dtype: Any = None,
        out: Any = None,
        rounding: Rounding = "nearest",
        where: Any = True,
    ) -> Any:
        operation = MEAN if weights is None else AVERAGE
        return self._reduce("average", operation, x, axis, dtype, out, "exact", rounding, where, 0, weights)


def refuse_where(name: str, where: Any) -> None:
    if where is not True and where is not None:
        raise NotImplementedError(f"quire.{name}: groups on a device take no where")


def mask_for(where: Any, rows: Rows, name: str) -> Array:
    """A mask as NumPy has it: of rows alone if it is the same along all other axes, else of the shape of x."""
    mask = _arrays.as_numpy(where, name)
    if mask.dtype != np.bool_:
        raise TypeError(f"quire.{name}: where must be an array of bool, not of {mask.dtype.name}")
    shape, n = rows.x.shape, rows.x.shape[rows.axis]
    try:
        whole = np.broadcast_to(mask, shape)
    except ValueError:
        raise ValueError(f"quire.{name}: where has shape {mask.shape}, which does not fit x, of {shape}") from None
    others = [s for a, s in enumerate(whole.strides) if a != rows.axis and shape[a] > 1]
    if not any(others):
        first = tuple(slice(None) if a == rows.axis else 0 for a in range(len(shape)))
        return whole[first] if whole.size else np.zeros(n, np.bool_)
    return whole


def groupby(keys: Any, /, groups: int | None = None) -> Groups:
    """Groups of the rows that have the same key, for sums, means and so on of each.

    Parameters
    ----------
    keys : array of one dimension
        A key for each row. Integers, strings or whatever NumPy sorts; a column of pandas or Polars; a pandas
        categorical, whose missing values (code -1) belong to no group.
    groups : int, optional
        How many groups there are: then keys are integers in [0, groups), and nothing is looked up.

    Returns
    -------
    Groups, with ``keys``, ``counts``, and the methods ``sum``, ``mean``, ``var``, ``std``, ``norm``, ``average``. Each
    result has the bits of the same reduction of the group's rows alone.

    Examples
    --------
    >>> import numpy as np, quire
    >>> g = quire.groupby(np.array(["b", "a", "b", "b"]))
    >>> g.keys.tolist(), g.counts.tolist()
    (['a', 'b'], [1, 3])
    >>> g.sum(np.array([1e16, 0.5, 1.0, -1e16]))
    array([0.5, 1. ])
    """
    if _arrays.is_foreign(keys) and _arrays.is_on_cuda(keys):
        if _arrays.is_tensor(keys):
            from .torch._groups import TensorGroups

            return TensorGroups(keys, groups)
        from ._cupy_groups import DeviceGroups

        return DeviceGroups(keys, groups)
    return Groups(keys, groups)
