"""A system table as a reader sees it: like a table, but made from something else."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import pyarrow as pa

from core.arrow import arrow_schema
from core.errors import InvalidRequestError
from core.identifier import Identifier
from core.predicate import Predicate, bind, evaluate, predicate_of, references
from core.read.side_by_side import check_threads
from core.schema import TableSchema
from core.schema.start import start_of
from core.snapshot import Snapshot
from core.system.columns import Columns, Shows, SystemTableKind
from core.table import Table

_BATCH_ROWS = 65_536


class SystemTable(ABC):
    """A system table of a table or of a warehouse. Read anew at each call; nothing is cached."""

    @property
    @abstractmethod
    def identifier(self) -> Identifier:
        """The name by which it is read."""

    @property
    def arrow_schema(self) -> pa.Schema:
        """What `to_arrow` gives of all columns."""
        return arrow_schema(self.schema.fields)

    @property
    @abstractmethod
    def schema(self) -> TableSchema:
        """Its columns, in the form of a table's schema: no keys, no options."""

    @abstractmethod
    def with_options(self, options: Mapping[str, str | None]) -> SystemTable:
        """The same of the table with these options; raises as `Table.with_options` does."""

    @abstractmethod
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
        """The rows as one Arrow table, `columns` in the order asked for.

        `threads` splits are read at once where they are rows of the table itself (`$ro`, `$audit_log`,
        `$binlog`, `$row_tracking`); a table made of metadata is made at once, by one.
        """

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
        """The rows of `to_arrow` in batches."""
        at: Mapping[str, Any] = {
            "snapshot_id": snapshot_id,
            "tag": tag,
            "timestamp_millis": timestamp_millis,
        }
        whole = self.to_arrow(columns, filter, threads=threads, **at)
        yield from whole.to_batches(max_chunksize=_BATCH_ROWS)


class OneTable(SystemTable):
    """A system table of one table, or of one of its branches."""

    def __init__(self, table: Table, name: str) -> None:
        self.table = table
        self.name = name

    @property
    def identifier(self) -> Identifier:
        return self.table.identifier.with_system(self.name)


class MetadataTable(OneTable):
    """A system table of which each column is made of metadata, when it is asked for."""

    def __init__(self, table: Table, kind: SystemTableKind) -> None:
        super().__init__(table, kind.name)
        self.kind = kind

    @cached_property
    def schema(self) -> TableSchema:
        """Its columns, in the form of a table's schema: no keys, no options."""
        fields = self.kind.fields
        return TableSchema(id=0, fields=fields, highest_field_id=len(fields) - 1)

    def with_options(self, options: Mapping[str, str | None]) -> MetadataTable:
        return MetadataTable(self.table.with_options(options), self.kind)

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
        """The rows as one Arrow table, `columns` in the order asked for.

        Raises:
            InvalidRequestError: an unknown column, a bad filter, no thread, or time travel on a
                system table that does not show one snapshot.
            NotFoundError: no such snapshot or tag.
        """
        check_threads(threads)
        return read_columns(
            self.schema,
            lambda: self.kind.read(self.table, self._snapshot(snapshot_id, tag, timestamp_millis)),
            columns,
            filter,
        )

    def _snapshot(
        self, snapshot_id: int | None, tag: str | None, timestamp_millis: int | None
    ) -> Snapshot | None:
        asked = not (snapshot_id is None and tag is None and timestamp_millis is None)
        if asked and self.kind.shows is Shows.TABLE:
            raise InvalidRequestError(
                "this system table does not show one snapshot: it cannot be read at another one",
                table=str(self.identifier),
            )
        if self.kind.shows is Shows.SNAPSHOT or asked or (self.kind.shows is Shows.SCHEMA and self._travels):
            return self.table.snapshot_at(snapshot_id=snapshot_id, tag=tag, timestamp_millis=timestamp_millis)
        return None

    @property
    def _travels(self) -> bool:
        return start_of(self.table.options).travels


def read_columns(
    schema: TableSchema,
    make: Callable[[], Columns],
    columns: Sequence[str] | None,
    filter: Predicate | str | None,
) -> pa.Table:
    """The columns asked for, in that order, of the rows that satisfy a filter.

    `make` gives the columns, of which only those needed are made.

    Raises:
        InvalidRequestError: an unknown column, one that is named twice, or a bad filter.
    """
    names = list(schema.field_names) if columns is None else [f.name for f in schema.fields_of(columns)]
    if len(set(names)) < len(names):
        raise InvalidRequestError("a column is named twice", columns=", ".join(names))
    predicate = predicate_of(filter)
    predicate = None if predicate is None else bind(predicate, schema.fields)
    needed = {*names, *(references(predicate) if predicate else ())}
    fields = [field for field in arrow_schema(schema.fields) if field.name in needed]
    made = make()
    table = pa.Table.from_arrays([made[field.name]() for field in fields], schema=pa.schema(fields))
    return (table if predicate is None else _filtered(table, predicate)).select(names)


def _filtered(table: pa.Table, predicate: Predicate) -> pa.Table:
    batches = (
        batch.filter(evaluate(predicate, batch)) for batch in table.to_batches(max_chunksize=_BATCH_ROWS)
    )
    return pa.Table.from_batches(batches, schema=table.schema)
