"""Tables that are made, changed and dropped, for tests of crashes."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from core.catalog import FileSystemCatalog
from core.maintenance.rollback_schema import apply_rollback_schema, plan_rollback_schema
from core.schema.changes import (
    AddColumn,
    DropColumn,
    DropPrimaryKey,
    Move,
    Position,
    RemoveOption,
    RenameColumn,
    SchemaChange,
    SetOption,
    UpdateColumnDefaultValue,
    UpdateColumnDescription,
    UpdateColumnNullability,
    UpdateColumnPosition,
    UpdateColumnType,
    UpdateComment,
)
from core.table import Table
from core.types import BigIntType, IntType
from tests.crashes import Act, Case, new_table
from tests.tables import put

COLUMNS = {"id": "INT NOT NULL", "n": "INT NOT NULL", "v": "STRING"}


def three_columns() -> Table:
    table = new_table(COLUMNS, ["id"], snapshot__num_retained__min="5")
    put(table, (1, 10, "a"))
    return table


def empty() -> Table:
    return new_table(COLUMNS, ["id"], bucket="-1")


def missing() -> Table:
    """The place of a table in a database that is there."""
    table = empty()
    table.io.delete_directory(table.location)
    return table


def catalog_of(table: Table) -> FileSystemCatalog:
    return FileSystemCatalog(table.io, table.location.rsplit("/", 2)[0])


def create(table: Table) -> None:
    fields = pa.schema([pa.field("id", pa.int32(), nullable=False), ("v", pa.string())])
    catalog_of(table).create_table("db.t", fields, primary_keys=["id"], ignore_if_exists=True)


def drop(table: Table) -> None:
    catalog_of(table).drop_table("db.t", ignore_if_missing=True)


def merge_schema(table: Table) -> None:
    table.merge_schema(pa.schema([("id", pa.int32()), ("n", pa.int64()), ("more", pa.string())]))


CHANGES: Mapping[str, tuple[SchemaChange, ...]] = {
    "set_option": (SetOption("snapshot.num-retained.min", "3"),),
    "remove_option": (RemoveOption("snapshot.num-retained.min"),),
    "update_comment": (UpdateComment("what it holds"),),
    "add_column": (AddColumn(("more",), IntType()),),
    "rename_column": (RenameColumn(("v",), "w"),),
    "drop_column": (DropColumn(("v",)),),
    "update_type": (UpdateColumnType(("n",), BigIntType()),),
    "update_nullability": (UpdateColumnNullability(("n",), nullable=True),),
    "update_description": (UpdateColumnDescription(("v",), "what it is"),),
    "update_position": (UpdateColumnPosition(("v",), Move(Position.FIRST)),),
    "update_default": (UpdateColumnDefaultValue(("v",), "none"),),
    "several_changes": (AddColumn(("more",), IntType()), SetOption("snapshot.num-retained.max", "9")),
}


def changing(name: str) -> Act:
    """The change, unless it has been made."""

    def change(table: Table) -> None:
        if len(table.schemas.ids()) == 1:
            table.alter(CHANGES[name])

    change.__name__ = name
    return change


def drop_key(table: Table) -> None:
    if table.schema.primary_keys:
        table.alter([DropPrimaryKey()])


def changed_twice() -> Table:
    """With two schemas that nothing was written with."""
    table = three_columns()
    for change in ("add_column", "set_option"):
        table = table.alter(CHANGES[change])
    return table


def roll_schema_back(table: Table) -> None:
    if len(table.schemas.ids()) > 1:
        apply_rollback_schema(table, plan_rollback_schema(table, 0))


def replace(table: Table) -> None:
    if len(table.schemas.ids()) == 1:
        fields = pa.schema([("id", pa.string()), ("other", pa.int64())])
        catalog_of(table).replace_table("db.t", fields, options={"bucket": "-1"})


CASES = [
    Case(missing, create),
    Case(three_columns, drop),
    *(Case(three_columns, changing(name)) for name in CHANGES),
    Case(empty, drop_key),
    Case(three_columns, merge_schema),
    Case(three_columns, replace),
    Case(changed_twice, roll_schema_back),
]
