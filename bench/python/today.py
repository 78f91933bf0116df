#!/usr/bin/env python3
"""Sums ill-conditioned numbers with what people use today and with quire: error and time, as tables in Markdown.

    python3 bench/python/today.py [--doubles N] [--halves N] [--commit TEXT] [--csv FILE] build/src/libquire.so

10^7 doubles and 10^8 halves, a thousand of which are the sum; the others cancel in pairs. The first table has sums of
one thread on the CPU. The second has sums on CUDA device 0, where PyTorch or CuPy can use one. All of a table are of
the same run, and take turns; a time on the CPU is the best call of 25 (math.fsum: of 2 or 1), on the device the best of
25 times of 20 calls between two events. What cannot be had is left out, and standard error says why. Needs NumPy, and
cc for the loop.

SPDX-License-Identifier: MIT
"""
import argparse
import csv
import ctypes
import fractions
import importlib
import math
import os
import platform
import shlex
import subprocess
import sys
import tempfile
import time

import numpy

import today_device

TELLING, TURNS, MANY = 1000, 25, 2 * 10**7
METHODS = {"exact": 1, "kahan": 2, "pairwise": 3, "plain": 4}  # as in quire.h
TYPES = {"float16": 1, "float32": 3, "float64": 4}
LOOPS = """
double loop_f64(const double *x, long n) { double s = 0; for (long i = 0; i < n; i++) s += x[i]; return s; }
float loop_f32(const float *x, long n) { float s = 0; for (long i = 0; i < n; i++) s += x[i]; return s; }
"""


def left_out(what, why):
    print(f"today.py: left out: {what}: {why}", file=sys.stderr)


def optional(name):
    """A module, or None."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        left_out(name, error)
        return None


# ------------------------------------------------------------------------------------------------------------- numbers


def numbers(dtype, n, condition):
    """n numbers whose magnitudes sum to about so many times their sum, and that sum."""
    random = numpy.random.default_rng(1)
    half = random.uniform(-1, 1, (n - TELLING) // 2).astype(dtype)
    size = float(numpy.abs(half).sum(dtype=numpy.float64)) * 2 / condition / TELLING
    telling = random.uniform(0.5 * size, 1.5 * size, TELLING).astype(dtype)
    x = numpy.concatenate([half, -half, telling])
    random.shuffle(x)
    return x, sum(fractions.Fraction(float(t)) for t in telling)


def error_of(value, truth):
    """Relative to the true sum."""
    return float(abs(fractions.Fraction(value) - truth) / abs(truth)) if math.isfinite(value) else math.inf


# ------------------------------------------------------------------------------------------------------------- sums


def compiled_loops():
    folder = tempfile.mkdtemp()
    source, library = os.path.join(folder, "loops.c"), os.path.join(folder, "loops.so")
    with open(source, "w", encoding="utf-8") as file:
        file.write(LOOPS)
    try:
        subprocess.run(["cc", "-O2", "-ffp-contract=off", "-shared", "-fPIC", source, "-o", library], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        left_out("a loop in C", error)
        return None
    loops = ctypes.CDLL(library)
    loops.loop_f64.restype, loops.loop_f32.restype = ctypes.c_double, ctypes.c_float
    return loops


def quire_rows(library, context, x, address, result, result_address):
    """A label and a call for each method; a call answers result."""
    types = TYPES[x.dtype.name], TYPES["float32" if x.dtype == numpy.float16 else "float64"]

    def sum_by(method):
        status = library.quire_sum(context, types[0], ctypes.c_size_t(x.size), ctypes.c_void_p(address), method,
                                   types[1], ctypes.c_void_p(result_address))
        if status:
            sys.exit(f"today.py: quire_sum: status {status}")
        return result

    for name in ("plain", "pairwise", "kahan", "exact"):
        label = f"**quire, {name}**" if name == "exact" else f"quire, {name}"
        yield label, lambda method=METHODS[name]: sum_by(method)


def cpu_rows(library, loops, torch, x):
    """A label and a call for each sum of one thread."""
    is_half, size = x.dtype == numpy.float16, ctypes.c_long(x.size)
    wide = x.astype(numpy.float32 if is_half else numpy.float64)
    kind, listed, result = wide.dtype, x.tolist(), numpy.zeros(1, wide.dtype)
    if loops:
        loop, address = (loops.loop_f32 if is_half else loops.loop_f64), wide.ctypes.data_as(ctypes.c_void_p)
        yield "a loop in C, `cc -O2` (halves: floats made of them before)", lambda: loop(address, size)
    version = ".".join(numpy.__version__.split(".")[:2])
    yield f"NumPy {version}, `x.sum()` (halves: `dtype=float32`)", lambda: x.sum(dtype=kind)
    if torch:
        torch.set_num_threads(1)
        tensor, dtype = torch.from_numpy(x), getattr(torch, kind.name)
        version = ".".join(torch.__version__.split(".")[:2])
        yield f"PyTorch {version}, `torch.sum(x)` (halves: `dtype=float32`)", lambda: torch.sum(tensor, dtype=dtype)
    yield "Python, `math.fsum` of a list", lambda: math.fsum(listed)
    yield from quire_rows(library, None, x, x.ctypes.data, result, result.ctypes.data)


def device_rows(library, device, torch, cupy, x):
    """A label and a call for each sum on the device."""
    context = today_device.open_context(library, left_out)
    rows, of_x = today_device.contenders(device, torch, cupy, x, left_out)
    yield from rows
    if context:
        result = device.upload(numpy.zeros(1, numpy.float32 if x.dtype == numpy.float16 else numpy.float64))
        yield from quire_rows(library, context, x, device.address(of_x), result, device.address(result))


# ---------------------------------------------------------------------------------------------------------- measuring


def cpu_clock(run):
    begin = time.perf_counter()
    result = run()
    seconds = time.perf_counter() - begin
    return float(result[0] if isinstance(result, numpy.ndarray) else result), seconds


def measured(rows, clock, n):
    """Of each label a result and the best time. All take turns, so that what disturbs one disturbs all."""
    found = {}
    for label, run in rows:
        try:
            found[label] = run, *clock(run)
        except Exception as error:  # of whatever kind: the other rows are worth having
            left_out(label, f"{type(error).__name__}: {str(error).splitlines()[:1]}")
    for turn in range(1, TURNS):
        for label, (run, _, best) in found.items():
            if "fsum" in label and (turn > 1 or n >= MANY):
                continue
            value, seconds = clock(run)
            found[label] = run, value, min(best, seconds)
    return {label: (value, best) for label, (_, value, best) in found.items()}


# ------------------------------------------------------------------------------------------------------------- tables


def power(exponent):
    return "10" + str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def count(n):
    exponent = int(math.log10(n))
    return power(exponent) if n == 10**exponent else str(n)


def show(value, truth, dtype):
    """The error in words: one of no more than the result's one rounding is none."""
    error = error_of(value, truth)
    if value == float(dtype(truth.numerator / truth.denominator)):
        return "none"
    if error > 0.5:
        return "no digit is right"
    digit, exponent = f"{error:.0e}".split("e")
    return f"{error:.1g}" if int(exponent) > -4 else f"{digit}·{power(int(exponent))}"


def cells(found, truth, dtype):
    """Of each label error and time, as two cells of a table."""
    made = {}
    for label, (value, best) in found.items():
        mark = "**" if label.startswith("**") else ""
        time_in_ms = float(f"{best * 1e3:.3g}")
        made[label] = f"{mark}{show(value, truth, dtype)}{mark} | {mark}{time_in_ms:g} ms{mark}"
    return made


def write_csv(path, facts, lines):
    """What was measured on as comments, then a line for each sum."""
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"# {key}: {value}\n" for key, value in facts.items())
        table = csv.writer(file, lineterminator="\n")
        table.writerow(("place", "type", "n", "condition", "sum", "relative_error", "seconds"))
        table.writerows(lines)


def print_table(title, columns):
    """columns: a heading and {label: two cells} each; a label that one of them lacks has a dash there."""
    print(f"\n{title}\n\n| | {' | '.join(f'{heading}: error | time' for heading, _ in columns)} |")
    print("|---" * (1 + 2 * len(columns)) + "|")
    labels = dict.fromkeys(label for _, rows in columns for label in rows)
    for label in labels:
        print(f"| {label} | {' | '.join(rows.get(label, '– | –') for _, rows in columns)} |")


def commit_of(folder):
    try:
        made = subprocess.run(["git", "-C", folder, "rev-parse", "--short=9", "HEAD"], capture_output=True, check=True)
        return made.stdout.decode().strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
        return names[0]
    except (OSError, IndexError):
        return platform.machine()


# ------------------------------------------------------------------------------------------------------------- main


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("library", help="the path of libquire.so")
    parser.add_argument("--doubles", type=int, default=10**7, help="how many; 0: none")
    parser.add_argument("--halves", type=int, default=10**8, help="how many; 0: none")
    parser.add_argument("--csv", help="a file for the same figures")
    parser.add_argument("--commit", default=commit_of(os.path.dirname(os.path.abspath(__file__))), help="to be printed")
    return parser.parse_args()


def main():
    asked = options()
    os.environ["CUPY_ACCELERATORS"] = "cub"
    torch, cupy = optional("torch"), optional("cupy")
    if cupy:
        optional("cupy.cublas")
    try:
        library = ctypes.CDLL(asked.library)
    except OSError as error:
        sys.exit(f"today.py: {error}")
    loops = compiled_loops()
    library.quire_version.restype = ctypes.c_char_p
    device = today_device.find(torch, cupy, left_out)
    on_cpu, on_device, lines = [], [], []
    for name, dtype, result, n, condition in (("doubles", numpy.float64, numpy.float64, asked.doubles, 1e20),
                                              ("halves", numpy.float16, numpy.float32, asked.halves, 1e9)):
        if n <= TELLING:
            continue
        x, truth = numbers(dtype, n, condition)
        if not truth:
            left_out(f"{n} {name}", "so few that their sum underflows")
            continue
        found = float(numpy.abs(x).sum(dtype=numpy.float64) / abs(truth))
        heading = f"{count(n)} {name} (condition {found:.1g})"

        def measure(place, table, rows, clock):
            sums = measured(rows, clock, n)
            table.append((heading, cells(sums, truth, result)))
            lines.extend((place, {"doubles": "f64", "halves": "f16"}[name], n, f"{found:.3g}",
                          label.replace("*", "").replace("`", ""), f"{error_of(value, truth):.3g}", f"{best:.6g}")
                         for label, (value, best) in sums.items())

        measure("cpu", on_cpu, cpu_rows(library, loops, torch, x), cpu_clock)
        if device:
            measure("gpu", on_device, device_rows(library, device, torch, cupy, x), today_device.clock_of(device))
    facts = {"version": f"quire {library.quire_version().decode()}", "commit": asked.commit,
             "cpu": f"{processor()}, {os.cpu_count()} processors", "gpu": device.name if device else "none",
             "python": ", ".join([f"Python {platform.python_version()}"] +
                                 [f"{m.__name__} {m.__version__}" for m in (numpy, torch, cupy) if m]),
             "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "command": shlex.join(sys.argv)}
    if asked.csv:
        write_csv(asked.csv, facts, lines)
    print(f"{facts['version']}, commit {asked.commit}, Python {platform.python_version()}, {facts['date'][:10]}")
    print_table(f"One thread of {processor()}, {os.cpu_count()} processors, best of {TURNS} turns:", on_cpu)
    if on_device:
        versions = [f"{m.__name__} {m.__version__}" for m in (torch, cupy) if m]
        print_table(f"{device.name}, {', '.join(versions)}, best of {TURNS} turns of {today_device.CALLS} calls:",
                    on_device)


if __name__ == "__main__":
    main()
