"""Weighted averages by key: the weights of rows, as the library is told of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._integers import promoted, wanted_integer
from ._keys import Rows
from ._quire import ffi
from ._reduce import Array, operand
from ._types import AVERAGE


class WeightedRows(Rows):
    """Rows and their weights: one for each row, or one for each element of x."""

    def __init__(
        self,
        x: Any,
        weights: Any,
        axis: Any,
        n: int,
        groups: int,
        dtype: Any,
        out: Any,
        name: str,
        others: tuple[Array, ...] = (),
    ):
        a, w = promoted(operand(x, name), operand(weights, name), name)
        wanted_integer(name, AVERAGE, a.dtype, dtype, out)  # which refuses integers
        super().__init__(a, axis, n, groups, dtype, out, name, (w, *others))
        if w.shape not in (a.shape, (n,)):
            raise ValueError(
                f"quire.{name}: weights of shape {w.shape} are neither of the shape of x, {a.shape}, nor one for each "
                f"of {n} rows"
            )
        self.weights: Array = np.ascontiguousarray(w)
        self.weights_layout = ffi.new("quire_layout *", self.layout[0])
        if w.shape != a.shape:
            self.weights_layout.outer_stride = self.weights_layout.inner_stride = 0
            self.weights_layout.stride = 1

    def second(self) -> tuple[Any, ...]:
        return self.weights_layout, self.weights

    def second_of_elements(self) -> Array:
        if self.weights.shape == self.x.shape:
            return self.weights
        shape = [1] * self.x.ndim
        shape[self.axis] = self.weights.size
        return np.broadcast_to(self.weights.reshape(shape), self.x.shape)
