"""The Python of Spark's workers on one machine."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pyspark

from spark_jobs.worker_python import worker_python

ASKED = (
    "import json, os, pyspark, sys; print(json.dumps([pyspark.__file__, os.environ['PYTHONPATH'], sys.argv]))"
)


def test_it_imports_the_package_of_pyspark_and_not_the_archive_beside_it(tmp_path: Path) -> None:
    lib = Path(pyspark.__path__[0]) / "python" / "lib"
    archives = [str(lib / "pyspark.zip"), *map(str, lib.glob("py4j-*-src.zip"))]
    path = os.pathsep.join([*archives, "/a jar", "/ours"])
    command = [worker_python(tmp_path), "-c", ASKED, "an argument"]
    told = subprocess.run(command, env={"PYTHONPATH": path}, capture_output=True, check=True).stdout
    assert json.loads(told) == [pyspark.__file__, "/a jar:/ours", ["-c", "an argument"]]


def test_another_path_stays_as_it_is(tmp_path: Path) -> None:
    command = [worker_python(tmp_path), "-c", "import os; print(os.environ.get('PYTHONPATH'))"]
    for environment, expected in (({"PYTHONPATH": "/a:/b"}, b"/a:/b\n"), ({}, b"None\n")):
        assert subprocess.run(command, env=environment, capture_output=True, check=True).stdout == expected
