#!/usr/bin/env python3
"""Which launch of quire.triton's kernels takes the least time on a CUDA device: rows of a program and warps; of the
gradients of weights, programs, rows and columns of a tile, warps. None of them shows in a result.

triton_launch.py [log2 of the elements, 26] [lengths of rows, 128,1024,4096,16384] [names, such as norm,weights]

Milliseconds of the launch that is chosen without being told, and of the best three. "copy" reads and writes as much as
a forward kernel does. Each launch is compiled first, which takes some seconds.
"""

from __future__ import annotations

import sys

import torch
from quire.triton import _kernels as k

bits = int(sys.argv[1]) if len(sys.argv) > 1 else 26
lengths = [int(a) for a in (sys.argv[2] if len(sys.argv) > 2 else "128,1024,4096,16384").split(",")]
wanted = sys.argv[3].split(",") if len(sys.argv) > 3 else [""]
TOGETHER = 5  # calls between two events, so that the device does not wait for Python


def milliseconds(run):
    """The least of four times five, after one to compile."""
    times = []
    for _ in range(5):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(TOGETHER):
            run()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) / TOGETHER)
    return min(times[1:])


def sweep(name, run, launches):
    if not any(word in name for word in wanted):
        return
    chosen = milliseconds(lambda: run(()))
    found = []
    for launch in launches:
        try:
            found.append((milliseconds(lambda: run(launch)), launch))
        except Exception as error:  # more threads or registers than there are
            print(f"    {name} {launch}: {type(error).__name__}", flush=True)
    words = "; ".join(f"{time:.3f} {' '.join(f'{a}={b}' for a, b in launch)}" for time, launch in sorted(found)[:3])
    print(f"  {name}: {chosen:.3f}; {words}", flush=True)


def columns(name, g, x, n, mean, inverse, of_bias):
    if not any(word in name for word in wanted):
        return
    chosen, found = k.COLUMNS, []
    tiles = ((4, 256, 4), (8, 128, 4), (16, 64, 4), (8, 64, 2), (16, 128, 8))
    for launch in (chosen, *((programs, *tile) for programs in (528, 1056, 2112) for tile in tiles)):
        k.COLUMNS = launch
        k.column_plans.cache_clear()
        time = milliseconds(lambda: k.norm_gradients_of_columns(g, x, n, mean, inverse, torch.float32, of_bias))
        found.append((time, launch))
    k.COLUMNS = chosen
    k.column_plans.cache_clear()
    words = "; ".join(f"{time:.3f} {launch}" for time, launch in sorted(found[1:])[:3])
    print(f"  {name}: {found[0][0]:.3f}; {words}", flush=True)


def main():
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, 2^{bits} elements")
    for dtype in (torch.bfloat16, torch.float32):
        for n in lengths:
            x = torch.randn(2**bits // n, n, device="cuda").to(dtype)
            g, w = torch.randn_like(x), torch.randn(n, device="cuda").to(dtype)
            y = k.softmax_of_rows(x, False)
            print(f"{str(dtype)[6:]}, rows of {n}: copy {milliseconds(lambda: y.copy_(x)):.3f}", flush=True)
            sizes = [r for r in (1, 2, 4, 8, 16, 32) if 1024 <= r * n <= 2048 or r == 1 < n / 1024]
            pairs = [(r, r * n // (32 * each)) for r in sizes for each in (8, 16, 32) if r * n <= 1024 * each]
            launches = [(("R", r), ("num_warps", warps)) for r, warps in pairs]
            _, mean, inverse = k.norm_of_rows(x, n, w, w, 1e-5, True, True)
            for name, run in (
                ("softmax", lambda launch: k.softmax_of_rows(x, False, launch)),
                ("softmax gradient", lambda launch: k.softmax_gradient_of_rows(g, y, False, launch)),
                ("log_softmax gradient", lambda launch: k.softmax_gradient_of_rows(g, y, True, launch)),
                ("rms_norm", lambda launch: k.norm_of_rows(x, n, w, None, 1e-5, False, True, launch)),
                ("rms_norm gradient", lambda launch: k.norm_gradient_of_rows(g, x, n, w, None, inverse, launch)),
                ("layer_norm", lambda launch: k.norm_of_rows(x, n, w, w, 1e-5, True, True, launch)),
                ("layer_norm gradient", lambda launch: k.norm_gradient_of_rows(g, x, n, w, mean, inverse, launch)),
            ):
                sweep(name, run, launches)
            columns("rms_norm weights", g, x, n, None, inverse, None)
            columns("layer_norm weights", g, x, n, mean, inverse, torch.float32)


main()
