import re
import subprocess
import sys
import tomllib
from pathlib import Path

import spark_jobs.preflight
from spark_jobs.preflight import LIBRARIES, lacking

ROOT = Path(spark_jobs.preflight.__file__).parents[1]


def test_every_dependency_of_core_is_asked_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = {re.split(r"[^\w.]", line)[0] for line in project["dependencies"]}
    assert needed <= set(LIBRARIES)


def test_what_is_there_is_not_missing() -> None:
    assert lacking(LIBRARIES)[1] == {}


def test_a_library_that_does_not_load_is_named_with_the_reason(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "broken_library.py").write_text("raise ImportError('GLIBC_9.99 not found')")
    monkeypatch.syspath_prepend(str(tmp_path))
    where, missing = lacking(["json", "broken_library", "no_such_library"])
    assert where.startswith(sys.executable)
    assert missing == {
        "broken_library": "GLIBC_9.99 not found",
        "no_such_library": "No module named 'no_such_library'",
    }


def test_it_loads_where_every_library_is_missing() -> None:
    code = "import sys; sys.path.insert(0, sys.argv[1]); import spark_jobs.preflight; print(len(sys.modules))"
    bare = [sys.executable, "-S", "-E", "-c", code, str(ROOT)]
    assert subprocess.run(bare, capture_output=True, check=True).stdout
