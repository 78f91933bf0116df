"""Arrays to be summed, drawn by hypothesis: any format, shape, layout and family of values."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from reference import NAMES, dtype_of

FAMILIES = [
    "any finite bits",
    "any bits",
    "small integers",
    "telescoping",
    "zeros of both signs",
]  # and "normal", where order shows


def filled(shape, name, family, seed):
    """A contiguous array of a family of values."""
    random, dtype = np.random.default_rng(seed), dtype_of(name)
    size = int(np.prod(shape))
    if family == "small integers":
        x = random.integers(-8, 9, size).astype(np.float64).astype(dtype)
    elif family == "normal":
        x = random.normal(size=size).astype(dtype)
    elif family == "zeros of both signs":
        x = np.where(random.random(size) < 0.7, -0.0, 0.0).astype(dtype)
    else:
        raw = random.bytes(size * dtype.itemsize)
        x = np.frombuffer(raw, f"u{dtype.itemsize}").copy().view(dtype)
        if family != "any bits":
            with np.errstate(invalid="ignore"):  # signalling NaNs
                x[~np.isfinite(x.astype(np.float64))] = 1
        if family == "telescoping" and size > 1:
            half = size // 2
            x[half : 2 * half] = -x[:half]
            x[random.integers(size)] = dtype.type(1)
    return x.reshape(shape)


@st.composite
def arrays(draw, names=NAMES, families=FAMILIES, max_dims=4, max_side=6):
    """A view of a contiguous array: transposed, cut with steps of either sign, broadcast."""
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=max_dims, min_side=0, max_side=max_side))
    x = filled(shape, draw(st.sampled_from(names)), draw(st.sampled_from(families)), draw(st.integers(0, 2**32)))
    x = x.transpose(draw(st.permutations(range(x.ndim))))
    steps = draw(st.lists(st.sampled_from([1, 1, 1, 2, -1, -1, -2]), min_size=x.ndim, max_size=x.ndim))
    x = x[tuple(slice(None, None, step) for step in steps)]
    if draw(st.integers(0, 4)) == 0:
        x = np.broadcast_to(x, (draw(st.integers(0, 3)), *x.shape))
    return x


@st.composite
def axes(draw, ndim):
    """None, a number, or a tuple of numbers, of either sign."""
    if ndim == 0:
        return draw(st.sampled_from([None, ()]))
    one = st.integers(-ndim, ndim - 1)
    some = st.lists(one, unique_by=lambda a: a % ndim, max_size=ndim).map(tuple)
    return draw(st.one_of(st.none(), one, some))


def vectors(x, axis):
    """The shape of results without and with keepdims, and the vectors that they are of, as contiguous rows."""
    reduced = (
        tuple(range(x.ndim)) if axis is None else tuple(sorted(a % x.ndim for a in np.atleast_1d(axis).astype(int)))
    )
    kept = tuple(a for a in range(x.ndim) if a not in reduced)
    shape = tuple(x.shape[a] for a in kept)
    kept_in_place = tuple(1 if a in reduced else x.shape[a] for a in range(x.ndim))
    n = int(np.prod([x.shape[a] for a in reduced]))
    return shape, kept_in_place, np.ascontiguousarray(x.transpose(kept + reduced)).reshape(int(np.prod(shape)), n)
