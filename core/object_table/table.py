"""ObjectTable: what a listing says of the files below a directory, a row each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NoReturn

import pyarrow as pa

from core.arguments import check_argument, is_a
from core.arrow import arrow_schema
from core.errors import InvalidRequestError
from core.identifier import Identifier
from core.io.file_io import FileIO, FileStatus
from core.predicate import Predicate, bind, evaluate, predicate_of
from core.read.side_by_side import check_threads
from core.schema.table_schema import TableSchema
from core.types import STRING, BigIntType, DataField

_BATCH_ROWS = 16 * 1024
_TEXT, _NUMBER = STRING.with_nullability(False), BigIntType(nullable=False)

OBJECT_FIELDS = (
    DataField(0, "path", _TEXT, "Relative path of object"),
    DataField(1, "name", _TEXT, "Name of object"),
    DataField(2, "length", _NUMBER, "Bytes length of object"),
    DataField(3, "mtime", _NUMBER, "Modification time of object"),
    DataField(4, "atime", _NUMBER, "Access time of object"),
    DataField(5, "owner", STRING, "Owner of object"),
)
"""The columns of every object table, with the words that Paimon has for them."""


class ObjectTable:
    """The files anywhere below a directory. Each read lists it anew. Picklable.

    `atime` is 0 and `owner` null, as the stores that we list tell neither; Paimon's file system in Java does
    the same on a disk.
    """

    def __init__(self, io: FileIO, location: str, identifier: Identifier, schema: TableSchema) -> None:
        self.io = io
        self.location = location.rstrip("/")  # of the objects
        self.identifier = identifier
        self.stored_schema = schema

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.io, self.location, self.identifier, self.stored_schema)

    def __repr__(self) -> str:
        return f"ObjectTable({self.identifier}, {self.location})"

    @property
    def schema(self) -> TableSchema:
        """The fixed columns, with the options and the comment of the table."""
        return TableSchema(
            id=self.stored_schema.id,
            fields=OBJECT_FIELDS,
            highest_field_id=len(OBJECT_FIELDS) - 1,
            options=self.stored_schema.options,
            comment=self.stored_schema.comment,
            time_millis=self.stored_schema.time_millis,
        )

    @property
    def arrow_schema(self) -> pa.Schema:
        return arrow_schema(OBJECT_FIELDS)

    def with_options(self, options: Mapping[str, str | None]) -> ObjectTable:
        """The same table: no option says anything about its rows."""
        check_argument(is_a(options, Mapping), "give a mapping of options", options)
        return self

    def to_batches(
        self,
        columns: Sequence[str] | None = None,
        filter: Predicate | str | None = None,
        *,
        snapshot_id: int | None = None,
        tag: str | None = None,
        timestamp_millis: int | None = None,
        threads: int = 1,
    ) -> Iterator[pa.RecordBatch]:
        """What the listing says, in batches, as it comes.

        Raises:
            InvalidRequestError: an unknown column, a bad filter, or a time to travel to.
        """
        check_threads(threads)
        if not (snapshot_id is None and tag is None and timestamp_millis is None):
            self.refuse_snapshots()
        fields = OBJECT_FIELDS if columns is None else self.schema.fields_of(columns)
        predicate = predicate_of(filter)
        predicate = None if predicate is None else bind(predicate, OBJECT_FIELDS)
        return self._batches([field.name for field in fields], predicate)

    def to_arrow(
        self,
        columns: Sequence[str] | None = None,
        filter: Predicate | str | None = None,
        *,
        snapshot_id: int | None = None,
        tag: str | None = None,
        timestamp_millis: int | None = None,
        threads: int = 1,
    ) -> pa.Table:
        """The rows as one Arrow table; raises as `to_batches` does."""
        at: dict[str, Any] = {"snapshot_id": snapshot_id, "tag": tag, "timestamp_millis": timestamp_millis}
        batches = self.to_batches(columns, filter, threads=threads, **at)
        fields = OBJECT_FIELDS if columns is None else self.schema.fields_of(columns)
        return pa.Table.from_batches(batches, schema=arrow_schema(fields))

    def _batches(self, names: list[str], predicate: Predicate | None) -> Iterator[pa.RecordBatch]:
        listed = self.io.iter_tree(self.location)
        while some := list(islice(listed, _BATCH_ROWS)):
            batch = self._batch(some)
            kept = batch if predicate is None else batch.filter(evaluate(predicate, batch))
            if kept.num_rows:
                yield kept.select(names)

    def _batch(self, listed: Sequence[FileStatus]) -> pa.RecordBatch:
        start = len(self.location) + 1
        paths = [status.path[start:] for status in listed]
        columns: list[Any] = [
            paths,
            [path.rpartition("/")[2] for path in paths],
            [status.size for status in listed],
            [status.modified_millis for status in listed],
            [0] * len(paths),
            [None] * len(paths),
        ]
        schema = arrow_schema(OBJECT_FIELDS)
        arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
        return pa.RecordBatch.from_arrays(arrays, schema=schema)

    def refuse_snapshots(self) -> NoReturn:
        """Raise what is said to those who ask for a snapshot, tag, branch or manifest."""
        raise InvalidRequestError(
            "an object table has no snapshots: it is a listing of its directory",
            table=str(self.identifier),
            location=self.location,
        )

    def refuse_writes(self) -> NoReturn:
        """Raise what is said to those who write to it."""
        raise InvalidRequestError(
            "an object table is not written to: put files into its directory",
            table=str(self.identifier),
            location=self.location,
        )
