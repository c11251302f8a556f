"""What kind of table a schema speaks of: its option `type`. Spec: 04, C5."""

from __future__ import annotations

from enum import StrEnum

from core.errors import UnsupportedError
from core.options import TYPE
from core.schema.table_schema import TableSchema


class TableType(StrEnum):
    """The types that Paimon knows."""

    TABLE = "table"
    MATERIALIZED = "materialized-table"
    FORMAT = "format-table"
    OBJECT = "object-table"
    LANCE = "lance-table"
    ICEBERG = "iceberg-table"

    @property
    def has_snapshots(self) -> bool:
        """Whether it is made of snapshots and manifests: all that this project is about."""
        return self in (TableType.TABLE, TableType.MATERIALIZED)


NO_SNAPSHOTS = frozenset(kind.value for kind in TableType if not kind.has_snapshots)


def table_type_name(schema: TableSchema) -> str:
    """The value of the option `type`, also one that we do not know."""
    return schema.options.get(TYPE.key, TYPE.default).strip().lower()


def table_type(schema: TableSchema) -> TableType:
    """The type of the table; `UnsupportedError` names one that we do not know."""
    name = table_type_name(schema)
    try:
        return TableType(name)
    except ValueError:
        raise UnsupportedError("no such type of table is known", feature=f"{TYPE.key} = {name}") from None


def check_has_snapshots(schema: TableSchema) -> None:
    """Nothing for a table that is made of snapshots; `UnsupportedError` that names the type of another."""
    kind = table_type(schema)
    if not kind.has_snapshots:
        raise UnsupportedError(
            "a table of this type has no snapshots, tags, branches or manifests",
            feature=f"{TYPE.key} = {kind}",
        )
