"""Changes of a schema as values; what they make of a schema is in `alter`. Spec: 09, 1.

A column is named by a path: `("r", "a")` is member `a` of the row in column `r`. Inside an
ARRAY the step is `element`, inside a MAP it is `value`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from core.types.data_types import DataType

Path: TypeAlias = tuple[str, ...]


class Position(StrEnum):
    FIRST = "FIRST"
    LAST = "LAST"
    AFTER = "AFTER"
    BEFORE = "BEFORE"


@dataclass(frozen=True, slots=True)
class Move:
    """Where a column goes among its siblings."""

    position: Position
    reference: str | None = None  # the sibling of AFTER and BEFORE


@dataclass(frozen=True, slots=True)
class SetOption:
    key: str
    value: str


@dataclass(frozen=True, slots=True)
class RemoveOption:
    key: str


@dataclass(frozen=True, slots=True)
class UpdateComment:
    comment: str | None


@dataclass(frozen=True, slots=True)
class AddColumn:
    path: Path
    type: DataType  # nullable: rows that exist have no value
    description: str | None = None
    move: Move | None = None


@dataclass(frozen=True, slots=True)
class RenameColumn:
    path: Path
    new_name: str


@dataclass(frozen=True, slots=True)
class DropColumn:
    path: Path


@dataclass(frozen=True, slots=True)
class UpdateColumnType:
    path: Path
    type: DataType
    keep_nullability: bool = True


@dataclass(frozen=True, slots=True)
class UpdateColumnNullability:
    path: Path
    nullable: bool


@dataclass(frozen=True, slots=True)
class UpdateColumnDescription:
    path: Path
    description: str | None


@dataclass(frozen=True, slots=True)
class UpdateColumnPosition:
    path: Path
    move: Move


@dataclass(frozen=True, slots=True)
class UpdateColumnDefaultValue:
    path: Path
    default_value: str | None  # text, as schemas hold it; None takes it away


@dataclass(frozen=True, slots=True)
class DropPrimaryKey:
    """Only while the table has no snapshot."""


SchemaChange: TypeAlias = (
    SetOption
    | RemoveOption
    | UpdateComment
    | AddColumn
    | RenameColumn
    | DropColumn
    | UpdateColumnType
    | UpdateColumnNullability
    | UpdateColumnDescription
    | UpdateColumnPosition
    | UpdateColumnDefaultValue
    | DropPrimaryKey
)
