"""Files of one bucket that share their rows: BLOB columns have files of their own. Spec: 04, A6.

    rows        0 ... 99   100 ... 149
    a, b        data-0     data-3
    blob c      1 | 2      4             its files end where the file of the other columns ends

A commit numbers rows file by file, and blobs from the number of the file before them on; so the
order of the files is part of what is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from core.datafile.write import FileLayout, RollingFileWriter, delete_data_file
from core.io.file_io import FileIO
from core.manifest.file_meta import DataFileMeta


class SideBySideWriter:
    """As a `RollingFileWriter`, over one for the plain columns and one for each BLOB column.

    Blobs go to the store with every write; the plain columns wait until they make a row group.
    """

    def __init__(
        self,
        io: FileIO,
        directory: str,
        plain: FileLayout,
        blobs: Sequence[FileLayout],
        names: Iterator[str],
    ) -> None:
        self._io = io
        self._directory = directory
        self._columns = [field.name for field in plain.fields]
        self._plain = RollingFileWriter(io, directory, plain, names)
        self._blobs = [
            (layout.fields[0].name, RollingFileWriter(io, directory, layout, names)) for layout in blobs
        ]
        self._files: list[DataFileMeta] = []

    @property
    def buffered_bytes(self) -> int:
        """Arrow memory of the rows that wait."""
        return self._plain.buffered_bytes

    def write(self, batch: pa.RecordBatch) -> None:
        while batch.num_rows:
            head = batch.slice(0, self._plain.room(batch.select(self._columns)))
            batch = batch.slice(head.num_rows)
            for name, writer in self._blobs:
                writer.write(head.select([name]))
                writer.flush()
            if self._plain.write(head.select(self._columns)):
                self.roll()

    def roll(self) -> None:
        """Close all files at the same row."""
        self._files += self._plain.take()
        for _, writer in self._blobs:
            self._files += writer.take()

    def take(self) -> tuple[DataFileMeta, ...]:
        """The finished files since the last call, in order; they no longer belong to this writer."""
        self.roll()
        files, self._files = tuple(self._files), []
        return files

    def abort(self) -> None:
        """Drop the rows that wait, the open files and the finished ones."""
        self._plain.abort()
        for _, writer in self._blobs:
            writer.abort()
        for file in self._files:
            delete_data_file(self._io, self._directory, file)
        self._files = []
