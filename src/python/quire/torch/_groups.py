"""Groups of rows by the keys of a tensor on a device. Nothing is waited for."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .._groups import GroupsOnDevice, refuse_where
from ._keys import bincount, by_key, found_groups


class TensorGroups(GroupsOnDevice):
    """As Groups, of a tensor of keys: so are ``keys`` and ``counts``. Keys outside belong to no group.

    What is sorted is not kept: each reduction is that of `quire.group_sum` and its sisters, with its gradient.
    """

    def __init__(self, keys: Tensor, groups: Any):
        if keys.ndim != 1:
            raise ValueError(f"quire.groupby: keys must have one dimension, not {keys.ndim}")
        if keys.is_floating_point() or keys.is_complex() or keys.dtype == torch.bool:
            raise TypeError(f"quire.groupby: keys must be integers, not {keys.dtype}")
        self._groups, self._n, self._of_rows = found_groups(keys, groups, "groupby"), keys.shape[0], keys
        if self._groups < 0:
            raise ValueError("quire.groupby: groups must not be negative")
        self.keys = torch.arange(self._groups, device=keys.device)
        self.counts = bincount(keys, groups=self._groups)

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
        refuse_where(name, where)
        if not isinstance(x, Tensor):
            raise TypeError(f"quire.{name}: the groups are of a tensor's keys, x is a {type(x).__name__}")
        if x.device != self._of_rows.device:
            raise ValueError(f"quire.{name}: x is on {x.device}, the keys on {self._of_rows.device}")
        words = axis, dtype, out, method, rounding, correction, weights
        return by_key(name, operation, x, self._of_rows, self._groups, *words)
