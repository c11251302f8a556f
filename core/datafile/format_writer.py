"""What the writers of all formats have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pyarrow as pa

from core.datafile.sink import Sink
from core.errors import StorageError
from core.io.file_io import FileIO


class FormatWriter(ABC):
    """A file that appears under its path when it is closed, and not at all when it is discarded.

    A writer in which anything fails has given its file up.
    """

    def __init__(self, io: FileIO, path: str) -> None:
        self._stack = ExitStack()
        self._sink = Sink(self._stack.enter_context(io.open_output(path)))

    def write_group(self, rows: pa.Table) -> frozenset[str]:
        """Write `rows`, all columns by name; parquet makes a row group of them.

        Returns the columns whose bounds in `rows` are among the `told_bounds`.
        """
        with self._or_given_up():
            self._write(rows)
            return self._told(rows)

    def told_bounds(self, name: str) -> Iterator[tuple[Any, Any]]:
        """Smallest and largest values of a column that the encoder has found, once the file is closed."""
        return iter(())

    @property
    def size(self) -> int:
        """Bytes that have reached the store so far."""
        return self._sink.tell()

    def close(self) -> int:
        """Finish the file; its size in bytes."""
        with self._or_given_up():
            self._finish()
            size = self.size
        self._stack.close()
        return size

    def discard(self) -> None:
        """Drop the file."""
        self._give_up(StorageError("the file was given up"))

    @abstractmethod
    def _write(self, rows: pa.Table) -> None: ...

    def _told(self, rows: pa.Table) -> frozenset[str]:
        return frozenset()

    @abstractmethod
    def _finish(self) -> None:
        """Write what ends the file."""

    @abstractmethod
    def _silence(self) -> None:
        """See to it that the encoder does not end the file by itself."""

    @contextmanager
    def _or_given_up(self) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            self._give_up(error)
            raise

    def _give_up(self, error: BaseException) -> None:
        # An output that is left with an error never gets its name; what an encoder still writes goes nowhere.
        self._sink.drop()
        self._silence()
        self._stack.__exit__(type(error), error, error.__traceback__)
