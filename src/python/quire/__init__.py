"""quire: the correctly rounded sum, the same bits everywhere, at the speed of memory.

>>> import quire
>>> quire.sum([1e20, 1.0, -1e20, 1.0])
np.float64(2.0)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _functions
from ._accumulators import Accumulator, Moments
from ._by_key import bincount, group_average, group_count, group_mean, group_norm, group_std, group_sum, group_var
from ._groups import groupby
from ._pairs import average, corrcoef, cov
from ._quire import ffi as _ffi
from ._quire import lib as _lib
from ._scans import cumsum, cumulative_sum
from ._segments import segment_sum

if TYPE_CHECKING:
    from ._signatures import DeviationCall, MeanCall, NormCall, SumCall, VecdotCall

# The functions, with types that say more than theirs.
sum: SumCall = _functions.sum
mean: MeanCall = _functions.mean
asum: MeanCall = _functions.asum
vector_norm: NormCall = _functions.vector_norm
norm: NormCall = _functions.norm
var: DeviationCall = _functions.var
std: DeviationCall = _functions.std
vecdot: VecdotCall = _functions.vecdot

__version__: str = _ffi.string(_lib.quire_version()).decode()

__all__ = [
    "Accumulator",
    "Moments",
    "asum",
    "average",
    "bincount",
    "corrcoef",
    "cov",
    "cumsum",
    "cumulative_sum",
    "group_average",
    "group_count",
    "group_mean",
    "group_norm",
    "group_std",
    "group_sum",
    "group_var",
    "groupby",
    "mean",
    "norm",
    "segment_sum",
    "std",
    "sum",
    "var",
    "vecdot",
    "vector_norm",
]


def __getattr__(name: str) -> object:
    if name == "torch":  # not before it is asked for: it imports PyTorch
        from importlib import import_module

        return import_module("quire.torch")
    raise AttributeError(f"module 'quire' has no attribute {name!r}")
