"""Rows whose columns lie in several files: tables with data evolution. Spec: 04, A6.

The files of a range of row ids are read side by side, each the columns that it has newest:

    row ids     0 ... 99   100 ... 199
    base        a b c      a b c          sequence 1
    update        b                       sequence 2      -> b from here up to 99, from base after it
    blobs             d | d | d           sequence 1      -> several files, one after the other

Where a file begins or ends the choice is made anew. All columns advance together, by as many
rows as every file at hand has decoded, so a batch of each open file is in memory and no more.
A deletion vector of any of the files deletes its rows from all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute

from core.arrow import arrow_schema, arrow_type
from core.datafile.read import BATCH_BYTES, BATCH_ROWS
from core.datafile.system_fields import ROW_ID, SEQUENCE_NUMBER
from core.errors import FormatError
from core.manifest.file_meta import DataFileMeta
from core.manifest.row_ranges import group_by_row_range
from core.predicate import Predicate
from core.read.file_reader import FileReader
from core.types import DataField

Column: TypeAlias = Any  # a pa.Array: which one is known when it runs, not to its stubs
pc: Any = pyarrow.compute  # likewise
_nulls: Any = pa.nulls

_FEWEST_BYTES = 1024 * 1024  # of a batch, however many files are open


def iter_row_ranges(
    reader: FileReader,
    files: Sequence[DataFileMeta],
    fields: Sequence[DataField],
    conjuncts: Sequence[Predicate] = (),
) -> Iterator[pa.RecordBatch]:
    """Batches of `fields` of the rows of some files of a bucket, in the order of their row ids.

    `conjuncts` may let parts of a file be skipped that shares its rows with no other.

    Raises:
        FormatError: a file has fewer rows than the manifest says.
    """
    for group in group_by_row_range(files):
        if len(group) == 1:
            yield from reader.read(group[0], fields, conjuncts)
        else:
            yield from _Join(reader, tuple(fields)).rows(group)


def newest_holder(
    reader: FileReader, files: Sequence[DataFileMeta], column: DataField
) -> DataFileMeta | None:
    """The file with the newest values of a column, of those that hold it; None if none does."""
    holders = [(file, _sequence_of(reader, file, column)) for file in files]
    known = [(sequence, file) for file, sequence in holders if sequence is not None]
    return max(known, key=lambda pair: pair[0])[1] if known else None


def _sequence_of(reader: FileReader, file: DataFileMeta, column: DataField) -> int | None:
    """The largest sequence number of a file's column; None if the file does not hold it. Spec: 02, 3."""
    if column.id in reader.constants:
        return file.max_sequence_number
    source = reader.mapping(file, [column]).sources[0]
    if source is None:
        return None
    sequences = reader.column_sequences(file)
    return sequences.get(source.name, file.max_sequence_number)


@dataclass(slots=True)
class _Part:
    """What one file gives to its rows, read forward."""

    file: DataFileMeta
    batches: Iterator[tuple[int, pa.RecordBatch]]
    batch: pa.RecordBatch | None = None
    first: int = 0  # row id of the batch's first row

    def at_hand(self, row_id: int) -> int:
        """How many rows from `row_id` on are decoded; at least one."""
        while self.batch is None or self.first + self.batch.num_rows <= row_id:
            position, self.batch = next(self.batches, (0, None))
            if self.batch is None:
                raise FormatError(
                    "a data file has fewer rows than its manifest says",
                    file=self.file.file_name,
                    expected=self.file.row_count,
                )
            self.first = _first_row_id(self.file) + position
        return self.first + self.batch.num_rows - row_id

    def column(self, name: str, row_id: int, rows: int) -> Column:
        assert self.batch is not None  # `at_hand` was asked before
        return self.batch.column(name).slice(row_id - self.first, rows)


@dataclass(slots=True)
class _Join:
    """The rows of files that have some in common."""

    reader: FileReader
    fields: tuple[DataField, ...]
    parts: dict[str, _Part] = field(default_factory=dict)  # open files, by name

    def rows(self, files: Sequence[DataFileMeta]) -> Iterator[pa.RecordBatch]:
        bounds = sorted({b for f in files for b in (_first_row_id(f), _end_row_id(f))})
        wanted = self._wanted(files, bounds)
        schema = arrow_schema(self.fields)
        for start, end in pairwise(bounds):
            covering = _covering(files, start)
            self._close_all_but(covering)
            sources = self._sources(covering)
            needed = {f.file_name: f for holders in sources for f in holders}
            for name, file in needed.items():
                self._open(file, wanted[name], len(needed))
            row_id = start
            while row_id < end:
                rows = min([BATCH_ROWS, end - row_id, *(self.parts[n].at_hand(row_id) for n in needed)])
                columns = [
                    self._column(f, s, row_id, rows) for f, s in zip(self.fields, sources, strict=True)
                ]
                batch = pa.RecordBatch.from_arrays(columns, schema=schema)
                yield self._without_deleted(batch, covering, row_id)
                row_id += rows
        self._close_all_but([])

    def _sources(self, covering: Sequence[DataFileMeta]) -> list[list[DataFileMeta]]:
        """Of each column, the files that it is made of: one or none, all for the sequence number."""
        sources: list[list[DataFileMeta]] = []
        for column in self.fields:
            if column.id == ROW_ID.id:
                sources.append([])
            elif column.id == SEQUENCE_NUMBER.id:
                sources.append(list(covering))
            else:
                holder = newest_holder(self.reader, covering, column)
                sources.append([] if holder is None else [holder])
        return sources

    def _wanted(self, files: Sequence[DataFileMeta], bounds: Sequence[int]) -> dict[str, list[DataField]]:
        """The columns that each file is the source of in any part of the range."""
        wanted: dict[str, dict[int, DataField]] = {}
        for start in bounds[:-1]:
            for column, holders in zip(self.fields, self._sources(_covering(files, start)), strict=True):
                for file in holders:
                    wanted.setdefault(file.file_name, {})[column.id] = column
        return {name: list(columns.values()) for name, columns in wanted.items()}

    def _open(self, file: DataFileMeta, columns: Sequence[DataField], files: int) -> None:
        if file.file_name not in self.parts:
            max_bytes = max(BATCH_BYTES // files, _FEWEST_BYTES)
            batches = self.reader.iter_numbered(file, columns, max_bytes=max_bytes)
            self.parts[file.file_name] = _Part(file, batches)

    def _close_all_but(self, files: Sequence[DataFileMeta]) -> None:
        for name in self.parts.keys() - {file.file_name for file in files}:
            del self.parts[name]

    def _column(self, column: DataField, holders: Sequence[DataFileMeta], row_id: int, rows: int) -> Column:
        if column.id == ROW_ID.id:
            return pa.array(np.arange(row_id, row_id + rows), pa.int64())
        found = [self.parts[file.file_name].column(column.name, row_id, rows) for file in holders]
        if not found:
            return _nulls(rows, arrow_type(column.type))
        return found[0] if len(found) == 1 else pc.max_element_wise(*found)

    def _without_deleted(
        self, batch: pa.RecordBatch, covering: Sequence[DataFileMeta], row_id: int
    ) -> pa.RecordBatch:
        keep = np.ones(batch.num_rows, dtype=np.bool_)
        for file in covering:
            vector = self.reader.deleted.get(file.file_name)
            if vector is not None:
                keep[vector.within(row_id - _first_row_id(file), batch.num_rows)] = False
        return batch if keep.all() else batch.filter(pa.array(keep))


def _covering(files: Sequence[DataFileMeta], row_id: int) -> list[DataFileMeta]:
    return [file for file in files if _first_row_id(file) <= row_id < _end_row_id(file)]


def _first_row_id(file: DataFileMeta) -> int:
    assert file.first_row_id is not None  # files without one are never grouped
    return file.first_row_id


def _end_row_id(file: DataFileMeta) -> int:
    return _first_row_id(file) + file.row_count
