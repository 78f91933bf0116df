"""torch_layers.py --batches: quire.torch's softmax and norms beside PyTorch's, by type, length of rows and batch.

Each call is measured twice. "eager": calls one behind the other, as a user makes them, which in small batches is the
time of Python and of launches. "graph": the same calls in a CUDA graph, which is the kernels' own time. A time is the
least of some turns. "forward+backward" has the gradients of x and of all weights.

The kernels of Triton are compiled first, by some processes at once: what they compile lies in Triton's cache.
"""

from __future__ import annotations

import contextlib
import csv
import gc
import math
import os
import statistics
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from importlib.util import find_spec
from multiprocessing import get_context
from typing import Any, NamedTuple

import quire.torch as qt
import torch

F = torch.nn.functional
TYPES = (torch.bfloat16, torch.float16, torch.float32)
PASSES = ("forward", "forward+backward")
TURNS = 3
GOAL = 1.15
Call = Callable[[], Any]


class Layer(NamedTuple):
    """A call of x and weights, ours and PyTorch's."""

    ours: Callable[..., torch.Tensor]
    theirs: Callable[..., torch.Tensor]
    weights: int


def layers(n: int) -> dict[str, Layer]:
    """Of rows of n."""
    shape = (n,)
    return {
        "softmax": Layer(lambda x: qt.softmax(x, -1), lambda x: F.softmax(x, -1), 0),
        "log_softmax": Layer(lambda x: qt.log_softmax(x, -1), lambda x: F.log_softmax(x, -1), 0),
        "rms_norm": Layer(lambda x, w: qt.rms_norm(x, shape, w, 1e-6), lambda x, w: F.rms_norm(x, shape, w, 1e-6), 1),
        "layer_norm": Layer(
            lambda x, w, b: qt.layer_norm(x, shape, w, b), lambda x, w, b: F.layer_norm(x, shape, w, b), 2
        ),
    }


class Row(NamedTuple):
    """Of the CSV: times in microseconds, ratios of ours to PyTorch's, numbers of different outputs over the batches."""

    layer: str
    which: str
    type: str
    hidden: int
    batch: int
    quire_eager_us: float
    torch_eager_us: float
    eager_ratio: float
    quire_graph_us: float
    torch_graph_us: float
    graph_ratio: float
    quire_results: int
    torch_results: int


def seconds_of(call: Call, count: int, device: str) -> float:
    """Of one of count calls."""
    if device == "cpu":
        begin = time.perf_counter()
        for _ in range(count):
            call()
        return (time.perf_counter() - begin) / count
    first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    first.record()
    for _ in range(count):
        call()
    last.record()
    torch.cuda.synchronize()
    return first.elapsed_time(last) / 1e3 / count


def backward(call: Callable[..., torch.Tensor], tensors: list[torch.Tensor], g: torch.Tensor) -> Call:
    """A call of some tensors, and its gradients."""
    leaves = [t.detach().requires_grad_() for t in tensors]
    return lambda: torch.autograd.grad(call(*leaves), leaves, g)


class Inputs:
    """Tensors of one type and length of rows. Smaller batches are the first rows of larger ones."""

    def __init__(self, dtype: torch.dtype, n: int, most: int, device: str) -> None:
        torch.manual_seed(n)
        self.x, self.g = (torch.randn(most, n, device=device).to(dtype) for _ in range(2))
        self.weights = [torch.randn(n, device=device).to(dtype) for _ in range(2)]

    def calls(self, layer: Layer, which: str, batch: int) -> list[Call]:
        """Ours and PyTorch's."""
        x, g, weights = self.x[:batch], self.g[:batch], self.weights[: layer.weights]
        if which == "forward":
            return [lambda: layer.ours(x, *weights), lambda: layer.theirs(x, *weights)]
        return [backward(call, [x, *weights], g) for call in (layer.ours, layer.theirs)]

    def different(self, layer: Layer, batches: list[int]) -> list[int]:
        """How many outputs row 0 has over the batches, together with its gradient: by ours, by PyTorch's."""
        counts = []
        for call in (layer.ours, layer.theirs):
            found = set()
            for batch in batches:
                x = self.x[:batch].detach().requires_grad_()
                y = call(x, *self.weights[: layer.weights])
                (gx,) = torch.autograd.grad(y, x, self.g[:batch])
                found.add(torch.stack((y[0].detach(), gx[0])).view(torch.uint8).cpu().numpy().tobytes())
            counts.append(len(found))
        return counts


class Budget:
    """A time for all measurements, of which each takes its share."""

    def __init__(self, seconds: float, measurements: int) -> None:
        self.end, self.left = time.perf_counter() + seconds, measurements

    def share(self) -> float:
        seconds = (self.end - time.perf_counter()) / self.left
        self.left -= 1
        return min(0.1, max(0.006, seconds))


def compiled(dtype: torch.dtype, n: int, device: str) -> None:
    """Calls every layer once, so that Triton has its kernels in its cache."""
    inputs = Inputs(dtype, n, 1, device)
    for layer in layers(n).values():
        for which in PASSES:
            inputs.calls(layer, which, 1)[0]()


def compile_all(lengths: list[int], device: str) -> None:
    with ProcessPoolExecutor(min(os.cpu_count() or 1, 12), mp_context=get_context("spawn")) as pool:
        for job in [pool.submit(compiled, dtype, n, device) for n in lengths for dtype in TYPES]:
            job.result()


def least_of(calls: list[Call], seconds: float, device: str) -> list[float]:
    """The least time of each, in turns, after a warm-up."""
    counts, least = [], [math.inf] * len(calls)
    for call in calls:
        seconds_of(call, 2, device)
        turn = seconds / len(calls) / (TURNS + 1)
        counts.append(max(2, min(1000, int(turn / seconds_of(call, 3, device)))))
    for _ in range(TURNS):
        for i, call in enumerate(calls):
            least[i] = min(least[i], seconds_of(call, counts[i], device))
    return least


def graph_of(call: Call, count: int) -> torch.cuda.CUDAGraph:
    """Of count calls. The call has been made before."""
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(count):
            call()
    return graph


def in_graphs(calls: list[Call], eager: list[float], seconds: float) -> list[float]:
    """The least times, by graphs of so many calls that the launch of a graph hardly shows; NaN where there is none."""
    try:
        counts = [max(2, min(20, int(1e-3 / once))) for once in eager]
        graphs = [graph_of(call, count) for call, count in zip(calls, counts, strict=True)]
        times = least_of([graph.replay for graph in graphs], seconds, "cuda")
        return [time / count for time, count in zip(times, counts, strict=True)]
    except RuntimeError as error:
        print(f"no graph: {str(error).splitlines()[0]}", file=sys.stderr, flush=True)
        return [math.nan] * len(calls)


def measured(calls: list[Call], budget: Budget, device: str) -> list[float]:
    """Microseconds of ours and of PyTorch's and their ratio: eager, then in graphs."""
    eager = least_of(calls, budget.share(), device)
    seconds = budget.share()
    graph = in_graphs(calls, eager, seconds) if device == "cuda" else [math.nan] * 2
    return [round(value, 3) for ours, theirs in (eager, graph) for value in (ours * 1e6, theirs * 1e6, ours / theirs)]


def summary(rows: list[Row], batches: list[int]) -> None:
    """Ratios by layer, pass and batch, over types and lengths of rows: the median, and the greatest."""
    for field, word in (("eager_ratio", "Eager"), ("graph_ratio", "In graphs")):
        found: dict[tuple[str, str, int], list[float]] = {}
        for row in rows:
            if not math.isnan(getattr(row, field)):
                found.setdefault((row.layer, row.which, row.batch), []).append(getattr(row, field))
        ratios = [ratio for cell in found.values() for ratio in cell]
        if not ratios:
            continue
        above = sum(ratio > GOAL for ratio in ratios)
        print(f"\n{word}, time over PyTorch's: median (most). {above} of {len(ratios)} are above {GOAL}.")
        print("| | " + " | ".join(f"batch {batch}" for batch in batches) + " |\n" + "|---" * (len(batches) + 1) + "|")
        for layer, which in dict.fromkeys((row.layer, row.which) for row in rows):
            cells = [found.get((layer, which, batch), [math.nan]) for batch in batches]
            words = " | ".join(f"{statistics.median(cell):.2f} ({max(cell):.2f})" for cell in cells)
            print(f"| {layer}, {which} | {words} |")


def main(where: str, device: str, lengths: list[int], batches: list[int], total: float, file: str | None) -> None:
    begin = time.perf_counter()
    if device == "cuda":
        compile_all(lengths, device)
        print(f"compiled in {time.perf_counter() - begin:.0f} s", file=sys.stderr, flush=True)
    gc.freeze()  # the capture of a graph may collect garbage: then there is little to look through
    cases = len(TYPES) * len(lengths) * len(layers(1)) * len(PASSES) * len(batches)
    budget, rows = Budget(total - (time.perf_counter() - begin), 2 * cases), []
    with open(file, "w", newline="") if file else contextlib.nullcontext(sys.stdout) as to:
        triton = f"Triton {version('triton')}" if find_spec("triton") else "no Triton"
        print(f"# {where}, PyTorch {torch.__version__}, {triton}, {time.strftime('%Y-%m-%d')}", file=to)
        writer = csv.writer(to, lineterminator="\n")
        writer.writerow(Row._fields)
        for dtype in TYPES:
            for n in lengths:
                inputs = Inputs(dtype, n, max(batches), device)
                for name, layer in layers(n).items():
                    results = inputs.different(layer, batches)
                    for which in PASSES:
                        for batch in batches:
                            times = measured(inputs.calls(layer, which, batch), budget, device)
                            rows.append(Row(name, which, str(dtype)[6:], n, batch, *times, *results))
                            writer.writerow(rows[-1])
                            to.flush()
    summary(rows, batches)
    ours, theirs = max(row.quire_results for row in rows), max(row.torch_results for row in rows)
    print(f"\nOutputs of row 0, and of its gradient, over {len(batches)} batches: {ours}; PyTorch's at most {theirs}.")
    print(f"{time.perf_counter() - begin:.0f} s")
    if ours != 1:
        sys.exit("quire's bits depend on the batch")
