"""What type checkers see: the examples of the documentation pass mypy --strict, and results have the types they say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import quire

pytest.importorskip("mypy")
DOCS = Path(__file__).parents[2] / "docs" / "python.md"

RESULTS = """
import numpy as np
import numpy.typing as npt
import quire
from typing import Any
from typing_extensions import assert_type

f: npt.NDArray[np.float32] = np.ones((2, 3), np.float32)
d: npt.NDArray[np.float64] = np.ones((2, 3))
some = f > 0
assert_type(quire.sum(f), np.float32)
assert_type(quire.sum(d, method="kahan", rounding="upward", where=d > 0, initial=1.5), np.float64)
assert_type(quire.sum([1.0, 2.0]), np.float64)
assert_type(quire.sum([1, 2]), int)
assert_type(quire.sum(f, dtype=np.float64), np.float64)
assert_type(quire.sum([[1.0], [2.0]], dtype=np.dtype(np.float16)), np.float16)
assert_type(quire.sum(f, keepdims=True), npt.NDArray[np.float32])
assert_type(quire.sum(f, (0, -1), keepdims=True), npt.NDArray[np.float32])
assert_type(quire.sum(f, axis=0, dtype=np.float64, keepdims=True), npt.NDArray[np.float64])
assert_type(quire.sum(d, axis=0, out=f), npt.NDArray[np.float32])
assert_type(quire.mean(f), np.float32)
assert_type(quire.asum(d, where=d > 0), np.float64)
assert_type(quire.norm(f, ord=1), np.float32)
assert_type(quire.vector_norm(f, axis=1, keepdims=True), npt.NDArray[np.float32])
assert_type(quire.var(d, ddof=1), np.float64)
assert_type(quire.std(f, correction=1, dtype=np.float64), np.float64)
assert_type(quire.vecdot(f, f, out=f), npt.NDArray[np.float32])
along: Any = quire.sum(f, axis=0)
"""

WRONG = [
    'quire.sum(f, method="magic")',
    'quire.sum(f, rounding="up")',
    "quire.mean(f, initial=1.0)",
    "quire.var(f, method='exact')",
    "quire.sum(f, axis=1.5)",
    "quire.sum(f, keepdim=True)",
    "quire.vecdot(f)",
    "quire.vecdot(f, f, axis=(0, 1))",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One for all programs, so that mypy reads NumPy's stubs once."""
    return tmp_path_factory.mktemp("types")


def mypy(folder, text):
    """What mypy --strict says of a program."""
    (folder / "program.py").write_text(text)
    package = Path(quire.__file__).parents[1]
    # An installed package mypy finds by itself, and refuses to be told of.
    environment = {**os.environ} if package.name == "site-packages" else {**os.environ, "MYPYPATH": str(package)}
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--follow-imports=silent",
        "--cache-dir",
        str(folder / "cache"),
    ]
    return subprocess.run([*command, "program.py"], cwd=folder, env=environment, capture_output=True, text=True)


def examples():
    """The blocks of Python in the page on the reductions, groups, running sums and accumulators."""
    blocks = re.findall(r"^```python\n(.*?)^```", DOCS.read_text(), re.M | re.S)
    return [block for block in blocks if "torch" not in block and "MPI" not in block and "(x, /," not in block]


HEAD = """
import numpy, numpy as np, numpy.typing as npt, pandas, quire
from typing import Any
x: npt.NDArray[np.float64] = np.ones((2, 3)); y = x; keys: Any = [0, 1]; weights: Any = x; groups = 2; w, m = x, x
blocks = [x]; block = x; other = quire.Accumulator(); df: Any = None
"""


def test_results_have_their_types(folder):
    done = mypy(folder, RESULTS)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_examples_pass(folder):
    blocks = examples()
    assert len(blocks) >= 4
    head = HEAD.replace(", pandas", "")
    done = mypy(folder, head + "pandas: Any = None\n" + "\n".join(blocks))
    errors = [line for line in done.stdout.splitlines() if "error" in line]
    assert done.returncode == 0, "\n".join(errors) + done.stderr


@pytest.mark.parametrize("line", WRONG)
def test_what_is_wrong_is_told(folder, line):
    done = mypy(folder, HEAD.replace(", pandas", "") + f"f: npt.NDArray[np.float32] = np.ones(3, np.float32)\n{line}\n")
    assert done.returncode == 1 and "program.py:7: error" in done.stdout, done.stdout + done.stderr
