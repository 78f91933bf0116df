"""Numbers and their arithmetic with a stated rounding: PTX, which Triton neither contracts nor reorders."""

# mypy: ignore-errors
# Annotations are Triton's own: constants of a kernel.

import triton
import triton.language as tl


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
def _times_down(a, b):
    return tl.inline_asm_elementwise("mul.rm.f64 $0, $1, $2;", "=d,d,d", [a, b], tl.float64, is_pure=True, pack=1)


@triton.jit
def _times_up(a, b):
    return tl.inline_asm_elementwise("mul.rp.f64 $0, $1, $2;", "=d,d,d", [a, b], tl.float64, is_pure=True, pack=1)


@triton.jit
def _over_down(a, b):
    return tl.inline_asm_elementwise("div.rm.f64 $0, $1, $2;", "=d,d,d", [a, b], tl.float64, is_pure=True, pack=1)


@triton.jit
def _over_up(a, b):
    return tl.inline_asm_elementwise("div.rp.f64 $0, $1, $2;", "=d,d,d", [a, b], tl.float64, is_pure=True, pack=1)


@triton.jit
def _over_to_zero(a, b):
    return tl.inline_asm_elementwise("div.rz.f64 $0, $1, $2;", "=d,d,d", [a, b], tl.float64, is_pure=True, pack=1)


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
def _nothing(shape: tl.constexpr):
    """A block of -0: the sum of nothing that changes no sum. (A literal -0.0 is +0.0.)"""
    return tl.full(shape, -0x8000000000000000, tl.int64).to(tl.float64, bitcast=True)


@triton.jit
def _masked(number, mask):
    """-0 in place of what is not there: it changes no sum, not even the sign of a zero."""
    if mask is not None:
        number = tl.where(mask, number, _nothing(number.shape))
    return number


@triton.jit
def _to_odd(x, is_inexact):
    """A number that was rounded toward zero, rounded to odd: what is then rounded to float is so once."""
    return (x.to(tl.int64, bitcast=True) | is_inexact.to(tl.int64)).to(tl.float64, bitcast=True)


@triton.jit
def _quotient(x, inverse):
    """x / total, 0 <= x <= total floats, rounded once to float32; inverse: 1 / total as float64, rounded upward.

    The product, rounded upward, is less than 2^-50 of the quotient above it. Its low three bits are cut off: what
    remains is a multiple of U, 2^-49 of the power of two below. A quotient that is the middle of two floats, which are
    subnormal then, is such a multiple, and remains. Any other is more than 2 U away from a middle: x and total times
    the middle are integers of 49 bits at most in one unit, and differ. So it stays on its side of it.
    """
    return tl.inline_asm_elementwise(
        "{ .reg .f64 d; .reg .b64 b; cvt.f64.f32 d, $1; mul.rp.f64 d, d, $2; mov.b64 b, d; and.b64 b, b, -8; "
        "mov.b64 d, b; cvt.rn.f32.f64 $0, d; }",
        "=r,r,d",
        [x, inverse],
        tl.float32,
        is_pure=True,
        pack=1,
    )
