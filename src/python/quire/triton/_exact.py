"""Exact sums of blocks, as functions of Triton.

Three states, the wider one where the narrower does not decide: two ends; a sum by TwoSum and two ends of what it has
lost; fixed point. Arithmetic whose rounding matters is PTX: what Triton may contract or reorder is not used for it.
"""

# mypy: ignore-errors
# Annotations are Triton's own: constants of a kernel.

import triton
import triton.language as tl

LIMBS = tl.constexpr(21)  # of 32 bits: squares of floats, from 2^-352 to 2^320
LEAST = tl.constexpr(-352)
MASK = tl.constexpr(0xFFFFFFFF)


@triton.jit
def _add_down(a, b):
    return tl.inline_asm_elementwise("add.rm.f64 $0, $1, $2;", "=d,d,d", [a, b], tl.float64, is_pure=True, pack=1)


@triton.jit
def _add_up(a, b):
    return tl.inline_asm_elementwise("add.rp.f64 $0, $1, $2;", "=d,d,d", [a, b], tl.float64, is_pure=True, pack=1)


@triton.jit
def _add_nearest(a, b):
    return tl.inline_asm_elementwise("add.rn.f64 $0, $1, $2;", "=d,d,d", [a, b], tl.float64, is_pure=True, pack=1)


@triton.jit
def _add_to_zero(a, b):
    return tl.inline_asm_elementwise("add.rz.f64 $0, $1, $2;", "=d,d,d", [a, b], tl.float64, is_pure=True, pack=1)


@triton.jit
def _times(a, b):
    return tl.inline_asm_elementwise("mul.rn.f64 $0, $1, $2;", "=d,d,d", [a, b], tl.float64, is_pure=True, pack=1)


@triton.jit
def _number(x):
    """Elements as float64, exactly: by a conversion that keeps subnormals."""
    tl.static_assert(x.dtype.is_floating(), "quire.triton adds floating-point numbers")
    tl.static_assert(x.dtype.primitive_bitwidth <= 32, "quire.triton adds elements of up to 32 bits")
    x = x.to(tl.float32)
    return tl.inline_asm_elementwise("cvt.f64.f32 $0, $1;", "=d,r", [x], tl.float64, is_pure=True, pack=1)


@triton.jit
def _float(x):
    return tl.inline_asm_elementwise("cvt.rn.f32.f64 $0, $1;", "=r,d", [x], tl.float32, is_pure=True, pack=1)


@triton.jit
def _masked(number, mask):
    """-0 in place of what is not there: it changes no sum, not even the sign of a zero. (A literal -0.0 is +0.0.)"""
    if mask is not None:
        zero = tl.full(number.shape, -0x8000000000000000, tl.int64).to(tl.float64, bitcast=True)
        number = tl.where(mask, number, zero)
    return number


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
    """What two ends round to, and whether both do. A NaN is the canonical one."""
    lower = _float(down)
    upper = _float(up)
    is_nan = (lower != lower) & (upper != upper)
    is_same = lower.to(tl.int32, bitcast=True) == upper.to(tl.int32, bitcast=True)
    return tl.where(is_nan, float("nan"), upper), is_same | is_nan


@triton.jit
def _to_odd(x, is_inexact):
    """A number that was rounded toward zero, rounded to odd: what is then rounded to float is so once."""
    return (x.to(tl.int64, bitcast=True) | is_inexact.to(tl.int64)).to(tl.float64, bitcast=True)


@triton.jit
def _value_of_sums(s, down, up):
    """What a sum and the ends of its losses round to, and whether that is decided."""
    total_down = _to_odd(_add_to_zero(s, down), _add_down(s, down) != _add_up(s, down))
    total_up = _to_odd(_add_to_zero(s, up), _add_down(s, up) != _add_up(s, up))
    lower, is_same = value(total_down, total_up)
    alone = (down == 0) & (up == 0)  # whose zero has its sign
    return tl.where(alone, _float(s), lower), alone | (is_same & (lower == lower))


@triton.jit
def _limb(number, i, sign):
    """Limb i of the sum of a block of numbers, times sign."""
    bits = number.to(tl.int64, bitcast=True)
    field = (bits >> 52) & 0x7FF
    m = tl.where(field > 0, (bits & 0xFFFFFFFFFFFFF) | 0x10000000000000, 0)
    place = tl.where(field > 0, field - 1075 - LEAST, 0)
    first = place >> 5
    shift = place & 31
    low = (m & MASK) << shift
    high = (m >> 32) << shift
    piece = tl.where(first == i, low & MASK, 0)
    piece += tl.where(first + 1 == i, (low >> 32) + (high & MASK), 0)
    piece += tl.where(first + 2 == i, high >> 32, 0)
    return tl.sum(tl.where((bits < 0) == (sign > 0), -piece, piece), 0)


@triton.jit
def _value_of_limbs(number):
    """The sum of finite numbers, rounded once: by fixed point, once for its sign, and once for its leading digits."""
    carry = tl.full((), 0, tl.int64)
    for i in range(LIMBS):
        carry = (_limb(number, i, 1) + carry) >> 32
    sign = tl.where(carry < 0, -1, 1)
    carry = tl.full((), 0, tl.int64)
    digit = tl.full((), 0, tl.int64)
    second = tl.full((), 0, tl.int64)
    third = tl.full((), 0, tl.int64)
    below = tl.full((), 0, tl.int64)
    top = tl.full((), 0, tl.int64)
    top_second = tl.full((), 0, tl.int64)
    top_third = tl.full((), 0, tl.int64)
    top_below = tl.full((), 0, tl.int64)
    at = tl.full((), 0, tl.int64)
    for i in range(LIMBS):
        below |= third
        third = second
        second = digit
        limb = _limb(number, i, sign) + carry
        digit = limb & MASK
        carry = limb >> 32
        is_top = digit != 0
        top = tl.where(is_top, digit, top)
        top_second = tl.where(is_top, second, top_second)
        top_third = tl.where(is_top, third, top_third)
        top_below = tl.where(is_top, below, top_below)
        at = tl.where(is_top, i, at)
    upper = top.to(tl.float64) * 4294967296.0  # powers of two: exact
    lower = top_second.to(tl.float64)
    last = top_third.to(tl.float64)
    two = _add_to_zero(upper, lower)
    is_inexact = (_add_down(upper, lower) != _add_up(upper, lower)) | (top_below != 0)
    two = two * 4294967296.0
    is_inexact |= _add_down(two, last) != _add_up(two, last)
    scale = ((at - 2) * 32 + LEAST + 1023) << 52
    total = _to_odd(_add_to_zero(two, last), is_inexact) * scale.to(tl.float64, bitcast=True)
    return _float(tl.where(sign < 0, -total, total))


@triton.jit
def _decided(number):
    """The sum of a block of one dimension, rounded once."""
    down, up = tl.reduce((number, number), 0, merge)
    result, is_decided = value(down, up)
    if not is_decided:
        none = number * 0.0
        s, lost_down, lost_up = tl.reduce((number, none, none), 0, _merge_sums)
        result, is_decided = _value_of_sums(s, lost_down, lost_up)
        if not is_decided:
            result = _value_of_limbs(number)
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
