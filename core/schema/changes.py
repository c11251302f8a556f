"""Changes of a schema, and what a list of them makes of it. Spec: 09, 1.

A column is named by a path: `("r", "a")` is member `a` of the row in column `r`. Inside an
ARRAY the step is `element`, inside a MAP it is `value`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

from core.errors import AlreadyExistsError, InvalidRequestError, UnsupportedError
from core.options import (
    ADD_COLUMN_BEFORE_PARTITION,
    BUCKET,
    DELETION_VECTORS_MODIFIABLE,
    IMMUTABLE_KEYS,
    TableOptions,
    parse_boolean,
    parse_integer,
)
from core.schema.casts import check_cast
from core.schema.create import FieldIds
from core.schema.renames import options_renamed
from core.schema.table_schema import TableSchema
from core.schema.validate import validate
from core.types import type_to_text
from core.types.data_types import ArrayType, DataField, DataType, MapType, RowType

Path: TypeAlias = tuple[str, ...]
_Fields: TypeAlias = tuple[DataField, ...]


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
)


def apply_changes(
    schema: TableSchema, changes: Sequence[SchemaChange], *, has_snapshots: bool, time_millis: int
) -> TableSchema:
    """The next schema, with id + 1; the same object if the changes change nothing.

    Raises:
        InvalidRequestError, AlreadyExistsError: the first change that is not allowed.
        UnsupportedError: a change of type that we could not read afterwards.
    """
    changed = schema
    for change in changes:
        if getattr(change, "path", None) == ():
            raise InvalidRequestError("a column needs a name")
        changed = _apply(changed, change, has_snapshots)
    if changed == schema:
        return schema
    changed = replace(changed, version=3, id=schema.id + 1, time_millis=time_millis)
    validate(changed)
    return changed


def _apply(schema: TableSchema, change: SchemaChange, has_snapshots: bool) -> TableSchema:
    match change:
        case SetOption():
            return _set_option(schema, change, has_snapshots)
        case RemoveOption():
            return _remove_option(schema, change, has_snapshots)
        case UpdateComment():
            return replace(schema, comment=change.comment)
        case AddColumn():
            return _add_column(schema, change)
        case RenameColumn():
            return _rename_column(schema, change)
        case DropColumn():
            return _drop_column(schema, change)
        case UpdateColumnType():
            return _update_type(schema, change)
        case UpdateColumnNullability():
            return _update_nullability(schema, change)
        case UpdateColumnDescription():
            return _update_field(schema, change.path, lambda f: replace(f, description=change.description))
        case UpdateColumnPosition():
            return _update_siblings(schema, change.path, lambda fs, name: _moved(fs, name, change.move))


# --- options -----------------------------------------------------------------------


def _set_option(schema: TableSchema, change: SetOption, has_snapshots: bool) -> TableSchema:
    key, value = change.key, change.value
    if schema.options.get(key) == value:
        return schema
    _check_mutable(key, has_snapshots)
    if has_snapshots and key == BUCKET.key:
        _check_bucket_change(schema, parse_integer(value))
    if has_snapshots and key == "deletion-vectors.enabled":
        _check_deletion_vectors_change(schema)
    if has_snapshots and key in ("ignore-delete", "ignore-update-before") and not parse_boolean(value):
        raise InvalidRequestError("the option cannot go from true to false", option=key)
    return replace(schema, options={**schema.options, key: value})


def _remove_option(schema: TableSchema, change: RemoveOption, has_snapshots: bool) -> TableSchema:
    key = change.key
    if key not in schema.options:
        return schema
    _check_mutable(key, has_snapshots)
    if has_snapshots and key == BUCKET.key:
        raise InvalidRequestError("bucket cannot be reset once the table has snapshots", option=key)
    if has_snapshots and key == "deletion-vectors.enabled":
        _check_deletion_vectors_change(schema)
    return replace(schema, options={k: v for k, v in schema.options.items() if k != key})


def _check_mutable(key: str, has_snapshots: bool) -> None:
    if key == "type" or (has_snapshots and key in IMMUTABLE_KEYS):
        raise InvalidRequestError("the option cannot be changed any more", option=key)


def _check_bucket_change(schema: TableSchema, new: int) -> None:
    old = TableOptions(schema.options).get(BUCKET)
    if old != new and -1 in (old, new):
        raise InvalidRequestError("bucket cannot change from or to -1", old=old, new=new)


def _check_deletion_vectors_change(schema: TableSchema) -> None:
    if not TableOptions(schema.options).get(DELETION_VECTORS_MODIFIABLE):
        raise InvalidRequestError(
            "deletion vectors cannot be switched once the table has snapshots",
            option="deletion-vectors.enabled",
            needs="deletion-vectors.modifiable",
        )


# --- columns -----------------------------------------------------------------------


def _add_column(schema: TableSchema, change: AddColumn) -> TableSchema:
    if not change.type.nullable:
        raise InvalidRequestError("a column that is added must be nullable", column=_shown(change.path))
    ids = FieldIds(schema.highest_field_id)
    added = ids.renumbered(DataField(0, change.path[-1], change.type, change.description))
    before = _first_partition_key(schema) if len(change.path) == 1 and change.move is None else None

    def insert(siblings: _Fields, name: str) -> _Fields:
        _check_free(siblings, name, change.path)
        if before is not None:
            return _moved((*siblings, added), name, Move(Position.BEFORE, before))
        return _moved((*siblings, added), name, change.move or Move(Position.LAST))

    return replace(_update_siblings(schema, change.path, insert), highest_field_id=ids.highest)


def _first_partition_key(schema: TableSchema) -> str | None:
    """Where a new column goes under `add-column-before-partition`."""
    if not TableOptions(schema.options).get(ADD_COLUMN_BEFORE_PARTITION):
        return None
    return next((name for name in schema.field_names if name in schema.partition_keys), None)


def _rename_column(schema: TableSchema, change: RenameColumn) -> TableSchema:
    old, new = change.path[-1], change.new_name
    _refuse_partition_key(schema, change.path)
    if old == new:
        return schema

    def rename(siblings: _Fields, name: str) -> _Fields:
        _require(siblings, name, change.path)
        _check_free(siblings, new, (*change.path[:-1], new))
        return tuple(replace(f, name=new) if f.name == name else f for f in siblings)

    renamed = _update_siblings(schema, change.path, rename)
    if len(change.path) > 1:
        return renamed
    keys = tuple(new if key == old else key for key in schema.primary_keys)
    return replace(renamed, primary_keys=keys, options=options_renamed(schema.options, old, new))


def _drop_column(schema: TableSchema, change: DropColumn) -> TableSchema:
    _refuse_partition_key(schema, change.path)
    _refuse_primary_key(schema, change.path)

    def drop(siblings: _Fields, name: str) -> _Fields:
        _require(siblings, name, change.path)
        if len(siblings) == 1:
            raise InvalidRequestError("the last column cannot be dropped", column=_shown(change.path))
        return tuple(f for f in siblings if f.name != name)

    return _update_siblings(schema, change.path, drop)


def _update_type(schema: TableSchema, change: UpdateColumnType) -> TableSchema:
    _refuse_partition_key(schema, change.path)
    _refuse_primary_key(schema, change.path)

    def retype(field: DataField) -> DataField:
        new = change.type.with_nullability(field.type.nullable) if change.keep_nullability else change.type
        _check_not_tightened(schema, field.type, new, change.path)
        try:
            check_cast(field.type, new)
        except UnsupportedError as error:
            old_text, new_text = type_to_text(field.type), type_to_text(new)
            raise InvalidRequestError(
                "the column's type cannot be changed so",
                column=_shown(change.path),
                old=old_text,
                new=new_text,
            ) from error
        return replace(field, type=new)

    return _update_field(schema, change.path, retype)


def _update_nullability(schema: TableSchema, change: UpdateColumnNullability) -> TableSchema:
    if change.nullable:
        _refuse_primary_key(schema, change.path)

    def update(field: DataField) -> DataField:
        new = field.type.with_nullability(change.nullable)
        _check_not_tightened(schema, field.type, new, change.path)
        return replace(field, type=new)

    return _update_field(schema, change.path, update)


def _check_not_tightened(schema: TableSchema, old: DataType, new: DataType, path: Path) -> None:
    """Rows that exist may hold nulls, unless the table says that one may take the risk."""
    allowed = schema.options.get("alter-column-null-to-not-null.disabled", "true").lower() == "false"
    if old.nullable and not new.nullable and not allowed:
        raise InvalidRequestError("a nullable column cannot become NOT NULL", column=_shown(path))


def _refuse_partition_key(schema: TableSchema, path: Path) -> None:
    if len(path) == 1 and path[0] in schema.partition_keys:
        raise InvalidRequestError("a partition key cannot be changed", column=path[0])


def _refuse_primary_key(schema: TableSchema, path: Path) -> None:
    if len(path) == 1 and path[0] in schema.primary_keys:
        raise InvalidRequestError("a primary key cannot be changed so", column=path[0])


# --- paths -------------------------------------------------------------------------


def _update_field(schema: TableSchema, path: Path, update: Callable[[DataField], DataField]) -> TableSchema:
    def update_one(siblings: _Fields, name: str) -> _Fields:
        _require(siblings, name, path)
        return tuple(update(f) if f.name == name else f for f in siblings)

    return _update_siblings(schema, path, update_one)


def _update_siblings(
    schema: TableSchema, path: Path, update: Callable[[_Fields, str], _Fields]
) -> TableSchema:
    """The schema with the fields beside (and with) the last name of `path` replaced."""
    return replace(schema, fields=_in_fields(schema.fields, path, path, update))


def _in_fields(fields: _Fields, rest: Path, path: Path, update: Callable[[_Fields, str], _Fields]) -> _Fields:
    if len(rest) == 1:
        return update(fields, rest[0])
    _require(fields, rest[0], path)
    return tuple(
        replace(f, type=_in_type(f.type, rest[1:], path, update)) if f.name == rest[0] else f for f in fields
    )


def _in_type(
    data_type: DataType, rest: Path, path: Path, update: Callable[[_Fields, str], _Fields]
) -> DataType:
    match data_type:
        case RowType():
            return replace(data_type, fields=_in_fields(data_type.fields, rest, path, update))
        case ArrayType() if rest[0] == "element" and len(rest) > 1:
            return replace(data_type, element=_in_type(data_type.element, rest[1:], path, update))
        case MapType() if rest[0] == "value" and len(rest) > 1:
            return replace(data_type, value=_in_type(data_type.value, rest[1:], path, update))
    raise InvalidRequestError("no such column", column=_shown(path))


def _moved(fields: _Fields, name: str, move: Move) -> _Fields:
    column = next((f for f in fields if f.name == name), None)
    others = [f for f in fields if f.name != name]
    if column is None:
        raise InvalidRequestError("no such column", column=name)
    if move.position is Position.FIRST:
        return (column, *others)
    if move.position is Position.LAST:
        return (*others, column)
    if move.reference == name:
        raise InvalidRequestError("a column cannot move beside itself", column=name)
    names = [f.name for f in others]
    if move.reference not in names:
        raise InvalidRequestError("no such column", column=move.reference)
    at = names.index(move.reference) + (move.position is Position.AFTER)
    return (*others[:at], column, *others[at:])


def _require(fields: _Fields, name: str, path: Path) -> None:
    if all(f.name != name for f in fields):
        raise InvalidRequestError("no such column", column=_shown(path))


def _check_free(fields: _Fields, name: str, path: Path) -> None:
    if any(f.name == name for f in fields):
        raise AlreadyExistsError("column exists already", column=_shown(path))


def _shown(path: Path) -> str:
    return ".".join(path)
