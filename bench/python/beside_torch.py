#!/usr/bin/env python3
"""Times of quire's calls on tensors of a CUDA device beside PyTorch's: one process, turn by turn, the least of several.

A time is that of many calls one behind the other and one wait for the device, divided by their number: of small
tensors that is the time a call takes the processor, of large ones the time it takes the device. Input is float32 but
where told.

beside_torch.py [seconds a line, 0.3 unless told]
beside_torch.py --shapes [seconds a line]          rows, columns and segments of all lengths, 256 MiB each
"""

from __future__ import annotations

import argparse
import math
import platform
import time

import quire
import torch

TURNS = 7
seconds_a_line = 0.3


def seconds_of(call, count):
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(count):
        call()
    torch.cuda.synchronize()
    return (time.perf_counter() - begin) / count


def compare(label, ours, theirs):
    """Prints a line of a table: the least time of both, measured in turns."""
    calls, least = (ours, theirs), [math.inf, math.inf]
    try:
        for call in calls:
            seconds_of(call, 3)
    except NotImplementedError as error:
        print(f"| {label} | {error} | | |", flush=True)
        return
    counts = [max(3, min(5000, int(seconds_a_line / 2 / TURNS / seconds_of(call, 20)))) for call in calls]
    for _ in range(TURNS):
        for which, call in enumerate(calls):
            least[which] = min(least[which], seconds_of(call, counts[which]))
    print(f"| {label} | {least[0] * 1e6:.2f} | {least[1] * 1e6:.2f} | {least[0] / least[1]:.2f} |", flush=True)


def shapes(word, size, lengths=(8, 32, 100, 128, 512, 1024, 4096, 50257)):
    """Rows, columns and segments of so many elements."""
    count = 2**28 // size
    whole = torch.randn(count, device="cuda").to(getattr(torch, word))
    for n in lengths:
        x = whole[: count // n * n].view(-1, n)
        compare(f"sum of rows of {n}, {word}", lambda: quire.sum(x, axis=-1), lambda: torch.sum(x, -1))
        compare(
            f"norm of rows of {n}, {word}",
            lambda: quire.norm(x, axis=-1),
            lambda: torch.linalg.vector_norm(x, dim=-1),
        )
        compare(f"var of rows of {n}, {word}", lambda: quire.var(x, axis=-1), lambda: torch.var(x, -1, correction=0))
    for n in (8, 1024, 2**16):
        x = whole.view(-1, n)
        compare(f"sum of {n} columns, {word}", lambda: quire.sum(x, axis=0), lambda: torch.sum(x, 0))
    for n in (8, 64, 1024) if word == "float32" else ():
        offsets = torch.arange(0, count + 1, n, device="cuda")
        compare(
            f"sum of segments of {n}, {word}",
            lambda: quire.segment_sum(whole, offsets),
            lambda: torch.segment_reduce(whole, "sum", offsets=offsets),
        )


def main():
    global seconds_a_line
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seconds", nargs="?", type=float, default=seconds_a_line, help="to spend on a line")
    parser.add_argument("--shapes", action="store_true", help="rows, columns and segments of all lengths")
    options = parser.parse_args()
    seconds_a_line = options.seconds
    print(
        f"quire {quire.__version__}, PyTorch {torch.__version__}, Python {platform.python_version()}, "
        f"{torch.cuda.get_device_name()}\n"
    )
    print("| | quire, µs | PyTorch, µs | ratio |\n|---|---|---|---|")
    if options.shapes:
        for word, size in ("float32", 4), ("bfloat16", 2), ("float16", 2), ("float64", 8):
            shapes(word, size)
        return
    ten = torch.randn(10, device="cuda")
    compare("sum of 10", lambda: quire.sum(ten), lambda: torch.sum(ten))
    compare("sum of 10 along -1", lambda: quire.sum(ten, axis=-1), lambda: torch.sum(ten, -1))
    compare("torch.ops.quire.sum of 10", lambda: torch.ops.quire.sum(ten), lambda: torch.sum(ten))
    compare("mean of 10", lambda: quire.mean(ten), lambda: torch.mean(ten))
    compare("norm of 10", lambda: quire.norm(ten), lambda: torch.linalg.vector_norm(ten))
    compare("var of 10", lambda: quire.var(ten), lambda: torch.var(ten, correction=0))
    out = torch.empty((), device="cuda")
    compare("sum of 10, out", lambda: quire.sum(ten, out=out), lambda: torch.sum(ten, (0,), out=out))
    with torch.cuda.stream(torch.cuda.Stream()):
        compare("sum of 10, another stream", lambda: quire.sum(ten), lambda: torch.sum(ten))
    total, running = quire.Accumulator(), torch.zeros((), dtype=torch.float64, device="cuda")
    compare("Accumulator.add of 10", lambda: total.add(ten), lambda: running.add_(torch.sum(ten)))
    million = torch.randn(10**6, device="cuda")
    compare("sum of 10^6", lambda: quire.sum(million), lambda: torch.sum(million))
    double = million.double()
    compare("sum of 10^6, float64", lambda: quire.sum(double), lambda: torch.sum(double))
    compare("vecdot of 10^6", lambda: quire.vecdot(million, million), lambda: torch.linalg.vecdot(million, million))
    for word in ("float32", "bfloat16"):
        x = torch.randn(65536, 1024, device="cuda").to(getattr(torch, word))
        size = f"65536 x 1024, {word}"
        compare(f"sum of {size}", lambda: quire.sum(x), lambda: torch.sum(x))
        compare(f"sum of {size}, along -1", lambda: quire.sum(x, axis=-1), lambda: torch.sum(x, -1))
        compare(f"sum of {size}, along 0", lambda: quire.sum(x, axis=0), lambda: torch.sum(x, 0))
        compare(
            f"norm of {size}, along -1", lambda: quire.norm(x, axis=-1), lambda: torch.linalg.vector_norm(x, dim=-1)
        )
        mask = x > 0
        compare(
            f"sum of {size}, along -1, where",
            lambda: quire.sum(x, axis=-1, where=mask),
            lambda: torch.sum(torch.where(mask, x, 0), -1),
        )
        compare(
            f"mean of {size}, along -1, where",
            lambda: quire.mean(x, axis=-1, where=mask),
            lambda: torch.sum(torch.where(mask, x, 0), -1) / mask.sum(-1),
        )
        long = quire.Accumulator()
        compare(f"Accumulator.add of {size}", lambda: long.add(x), lambda: torch.sum(x))
        compare(f"var of {size}, along -1", lambda: quire.var(x, axis=-1), lambda: torch.var(x, -1, correction=0))


main()
