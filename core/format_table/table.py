"""FormatTable: a directory of plain files as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NoReturn

import pyarrow as pa

from core.arguments import check_argument, is_a, is_texts
from core.arrow import arrow_schema
from core.errors import InvalidRequestError
from core.format_table.commit import FormatCommit
from core.format_table.home import DIRECTORIES, FormatHome
from core.format_table.options import FileKind, check_discovered, file_kind
from core.format_table.plan import FormatPlan, FormatSplit, plan_files
from core.format_table.read import read_format_split
from core.format_table.write import FormatWrite
from core.identifier import Identifier
from core.io.file_io import FileIO
from core.predicate import Predicate
from core.read.side_by_side import check_threads
from core.schema.dynamic import with_dynamic_options
from core.schema.table_schema import TableSchema


class FormatTable:
    """Files of one format in a directory: read and written, without snapshots. Picklable."""

    def __init__(
        self,
        io: FileIO,
        location: str,
        identifier: Identifier,
        schema: TableSchema,
        dynamic_options: Mapping[str, str | None] = MappingProxyType({}),
        home: FormatHome = DIRECTORIES,
    ) -> None:
        self.io = io
        self.location = location.rstrip("/")  # of the files
        self.identifier = identifier
        self.dynamic_options = dict(dynamic_options)
        self.home = home  # what its catalog does for it
        self._stored = schema
        self.schema = with_dynamic_options(schema, self.dynamic_options)

    def __reduce__(self) -> tuple[object, ...]:
        given = (self.io, self.location, self.identifier, self._stored, self.dynamic_options, self.home)
        return type(self), given

    def __repr__(self) -> str:
        return f"FormatTable({self.identifier}, {self.location})"

    @property
    def kind(self) -> FileKind:
        """The format of its files; `UnsupportedError` names one that we do not read."""
        return file_kind(self.schema.options)

    @property
    def arrow_schema(self) -> pa.Schema:
        return arrow_schema(self.schema.fields)

    def with_options(self, options: Mapping[str, str | None]) -> FormatTable:
        """The same table with options of its own for reads and writes; nothing is written."""
        check_argument(is_a(options, Mapping), "give a mapping of options", options)
        given = {key: value for key, value in options.items() if value is not None}
        check_argument(is_texts(given), "options and their values are texts", options)
        laid = {**self.dynamic_options, **options}
        return FormatTable(self.io, self.location, self.identifier, self._stored, laid, self.home)

    def with_home(self, home: FormatHome) -> FormatTable:
        """The same table of a catalog that does more for it than name its directory."""
        return FormatTable(self.io, self.location, self.identifier, self._stored, self.dynamic_options, home)

    def plan(
        self,
        columns: Sequence[str] | None = None,
        filter: Predicate | str | None = None,
        *,
        snapshot_id: int | None = None,
        tag: str | None = None,
        timestamp_millis: int | None = None,
    ) -> FormatPlan:
        """What a read has to do: files of the partitions that the filter leaves.

        Raises:
            InvalidRequestError: an unknown column, a bad filter, or a time to travel to.
            UnsupportedError: a format of files, or partitions kept in a catalog, which are not read, or that
                lie elsewhere.
            FormatError: a directory's name is no value of its partition column.
        """
        if not (snapshot_id is None and tag is None and timestamp_millis is None):
            self.refuse_snapshots()
        file_kind(self.schema.options)
        check_discovered(self.schema.options)
        self.home.check_readable()
        return plan_files(self.io, self.location, self.schema, columns, filter)

    def explain(
        self, columns: Sequence[str] | None = None, filter: Predicate | str | None = None, **at: Any
    ) -> FormatPlan:
        """The plan; printed it says what is left out."""
        return self.plan(columns, filter, **at)

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
        """The rows in batches, in bounded memory; raises as `plan` does, before the first batch."""
        check_threads(threads)
        at: dict[str, Any] = {"snapshot_id": snapshot_id, "tag": tag, "timestamp_millis": timestamp_millis}
        plan = self.plan(columns, filter, **at)
        return (batch for split in plan.splits for batch in self.read_split(split, plan))

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
        """The rows as one Arrow table in memory; raises as `plan` does."""
        at: dict[str, Any] = {"snapshot_id": snapshot_id, "tag": tag, "timestamp_millis": timestamp_millis}
        plan = self.plan(columns, filter, **at)
        batches = (batch for split in plan.splits for batch in self.read_split(split, plan))
        fields = [field.with_nullable(True) for field in arrow_schema(plan.fields)]
        return pa.Table.from_batches(batches, schema=pa.schema(fields))

    def read_split(self, split: FormatSplit, plan: FormatPlan) -> Iterator[pa.RecordBatch]:
        """The rows of one split of a plan, in batches."""
        return read_format_split(self.io, self.schema, split, plan)

    def new_write(self) -> FormatWrite:
        """A writer of new files; raises `UnsupportedError` for what they would not hold."""
        self.home.check_writable()
        return FormatWrite(self.io, self.location, self.schema)

    def new_commit(self) -> FormatCommit:
        return FormatCommit(self.io, self.location, self.schema, self.home)

    def append(self, rows: pa.Table | pa.RecordBatch) -> None:
        """Write rows and make them visible."""
        write = self.new_write()
        try:
            write.write(rows)
            made = write.prepare_commit()
        except BaseException:
            write.abort()
            raise
        self.new_commit().append(made)

    def refuse_snapshots(self) -> NoReturn:
        """Raise what is said to those who ask for a snapshot, tag, branch or manifest."""
        raise InvalidRequestError(
            "a format table has no snapshots: it is the files that are in its directory",
            table=str(self.identifier),
            location=self.location,
        )
