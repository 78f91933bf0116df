"""quire.torch.batch_invariant(): what it covers, rules of arguments, threads, and the norm of the documentation."""

from __future__ import annotations

import subprocess
import sys
import threading
import warnings
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="SKIP: PyTorch is not installed")

import quire  # noqa: E402
import quire.torch  # noqa: E402
from data import filled  # noqa: E402
from quire.torch import _batch_invariant  # noqa: E402
from tensors import bits, tensor  # noqa: E402

ROOT = Path(__file__).parents[2]
X = tensor(filled((40, 1000), "float32", "any finite bits", 5)) * 1e-30
NAN = torch.where(X > 0, X, torch.nan)
ZEROED = torch.where(X > 0, X, 0)
OURS = {
    "sum": (torch.sum, quire.sum),
    "nansum": (torch.nansum, quire.sum),
    "mean": (torch.mean, quire.mean),
    "var": (torch.var, lambda x, **words: quire.var(x, correction=1, **words)),
    "std": (torch.std, lambda x, **words: quire.std(x, correction=1, **words)),
    "vector_norm": (lambda x, dim, **words: torch.linalg.vector_norm(x, dim=dim, **words), quire.norm),
}


def raised_by(call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(Exception) as raised:
            call()
    return type(raised.value), str(raised.value)


# Each process enters for the first time while others reduce, and then enters and leaves at any moment of theirs.
THREADS = """
import os, sys, threading
import torch, quire.torch
torch.set_num_threads(1)
sys.setswitchinterval(1e-5)
x, exact = torch.randn(20, 20), []

def entering():
    for _ in range(20):
        with quire.torch.batch_invariant():
            exact.append(torch.equal(x.sum(1), quire.sum(x, axis=1)))

def child():
    done, running, errors = threading.Event(), threading.Barrier(4), []
    def reducing():
        try:
            running.wait()
            while not done.is_set():
                x.sum(1), x.mean(), x.var()
        except BaseException as error:
            errors.append(error)
    reducers = [threading.Thread(target=reducing) for _ in range(3)]
    for thread in reducers:
        thread.start()
    running.wait()
    enterers = [threading.Thread(target=entering) for _ in range(2)]
    for thread in enterers:
        thread.start()
    for thread in enterers:
        thread.join()
    done.set()
    for thread in reducers:
        thread.join()
    return 0 if not errors and exact == [True] * 40 else 1

statuses = []
for _ in range(24):
    process = os.fork()
    if not process:
        status = 2
        try:
            status = child()
        finally:
            os._exit(status)
    statuses.append(os.waitpid(process, 0)[1])
print(statuses)
"""


def test_threads_enter_and_leave_while_others_reduce():
    run = subprocess.run([sys.executable, "-c", THREADS], capture_output=True, text=True)
    assert run.stdout == f"{[0] * 24}\n", run.stdout + run.stderr


def test_it_holds_until_the_last_one_leaves():
    right, wrong = bits(quire.sum(X)), bits(X.sum())
    assert right != wrong, "the test cannot tell them apart"
    entered, left, over = threading.Event(), threading.Event(), threading.Event()

    def other():
        with quire.torch.batch_invariant():
            entered.set()
            left.wait()
            assert bits(X.sum()) == right
        over.set()

    thread = threading.Thread(target=other)
    with quire.torch.batch_invariant():
        thread.start()
        entered.wait()
    assert bits(X.sum()) == right  # the other thread is within
    left.set()
    assert over.wait(60)
    thread.join()
    assert bits(X.sum()) == wrong
    with pytest.raises(ZeroDivisionError), quire.torch.batch_invariant(), quire.torch.batch_invariant():
        raise ZeroDivisionError
    assert bits(X.sum()) == wrong

    @quire.torch.batch_invariant()
    def summed(again):
        return summed(False) if again else bits(X.sum())

    assert summed(True) == summed(False) == right and bits(X.sum()) == wrong


@pytest.mark.parametrize("name", OURS)
def test_tensors_of_no_dimension(name):
    theirs, ours = OURS[name]
    number = torch.tensor(0.1)
    for dtype in (torch.float32, torch.bfloat16):
        x = number.to(dtype)
        for keepdim in (False, True):
            for dim in (None, 0, -1, [0], [-1]):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # of a variance of one number
                    outside = theirs(x, dim, keepdim=keepdim)
                    with quire.torch.batch_invariant():
                        within = theirs(x, dim, keepdim=keepdim)
                assert within.shape == outside.shape == () and within.dtype == dtype
                assert bits(within) == (bits(ours(x)) if name not in ("var", "std") else bits(outside))
    for dim in (1, -2, [0, 0], [0, -1]):
        outside = raised_by(lambda: theirs(number, dim))
        with quire.torch.batch_invariant():
            assert raised_by(lambda: theirs(number, dim)) == outside
    y = torch.tensor(3.0, requires_grad=True)
    with quire.torch.batch_invariant():
        (torch.mean(y, 0) + y.sum(-1, keepdim=True)).backward()
    assert y.grad == 2


@pytest.mark.parametrize("name", OURS)
def test_dimensions_are_pytorchs(name):
    theirs, ours = OURS[name]
    with quire.torch.batch_invariant():
        for dim, axis in [(None, None), ((), None), ((0, 1), None), ([-1], 1), (0, 0), (-2, 0)]:
            assert bits(theirs(X, dim)) == bits(ours(X, axis=axis))
    for dim in (2, -3, [0, 0], [0, -2]):
        outside = raised_by(lambda: theirs(X, dim))
        with quire.torch.batch_invariant():
            assert raised_by(lambda: theirs(X, dim)) == outside


@pytest.mark.parametrize("name", OURS)
def test_out(name):
    theirs, ours = OURS[name]
    right = ours(X, axis=1)
    outside = torch.empty(40)
    theirs(X, 1, out=outside)
    assert name in ("var", "std") or bits(outside) != bits(right), "the test cannot tell them apart"
    with quire.torch.batch_invariant():
        for out in (torch.empty(40), torch.empty(0), torch.empty(40, 3)[:, 1], torch.empty(80)[::2]):
            assert theirs(X, 1, out=out) is out and bits(out) == bits(right)
        out = torch.empty(40, 1)
        assert theirs(X, 1, keepdim=True, out=out) is out and bits(out) == bits(right)
        out = torch.empty(())
        assert theirs(X, (0, 1), out=out) is out and bits(out) == bits(ours(X))
        out = torch.empty(3)
        with pytest.warns(UserWarning, match="resized"):
            theirs(X, 1, out=out)
        assert bits(out) == bits(right)
        into = X.clone()
        assert bits(theirs(into, 0, out=into[0])) == bits(ours(X, axis=0)) == bits(into[0])
        version = out._version
        theirs(X, 1, out=out)
        assert out._version > version
        for dtype in (torch.float64, torch.bfloat16, torch.float16):
            if name == "vector_norm":
                continue
            out = torch.empty(40, dtype=dtype)
            assert bits(theirs(X, 1, out=out)) == bits(ours(X, axis=1, dtype=dtype))
        if name not in ("var", "std"):
            out = torch.empty(40, dtype=torch.float64)
            assert bits(theirs(X, 1, dtype=torch.float64, out=out)) == bits(ours(X, axis=1, dtype=torch.float64))


@pytest.mark.parametrize("name", OURS)
def test_an_out_that_pytorch_refuses(name):
    theirs, _ = OURS[name]
    calls = [
        lambda: theirs(X, 1, out=torch.empty(40, requires_grad=True)),
        lambda: theirs(X, 1, out=torch.empty(40, device="meta")),
    ]
    if name in ("sum", "mean", "vector_norm"):
        calls.append(lambda: theirs(X, 1, dtype=torch.float64, out=torch.empty(40)))
    if name == "vector_norm":
        calls.append(lambda: theirs(X, 1, out=torch.empty(40, dtype=torch.float64)))
        calls.append(lambda: theirs(X, 1, dtype=torch.bfloat16))
    if name in ("mean", "var", "std"):
        calls.append(lambda: theirs(X, 1, out=torch.empty(40, dtype=torch.int64)))
    for call in calls:
        outside = raised_by(call)
        with quire.torch.batch_invariant():
            assert raised_by(call) == outside


def test_what_pytorch_makes_of_them():
    columns, rows = quire.sum(X, axis=0), quire.norm(X, axis=1)
    calls = {
        "var_mean": (lambda: torch.var_mean(X, 1), (quire.var(X, axis=1, correction=1), quire.mean(X, axis=1))),
        "std_mean": (
            lambda: torch.std_mean(X, 0, correction=0, keepdim=True),
            (quire.std(X, axis=0, keepdims=True), quire.mean(X, axis=0, keepdims=True)),
        ),
        "var_mean of all": (lambda: torch.var_mean(X), (quire.var(X, correction=1), quire.mean(X))),
        "nansum": (lambda: torch.nansum(NAN, 1), quire.sum(ZEROED, axis=1)),
        "nanmean": (lambda: torch.nanmean(NAN, 1), quire.sum(ZEROED, axis=1) / (X > 0).sum(1)),
        "norm": (lambda: X.norm(dim=1), rows),
        "norm with out": (lambda: torch.norm(X, dim=1, out=torch.empty(40)), rows),
        "aten.norm": (lambda: torch.ops.aten.norm.ScalarOpt_dim(X, 2, [1]), rows),
        "linalg.norm": (lambda: torch.linalg.norm(X, dim=1), rows),
        "matrix_norm": (lambda: torch.linalg.matrix_norm(X), quire.norm(X)),
        "sum_to_size": (lambda: X.sum_to_size(1, 1000), columns[None]),
        "pooling": (lambda: torch.nn.functional.adaptive_avg_pool2d(X[None], 1), quire.mean(X)[None, None, None]),
        "mse_loss": (lambda: torch.nn.functional.mse_loss(X, X * 0), quire.mean(X * X)),
    }
    told_apart = []
    for name, (call, right) in calls.items():
        with quire.torch.batch_invariant():
            within = call()
        outside = call()
        of_each = (t if isinstance(t, tuple) else (t,) for t in (within, outside, right))
        for found, before, one in zip(*of_each, strict=True):
            assert bits(found) == bits(one), name
            told_apart.append(bits(before) != bits(one))
    assert sum(told_apart) > len(told_apart) // 2


def test_moments_with_their_mean():
    torch.manual_seed(6)
    x = torch.randn(40, 1000, dtype=torch.float64) + 1e6
    for call, ours in ((torch.var_mean, quire.var), (torch.std_mean, quire.std)):
        for words in ({}, {"dim": 1}, {"dim": (0, 1), "keepdim": True}, {"dim": -2, "correction": 0}):
            axis, correction = words.get("dim"), words.get("correction", 1)
            right = ours(x, axis=axis, correction=correction), quire.mean(x, axis=axis)
            assert bits(call(x, **words)[0]) != bits(right[0]), "the test cannot tell them apart"
            with quire.torch.batch_invariant():
                assert tuple(map(bits, call(x, **words))) == tuple(map(bits, right))
    y = x[0].clone().requires_grad_()
    with quire.torch.batch_invariant():
        assert torch.autograd.gradcheck(lambda t: torch.var_mean(t[:9] - 1e6), y)


def test_moments_that_are_pytorchs_own():
    x = torch.randn(3, 5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a variance of too few numbers
        for correction in (0.5, 5, 7):
            for call in (torch.var, torch.std, lambda *a, **b: torch.var_mean(*a, **b)[0]):
                outside = bits(call(x, 1, correction=correction))
                with quire.torch.batch_invariant():
                    assert bits(call(x, 1, correction=correction)) == outside


def test_gradients_of_what_was_broadcast():
    weight = torch.ones(1, 1000, requires_grad=True)
    with quire.torch.batch_invariant():
        (X * weight).backward(torch.ones(40, 1000))
    assert bits(weight.grad[0]) == bits(quire.sum(X, axis=0))
    weight.grad = None
    (X * weight).backward(torch.ones(40, 1000))
    assert bits(weight.grad[0]) != bits(quire.sum(X, axis=0)), "the test cannot tell them apart"


def test_integers_that_are_asked_for_as_floats():
    x = torch.from_numpy(filled((10, 999), "float32", "any finite bits", 1).view("i4").copy())
    with quire.torch.batch_invariant():
        assert bits(x.sum(1, dtype=torch.float32)) == bits(quire.sum(x.float(), axis=1))
        assert bits(x.mean(dtype=torch.float64)) == bits(quire.mean(x.double()))
        out = torch.empty(999)
        assert bits(torch.sum(x, 0, out=out)) == bits(quire.sum(x.float(), axis=0))
        assert x.sum(1).dtype == torch.int64 and torch.equal(x.sum(1), torch.from_numpy(x.numpy().sum(1)))


def test_a_compiled_function_may_enter_it():
    def f(x):
        with quire.torch.batch_invariant():
            return x.sum(1) + x.mean()

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = torch.compile(f, backend="aot_eager")(X)
    assert bits(found) == bits(quire.sum(X, axis=1) + quire.mean(X)) == bits(f(X))


def test_every_override_is_an_operator_of_pytorch():
    for name in _batch_invariant.OVERRIDES:
        operator, _, overload = name.partition(".")
        assert hasattr(getattr(torch.ops.aten, operator), overload or "default")


def documented():
    """The RMSNorm of docs/torch.md."""
    blocks = (ROOT / "docs/torch.md").read_text().split("```python\n")
    (block,) = [block.partition("```")[0] for block in blocks if "def rms_norm" in block]
    return block


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_the_norm_of_the_documentation(dtype):
    torch.manual_seed(4)
    for n in (1, 7, 16, 33, 1000):
        x, weight = torch.randn(40, n).to(dtype), torch.randn(n).to(dtype)
        names = {"torch": torch, "quire": quire, "x": x, "weight": weight}
        exec(documented(), names)
        rms_norm = names["rms_norm"]
        with quire.torch.batch_invariant():
            rows = [bits(rms_norm(row[None], weight)) for row in x]
            for batch in range(1, 18):
                for begin in range(0, 40 - batch, 5):
                    found = rms_norm(x[begin : begin + batch], weight)
                    assert found.dtype == dtype
                    assert [bits(row[None]) for row in found] == rows[begin : begin + batch]
