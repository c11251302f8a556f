"""The tables of a JDBC catalog, as Paimon makes them. Spec: 04, C2."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Column, MetaData, String, Table, Text, text
from sqlalchemy.types import TIMESTAMP

_NAME = 255
# MySQL compares names by their bytes, as other databases do; what Paimon makes may fold letters, so what is
# found is compared again. Four names make too long a key of utf8mb4 there.
_BYTES: dict[str, Any] = {
    "mysql_engine": "InnoDB",
    "mysql_charset": "utf8mb4",
    "mysql_collate": "utf8mb4_bin",
}
_SHORT: dict[str, Any] = {
    "mysql_engine": "InnoDB",
    "mysql_charset": "utf8mb3",
    "mysql_collate": "utf8mb3_bin",
}


def _name(name: str) -> Column[str]:
    return Column(name, String(_NAME), primary_key=True, nullable=False)


_metadata = MetaData()

TABLES = Table(
    "paimon_tables", _metadata, _name("catalog_key"), _name("database_name"), _name("table_name"), **_BYTES
)

DATABASE_PROPERTIES = Table(
    "paimon_database_properties",
    _metadata,
    _name("catalog_key"),
    _name("database_name"),
    _name("property_key"),
    Column("property_value", String(1000)),
    **_BYTES,
)

TABLE_PROPERTIES = Table(
    "paimon_table_properties",
    _metadata,
    _name("catalog_key"),
    _name("database_name"),
    _name("table_name"),
    _name("property_key"),
    Column("property_value", String(1000)),
    **_SHORT,
)

VIEWS = Table(
    "paimon_views",
    _metadata,
    _name("catalog_key"),
    _name("database_name"),
    _name("view_name"),
    Column("view_schema", Text, nullable=False),
    **_BYTES,
)

NAMES = (TABLES, DATABASE_PROPERTIES, TABLE_PROPERTIES, VIEWS)


def locks(length: int = _NAME) -> Table:
    """The table of locks, whose names may have so many letters."""
    return Table(
        "paimon_distributed_locks",
        MetaData(),
        Column("lock_id", String(length), primary_key=True, nullable=False),
        Column("acquired_at", TIMESTAMP, server_default=text("CURRENT_TIMESTAMP"), nullable=False),
        Column("expire_time_seconds", BigInteger, server_default=text("0"), nullable=False),
        **_BYTES,
    )
