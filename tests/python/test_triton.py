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
    tests = [str(Path(__file__).with_name(f"interpreted_triton{more}.py")) for more in ("", "_rows")]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests],
        env={**os.environ, "TRITON_INTERPRET": "1"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0 and "passed" in run.stdout, run.stdout[-5000:] + run.stderr[-2000:]
