"""docs/examples/torch_gcn.py: within batch_invariant() trainings end with the same bits; on a device not without."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="SKIP: PyTorch is not installed")

EXAMPLE = Path(__file__).parents[2] / "docs/examples/torch_gcn.py"


def test_the_example():
    run = subprocess.run([sys.executable, str(EXAMPLE)], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    lines = run.stdout.splitlines()
    ours, theirs = ({line.split()[-1] for line in lines if line.startswith(name)} for name in ("batch", "PyTorch"))
    assert len(ours) == 1 and len(lines) >= 6
    assert len(theirs) > 1 if torch.cuda.is_available() else len(theirs) == 1
