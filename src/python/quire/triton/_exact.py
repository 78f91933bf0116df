"""Exact sums of blocks, as functions of Triton.

Three states, the wider one where the narrower does not decide: two ends (_ends.py); a sum by TwoSum and two ends of
what it has lost (_again.py); fixed point (_limbs.py). Arithmetic whose rounding matters is PTX (_ptx.py): what Triton
may contract or reorder is not used for it.
"""

# mypy: ignore-errors
# Annotations are Triton's own: constants of a kernel.

import triton
import triton.language as tl

from ._again import sum_of
from ._ends import _product, ends, ends_of_products, merge, value
from ._ptx import _masked, _number

__all__ = ["dot", "ends", "ends_of_products", "merge", "sum", "sumsq", "value"]


@triton.jit
def _of_block(args, k, mask):
    return args[0]


@triton.jit
def _decided(number):
    """The sum of a block of one dimension, rounded once."""
    down, up = tl.reduce((number, number), 0, merge)
    result, is_decided = value(down, up)
    if not is_decided:
        result = sum_of(_of_block, (number,), number.shape[0], number.shape[0])
    return result


@triton.jit
def sum(x, mask=None):
    """The correctly rounded sum of a block of one dimension, float32. mask: which elements are there."""
    return _decided(_masked(_number(x), mask))


@triton.jit
def sumsq(x, mask=None):
    """The correctly rounded sum of squares of a block of one dimension, float32."""
    return _decided(_masked(_product(x, x), mask))


@triton.jit
def dot(x, y, mask=None):
    """The correctly rounded sum of the products x * y of two blocks of one dimension, float32."""
    return _decided(_masked(_product(x, y), mask))
