"""The schema/ directory of a table or branch. Spec: 01, 6; 09, 1."""

from __future__ import annotations

import threading

from core.errors import FormatError, NotFoundError
from core.io.decoding import read_decoded
from core.io.file_io import FileIO
from core.io.numbered_files import listed_ids
from core.io.paths import TablePaths
from core.schema.table_schema import TableSchema, decode_schema, encode_schema


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
        """Write a new schema file; `AlreadyExistsError` if another writer took the id."""
        self._io.create(self._paths.schema_file(schema.id), encode_schema(schema))

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
