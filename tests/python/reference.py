"""What results must be, bit by bit: fractions.Fraction, rounded once by the few lines below."""

from __future__ import annotations

from fractions import Fraction
from math import copysign, inf, isqrt, nan

import numpy as np

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

# name: bits of precision, exponent of the least subnormal, greatest finite number, whether there are infinities
FORMATS = {
    "float16": (11, -24, Fraction(65504), True),
    "float32": (24, -149, (2 - Fraction(1, 2**23)) * 2**127, True),
    "float64": (53, -1074, (2 - Fraction(1, 2**52)) * 2**1023, True),
    "bfloat16": (8, -133, (2 - Fraction(1, 2**7)) * 2**127, True),
    "float8_e5m2": (3, -16, Fraction(57344), True),
    "float8_e4m3fn": (4, -9, Fraction(448), False),
}
NAMES = [name for name in FORMATS if name.startswith("float") and "_" not in name or ml_dtypes is not None]


def dtype_of(name):
    return np.dtype(getattr(ml_dtypes, name)) if hasattr(ml_dtypes, name) else np.dtype(name)


def exponent(value):
    """floor(log2(value)) of a positive fraction."""
    guess = value.numerator.bit_length() - value.denominator.bit_length()
    return guess if value >= Fraction(2) ** guess else guess - 1


def rounded(value, name, rounding="nearest", root=False, zero=0.0):
    """value, or its root, in a format; as a float, which holds all of them. zero is what an exact zero becomes."""
    precision, least, greatest, has_inf = FORMATS[name]
    if value == 0:
        return zero
    size = abs(value)
    lead = exponent(size) // 2 if root else exponent(size)
    ulp = max(lead - precision + 1, least)
    half = Fraction(2) ** (ulp - 1)
    count = isqrt(int(size / half**2 // 1)) if root else int(size / half // 1)  # of half ulps, rounded down
    exact = (count * half) ** (2 if root else 1) == size
    away = {
        "nearest": count % 2 == 1 and (not exact or count // 2 % 2 == 1),
        "upward": value > 0,
        "downward": value < 0,
        "toward_zero": False,
    }[rounding]
    away = away and not (exact and count % 2 == 0)
    result = (count // 2 + away) * 2 * half
    if result > greatest:
        finite = rounding == "toward_zero" or rounding == ("downward" if value > 0 else "upward")
        result = greatest if finite else inf if has_inf else nan
    return copysign(float(result), -1 if value < 0 else 1)


def total(terms):
    """The exact sum of Python floats; or the NaN or the infinity that it is instead."""
    infinite = {t for t in terms if t in (inf, -inf)}
    if any(t != t for t in terms) or len(infinite) == 2:
        return nan
    return infinite.pop() if infinite else sum(map(Fraction, terms), Fraction(0))


def exact_sum(terms, name, rounding="nearest", over=1):
    """The sum of Python floats, divided by over, in a format, by the library's rules for zeros, infinities and NaN."""
    value = total(terms)
    if not isinstance(value, Fraction):
        return value if FORMATS[name][3] else nan
    only_negative_zeros = bool(terms) and all(t == 0 and copysign(1, t) < 0 for t in terms)
    cancelled_downward = rounding == "downward" and any(t != 0 for t in terms)
    return rounded(value / over, name, rounding, zero=-0.0 if only_negative_zeros or cancelled_downward else 0.0)


def exact_mean(terms, name):
    return exact_sum(terms, name, over=len(terms)) if terms else nan


CANONICAL_NAN = {
    "float16": 0x7E00,
    "float32": 0x7FC00000,
    "float64": 0x7FF8 << 48,
    "bfloat16": 0x7FC0,
    "float8_e5m2": 0x7E,
    "float8_e4m3fn": 0x7F,
}


def bits(value, name):
    """The bytes of a Python float in a format that holds it; of any NaN, those of the canonical one."""
    dtype = dtype_of(name)
    if value != value:
        return np.array(CANONICAL_NAN[name], f"u{dtype.itemsize}").tobytes()
    return np.array(value, np.float64).astype(dtype).tobytes()
