"""softmax and log_softmax of rows, and their gradients. A program has some rows, each as one block; what two ends leave
undecided it does again, after the others."""

# mypy: ignore-errors

import triton
import triton.language as tl

from ._again import element, sum_of
from ._ends import _product, merge, value
from ._norm_kernels import places
from ._ptx import _masked, _number, _over_up, _quotient


@triton.jit
def inverse_above(total):
    """1 / total, rounded upward: of a whole row."""
    number = _number(total)
    return _over_up(number * 0.0 + 1.0, number)


@triton.jit
def exponential_at(args, k, mask):
    v = tl.load(args[0] + k, mask=mask, other=float("-inf")).to(tl.float32)
    return tl.exp(v - args[1])


@triton.jit
def term_exponential(args, k, mask):
    return _masked(_number(exponential_at(args, k, mask)), mask)


@triton.jit(do_not_specialize=["rows"])
def softmax(x, y, rows, n, IS_LOG: tl.constexpr, R: tl.constexpr, N: tl.constexpr, T: tl.constexpr):
    _, _, at, mask = places(rows, n, R, N)
    v = tl.load(x + at, mask=mask, other=float("-inf")).to(tl.float32)
    v = v - tl.max(v, 1)[:, None]
    e = tl.exp(v)
    number = _number(e)
    down, up = tl.reduce((number, number), 1, merge)
    total, is_decided = value(down, up)
    result = v - tl.log(total)[:, None] if IS_LOG else _quotient(e, inverse_above(total)[:, None])
    tl.store(y + at, result.to(y.dtype.element_ty), mask=mask)
    if tl.min(is_decided.to(tl.int32), 0) == 0:
        tl.debug_barrier()  # what is stored above is stored again
        first = tl.program_id(0).to(tl.int64) * R
        for i in range(R):
            if first + i < rows:
                softmax_again(x + (first + i) * n, y + (first + i) * n, n, IS_LOG, T)


@triton.jit
def softmax_again(x, y, n, IS_LOG: tl.constexpr, T: tl.constexpr):
    """One row, with states that always decide."""
    most = tl.full([T], float("-inf"), tl.float32)
    for begin in range(0, n, T):
        k = begin + tl.arange(0, T)
        most = tl.maximum(most, tl.load(x + k, mask=k < n, other=float("-inf")).to(tl.float32))
    largest = tl.max(most, 0)
    total = sum_of(term_exponential, (x, largest), n, T)
    inverse = inverse_above(total)
    for begin in range(0, n, T):
        k = begin + tl.arange(0, T)
        if IS_LOG:
            v = tl.load(x + k, mask=k < n, other=float("-inf")).to(tl.float32) - largest
            result = v - tl.log(total)
        else:
            result = _quotient(exponential_at((x, largest), k, k < n), inverse)
        tl.store(y + k, result.to(y.dtype.element_ty), mask=k < n)


@triton.jit
def softmax_gradient_of(g, y, total, IS_LOG: tl.constexpr):
    return g - tl.exp(y) * total if IS_LOG else y * (g - total)


@triton.jit
def product_at(args, k, mask):
    g = tl.load(args[0] + k, mask=mask, other=0.0)
    return _masked(_product(g, tl.load(args[1] + k, mask=mask, other=0.0)), mask)


@triton.jit(do_not_specialize=["rows"])
def softmax_gradient(g, y, gx, rows, n, IS_LOG: tl.constexpr, R: tl.constexpr, N: tl.constexpr, T: tl.constexpr):
    """y (g - sum of g y), or g - exp(y) (sum of g)."""
    _, _, at, mask = places(rows, n, R, N)
    a = tl.load(g + at, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(y + at, mask=mask, other=0.0).to(tl.float32)
    number = _masked(_number(a) if IS_LOG else _product(a, b), mask)
    down, up = tl.reduce((number, number), 1, merge)
    total, is_decided = value(down, up)
    result = softmax_gradient_of(a, b, total[:, None], IS_LOG)
    tl.store(gx + at, result.to(gx.dtype.element_ty), mask=mask)
    if tl.min(is_decided.to(tl.int32), 0) == 0:
        tl.debug_barrier()
        first = tl.program_id(0).to(tl.int64) * R
        for i in range(R):
            if first + i < rows:
                row = (first + i) * n
                softmax_gradient_again(g + row, y + row, gx + row, n, IS_LOG, T)


@triton.jit
def softmax_gradient_again(g, y, gx, n, IS_LOG: tl.constexpr, T: tl.constexpr):
    total = sum_of(element, (g,), n, T) if IS_LOG else sum_of(product_at, (g, y), n, T)
    for begin in range(0, n, T):
        k = begin + tl.arange(0, T)
        a = tl.load(g + k, mask=k < n, other=0.0).to(tl.float32)
        b = tl.load(y + k, mask=k < n, other=0.0).to(tl.float32)
        tl.store(gx + k, softmax_gradient_of(a, b, total, IS_LOG).to(gx.dtype.element_ty), mask=k < n)
