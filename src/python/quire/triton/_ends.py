"""Two ends of sums of blocks, and what they round to."""

# mypy: ignore-errors
# Annotations are Triton's own: constants of a kernel.

import triton
import triton.language as tl

from ._ptx import _add_down, _add_nearest, _add_up, _float, _masked, _number, _times, _times_down, _times_up


@triton.jit
def _product(x, y):
    return _times(_number(x), _number(y))  # exact: 48 bits


@triton.jit
def merge(down, up, other_down, other_up):
    """The ends of two parts together."""
    return _add_down(down, other_down), _add_up(up, other_up)


@triton.jit
def _merge_sums(s, down, up, other_s, other_down, other_up):
    """TwoSum (Knuth, TAOCP 2, 4.2.2, Theorem B); its error goes to both ends."""
    total = _add_nearest(s, other_s)
    part = _add_nearest(total, -s)
    lost = _add_nearest(_add_nearest(s, -_add_nearest(total, -part)), _add_nearest(other_s, -part))
    return (
        total,
        _add_down(_add_down(down, other_down), lost),
        _add_up(_add_up(up, other_up), lost),
    )


@triton.jit
def ends(x, axis: tl.constexpr = 0, mask=None):
    """Two blocks between which the exact sums of x along an axis lie. mask: which elements are there."""
    number = _masked(_number(x), mask)
    return tl.reduce((number, number), axis, merge)


@triton.jit
def ends_of_products(x, y, axis: tl.constexpr = 0, mask=None):
    """The same of the products x * y."""
    product = _masked(_product(x, y), mask)
    return tl.reduce((product, product), axis, merge)


@triton.jit
def value(down, up):
    """What two ends round to, and whether both do. A NaN is the canonical one.

    Two zeros enclose a zero, whose sign is the upper one's: that is -0 only if every element is.
    """
    lower = _float(down)
    upper = _float(up)
    is_nan = (lower != lower) & (upper != upper)
    is_same = lower.to(tl.int32, bitcast=True) == upper.to(tl.int32, bitcast=True)
    return tl.where(is_nan, float("nan"), upper), is_same | is_nan | ((down == 0) & (up == 0))


@triton.jit
def merge_moments(down, up, squares_down, squares_up, other_down, other_up, other_squares_down, other_squares_up):
    """The ends of sums, and of squares."""
    return (
        _add_down(down, other_down),
        _add_up(up, other_up),
        _add_down(squares_down, other_squares_down),
        _add_up(squares_up, other_squares_up),
    )


@triton.jit
def ends_of_mean(down, up, inverse_down, inverse_up):
    """The ends of a mean from those of the sum and of 1 / n."""
    return (
        _times_down(down, tl.where(down < 0, inverse_up, inverse_down)),
        _times_up(up, tl.where(up < 0, inverse_down, inverse_up)),
    )


@triton.jit
def ends_of_variance(down, up, squares_down, squares_up, inverse_down, inverse_up):
    """The ends of a variance from those of sum and squares and of 1 / n: (Q - S^2 / n) / n, which is not below 0.

    What is not finite has the variance NaN: so has the upper end of its squares.
    """
    most = tl.maximum(tl.abs(down), tl.abs(up))
    least = tl.where((down < 0) & (up > 0), 0.0, tl.minimum(tl.abs(down), tl.abs(up)))
    taken = _times_up(_times_up(most, most), inverse_up)
    lower = _add_down(squares_down, -taken)
    kept = _times_down(_times_down(least, least), inverse_down)
    upper = _add_up(squares_up, -kept)
    lower = tl.where(lower > 0, _times_down(lower, inverse_down), 0.0)
    upper = tl.where(upper > 0, _times_up(upper, inverse_up), 0.0)
    is_finite = squares_up < float("inf")
    return tl.where(is_finite, lower, float("nan")), tl.where(is_finite, upper, float("nan"))
