"""Tables without snapshots whose schema stands in their catalog alone, and in no file. Spec: 04, C3 to C5."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from core.commit import TableHome
from core.errors import NotFoundError, UnsupportedError
from core.io.file_io import FileIO
from core.io.paths import TablePaths
from core.schema.store import SchemaStore
from core.schema.table_schema import TableSchema
from core.schema.table_type import table_type_name


class ToldSchemas(SchemaStore):
    """The one schema that a catalog tells. Nothing is read for it, and no file is written."""

    def __init__(self, io: FileIO, paths: TablePaths, told: TableSchema) -> None:
        super().__init__(io, paths)
        self._told = told

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self._io, self._paths, self._told)

    def ids(self) -> list[int]:
        return [self._told.id]

    def get(self, schema_id: int) -> TableSchema:
        if schema_id != self._told.id:
            raise NotFoundError("schema not found", schema_id=schema_id, path=self._paths.schema_dir)
        return self._told

    def create(self, schema: TableSchema) -> NoReturn:
        raise UnsupportedError(
            "the catalog alone keeps the schema of this table, and it is not changed here: drop the table "
            "and make it anew",
            feature=f"changes of a {table_type_name(self._told)}",
            where=self._paths.root,
        )


@dataclass(frozen=True)
class ToldHome(TableHome):
    """Of a table whose schema the catalog has told."""

    told: TableSchema

    def schemas(self, io: FileIO, paths: TablePaths) -> SchemaStore:
        return ToldSchemas(io, paths, self.told)
