#!/usr/bin/env python3
"""quire.torch's sums by key, running sums, softmax and norms beside PyTorch's, on a CUDA device if there is one.

bench/python/torch_layers.py [log2 of the elements: 26 on a device, 18 elsewhere] [seconds a line, 0.3]

Large tensors. Each line is of one process, turn by turn, the least of several. A time is that of many calls one behind
the other, divided by their number. The last columns count the different results of ten runs with the rows in ten
orders: 1 where no order shows.

bench/python/torch_layers.py --batches [--csv FILE] [--total 120] [--hidden 1024,4096,...] [--batch 1,16,...]

Softmax and norms of small and large batches (layer_batches.py): rows of a CSV, and a summary. The program fails if
the bits of the first row, or of its gradient, depend on the batch.
"""

from __future__ import annotations

import argparse
import math
import platform

import layer_batches
import quire.torch as qt
import torch
from layer_batches import backward, layers, seconds_of

TURNS = 5


class Table:
    """Lines of calls of two libraries. permutations: orders of the rows that are tried."""

    def __init__(self, device: str, bits: int, seconds: float) -> None:
        self.device, self.bits, self.seconds = device, bits, seconds
        print("| | quire ms | torch ms | ratio | quire: results of ten orders | torch |\n|---|---|---|---|---|---|")

    def compare(self, label, ours, theirs, orders=(), permutations=()):
        """Prints a line. orders: calls of both that take an order of the rows."""
        calls, least = (ours, theirs), [math.inf, math.inf]
        once = [self.seconds / 2 / TURNS / seconds_of(call, 2, self.device) for call in calls]
        counts = [max(1, min(1000, int(count))) for count in once]
        for _ in range(TURNS):
            for which, call in enumerate(calls):
                least[which] = min(least[which], seconds_of(call, counts[which], self.device))
        different = [str(len({bytes(call(p).cpu().numpy().tobytes()) for p in permutations})) for call in orders]
        times = f"{least[0] * 1e3:.3f} | {least[1] * 1e3:.3f} | {least[0] / least[1]:.2f}"
        print(f"| {label} | {times} | {' | '.join(different or ['', ''])} |", flush=True)

    def keys(self):
        for width in (1, 64):
            n, device = 2**self.bits // width, self.device
            permutations = [torch.randperm(n, device=device) for _ in range(10)]
            x = torch.randn(n, width, device=device)
            for groups in (10, 10**4, 10**6):
                k, z = torch.randint(groups, (n,), device=device), torch.zeros(groups, width, device=device)
                self.compare(
                    f"index_add, {groups} groups, width {width}",
                    lambda: qt.index_add(z, 0, k, x),
                    lambda: torch.index_add(z, 0, k, x),
                    (
                        lambda p: qt.index_add(z, 0, k[p], x[p]),
                        lambda p: torch.index_add(z, 0, k[p], x[p]),
                    ),
                    permutations,
                )
                self.compare(
                    f"index_select with gradient, {groups} groups, width {width}",
                    backward(lambda z: qt.index_select(z, 0, k), [z], x),
                    backward(lambda z: torch.index_select(z, 0, k), [z], x),
                )

    def rows(self):
        for dtype in (torch.bfloat16, torch.float32):
            for n in (128, 1024, 4096, 16384):
                x = torch.randn(2**self.bits // n, n, device=self.device).to(dtype)
                w, g = torch.randn(n, device=self.device).to(dtype), torch.randn_like(x)
                of = f"rows of {n}, {str(dtype).partition('.')[2]}"
                for name, (ours, theirs, weights) in layers(n).items():
                    ws = [w] * weights
                    self.compare(f"{name}, {of}", lambda: ours(x, *ws), lambda: theirs(x, *ws))
                    pair = [backward(lambda x, f=f: f(x, *ws), [x], g) for f in (ours, theirs)]
                    self.compare(f"{name}, {of}, with gradient", *pair)
                    if weights:
                        pair = [backward(lambda w, f=f: f(x, *[w] * weights), [w], g) for f in (ours, theirs)]
                        self.compare(f"{name}, {of}, with gradient of weights alone", *pair)
                self.compare(f"cumsum, {of}", lambda: qt.cumsum(x, 1), lambda: torch.cumsum(x, 1))
                pair = [backward(lambda x, f=f: f(x, 1), [x], g) for f in (qt.cumsum, torch.cumsum)]
                self.compare(f"cumsum, {of}, with gradient", *pair)


def numbers(text: str) -> list[int]:
    found = [int(part) for part in text.split(",")]
    if min(found) < 1:
        raise ValueError(text)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bits", nargs="?", type=int, help="log2 of the elements")
    parser.add_argument("seconds", nargs="?", type=float, default=0.3, help="of a line")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--batches", action="store_true")
    parser.add_argument("--csv", help="file that takes the rows, in place of the output")
    parser.add_argument("--total", type=float, default=120, help="seconds that batches take, about")
    parser.add_argument("--hidden", type=numbers, default=[1024, 4096, 8192, 16384], help="lengths of rows")
    parser.add_argument("--batch", type=numbers, default=[1, 16, 256, 4096], help="numbers of rows")
    of = parser.parse_args()
    if of.csv and not of.batches:
        parser.error("--csv goes with --batches")
    if of.batches and of.bits is not None:
        parser.error("bits and seconds do not go with --batches")
    torch.manual_seed(1)
    where = torch.cuda.get_device_name() if of.device == "cuda" else platform.machine()
    if of.batches:
        layer_batches.main(where, of.device, of.hidden, of.batch, of.total, of.csv)
        return
    bits = of.bits or (26 if of.device == "cuda" else 18)
    print(f"{where}, PyTorch {torch.__version__}, 2^{bits} elements\n")
    table = Table(of.device, bits, of.seconds)
    table.keys()
    table.rows()


if __name__ == "__main__":
    main()
