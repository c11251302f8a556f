"""Spark SQL of the newest Paimon beside us: one Spark for all tests of a run, asked statement by statement.

Its jar is found by hand, as `peers.newest_paimon` says of Java's; tests take the fixture `spark_paimon`,
which skips with the reason where there is none.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from tests.interop.errors import PeerFailedError, PeerUnavailableError
from tests.interop.jdbc_catalog import jdbc_drivers
from tests.interop.peers import DRIVERS, ROOT, built_once, find_javac, make_environment

SPARK = "4.1"  # what requirements-spark-paimon.lock installs


@dataclass(frozen=True, slots=True)
class SparkPaimon:
    """A running Spark with Paimon's catalog; any number of warehouses, each by its path."""

    version: str
    process: subprocess.Popen[str]
    log: Path

    def run(self, warehouse: Path, *statements: str) -> list[pa.Table]:
        """The rows of each statement, in order; without columns where it has none.

        Raises:
            PeerFailedError: a statement failed; the message holds it and what Spark says of it.
        """
        return self.run_in({"warehouse": f"file:{warehouse}"}, *statements)

    def run_in(self, catalog: Mapping[str, str], *statements: str) -> list[pa.Table]:
        """The same in the catalog of some options, such as a REST catalog; raises alike."""
        options = {key: value for key, value in catalog.items() if key != "warehouse"}
        asked = {"warehouse": catalog["warehouse"], "options": options, "statements": statements}
        answer = self._ask(json.dumps(asked))
        if "error" in answer:
            raise PeerFailedError(f"Spark at: {answer['statement']}\n{answer['error']}")
        return [_rows(path) for path in answer["answers"]]

    def rows(self, warehouse: Path, query: str) -> pa.Table:
        """The rows of one query.

        Raises:
            PeerFailedError: it failed; the message says why.
        """
        return self.run(warehouse, query)[0]

    def _ask(self, request: str) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with suppress(BrokenPipeError):  # it has ended; its log says why
            print(request, file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise PeerFailedError(f"Spark ended with {self.process.wait()}\n{self.log.read_text()[-4000:]}")
        answer: dict[str, Any] = json.loads(line)
        return answer


def _rows(path: str | None) -> pa.Table:
    if path is None:
        return pa.table({})
    with pa.OSFile(path, "rb") as source:
        table = pa.ipc.open_file(source).read_all()
    Path(path).unlink()
    return table


@contextmanager
def start_spark_paimon() -> Iterator[SparkPaimon]:
    """Spark with the newest Paimon, from the folder that LAKESCOPE_PAIMON_JARS names; ends with the block.

    Raises:
        PeerUnavailableError: the folder holds no bundle of Paimon 2.0.0 or newer for Spark 4.1, or there is
            no JDK, or no package registry to take Spark from.
    """
    jar, version = find_bundle()
    python = spark_python()
    class_path = os.pathsep.join(map(str, [jar, *jdbc_drivers()]))
    with tempfile.TemporaryDirectory(prefix="spark-paimon-") as folder:
        log = Path(folder) / "spark.log"
        with log.open("w") as errors:
            process = subprocess.Popen(
                [str(python), str(DRIVERS / "spark_sql.py"), class_path, folder],
                env=spark_environment(),
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        with process:  # closes its input, by which it ends, and waits for that
            yield SparkPaimon(version, process, log)


def spark_python() -> Path:
    """The interpreter of an environment with Spark 4.1 alone, made if missing."""
    lock = ROOT / "requirements-spark-paimon.lock"
    folder = built_once("spark-paimon", [lock], lambda folder: make_environment(folder / "venv", lock))
    return folder / "venv/bin/python"


def spark_environment() -> dict[str, str]:
    """Ours without what is meant for our own Spark."""
    inherited = {key: value for key, value in os.environ.items() if not re.match("SPARK_|PYSPARK_", key)}
    return {**inherited, "JAVA_HOME": str(find_javac().parent.parent), "SPARK_LOCAL_IP": "127.0.0.1"}


def find_bundle() -> tuple[Path, str]:
    """The newest Paimon's bundle for Spark in the folder that LAKESCOPE_PAIMON_JARS names, and its version.

    Raises:
        PeerUnavailableError: it holds none.
    """
    folder = Path(os.environ.get("LAKESCOPE_PAIMON_JARS") or "/none")
    pattern = re.compile(rf"paimon-spark-{re.escape(SPARK)}_2\.13-([2-9]\.[\d.]*\d)\.jar")
    found = [
        (path, match[1])
        for path in sorted(folder.resolve().glob("*.jar"))
        if (match := pattern.match(path.name))
    ]
    if not found:
        raise PeerUnavailableError(
            f"LAKESCOPE_PAIMON_JARS names no folder with Paimon's bundle for Spark {SPARK}, "
            f"such as paimon-spark-{SPARK}_2.13-2.0.0.jar"
        )
    return found[-1]
