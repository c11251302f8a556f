"""What goes wrong in one task of a job: the first that is just about to tell of what it made.

Executors get this module by value: they know no tests.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from core.io import FileIO

STRUCK, GO = "struck", "go"  # files of the folder through which the tests see and steer it
HOLD, FAIL = "hold", "fail"
_LONGEST = 600.0  # seconds that a task is held; tests end it long before


class Striking:
    """A store in which one task does not get on once it has made a data file: held until told, or failed."""

    def __init__(self, io: FileIO, folder: Path, how: str) -> None:
        self._io, self._folder, self._how = io, folder, how

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._io, self._folder, self._how)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._io, name)

    def open_output(self, path: str) -> Any:
        output = self._io.open_output(path)
        return _Output(output, self._folder, self._how) if "/bucket-" in path else output


class _Output:
    def __init__(self, output: IO[bytes], folder: Path, how: str) -> None:
        self._output, self._folder, self._how = output, folder, how

    def write(self, data: Any) -> int:
        return self._output.write(data)

    def tell(self) -> int:
        return self._output.tell()

    def __enter__(self) -> _Output:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self._output.__exit__(kind, error, trace)
        if kind is None:
            strike(self._folder, self._how)


def strike(folder: Path, how: str) -> None:
    """Hold or fail who comes first; all others pass."""
    fresh = folder / f"{STRUCK}.{os.getpid()}"
    fresh.write_text(str(os.getpid()))
    try:
        os.link(fresh, folder / STRUCK)
    except FileExistsError:
        return
    if how == FAIL:
        raise OSError("the disk of this machine is gone")
    end = time.monotonic() + _LONGEST
    while not (folder / GO).exists() and time.monotonic() < end:
        time.sleep(0.02)


def rows_then_strike(batches: Iterator[pa.RecordBatch], folder: Path, how: str) -> Iterator[pa.RecordBatch]:
    """The rows; before its end one task is held, or fails."""
    yield from batches
    strike(folder, how)
