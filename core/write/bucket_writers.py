"""What writes the rows of one bucket: in order for append tables, sorted for primary keys. Spec: 07, 2."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from core.datafile.side_by_side import SideBySideWriter
from core.datafile.system_fields import SEQUENCE_NUMBER, VALUE_KIND
from core.datafile.write import FileLayout, RollingFileWriter, delete_data_file
from core.io.file_io import FileIO
from core.manifest.file_meta import DataFileMeta
from core.write.flush import FlushRules

Kinds: TypeAlias = "pa.ChunkedArray[Any] | None"  # a `RowKind` a row
Arrivals: TypeAlias = "npt.NDArray[np.int64] | None"


@dataclass(frozen=True, slots=True)
class NewFiles:
    """What a bucket's writer gives away."""

    files: tuple[DataFileMeta, ...]
    changelog: tuple[DataFileMeta, ...] = ()


class BucketWriter(Protocol):
    """Takes rows of one bucket. Files belong to the writer until `prepare` gives them away."""

    @property
    def buffered_bytes(self) -> int: ...

    def write(self, rows: pa.Table, kinds: Kinds = None, arrivals: Arrivals = None) -> None:
        """`kinds`: all inserts by default; `arrivals`: the order in which they came, if another."""
        ...

    def release_memory(self) -> None:
        """Write what is buffered and close the open file."""
        ...

    def prepare(self) -> NewFiles:
        """All files since the last `prepare`."""
        ...

    def abort(self) -> None:
        """Delete the files that were not given away."""
        ...


class AppendBucketWriter:
    """Rows stay in the order of writing; they wait only until they make a row group."""

    def __init__(
        self,
        io: FileIO,
        directory: str,
        layout: FileLayout,
        names: Iterator[str],
        next_sequence: int,
        blobs: Sequence[FileLayout] = (),
    ) -> None:
        """`blobs`: the files of columns that have their own; `layout` is that of the others."""
        self._files = (
            SideBySideWriter(io, directory, layout, blobs, names)
            if blobs
            else RollingFileWriter(io, directory, layout, names, first_sequence=next_sequence)
        )

    @property
    def buffered_bytes(self) -> int:
        return self._files.buffered_bytes

    def write(self, rows: pa.Table, kinds: Kinds = None, arrivals: Arrivals = None) -> None:
        for batch in rows.to_batches():
            self._files.write(batch)

    def release_memory(self) -> None:
        self._files.roll()

    def prepare(self) -> NewFiles:
        return NewFiles(self._files.take())

    def abort(self) -> None:
        self._files.abort()


class MergeTreeBucketWriter:
    """Rows wait unsorted; a flush sorts them, merges those of each key and makes level-0 files.

    A flush holds the buffer twice (as it came, and in one piece) and sorted slices of a
    row group; so memory stays below twice the buffer, some 50 bytes a row and 16 a text.
    """

    def __init__(
        self,
        io: FileIO,
        directory: str,
        layout: FileLayout,
        names: Iterator[str],
        next_sequence: int,
        rules: FlushRules,
        changelog: tuple[FileLayout, Iterator[str]] | None = None,
    ) -> None:
        """`changelog`: how files of all rows as they came are made, and named; None for no such files."""
        self._io = io
        self._directory = directory
        self._layout = layout
        self._names = names
        self._next_sequence = next_sequence
        self._rules = rules
        self._buffer: list[pa.Table] = []
        self._files: list[DataFileMeta] = []
        self._changelog_files = changelog
        self._changelog: list[DataFileMeta] = []
        self.buffered_bytes = 0

    def write(self, rows: pa.Table, kinds: Kinds = None, arrivals: Arrivals = None) -> None:
        if len(rows) == 0:
            return
        numbers = self._next_sequence + (np.arange(len(rows)) if arrivals is None else arrivals)
        self._next_sequence += len(rows)
        inserts = pa.array(np.zeros(len(rows), np.int8))
        rows = rows.append_column(SEQUENCE_NUMBER.name, pa.array(numbers))
        rows = rows.append_column(VALUE_KIND.name, inserts if kinds is None else kinds)
        self._buffer.append(rows)
        self.buffered_bytes += rows.nbytes

    def release_memory(self) -> None:
        if not self._buffer:
            return
        rows = pa.concat_tables(self._buffer).combine_chunks()
        self._buffer, self.buffered_bytes = [], 0
        if self._changelog_files is not None:
            self._changelog += self._stored(self._rules.unmerged(rows), *self._changelog_files)
        self._files += self._stored(self._rules.merged(rows), self._layout, self._names)

    def _stored(
        self, batches: Iterator[pa.RecordBatch], layout: FileLayout, names: Iterator[str]
    ) -> tuple[DataFileMeta, ...]:
        writer = RollingFileWriter(self._io, self._directory, layout, names)
        try:
            for batch in batches:
                writer.write(batch)
            return writer.take()
        except BaseException:
            writer.abort()
            raise

    def prepare(self) -> NewFiles:
        self.release_memory()
        made = NewFiles(tuple(self._files), tuple(self._changelog))
        self._files, self._changelog = [], []
        return made

    def abort(self) -> None:
        self._buffer, self.buffered_bytes = [], 0
        for file in (*self._files, *self._changelog):
            delete_data_file(self._io, self._directory, file)
        self._files, self._changelog = [], []
