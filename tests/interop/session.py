"""A peer asked line by line, for as long as a `with` block: what starts slowly starts once."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.interop.describe import Operation
from tests.interop.errors import PeerFailedError

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Session:
    """A running driver that works on one warehouse."""

    process: subprocess.Popen[str]
    log: Path

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
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with suppress(BrokenPipeError):  # it has ended; its log says why
            print(json.dumps(request), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise PeerFailedError(
                f"the peer ended with {self.process.wait()}\n{self.log.read_text()[-4000:]}"
            )
        answer: Answer = json.loads(line)
        return answer


@contextmanager
def session(command: Sequence[str], environment: Mapping[str, str]) -> Iterator[Session]:
    """A driver that is started, and ends with the block, as its input ends."""
    with tempfile.TemporaryDirectory(prefix="paimon-session-") as folder:
        log = Path(folder) / "log"
        with log.open("w") as errors:
            process = subprocess.Popen(
                command,
                env={**os.environ, **environment},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                encoding="utf-8",
            )
        with process:  # closes its input, and waits
            yield Session(process, log)
