"""The gradients of weight and bias: sums over the rows, a correctly rounded one for each column.

A program adds up some rows of some columns; a second kernel puts the ends of these together, and does the columns again
that they leave undecided. Few rows are the second kernel's alone.
"""

# mypy: ignore-errors

import triton
import triton.language as tl

from ._again import sum_of
from ._ends import _product, merge, merge_moments, value
from ._norm_kernels import unit
from ._ptx import _masked, _nothing, _number


@triton.jit
def ends_of_rows(
    g,
    x,
    means,
    inverses,
    first,
    last,
    n,
    c,
    HAS_MEAN: tl.constexpr,
    HAS_BIAS: tl.constexpr,
    R: tl.constexpr,
    C: tl.constexpr,
):
    """The ends of columns c of rows first to last - 1: of g u, and where HAS_BIAS of g."""
    down = _nothing([R, C])
    up = down
    bias_down = down
    bias_up = down
    for begin in range(first, last, R):
        r = begin + tl.arange(0, R)
        at = r[:, None] * n + c[None, :]
        mask = (r[:, None] < last) & (c[None, :] < n)
        v = tl.load(g + at, mask=mask, other=0.0)
        inverse = tl.load(inverses + r, mask=r < last, other=0.0)
        mean = inverse
        if HAS_MEAN:
            mean = tl.load(means + r, mask=r < last, other=0.0)
        u = unit(tl.load(x + at, mask=mask, other=0.0), mean[:, None], inverse[:, None], HAS_MEAN)
        along = _masked(_product(v, u), mask)
        if HAS_BIAS:
            number = _masked(_number(v), mask)
            down, up, bias_down, bias_up = merge_moments(down, up, bias_down, bias_up, along, along, number, number)
        else:
            down, up = merge(down, up, along, along)
    if HAS_BIAS:
        down, up, bias_down, bias_up = tl.reduce((down, up, bias_down, bias_up), 0, merge_moments)
    else:
        down, up = tl.reduce((down, up), 0, merge)
        bias_down, bias_up = down, up
    return down, up, bias_down, bias_up


@triton.jit(do_not_specialize=["rows", "share"])
def column_ends(
    g,
    x,
    means,
    inverses,
    parts,
    rows,
    n,
    share,
    HAS_MEAN: tl.constexpr,
    HAS_BIAS: tl.constexpr,
    R: tl.constexpr,
    C: tl.constexpr,
):
    """The ends of share rows each: parts[program_id(1), end, column]."""
    c = tl.program_id(0) * C + tl.arange(0, C)
    first = tl.program_id(1).to(tl.int64) * share
    last = tl.minimum(first + share, rows)
    down, up, bias_down, bias_up = ends_of_rows(g, x, means, inverses, first, last, n, c, HAS_MEAN, HAS_BIAS, R, C)
    to = parts + tl.program_id(1).to(tl.int64) * (4 if HAS_BIAS else 2) * n + c
    if HAS_BIAS:
        tl.store(to + 2 * n, bias_down, mask=c < n)
        tl.store(to + 3 * n, bias_up, mask=c < n)
    tl.store(to, down, mask=c < n)
    tl.store(to + n, up, mask=c < n)


@triton.jit
def ends_of_parts(parts, shares, n, c, ENDS: tl.constexpr, R: tl.constexpr, C: tl.constexpr):
    """The ends of all rows: parts[share, 0 and 1, column]."""
    down = _nothing([R, C])
    up = down
    for begin in range(0, shares, R):
        i = begin + tl.arange(0, R)
        at = i.to(tl.int64)[:, None] * ENDS * n + c[None, :]
        mask = (i[:, None] < shares) & (c[None, :] < n)
        down, up = merge(
            down,
            up,
            _masked(tl.load(parts + at, mask=mask, other=0.0), mask),
            _masked(tl.load(parts + at + n, mask=mask, other=0.0), mask),
        )
    return tl.reduce((down, up), 0, merge)


@triton.jit
def along_column(args, r, mask):
    g, x, means, inverses, n, has_mean = args
    at = r.to(tl.int64) * n
    inverse = tl.load(inverses + r, mask=mask, other=0.0)
    mean = tl.load(means + r, mask=mask & (has_mean != 0), other=0.0)  # x - 0 is x
    u = unit(tl.load(x + at, mask=mask, other=0.0), mean, inverse, True)
    return _masked(_product(tl.load(g + at, mask=mask, other=0.0), u), mask)


@triton.jit
def of_column(args, r, mask):
    return _masked(_number(tl.load(args[0] + r.to(tl.int64) * args[1], mask=mask, other=0.0)), mask)


@triton.jit(do_not_specialize=["rows", "shares"])
def column_sums(
    g,
    x,
    means,
    inverses,
    parts,
    gw,
    gb,
    rows,
    n,
    shares,
    HAS_MEAN: tl.constexpr,
    HAS_BIAS: tl.constexpr,
    HAS_WEIGHT: tl.constexpr,
    ALONE: tl.constexpr,
    R: tl.constexpr,
    C: tl.constexpr,
    T: tl.constexpr,
):
    """Rounds each column's sums, and stores them: of g u in gw where HAS_WEIGHT, of g in gb where HAS_BIAS. ALONE:
    nothing is in parts."""
    c = tl.program_id(0) * C + tl.arange(0, C)
    ENDS: tl.constexpr = 4 if HAS_BIAS else 2
    if ALONE:
        first = tl.full((), 0, tl.int64)
        down, up, bias_down, bias_up = ends_of_rows(
            g, x, means, inverses, first, first + rows, n, c, HAS_MEAN, HAS_BIAS, R, C
        )
    else:
        down, up = ends_of_parts(parts, shares, n, c, ENDS, R, C)
        bias_down, bias_up = down, up
        if HAS_BIAS:
            bias_down, bias_up = ends_of_parts(parts + 2 * n, shares, n, c, ENDS, R, C)
    sum, is_decided = value(down, up)
    if HAS_WEIGHT:
        tl.store(gw + c, sum.to(gw.dtype.element_ty), mask=c < n)
    is_open = is_decided == 0
    if HAS_BIAS:
        sum, is_decided = value(bias_down, bias_up)
        tl.store(gb + c, sum.to(gb.dtype.element_ty), mask=c < n)
        is_open = is_open | (is_decided == 0)
    if tl.max(is_open.to(tl.int32), 0) != 0:
        tl.debug_barrier()  # what is stored above is stored again
        for i in range(C):
            column = tl.program_id(0) * C + i
            if tl.sum(tl.where(c == column, (is_open & (c < n)).to(tl.int32), 0), 0) != 0:
                if HAS_WEIGHT:
                    args = (g + column, x + column, means, inverses, n, 1 if HAS_MEAN else 0)
                    tl.store(gw + column, sum_of(along_column, args, rows, T).to(gw.dtype.element_ty))
                if HAS_BIAS:
                    total = sum_of(of_column, (g + column, n), rows, T)
                    tl.store(gb + column, total.to(gb.dtype.element_ty))
