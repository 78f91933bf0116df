"""The same programs as in test_types.py, and what pyright says of them: strictly of results, as usual of examples."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

pytest.importorskip("pyright")
from test_types import HEAD, RESULTS, WRONG, examples

WITHOUT_PANDAS = HEAD.replace(", pandas", "")


def pyright(*arguments, **options):
    command = [sys.executable, "-m", "pyright", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **options)


@pytest.fixture(scope="module")
def errors(tmp_path_factory):
    """The errors of each program, as lines and messages: one run for all, which reads NumPy's stubs once."""
    if pyright("--version").returncode != 0:  # it is fetched from npm's registry when it runs for the first time
        pytest.skip("pyright cannot be fetched")
    folder = tmp_path_factory.mktemp("pyright")
    programs = {"results.py": "# pyright: strict\n" + RESULTS}
    programs["examples.py"] = WITHOUT_PANDAS + "pandas: Any = None\n" + "\n".join(examples())
    for number, line in enumerate(WRONG):
        programs[f"wrong{number}.py"] = (
            WITHOUT_PANDAS + f"f: npt.NDArray[np.float32] = np.ones(3, np.float32)\n{line}\n"
        )
    for name, text in programs.items():
        (folder / name).write_text(text)
    done = pyright("--outputjson", "--pythonpath", sys.executable, *programs, cwd=folder)
    found = {name: [] for name in programs}
    for one in json.loads(done.stdout)["generalDiagnostics"]:
        if one["severity"] == "error":
            found[one["file"].rsplit("/", 1)[-1]].append((one["range"]["start"]["line"] + 1, one["message"]))
    return found


@pytest.mark.parametrize("name", ["results.py", "examples.py"])
def test_what_is_right_passes(errors, name):
    assert errors[name] == []


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_what_is_wrong_is_told(errors, number):
    assert {line for line, message in errors[f"wrong{number}.py"]} == {7}
