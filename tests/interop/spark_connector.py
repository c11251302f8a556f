"""Two Sparks side by side, with Paimon's own connector and with ours; one process each for all cases."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from spark_jobs.java import JavaNotFoundError, find_java_home
from spark_jobs.session import cache_folder
from tests.interop.errors import PeerFailedError, PeerUnavailableError
from tests.interop.peers import DRIVERS, ROOT
from tests.interop.spark_paimon import find_bundle, spark_environment, spark_python

PROGRAM = str(DRIVERS / "connector.py")


@dataclass(frozen=True, slots=True)
class Answer:
    """The rows of a query, and Spark's types of its columns."""

    rows: pa.Table
    types: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Connector:
    """A running Spark; see drivers/connector.py for what it can be asked."""

    process: subprocess.Popen[str]
    log: Path

    def ask(self, warehouse: Path, table: str, **request: Any) -> None:
        """Have something done.

        Raises:
            PeerFailedError: it failed; the message says why.
        """
        self._told({"warehouse": str(warehouse), "table": table, **request})

    def rows(
        self,
        warehouse: Path,
        table: str,
        sql: str,
        options: Mapping[str, str] = MappingProxyType({}),
        told: str = "",
    ) -> Answer:
        """The rows of a query over `t`: the table read with the options, or what `told` says in Paimon's SQL.

        Raises as `ask` does.
        """
        where = {"warehouse": str(warehouse), "table": table, "options": dict(options), "from": told}
        answer = self._told({**where, "read": sql})
        with pa.OSFile(answer["rows"], "rb") as source:
            return Answer(pa.ipc.open_file(source).read_all(), answer["types"])

    def _told(self, request: Mapping[str, Any]) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with suppress(BrokenPipeError):  # it has ended; its log says why
            print(json.dumps(request), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise PeerFailedError(f"Spark ended with {self.process.wait()}\n{self.log.read_text()[-4000:]}")
        told: dict[str, Any] = json.loads(line)
        if "error" in told:
            raise PeerFailedError(f"{json.dumps(request)}\n{told['error']}")
        return told


@dataclass(frozen=True, slots=True)
class Connectors:
    """Both."""

    ours: Connector
    theirs: Connector


@contextmanager
def start_connectors() -> Iterator[Connectors]:
    """Both Sparks, until the block ends.

    Raises:
        PeerUnavailableError: there is no bundle of the newest Paimon (see `find_bundle`), or no Java.
    """
    bundle, _ = find_bundle()
    with ExitStack() as running:
        theirs = running.enter_context(
            _started([str(spark_python()), PROGRAM, "paimon"], spark_environment(), str(bundle))
        )
        ours = running.enter_context(_started([sys.executable, PROGRAM, "lakescope"], _our_environment()))
        yield Connectors(ours, theirs)


def _our_environment() -> dict[str, str]:
    try:
        find_java_home(os.environ, cache_folder(os.environ))
    except JavaNotFoundError as error:
        raise PeerUnavailableError(str(error)) from error
    return {**os.environ, "PYTHONPATH": str(ROOT)}


@contextmanager
def _started(command: list[str], environment: Mapping[str, str], *arguments: str) -> Iterator[Connector]:
    with tempfile.TemporaryDirectory(prefix="spark-connector-") as folder:
        log = Path(folder) / "spark.log"
        with log.open("w") as errors:
            process = subprocess.Popen(
                [*command, folder, *arguments],
                env=environment,
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        with process:  # closes its input, by which it ends, and waits for that
            yield Connector(process, log)
