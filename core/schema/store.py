"""The schema/ directory of a table or branch. Spec: 01, 6; 09, 1."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from core.errors import AlreadyExistsError, FormatError, NotFoundError
from core.io.decoding import read_decoded
from core.io.file_io import FileIO
from core.io.numbered_files import listed_ids
from core.io.paths import TablePaths
from core.schema.alter import apply_changes
from core.schema.changes import SchemaChange
from core.schema.create import replacement
from core.schema.merge import MergeRules, merge_schema
from core.schema.table_schema import TableSchema, decode_schema, encode_schema
from core.schema.validate import validate
from core.types import DataField


class SchemaStore:
    """Reads schemas, each once: a schema file never changes."""

    def __init__(self, io: FileIO, paths: TablePaths) -> None:
        self._io = io
        self._paths = paths
        self._cached: dict[int, TableSchema] = {}
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self._io, self._paths)

    def ids(self) -> list[int]:
        """Ascending; there are no hints for schemas."""
        return listed_ids(self._io, self._paths.schema_dir, "schema-")

    def get(self, schema_id: int) -> TableSchema:
        """`NotFoundError` if there is no such schema, `FormatError` if its file is damaged."""
        with self._lock:
            cached = self._cached.get(schema_id)
        if cached is None:
            cached = self._read(schema_id)
            with self._lock:
                self._cached[schema_id] = cached
        return cached

    def latest(self) -> TableSchema:
        """The schema of the highest id; `NotFoundError` where there is no table."""
        ids = self.ids()
        if not ids:
            raise NotFoundError("table not found: it has no schema", path=self._paths.schema_dir)
        return self.get(ids[-1])

    def all(self) -> list[TableSchema]:
        """Every schema, ascending."""
        return [self.get(schema_id) for schema_id in self.ids()]

    def create(self, schema: TableSchema) -> None:
        """Write a new schema file.

        Raises:
            AlreadyExistsError: another writer took the id. InvalidRequestError: see `validate`.
        """
        validate(schema)
        self._io.create(self._paths.schema_file(schema.id), encode_schema(schema))

    def commit_changes(self, changes: Sequence[SchemaChange], *, has_snapshots: bool) -> TableSchema:
        """Apply changes to the latest schema and write the next one; the latest if nothing changes.

        Where another writer is first, everything is judged again on what it wrote.

        Raises:
            InvalidRequestError, AlreadyExistsError, UnsupportedError: see `apply_changes`.
        """

        def change(latest: TableSchema) -> TableSchema:
            return apply_changes(latest, changes, has_snapshots=has_snapshots, time_millis=_now())

        return self._commit(change)

    def commit_merge(self, incoming: Sequence[DataField], rules: MergeRules) -> TableSchema:
        """Write the schema that can hold the incoming columns too; the latest if it does already.

        Where another writer is first, everything is judged again on what it wrote.

        Raises:
            InvalidRequestError: see `merge_schema` and `validate`.
        """
        return self._commit(lambda latest: merge_schema(latest, incoming, rules, time_millis=_now()))

    def commit_replacement(self, new: TableSchema) -> TableSchema:
        """Write a schema as the next one that has nothing of those before but the table's history.

        Raises:
            InvalidRequestError: see `validate`.
        """
        return self._commit(lambda latest: replacement(latest, new))

    def _commit(self, change: Callable[[TableSchema], TableSchema]) -> TableSchema:
        while True:
            latest = self.latest()
            changed = change(latest)
            if changed is latest:
                return latest
            try:
                self.create(changed)
            except AlreadyExistsError:
                if self.ids()[-1] < changed.id:  # what has the name is no file: a link to nowhere
                    raise
                continue
            return changed

    def _read(self, schema_id: int) -> TableSchema:
        path = self._paths.schema_file(schema_id)
        try:
            schema = read_decoded(self._io, path, decode_schema)
        except NotFoundError as error:
            raise NotFoundError("schema not found", schema_id=schema_id, path=path) from error
        if schema.id != schema_id:
            raise FormatError(
                "schema id differs from its file name", path=path, expected=schema_id, found=schema.id
            )
        return schema


def _now() -> int:
    return time.time_ns() // 1_000_000
