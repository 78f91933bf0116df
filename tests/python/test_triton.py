"""quire.triton without a device: interpreted_triton.py in a process of its own, whose Triton is an interpreter."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="SKIP: PyTorch is not installed")
pytest.importorskip("triton", reason="SKIP: Triton is not installed")


def test_in_the_interpreter():
    tests = Path(__file__).with_name("interpreted_triton.py")
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tests)],
        env={**os.environ, "TRITON_INTERPRET": "1"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0 and "passed" in run.stdout, run.stdout[-5000:] + run.stderr[-2000:]
