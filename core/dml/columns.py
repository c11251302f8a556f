"""Changes some columns of rows that have ids: new files of these columns alone. Spec: 04, A6; 08, 3, check 7.

With data evolution the columns of a row may lie in several files, so an update leaves those that
are there alone and adds one for the ids that it touches:

    row ids     0 ... 99   100 ... 199
    base        a b c      a b c          sequence 1
    update        b                       sequence 2      the rows 0 ... 99, those that stay too

A range of ids is always that of the files that are there, whole. Rows that go are marked by a deletion
vector of the oldest file of their range, and stay in all of them.

Memory: a batch of each file of one range, a row group of the new one, a bitmap of the rows that go.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyroaring import BitMap

from core.datafile.system_fields import ROW_ID
from core.datafile.write import FileNames, RollingFileWriter
from core.deletionvectors import DeletionVector
from core.dml.buckets import BucketChange, BucketChanges
from core.dml.changes import LEFT, Chosen
from core.dml.expressions import Column
from core.dml.plan import ChangePlan
from core.dml.seen import Seen
from core.manifest import DataFileMeta
from core.manifest.row_ranges import group_by_row_range, row_range_of
from core.options import DATA_FILE_PREFIX
from core.predicate import Predicate, split_and
from core.read.file_reader import FileReader
from core.read.row_ranges import iter_row_ranges
from core.scan import Split
from core.types import DataField
from core.write.layout import columns_layout
from core.write.message import CommitMessage
from core.write.table_write import TableWrite
from core.write.target import WriteTarget

_Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Range:
    """The rows of some neighbouring ids, and all files that hold columns of them."""

    reader: FileReader
    files: tuple[DataFileMeta, ...]
    anchor: DataFileMeta  # whose deletion vector counts for all of them
    first: int  # row id of the first row

    @staticmethod
    def of(reader: FileReader, files: Sequence[DataFileMeta]) -> _Range:
        rows = row_range_of(files)
        marked = (file for file in rows.plain if file.file_name in reader.deleted)
        return _Range(reader, tuple(files), next(marked, rows.anchor), rows.first)

    def live(self, fields: Sequence[DataField], conjuncts: Sequence[Predicate]) -> Iterator[pa.RecordBatch]:
        """The rows that are not deleted with their ids; what does not satisfy `conjuncts` may be missing."""
        return iter_row_ranges(self.reader, self.files, _distinct((*fields, ROW_ID)), conjuncts)

    def all(self, fields: Sequence[DataField]) -> Iterator[tuple[pa.RecordBatch, _Flags]]:
        """All rows in the order of their ids, and which of them are not deleted."""
        vector = self.reader.deleted.get(self.anchor.file_name)
        start = 0
        for batch in iter_row_ranges(replace(self.reader, deleted={}), self.files, fields):
            alive = np.ones(batch.num_rows, np.bool_)
            if vector is not None:
                alive[vector.within(start, batch.num_rows)] = False
            start += batch.num_rows
            yield batch, alive


class ColumnChanges:
    """One statement. Use it in a `with` block: leaving it drops what was not handed out."""

    def __init__(self, table: WriteTarget, plan: ChangePlan, writer: TableWrite, seen: Seen) -> None:
        """`writer` is of new rows; `seen` learns which rows of the source join one of the table."""
        self._table, self._plan, self._seen, self._writer = table, plan, seen, writer
        self._buckets = BucketChanges(table, plan.snapshot)
        self._names = FileNames(table.options.get(DATA_FILE_PREFIX))
        predicate = plan.scan.predicate if plan.scan else None
        self._conjuncts = () if predicate is None else tuple(split_and(predicate))
        self._is_done = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._is_done:
            self._buckets.discard()

    def read(self) -> None:
        """Look at the rows of the plan, and write what becomes of them."""
        for split in self._plan.scan.splits if self._plan.scan else ():
            reader = FileReader.of(self._table, self._table.schema, split)
            bucket = self._buckets.of(split)
            for files in group_by_row_range(split.files):
                self._change(bucket, _Range.of(reader, files))

    def _change(self, bucket: BucketChange, rows: _Range) -> None:
        deleted, clauses = self._touched(rows)
        if deleted:
            bucket.marked[rows.anchor.file_name] = DeletionVector(deleted)
        if clauses:
            bucket.made.append(self._written(bucket.split, rows, clauses))

    def _touched(self, rows: _Range) -> tuple[BitMap, set[int]]:
        """Positions in the range of rows that go, and the clauses by which others change."""
        changes = self._plan.changes
        deleted, clauses = BitMap(), set[int]()
        for batch in rows.live(changes.deciding_fields, self._conjuncts):
            chosen = changes.choose(batch)
            self._seen.note(chosen.partners)
            updated = changes.is_updated(chosen)
            positions = np.asarray(batch.column(ROW_ID.name).to_numpy()) - rows.first
            deleted |= BitMap(positions[chosen.touched & ~updated].astype(np.uint32))
            clauses.update(np.unique(chosen.clause[updated]).tolist())
        return deleted, clauses

    def _written(self, split: Split, rows: _Range, clauses: Collection[int]) -> DataFileMeta:
        """A new file of the columns that the clauses assign, with all rows of the range."""
        changes, schema = self._plan.changes, self._table.schema
        assigned = {name for number in clauses for name in changes.clauses[number].assignments or ()}
        fields = tuple(field for field in schema.fields if field.name in assigned)
        changes = replace(changes, fields=fields)
        layout = columns_layout(schema, self._table.options, fields)
        writer = RollingFileWriter(self._table.io, self._buckets.directory(split), layout, self._names)
        try:
            for batch, alive in rows.all(self._needed(fields, clauses)):
                chosen = changes.choose(batch.filter(pa.array(alive)))
                stays = np.where(changes.is_updated(chosen), chosen.clause, LEFT)
                table = changes.remaining(Chosen(chosen.rows, stays, chosen.partners))
                for part in _in_all_rows(table, batch, alive).to_batches():
                    writer.write(part)
            (made,) = writer.take()
        except BaseException:
            writer.abort()
            raise
        return replace(made, first_row_id=rows.first)

    def _needed(self, written: Sequence[DataField], clauses: Collection[int]) -> tuple[DataField, ...]:
        """The columns that say which rows change, that expressions may look at, and those to be written."""
        changes = self._plan.changes
        expressions = [e for n in clauses for e in (changes.clauses[n].assignments or {}).values()]
        if any(callable(expression) for expression in expressions):
            return changes.fields
        copied = {e.name for e in expressions if isinstance(e, Column)}
        looked_at = [field for field in changes.fields if field.name in copied]
        return _distinct((*changes.deciding_fields, *looked_at, *written))

    def finish(self) -> list[CommitMessage]:
        """The messages of all buckets, those of the writer of new rows too."""
        changed = list(self._buckets.messages())
        messages = [*changed, *self._writer.prepare_commit()]
        self._is_done = True
        return messages


def _in_all_rows(changed: pa.Table, batch: pa.RecordBatch, alive: _Flags) -> pa.Table:
    """Rows that are alive as they become, among the others, which nobody sees, as they were."""
    if alive.all():
        return changed
    others = pa.Table.from_batches([batch.filter(pa.array(~alive)).select(changed.column_names)])
    order = np.argsort(np.concatenate([np.flatnonzero(alive), np.flatnonzero(~alive)]), kind="stable")
    return pa.concat_tables([changed, others.cast(changed.schema)]).take(order)


def _distinct(fields: Sequence[DataField]) -> tuple[DataField, ...]:
    return tuple({field.id: field for field in fields}.values())
