"""What flags of the compiler make of quire/device.cuh: nothing.

    device_flags.py NVCC INCLUDE...

Compiles device_alone.cu to PTX for devices old and new, plainly as C++17, and with --use_fast_math and -fmad=true as
C++20. In all, each instruction on floats that rounds says how, none flushes subnormals, and none approximates. Both
ways have the same instructions on floats, and as many that round a double in a direction. Speaks TAP.

SPDX-License-Identifier: MIT
"""

import collections
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).with_name("device_alone.cu")
CAPABILITIES = ["75", "80", "90", "100", "120"]
WAYS = {"careful": ["-std=c++17", "-fmad=false"], "fast": ["-std=c++20", "--use_fast_math", "-fmad=true"]}
INSTRUCTION = re.compile(r"^\s+(?:@!?%p\d+\s+)?([a-z0-9_]+(?:\.[a-z0-9_:]+)*)\s", re.M)
ROUNDS = re.compile(r"(add|sub|mul|fma|div|sqrt|rcp)\.(.*\.)?(f16|f16x2|bf16|f32|f64)$")
STATED = re.compile(r"\.(rn|rz|rm|rp)\.")
KERNELS = 9


def instructions(nvcc, includes, capability, flags):
    """How often each instruction stands in the PTX."""
    with tempfile.TemporaryDirectory() as folder:
        to = pathlib.Path(folder) / "alone.ptx"
        subprocess.run(
            [nvcc, "-ptx", f"-arch=compute_{capability}", *flags, "-Werror", "all-warnings"]
            + [f"-I{path}" for path in includes]
            + [str(SOURCE), "-o", str(to)],
            check=True,
        )
        text = to.read_text()
    if text.count(".entry ") != KERNELS:
        sys.exit(f"Bail out! {text.count('.entry ')} kernels in the PTX")
    return collections.Counter(INSTRUCTION.findall(text))


def complaints(found, of):
    """What is wrong with the instructions of both ways, in words."""
    wrong = []
    for way, counts in found.items():
        for name in counts:
            if ".ftz" in name or ".approx" in name or ".full" in name:
                wrong.append(f"{way}: {name}")
            if ROUNDS.match(name) and not STATED.search(name) and not name.endswith("f64"):
                wrong.append(f"{way}: {name} states no rounding")
    careful, fast = (
        {name: count for name, count in found[way].items() if re.search(r"\.f32|\.rm\.|\.rp\.|\.rz\.", name)}
        for way in WAYS
    )
    floats = re.compile(r"(add|sub|mul|fma|cvt|neg|abs|setp|min|max)\.")
    for name in sorted(set(careful) | set(fast)):
        if floats.match(name) and careful.get(name) != fast.get(name):
            wrong.append(f"{of}: {careful.get(name, 0)} {name} with care, {fast.get(name, 0)} with fast-math")
    if not any(name == "add.rn.f32" for name in careful) or not any(name == "add.rm.f64" for name in careful):
        wrong.append("the instructions that must be there were not found")
    return wrong


def main():
    nvcc, includes = sys.argv[1], sys.argv[2:]
    print(f"1..{len(CAPABILITIES)}", flush=True)
    failed = False
    for number, capability in enumerate(CAPABILITIES, 1):
        found = {way: instructions(nvcc, includes, capability, flags) for way, flags in WAYS.items()}
        wrong = complaints(found, f"capability {capability}")
        failed |= bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - compute capability {capability}", flush=True)
        for line in wrong:
            print(f"# {line}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
