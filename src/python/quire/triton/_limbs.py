"""Sums in fixed point: what other states leave undecided. Terms are given by a function, term(arguments, k, mask), that
makes a block of float64 of those with the numbers k, with -0 in place of what is not there."""

# mypy: ignore-errors
# Annotations are Triton's own: constants of a kernel.

import triton
import triton.language as tl

from ._ptx import _add_down, _add_to_zero, _add_up, _to_odd

LIMBS = tl.constexpr(21)  # of 32 bits: squares of floats, from 2^-352 to 2^320
LEAST = tl.constexpr(-352)
MASK = tl.constexpr(0xFFFFFFFF)


@triton.jit
def _piece(m, place, i):
    """What an integer below 2^58, times 2^place, has in limb i."""
    first = place >> 5
    shift = place & 31
    low = (m & MASK) << shift
    high = (m >> 32) << shift
    piece = tl.where(first == i, low & MASK, 0)
    piece += tl.where(first + 1 == i, (low >> 32) + (high & MASK), 0)
    return piece + tl.where(first + 2 == i, high >> 32, 0)


@triton.jit
def _digits(number):
    """A magnitude as an integer, and its place above the least bit of the limbs."""
    bits = number.to(tl.int64, bitcast=True)
    field = (bits >> 52) & 0x7FF
    m = tl.where(field > 0, (bits & 0xFFFFFFFFFFFFF) | 0x10000000000000, 0)
    return m, tl.where(field > 0, field - 1075 - LEAST, 0)


@triton.jit
def limb(term: tl.constexpr, args, n, scale, i, sign, T: tl.constexpr):
    """Limb i of the sum of n terms, times sign and scale, which is a power of two. |limb| < 2^34 n."""
    total = tl.zeros([T], tl.int64)
    for begin in range(0, n, T):
        k = begin + tl.arange(0, T)
        number = term(args, k, k < n) * scale
        m, place = _digits(number)
        is_below = number.to(tl.int64, bitcast=True) < 0
        piece = _piece(m, place, i)
        total += tl.where(is_below == (sign > 0), -piece, piece)
    return tl.sum(total, 0)


@triton.jit
def sign_of(term: tl.constexpr, args, n, scale, T: tl.constexpr):
    """-1 where the sum of terms is below 0, else 1."""
    carry = tl.full((), 0, tl.int64)
    for i in range(LIMBS):
        carry = (limb(term, args, n, scale, i, 1, T) + carry) >> 32
    return tl.where(carry < 0, -1, 1)


@triton.jit
def total(term: tl.constexpr, args, n, T: tl.constexpr):
    """The sum of n finite terms, rounded to odd: once for its sign, and once for its leading digits."""
    sign = sign_of(term, args, n, 1.0, T)
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
        sum = limb(term, args, n, 1.0, i, sign, T) + carry
        digit = sum & MASK
        carry = sum >> 32
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
    result = _to_odd(_add_to_zero(two, last), is_inexact) * scale.to(tl.float64, bitcast=True)
    return tl.where(sign < 0, -result, result)


@triton.jit
def variance_beside(element: tl.constexpr, square: tl.constexpr, args, n, middle, T: tl.constexpr):
    """The sign of n Q - S^2 - n^2 middle, exactly: S and Q are the sums of n <= 65536 floats and of their squares.

    middle: a number above 0 of 25 bits at most, none below 2^-150. S 2^176 has limbs where Q has them: the limbs of its
    square are sums of two halves of products.
    """
    at = tl.arange(0, 16)
    digits = tl.zeros([16], tl.int64)
    scale = tl.full((), 847, tl.int64) << 52  # 2^-176
    scale = scale.to(tl.float64, bitcast=True)
    sign = sign_of(element, args, n, scale, T)
    carry = tl.full((), 0, tl.int64)
    for i in range(11):
        carry += limb(element, args, n, scale, i, sign, T)
        digits = tl.where(at == i, carry & MASK, digits)
        carry = carry >> 32
    products = digits[:, None] * digits[None, :]
    diagonal = at[:, None] + at[None, :]
    m, place = _digits(middle)
    m = (m >> 28) * n * n
    carry_of_squares = tl.full((), 0, tl.int64)
    carry = tl.full((), 0, tl.int64)
    any = tl.full((), 0, tl.int64)
    for i in range(LIMBS):
        of_squares = limb(square, args, n, 1.0, i, 1, T) + carry_of_squares
        carry_of_squares = of_squares >> 32
        half = tl.where(diagonal == i, products & MASK, 0)
        half += tl.where(diagonal == i - 1, (products >> 32) & MASK, 0)
        digit = (of_squares & MASK) * n - tl.sum(tl.sum(half, 1), 0) - _piece(m, place + 28, i) + carry
        any |= digit & MASK
        carry = digit >> 32
    return tl.where(carry < 0, -1, tl.where((any != 0) | (carry > 0), 1, 0))
