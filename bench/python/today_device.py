"""What today.py compares on a CUDA device: PyTorch, CUB, cuBLAS and quire, on one array, timed by events.

PyTorch holds the array where it is there, else CuPy. All work on the default stream.

SPDX-License-Identifier: MIT
"""
import ctypes

import numpy

CALLS = 20  # between two events


class _Torch:
    """The device as PyTorch sees it."""

    def __init__(self, torch):
        self._torch, self.name = torch, torch.cuda.get_device_name(0)

    def upload(self, x):
        return self._torch.from_numpy(x).to("cuda:0")

    def address(self, array):
        return array.data_ptr()

    def event(self):
        return self._torch.cuda.Event(enable_timing=True)

    def milliseconds(self, begin, end):
        return begin.elapsed_time(end)


class _CuPy:
    """The device as CuPy sees it."""

    def __init__(self, cupy):
        self._cupy, self.name = cupy, cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()

    def upload(self, x):
        return self._cupy.asarray(x)

    def address(self, array):
        return array.data.ptr

    def event(self):
        return self._cupy.cuda.Event()

    def milliseconds(self, begin, end):
        return self._cupy.cuda.get_elapsed_time(begin, end)


def find(torch, cupy, left_out):
    """The device; None where there is none, which left_out is told."""
    why = "PyTorch finds none, and there is no CuPy" if torch else "neither PyTorch nor CuPy is there"
    if torch and torch.cuda.is_available():
        return _Torch(torch)
    if cupy:
        try:
            return _CuPy(cupy)
        except cupy.cuda.runtime.CUDARuntimeError as error:
            why = str(error)
    left_out("all sums on a CUDA device", why)
    return None


def clock_of(device):
    """How a call is timed: what it gives, and the seconds of one of many between two events."""

    def clock(run):
        begin, end = device.event(), device.event()
        begin.record()
        for _ in range(CALLS):
            result = run()
        end.record()
        end.synchronize()
        return float(result), device.milliseconds(begin, end) * 1e-3 / CALLS

    return clock


def contenders(device, torch, cupy, x, left_out):
    """A label and a call for each but quire, and the array that they sum."""
    is_half, of_x = x.dtype == numpy.float16, device.upload(x)
    found = []
    if isinstance(device, _Torch):
        kind, ones = (torch.float32 if is_half else torch.float64), torch.ones_like(of_x)
        version = ".".join(torch.__version__.split(".")[:2])
        found += [(f"PyTorch {version}, `torch.sum(x)` (halves: `dtype=float32`)", lambda: torch.sum(of_x, dtype=kind))]
        found += [("cuBLAS, `torch.dot` with ones (halves: the result is a half)", lambda: torch.dot(of_x, ones))]
    elif is_half:
        left_out("halves: cuBLAS", "CuPy's dot takes none, and PyTorch is not there or finds no device")
    else:
        ones = cupy.ones_like(of_x)
        found += [("cuBLAS, `cupy.cublas.dot` with ones", lambda: cupy.cublas.dot(of_x, ones))]
    if cupy:
        wide, shared = (numpy.float32 if is_half else numpy.float64), cupy.asarray(of_x)
        label = "CUB by CuPy, `x.sum()`, its DeviceReduce (halves: `dtype=float32`, its BlockReduce)"
        found += [(label, lambda: shared.sum(dtype=wide))]
    else:
        left_out("CUB", "there is no CuPy")
    return found, of_x


def open_context(library, left_out):
    """A context of quire on the device; None where there is none."""
    context = ctypes.c_void_p()
    status = library.quire_open_cuda(ctypes.byref(context), 0, None)
    if status:
        library.quire_status_string.restype = ctypes.c_char_p
        left_out("quire on the device", library.quire_status_string(status).decode())
        return None
    return context
