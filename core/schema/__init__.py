"""Schemas of a table: values, files, changes."""

from core.schema.changes import (
    AddColumn,
    DropColumn,
    Move,
    Position,
    RemoveOption,
    RenameColumn,
    SchemaChange,
    SetOption,
    UpdateColumnDescription,
    UpdateColumnNullability,
    UpdateColumnPosition,
    UpdateColumnType,
    UpdateComment,
    apply_changes,
)
from core.schema.create import initial_schema
from core.schema.store import SchemaStore
from core.schema.table_schema import TableSchema, decode_schema, encode_schema
from core.schema.validate import validate

__all__ = [
    "AddColumn",
    "DropColumn",
    "Move",
    "Position",
    "RemoveOption",
    "RenameColumn",
    "SchemaChange",
    "SchemaStore",
    "SetOption",
    "TableSchema",
    "UpdateColumnDescription",
    "UpdateColumnNullability",
    "UpdateColumnPosition",
    "UpdateColumnType",
    "UpdateComment",
    "apply_changes",
    "decode_schema",
    "encode_schema",
    "initial_schema",
    "validate",
]
