"""RMS and layer norms of rows, and their gradients of x. A program has some rows, each as one block.

A row that two ends leave undecided is done again by the same program, after the others: nothing is held for that in
registers meanwhile.
"""

# mypy: ignore-errors

import triton
import triton.language as tl

from ._again import element, quotient_of, square, sum_of, variance_of
from ._ends import _product, ends_of_mean, ends_of_variance, merge, merge_moments, value
from ._ptx import _masked, _number, _times


@triton.jit
def places(rows, n, R: tl.constexpr, N: tl.constexpr):
    """The program's rows, the columns, where their elements are, and which are there."""
    r = tl.program_id(0).to(tl.int64) * R + tl.arange(0, R)
    c = tl.arange(0, N)[None, :]
    return r, c, r[:, None] * n + c, (r[:, None] < rows) & (c < n)


@triton.jit
def as_double(bits):
    return bits.to(tl.float64, bitcast=True)


@triton.jit
def inverse_root(t, eps):
    """Three roundings, as IEEE 754 has them."""
    return tl.div_rn(1.0, tl.sqrt_rn(t + eps))


@triton.jit
def scaled(y, weight, bias, c, mask, HAS_WEIGHT: tl.constexpr, HAS_BIAS: tl.constexpr):
    if HAS_WEIGHT:
        y = y * tl.load(weight + c, mask=mask, other=0.0).to(tl.float32)
    if HAS_BIAS:
        y = y + tl.load(bias + c, mask=mask, other=0.0).to(tl.float32)
    return y


@triton.jit(do_not_specialize=["rows", "inverse_down", "inverse_up"])
def norm(
    x,
    weight,
    bias,
    y,
    means,
    inverses,
    rows,
    n,
    inverse_down,
    inverse_up,
    eps,
    HAS_MEAN: tl.constexpr,
    HAS_WEIGHT: tl.constexpr,
    HAS_BIAS: tl.constexpr,
    KEEP: tl.constexpr,
    R: tl.constexpr,
    N: tl.constexpr,
    T: tl.constexpr,
):
    """(x - mean) / sqrt(variance + eps), or x / sqrt(sum of squares / n + eps). inverse_down, inverse_up: the bits of
    1 / n as float64, rounded either way. KEEP: mean and inverse root of each row are stored."""
    r, c, at, mask = places(rows, n, R, N)
    v = tl.load(x + at, mask=mask, other=0.0).to(tl.float32)
    number = _number(v)
    squares = _times(number, number)
    if HAS_MEAN:
        number = _masked(number, mask)
        down, up, squares_down, squares_up = tl.reduce((number, number, squares, squares), 1, merge_moments)
        under, over = as_double(inverse_down), as_double(inverse_up)
        lower, upper = ends_of_mean(down, up, under, over)
        mean, is_known = value(lower, upper)
        lower, upper = ends_of_variance(down, up, squares_down, squares_up, under, over)
        variance, is_decided = value(lower, upper)
        is_decided = is_decided & is_known
        inverse = inverse_root(variance, eps)
        v = v - mean[:, None]
        if KEEP:
            tl.store(means + r, mean, mask=r < rows)
    else:
        down, up = tl.reduce((squares, squares), 1, merge)
        sum, is_decided = value(down, up)
        inverse = inverse_root(tl.div_rn(sum, tl.full((), 0.0, tl.float32) + n), eps)
    if KEEP:
        tl.store(inverses + r, inverse, mask=r < rows)
    result = scaled(v * inverse[:, None], weight, bias, c, c < n, HAS_WEIGHT, HAS_BIAS)
    tl.store(y + at, result.to(y.dtype.element_ty), mask=mask)
    if tl.min(is_decided.to(tl.int32), 0) == 0:
        tl.debug_barrier()  # what is stored above is stored again
        first = tl.program_id(0).to(tl.int64) * R
        for i in range(R):
            if first + i < rows:
                row = first + i
                norm_again(
                    x + row * n,
                    weight,
                    bias,
                    y + row * n,
                    means + row,
                    inverses + row,
                    n,
                    eps,
                    HAS_MEAN,
                    HAS_WEIGHT,
                    HAS_BIAS,
                    KEEP,
                    T,
                )


@triton.jit
def norm_again(
    x,
    weight,
    bias,
    y,
    mean_at,
    inverse_at,
    n,
    eps,
    HAS_MEAN: tl.constexpr,
    HAS_WEIGHT: tl.constexpr,
    HAS_BIAS: tl.constexpr,
    KEEP: tl.constexpr,
    T: tl.constexpr,
):
    """One row, with states that always decide."""
    if HAS_MEAN:
        mean = quotient_of(element, (x,), n, tl.full((), 0.0, tl.float64) + n, T)
        inverse = inverse_root(variance_of(x, n, mean, T), eps)
    else:
        mean = 0.0
        sum = sum_of(square, (x,), n, T)
        inverse = inverse_root(tl.div_rn(sum, tl.full((), 0.0, tl.float32) + n), eps)
    if KEEP:
        if HAS_MEAN:
            tl.store(mean_at, mean)
        tl.store(inverse_at, inverse)
    for begin in range(0, n, T):
        k = begin + tl.arange(0, T)
        v = tl.load(x + k, mask=k < n, other=0.0).to(tl.float32)
        if HAS_MEAN:
            v = v - mean
        result = scaled(v * inverse, weight, bias, k, k < n, HAS_WEIGHT, HAS_BIAS)
        tl.store(y + k, result.to(y.dtype.element_ty), mask=k < n)


# ------------------------------------------------------------------------------------------------- gradients of x


@triton.jit
def pulled(g, weight, k, mask, HAS_WEIGHT: tl.constexpr):
    """The gradient of what is multiplied by the weight."""
    h = g.to(tl.float32)
    if HAS_WEIGHT:
        h = h * tl.load(weight + k, mask=mask, other=0.0).to(tl.float32)
    return h


@triton.jit
def unit(x, mean, inverse, HAS_MEAN: tl.constexpr):
    """x as it was normalised, before weight and bias."""
    v = x.to(tl.float32)
    if HAS_MEAN:
        v = v - mean
    return v * inverse


@triton.jit
def pulled_at(args, k, mask, HAS_WEIGHT: tl.constexpr):
    return pulled(tl.load(args[0] + k, mask=mask, other=0.0), args[2], k, mask, HAS_WEIGHT)


@triton.jit
def unit_at(args, k, mask):
    # x - 0 is x, also for -0: RMS norms have the mean 0
    return unit(tl.load(args[1] + k, mask=mask, other=0.0), args[3], args[4], True)


@triton.jit
def term_pulled(args, k, mask):
    return _masked(_number(pulled_at(args, k, mask, True)), mask)


@triton.jit
def term_along(args, k, mask):
    return _masked(_product(pulled_at(args, k, mask, True), unit_at(args, k, mask)), mask)


@triton.jit
def term_along_alone(args, k, mask):
    return _masked(_product(pulled_at(args, k, mask, False), unit_at(args, k, mask)), mask)


@triton.jit
def combined(h, u, mean_of_h, along, inverse, HAS_MEAN: tl.constexpr):
    if HAS_MEAN:
        h = h - mean_of_h
    return (h - u * along) * inverse


@triton.jit(do_not_specialize=["rows", "inverse_down", "inverse_up"])
def norm_gradient(
    g,
    x,
    weight,
    means,
    inverses,
    gx,
    rows,
    n,
    inverse_down,
    inverse_up,
    HAS_MEAN: tl.constexpr,
    HAS_WEIGHT: tl.constexpr,
    R: tl.constexpr,
    N: tl.constexpr,
    T: tl.constexpr,
):
    """(h - mean of h - u * (sum of h u) / n) * inverse root, where h = g * weight and u is the row, normalised."""
    r, c, at, mask = places(rows, n, R, N)
    inverse = tl.load(inverses + r, mask=r < rows, other=0.0)
    mean = inverse
    if HAS_MEAN:
        mean = tl.load(means + r, mask=r < rows, other=0.0)
    h = pulled(tl.load(g + at, mask=mask, other=0.0), weight, c, c < n, HAS_WEIGHT)
    u = unit(tl.load(x + at, mask=mask, other=0.0), mean[:, None], inverse[:, None], HAS_MEAN)
    along = _masked(_product(h, u), mask)
    if HAS_MEAN:
        number = _masked(_number(h), mask)
        down, up, along_down, along_up = tl.reduce((number, number, along, along), 1, merge_moments)
        lower, upper = ends_of_mean(down, up, as_double(inverse_down), as_double(inverse_up))
        mean_of_h, is_known = value(lower, upper)
        dot, is_decided = value(along_down, along_up)
        is_decided = is_decided & is_known
    else:
        along_down, along_up = tl.reduce((along, along), 1, merge)
        dot, is_decided = value(along_down, along_up)
        mean_of_h = dot
    dot = tl.div_rn(dot, tl.full((), 0.0, tl.float32) + n)
    result = combined(h, u, mean_of_h[:, None], dot[:, None], inverse[:, None], HAS_MEAN)
    tl.store(gx + at, result.to(gx.dtype.element_ty), mask=mask)
    if tl.min(is_decided.to(tl.int32), 0) == 0:
        tl.debug_barrier()
        first = tl.program_id(0).to(tl.int64) * R
        for i in range(R):
            if first + i < rows:
                row = first + i
                inverse_of_row = tl.load(inverses + row)
                mean_of_row = inverse_of_row * 0.0
                if HAS_MEAN:
                    mean_of_row = tl.load(means + row)
                args = (g + row * n, x + row * n, weight, mean_of_row, inverse_of_row)
                norm_gradient_again(args, gx + row * n, n, HAS_MEAN, HAS_WEIGHT, T)


@triton.jit
def norm_gradient_again(args, gx, n, HAS_MEAN: tl.constexpr, HAS_WEIGHT: tl.constexpr, T: tl.constexpr):
    """One row, with states that always decide."""
    count = tl.full((), 0.0, tl.float64) + n
    mean_of_h = 0.0
    if HAS_WEIGHT:
        dot = sum_of(term_along, args, n, T)
        if HAS_MEAN:
            mean_of_h = quotient_of(term_pulled, args, n, count, T)
    else:
        dot = sum_of(term_along_alone, args, n, T)
        if HAS_MEAN:
            mean_of_h = quotient_of(element, args, n, count, T)
    dot = tl.div_rn(dot, tl.full((), 0.0, tl.float32) + n)
    for begin in range(0, n, T):
        k = begin + tl.arange(0, T)
        mask = k < n
        h = pulled_at(args, k, mask, HAS_WEIGHT)
        result = combined(h, unit_at(args, k, mask), mean_of_h, dot, args[4], HAS_MEAN)
        tl.store(gx + k, result.to(gx.dtype.element_ty), mask=mask)
