"""The rows of one data file as they stand in it, with sequence numbers and row kinds. Design: 6.13."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as _pc

from core.compact.plan import Bucket
from core.datafile.system_fields import SEQUENCE_NUMBER, VALUE_KIND
from core.errors import NotFoundError
from core.manifest.entry import ManifestEntry
from core.read.file_reader import FileReader
from core.snapshot import Snapshot
from core.table import Table
from core.types import BigIntType, BooleanType, DataField
from core.write.compaction import index_files_of
from core.write.task_reader import split_of_bucket

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

POSITION = DataField(-1, "_POSITION", BigIntType(nullable=False))
DELETED = DataField(-2, "_DELETED", BooleanType(nullable=False))
"""Whether the snapshot's deletion vector marks the row."""


@dataclass(frozen=True, slots=True)
class RawRows:
    """What a file holds, in its own columns; nothing is read before the batches are asked for."""

    fields: tuple[DataField, ...]
    batches: Iterator[pa.RecordBatch]


def raw_rows(table: Table, snapshot: Snapshot, file_name: str) -> RawRows:
    """The rows of a live file of the snapshot, in the order in which they stand in it.

    Raises:
        NotFoundError: no live file of this name; or it is lost.
        FormatError, UnsupportedError: it cannot be read.
    """
    entry = _live(table, snapshot, file_name)
    marks = index_files_of(table, snapshot).get((entry.partition, entry.bucket), ())
    bucket = Bucket(entry.partition, entry.bucket, entry.total_buckets, (entry.file,), marks)
    schema = (
        table.schema if entry.file.schema_id == table.schema.id else table.schemas.get(entry.file.schema_id)
    )
    reader = FileReader.of(table, schema, split_of_bucket(table, bucket))
    written = entry.file.write_cols
    own = tuple(f for f in schema.fields if written is None or f.name in written)
    fields = (SEQUENCE_NUMBER, VALUE_KIND, *own) if schema.primary_keys else own
    return RawRows((POSITION, DELETED, *fields), _numbered(reader, entry, fields))


def _live(table: Table, snapshot: Snapshot, file_name: str) -> ManifestEntry:
    live = table.manifests.live_entries(snapshot)
    found = live.filter(pc.equal(live.column("file_name"), file_name))
    entry = next(found.entries(), None)
    if entry is None:
        raise NotFoundError("no live file of the snapshot", file=file_name, snapshot=snapshot.reference)
    return entry


def _numbered(
    reader: FileReader, entry: ManifestEntry, fields: tuple[DataField, ...]
) -> Iterator[pa.RecordBatch]:
    deleted = reader.deleted.get(entry.file.file_name)
    for first, batch in reader.iter_numbered(entry.file, fields):
        positions = np.arange(first, first + batch.num_rows)
        marks = np.zeros(batch.num_rows, bool)
        if deleted is not None:
            marks[deleted.within(first, batch.num_rows)] = True
        names = [POSITION.name, DELETED.name, *batch.schema.names]
        yield pa.RecordBatch.from_arrays([pa.array(positions), pa.array(marks), *batch.columns], names=names)
