"""A peer asked line by line: what starts slowly starts once for all tests of a run."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.interop.describe import Operation
from tests.interop.errors import PeerFailedError

Answer = dict[str, Any]


@dataclass(slots=True)
class Driver:
    """A program that answers each line of its input by a line of output.

    It starts when it is first asked, and again if it has ended.
    `{scratch}` in its command is a folder of its own, which goes when it ends.
    """

    command: Sequence[str]
    environment: Mapping[str, str]
    _running: ExitStack = field(default_factory=ExitStack)
    _process: subprocess.Popen[str] | None = None
    _log: Path = Path()

    def ask(self, request: Mapping[str, Any], hidden: Mapping[str, str] | None = None) -> Answer:
        """The answer to a request, with some texts in it replaced by others.

        Raises:
            PeerFailedError: the program has ended; the message holds the end of its log.
        """
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(BrokenPipeError):  # it has ended; its log says why
            print(json.dumps(request), file=process.stdin, flush=True)
        line = process.stdout.readline()
        if not line:
            told = f"the peer ended with {process.wait()}\n{self._log.read_text()[-4000:]}"
            self.close()
            raise PeerFailedError(told)
        for text, other in (hidden or {}).items():
            line = line.replace(text, other)
        answer: Answer = json.loads(line)
        return answer

    def close(self) -> None:
        """End the program, and wait for that."""
        self._process = None
        self._running.close()

    def _start(self) -> subprocess.Popen[str]:
        folder = self._running.enter_context(tempfile.TemporaryDirectory(prefix="paimon-driver-"))
        self._log = Path(folder) / "log"
        with self._log.open("w") as errors:
            process = subprocess.Popen(
                [part.replace("{scratch}", folder) for part in self.command],
                env={**os.environ, **self.environment},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                encoding="utf-8",
            )
        self._process = self._running.enter_context(process)  # closes its input at the end, and waits
        return process


@dataclass(frozen=True, slots=True)
class Session:
    """Changes and reads of one warehouse, one after the other."""

    driver: Driver
    warehouse: Path

    def do(self, table: str, operation: Operation) -> None:
        """Carry out one operation of a description, on the branch that it may name.

        Raises:
            PeerFailedError: it failed; the message holds the operation and what the peer says of it.
        """
        answer = self._ask({**operation, "table": table})
        if "error" in answer:
            raise PeerFailedError(f"{operation} on {table}: {answer['error']}")

    def read(self, table: str, options: Mapping[str, str]) -> Answer:
        """The `columns` and `rows` of a table read with dynamic options; or its `error`."""
        return self._ask({"table": table, "options": dict(options)})

    def _ask(self, request: Mapping[str, Any]) -> Answer:
        return self.driver.ask({**request, "warehouse": str(self.warehouse)})
