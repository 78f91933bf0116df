#!/usr/bin/env python3
"""quire.torch's sums by key, running sums, softmax and norms beside PyTorch's, on a CUDA device if there is one.

Each line is of one process, turn by turn, the least of several. On a device a time is that of many calls one behind the
other and one wait, divided by their number. The last columns count the different results of ten runs with the rows in
ten orders: 1 where no order shows.

bench/python/torch_layers.py [log2 of the elements: 26 on a device, 18 elsewhere] [seconds a line, 0.3]
"""

from __future__ import annotations

import math
import platform
import sys
import time

import quire.torch as qt
import torch

F = torch.nn.functional
TURNS = 5
device = "cuda" if torch.cuda.is_available() else "cpu"


def wait():
    if device == "cuda":
        torch.cuda.synchronize()


def seconds_of(call, count):
    wait()
    begin = time.perf_counter()
    for _ in range(count):
        call()
    wait()
    return (time.perf_counter() - begin) / count


def compare(label, ours, theirs, orders=()):
    """Prints a line of a table. orders: calls of both that take an order of the rows."""
    calls, least = (ours, theirs), [math.inf, math.inf]
    counts = [max(1, min(1000, int(seconds / 2 / TURNS / seconds_of(call, 2)))) for call in calls]
    for _ in range(TURNS):
        for which, call in enumerate(calls):
            least[which] = min(least[which], seconds_of(call, counts[which]))
    different = [str(len({bytes(call(p).cpu().numpy().tobytes()) for p in permutations})) for call in orders]
    times = f"{least[0] * 1e3:.3f} | {least[1] * 1e3:.3f} | {least[0] / least[1]:.2f}"
    print(f"| {label} | {times} | {' | '.join(different or ['', ''])} |", flush=True)


def backward(call, x, g):
    """A call and its gradient."""
    x = x.detach().requires_grad_()
    return lambda: torch.autograd.grad(call(x), x, g)


def keys():
    global permutations
    for width in (1, 64):
        n = 2**bits // width
        permutations = [torch.randperm(n, device=device) for _ in range(10)]
        x = torch.randn(n, width, device=device)
        for groups in (10, 10**4, 10**6):
            k, z = torch.randint(groups, (n,), device=device), torch.zeros(groups, width, device=device)
            compare(
                f"index_add, {groups} groups, width {width}",
                lambda: qt.index_add(z, 0, k, x),
                lambda: torch.index_add(z, 0, k, x),
                (
                    lambda p: qt.index_add(z, 0, k[p], x[p]),
                    lambda p: torch.index_add(z, 0, k[p], x[p]),
                ),
            )
            compare(
                f"index_select with gradient, {groups} groups, width {width}",
                backward(lambda z: qt.index_select(z, 0, k), z, x),
                backward(lambda z: torch.index_select(z, 0, k), z, x),
            )


def rows():
    for dtype in (torch.bfloat16, torch.float32):
        for n in (128, 1024, 4096, 16384):
            x = torch.randn(2**bits // n, n, device=device).to(dtype)
            w, g = torch.randn(n, device=device).to(dtype), torch.randn_like(x)
            for name, ours, theirs in (
                ("softmax", qt.softmax, lambda x: torch.softmax(x, -1)),
                ("log_softmax", qt.log_softmax, lambda x: torch.log_softmax(x, -1)),
                ("rms_norm", lambda x: qt.rms_norm(x, n, w, 1e-6), lambda x: F.rms_norm(x, (n,), w, 1e-6)),
                ("layer_norm", lambda x: qt.layer_norm(x, n, w, w), lambda x: F.layer_norm(x, (n,), w, w)),
                ("cumsum", lambda x: qt.cumsum(x, 1), lambda x: torch.cumsum(x, 1)),
            ):
                word = f"{name}, rows of {n}, {str(dtype).partition('.')[2]}"
                compare(word, lambda: ours(x), lambda: theirs(x))
                compare(f"{word}, with gradient", backward(ours, x, g), backward(theirs, x, g))
            for name, ours, theirs in (
                ("rms_norm", lambda w: qt.rms_norm(x, n, w, 1e-6), lambda w: F.rms_norm(x, (n,), w, 1e-6)),
                ("layer_norm", lambda w: qt.layer_norm(x, n, w, w), lambda w: F.layer_norm(x, (n,), w, w)),
            ):
                word = f"{name}, rows of {n}, {str(dtype).partition('.')[2]}, with gradient of weights alone"
                compare(word, backward(ours, w, g), backward(theirs, w, g))


arguments = [float(a) for a in sys.argv[1:]]
bits = int(arguments[0]) if arguments else 26 if device == "cuda" else 18
seconds = arguments[1] if len(arguments) > 1 else 0.3
permutations = []
torch.manual_seed(1)
where = torch.cuda.get_device_name() if device == "cuda" else platform.machine()
print(f"{where}, PyTorch {torch.__version__}, 2^{bits} elements\n")
print("| | quire ms | torch ms | ratio | quire: results of ten orders | torch |\n|---|---|---|---|---|---|")
keys()
rows()
