"""Schemas of a table: values, files, changes."""

from core.schema.alter import apply_changes
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
from core.schema.create import initial_schema
from core.schema.merge import (
    Disagreement,
    MergeRules,
    Proposal,
    Refusal,
    merge_schema,
    propose_merge,
    retyped_keys,
)
from core.schema.pasted import PastedForm, parse_pasted
from core.schema.store import SchemaStore
from core.schema.table_schema import TableSchema, decode_schema, encode_schema
from core.schema.validate import validate

__all__ = [
    "AddColumn",
    "Disagreement",
    "DropColumn",
    "DropPrimaryKey",
    "MergeRules",
    "Move",
    "PastedForm",
    "Position",
    "Proposal",
    "Refusal",
    "RemoveOption",
    "RenameColumn",
    "SchemaChange",
    "SchemaStore",
    "SetOption",
    "TableSchema",
    "UpdateColumnDefaultValue",
    "UpdateColumnDescription",
    "UpdateColumnNullability",
    "UpdateColumnPosition",
    "UpdateColumnType",
    "UpdateComment",
    "apply_changes",
    "decode_schema",
    "encode_schema",
    "initial_schema",
    "merge_schema",
    "parse_pasted",
    "propose_merge",
    "retyped_keys",
    "validate",
]
