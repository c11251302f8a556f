"""What a JDBC catalog does for a table that is open: gives its lock, and writes down its options."""

from __future__ import annotations

from dataclasses import dataclass

from core.catalog.home import CopyingHome, properties_of
from core.catalog.jdbc.names import JdbcNames
from core.schema.table_schema import TableSchema


@dataclass(frozen=True)
class JdbcTableHome(CopyingHome):
    names: JdbcNames

    def _copy(self, schema: TableSchema) -> None:
        if self.keeps_properties:
            self.names.replace_properties(self.table, properties_of(schema))
