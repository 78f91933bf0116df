"""Sums and variances of terms in memory that are always decided: for rows and columns that two ends leave undecided.

Terms are read again in tiles, a few by each thread, so that this takes few registers beside a kernel that rarely needs
it. They are given by a function, as _limbs.py has it.
"""

# mypy: ignore-errors
# Annotations are Triton's own: constants of a kernel.

import triton
import triton.language as tl

from ._ends import _merge_sums, ends_of_variance, merge, merge_moments, value
from ._limbs import total, variance_beside
from ._ptx import (
    _add_down,
    _add_to_zero,
    _add_up,
    _float,
    _masked,
    _nothing,
    _number,
    _over_down,
    _over_to_zero,
    _over_up,
    _times,
    _times_down,
    _times_up,
    _to_odd,
)


@triton.jit
def _over_odd(x, by):
    """A quotient, rounded to odd. If x is a sum rounded to odd, it is on the same side of a middle of two floats as the
    exact quotient: by times that middle is a float64 that is even, if by has 27 bits at most."""
    return _to_odd(_over_to_zero(x, by), _over_down(x, by) != _over_up(x, by))


@triton.jit
def value_of_sums(s, down, up, by):
    """What a sum and the ends of its losses, over a count, round to, and whether that is decided."""
    total_down = _to_odd(_add_to_zero(s, down), _add_down(s, down) != _add_up(s, down))
    total_up = _to_odd(_add_to_zero(s, up), _add_down(s, up) != _add_up(s, up))
    lower, is_same = value(_over_odd(total_down, by), _over_odd(total_up, by))
    alone = (down == 0) & (up == 0)  # whose zero has its sign
    return tl.where(alone, _float(_over_odd(s, by)), lower), alone | (is_same & (lower == lower))


@triton.jit
def _ends(term: tl.constexpr, args, n, T: tl.constexpr):
    down = _nothing([T])
    up = _nothing([T])
    for begin in range(0, n, T):
        k = begin + tl.arange(0, T)
        number = term(args, k, k < n)
        down, up = merge(down, up, number, number)
    return tl.reduce((down, up), 0, merge)


@triton.jit
def _sums(term: tl.constexpr, args, n, T: tl.constexpr):
    s = _nothing([T])
    none = tl.zeros([T], tl.float64)
    down = none
    up = none
    for begin in range(0, n, T):
        k = begin + tl.arange(0, T)
        s, down, up = _merge_sums(s, down, up, term(args, k, k < n), none, none)
    return tl.reduce((s, down, up), 0, _merge_sums)


@triton.jit
def quotient_of(term: tl.constexpr, args, n, by, T: tl.constexpr):
    """The sum of n terms over by, a count below 2^27 as float64, rounded once to float32.

    Terms are doubles of 48 bits at most, 0 or from 2^-298 on, n of them less than 2^319 together.
    """
    down, up = _ends(term, args, n, T)
    result, is_decided = value(_over_down(down, by), _over_up(up, by))
    if not is_decided:
        s, down, up = _sums(term, args, n, T)
        result, is_decided = value_of_sums(s, down, up, by)
        if not is_decided:
            result = _float(_over_odd(total(term, args, n, T), by))
    return result


@triton.jit
def sum_of(term: tl.constexpr, args, n, T: tl.constexpr):
    """The sum of n terms, rounded once to float32."""
    return quotient_of(term, args, n, tl.full((), 1.0, tl.float64), T)


@triton.jit
def element(args, k, mask):
    """Numbers in memory."""
    return _masked(_number(tl.load(args[0] + k, mask=mask, other=0.0)), mask)


@triton.jit
def square(args, k, mask):
    number = _number(tl.load(args[0] + k, mask=mask, other=0.0))
    return _times(number, number)


@triton.jit
def variance_of(x, n, mean, T: tl.constexpr):
    """The variance of n <= 65536 floats at x, sum of (x - their mean)^2 / n, rounded once to float32.

    First from the ends of sums of x - mean. Squares do not cancel, and floats that differ do so by more than their mean
    is off: these ends lie so close that they become one float or neighbours. Of two the middle decides, exactly.
    """
    zero = tl.zeros([T], tl.float64)
    down = zero
    up = zero
    squares_down = zero
    squares_up = zero
    pivot = _number(mean)
    for begin in range(0, n, T):
        k = begin + tl.arange(0, T)
        mask = k < n
        number = _number(tl.load(x + k, mask=mask, other=0.0))
        lower = tl.where(mask, _add_down(number, -pivot), 0.0)
        upper = tl.where(mask, _add_up(number, -pivot), 0.0)
        most = tl.maximum(tl.abs(lower), tl.abs(upper))
        least = tl.minimum(tl.abs(lower), tl.abs(upper))  # of one sign
        most = tl.where(lower == lower, most, lower)
        down, up, squares_down, squares_up = merge_moments(
            down, up, squares_down, squares_up, lower, upper, _times_down(least, least), _times_up(most, most)
        )
    down, up, squares_down, squares_up = tl.reduce((down, up, squares_down, squares_up), 0, merge_moments)
    one = tl.full((), 1.0, tl.float64)
    count = one * n
    lower, upper = ends_of_variance(down, up, squares_down, squares_up, _over_down(one, count), _over_up(one, count))
    result, is_decided = value(lower, upper)
    if not is_decided:
        least = _float(lower)
        most = tl.where(result < float("inf"), _number(result), 340282366920938463463374607431768211456.0)
        beside = variance_beside(element, square, (x,), n, (_number(least) + most) * 0.5, T)
        is_even = (result.to(tl.int32, bitcast=True) & 1) == 0
        result = tl.where((beside > 0) | ((beside == 0) & is_even), result, least)
    return result
