"""RMSNorm and softmax on a CUDA device: quire.triton's, the same kernels with sums in float, and PyTorch's own.

    python3 bench/python/triton_rows.py [log2 of the elements, 27]

Each kernel is run with 1, 2, 4, 8 and 16 warps: the best time counts, and so does how many different outputs there are.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import torch
import triton
import triton.language as tl

import quire.triton as qt


@triton.jit
def float_rms_norm(x, weight, y, rows, n, eps, R: tl.constexpr, N: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    c = tl.arange(0, N)
    at = r.to(tl.int64)[:, None] * n + c[None, :]
    mask = (r[:, None] < rows) & (c[None, :] < n)
    v = tl.load(x + at, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(weight + c, mask=c < n, other=0.0).to(tl.float32)
    result = v * tl.rsqrt(tl.sum(v * v, 1) / n + eps)[:, None] * w[None, :]
    tl.store(y + at, result.to(y.dtype.element_ty), mask=mask)


@triton.jit
def float_softmax(x, y, rows, n, R: tl.constexpr, N: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    c = tl.arange(0, N)
    at = r.to(tl.int64)[:, None] * n + c[None, :]
    mask = (r[:, None] < rows) & (c[None, :] < n)
    v = tl.load(x + at, mask=mask, other=float("-inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, 1)[:, None])
    tl.store(y + at, (e / tl.sum(e, 1)[:, None]).to(y.dtype.element_ty), mask=mask)


TOGETHER = 10  # calls between two events, so that the device does not wait for Python


def milliseconds(run: Callable[[], object]) -> float:
    """Of one call: the median of seven times ten."""
    times = []
    for i in range(9):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(TOGETHER):
            run()
        end.record()
        torch.cuda.synchronize()
        if i > 1:
            times.append(begin.elapsed_time(end) / TOGETHER)
    return sorted(times)[len(times) // 2]


def best(start: Callable[[int], torch.Tensor]) -> tuple[float, int]:
    times, outputs = [], set()
    for warps in (1, 2, 4, 8, 16):
        times.append(milliseconds(lambda: start(warps)))
        outputs.add(start(warps)[:512].cpu().view(torch.uint8).numpy().tobytes())
    return min(times), len(outputs)


def main() -> None:
    elements = 1 << int(sys.argv[1] if len(sys.argv) > 1 else 27)
    versions = f"PyTorch {torch.__version__}, Triton {triton.__version__}"
    print(f"{torch.cuda.get_device_name()}, {versions}, {elements} elements")
    print("ms: torch; float kernel (outputs); quire.triton (outputs); quire over float, over torch")
    for dtype in (torch.bfloat16, torch.float16, torch.float32):
        for n in (128, 1024, 4096, 16384):
            rows, block = elements // n, max(1, 1024 // n)
            x, w = torch.randn(rows, n, device="cuda", dtype=dtype), torch.randn(n, device="cuda", dtype=dtype)
            y, grid = torch.empty_like(x), (triton.cdiv(rows, block),)
            launch = {"R": block, "N": triton.next_power_of_2(n)}
            norm, soft = (x, w, y, rows, n, 1e-6), (x, y, rows, n)
            for name, peer, in_float, arguments, exact in (
                ("rms_norm", lambda: torch.nn.functional.rms_norm(x, (n,), w, 1e-6), float_rms_norm, norm,
                 lambda k: qt.rms_norm(x, w, num_warps=k)),
                ("softmax", lambda: torch.softmax(x, -1), float_softmax, soft,
                 lambda k: qt.softmax(x, num_warps=k)),
            ):
                theirs = milliseconds(peer)
                f, many = best(lambda k: (in_float[grid](*arguments, **launch, num_warps=k), y)[1])
                q, one = best(exact)
                print(f"{name} {str(dtype)[6:]} {n}: {theirs:.3f}; {f:.3f} ({many}); {q:.3f} ({one}); "
                      f"{q / f:.2f}, {q / theirs:.2f}", flush=True)
            del x, y


if __name__ == "__main__":
    main()
