"""The example of the documentation: a Dask array, summed on processes, has the same bits for any chunks."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

pytest.importorskip("dask.array", reason="SKIP: Dask is not installed")
pytest.importorskip("distributed", reason="SKIP: Dask's distributed is not installed")


@pytest.mark.filterwarnings("ignore")
def test_example(capsys):
    path = Path(__file__).parents[2] / "docs" / "examples" / "dask_sum.py"
    spec = importlib.util.spec_from_file_location("dask_sum", path)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    example.main()  # which compares with quire.sum
    totals = {line.split()[2] for line in capsys.readouterr().out.splitlines()[1:]}
    assert len(totals) == 1
