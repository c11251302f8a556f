"""What changes make of a schema. Spec: 09, 1."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from core.arguments import check_argument, is_list
from core.errors import AlreadyExistsError, InvalidRequestError, UnsupportedError
from core.options import (
    ADD_COLUMN_BEFORE_PARTITION,
    EXPLICIT_CASTING_DISABLED,
    NULL_TO_NOT_NULL_DISABLED,
    TableOptions,
)
from core.schema.alter_options import remove_option, set_option
from core.schema.casts import check_cast
from core.schema.changes import (
    AddColumn,
    DropColumn,
    DropPrimaryKey,
    Move,
    Path,
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
from core.schema.create import FieldIds
from core.schema.defaults import default_scalar
from core.schema.paths import Fields, is_field, require, shown, update_field, update_siblings, update_type
from core.schema.renames import options_renamed
from core.schema.table_schema import TableSchema
from core.schema.validate import validate
from core.types import BlobType, type_to_text
from core.types.casts import CastKind, cast_kind
from core.types.data_types import DataField, DataType

_PK_INDEX = re.compile(r"pk-.+\.index\.columns")


def apply_changes(
    schema: TableSchema, changes: Sequence[SchemaChange], *, has_snapshots: bool, time_millis: int
) -> TableSchema:
    """The next schema, with id + 1; the same object if the changes change nothing.

    Raises:
        InvalidRequestError, AlreadyExistsError: the first change that is not allowed.
        UnsupportedError: a change of type that we could not read afterwards.
    """
    check_argument(is_list(changes, SchemaChange), "give a list of changes of core.schema", changes)
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
            return set_option(schema, change, has_snapshots)
        case RemoveOption():
            return remove_option(schema, change, has_snapshots)
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
        case UpdateColumnDefaultValue():
            return _update_default(schema, change)
        case DropPrimaryKey():
            return _drop_primary_key(schema, has_snapshots)


def _add_column(schema: TableSchema, change: AddColumn) -> TableSchema:
    if not change.type.nullable:
        raise InvalidRequestError("a column that is added must be nullable", column=shown(change.path))
    ids = FieldIds(schema.highest_field_id)
    added = ids.renumbered(DataField(0, change.path[-1], change.type, change.description))
    before = _first_partition_key(schema) if len(change.path) == 1 and change.move is None else None

    def insert(siblings: Fields, name: str) -> Fields:
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
    _refuse_indexed(schema, change.path)
    if old == new:
        return schema

    def rename(siblings: Fields, name: str) -> Fields:
        require(siblings, name, change.path)
        _check_free(siblings, new, (*change.path[:-1], new))
        if any(f.name == name and isinstance(f.type, BlobType) for f in siblings):
            raise InvalidRequestError("a BLOB column keeps its name", column=shown(change.path))
        return tuple(replace(f, name=new) if f.name == name else f for f in siblings)

    renamed = _update_siblings(schema, change.path, rename)
    if len(change.path) > 1:
        return renamed
    keys = tuple(new if key == old else key for key in schema.primary_keys)
    return replace(renamed, primary_keys=keys, options=options_renamed(schema.options, old, new))


def _drop_column(schema: TableSchema, change: DropColumn) -> TableSchema:
    _refuse_partition_key(schema, change.path)
    _refuse_primary_key(schema, change.path)

    def drop(siblings: Fields, name: str) -> Fields:
        require(siblings, name, change.path)
        if len(siblings) == 1:
            raise InvalidRequestError("the last column cannot be dropped", column=shown(change.path))
        return tuple(f for f in siblings if f.name != name)

    return _update_siblings(schema, change.path, drop)


def _update_type(schema: TableSchema, change: UpdateColumnType) -> TableSchema:
    _refuse_partition_key(schema, change.path)
    _refuse_primary_key(schema, change.path)

    def retype(old: DataType) -> DataType:
        new = change.type.with_nullability(old.nullable) if change.keep_nullability else change.type
        _check_not_tightened(schema, old, new, change.path)
        _check_retyped(schema, old, new, change.path)
        return new

    changed = replace(schema, fields=update_type(schema.fields, change.path, retype))
    return (
        _update_field(changed, change.path, _with_legal_default)
        if is_field(changed.fields, change.path)
        else changed
    )


def _check_retyped(schema: TableSchema, old: DataType, new: DataType, path: Path) -> None:
    explicit = not TableOptions(schema.options).get(EXPLICIT_CASTING_DISABLED)
    allowed = cast_kind(old, new) in (
        (CastKind.IMPLICIT, CastKind.EXPLICIT) if explicit else (CastKind.IMPLICIT,)
    )
    try:
        if allowed and not any(isinstance(kind, BlobType) for kind in (old, new)):
            check_cast(old, new)
            return
        cause: UnsupportedError | None = None
    except UnsupportedError as error:
        cause = error
    raise InvalidRequestError(
        "the column's type cannot be changed so",
        column=shown(path),
        old=type_to_text(old),
        new=type_to_text(new),
        needs=None if explicit else f"{EXPLICIT_CASTING_DISABLED.key} = false",
    ) from cause


def _update_default(schema: TableSchema, change: UpdateColumnDefaultValue) -> TableSchema:
    return _update_field(
        schema, change.path, lambda f: _with_legal_default(replace(f, default_value=change.default_value))
    )


def _with_legal_default(field: DataField) -> DataField:
    if field.default_value is not None:
        default_scalar(field.type, field.default_value)
    return field


def _drop_primary_key(schema: TableSchema, has_snapshots: bool) -> TableSchema:
    if schema.primary_keys and has_snapshots:
        raise InvalidRequestError(
            "the primary key cannot be dropped once the table has snapshots",
            primary_key=", ".join(schema.primary_keys),
        )
    return replace(schema, primary_keys=())


def _update_nullability(schema: TableSchema, change: UpdateColumnNullability) -> TableSchema:
    if change.nullable:
        _refuse_primary_key(schema, change.path)

    def update(old: DataType) -> DataType:
        new = old.with_nullability(change.nullable)
        _check_not_tightened(schema, old, new, change.path)
        return new

    return replace(schema, fields=update_type(schema.fields, change.path, update))


def _check_not_tightened(schema: TableSchema, old: DataType, new: DataType, path: Path) -> None:
    """Rows that exist may hold nulls, unless the table says that one may take the risk."""
    forbidden = TableOptions(schema.options).get(NULL_TO_NOT_NULL_DISABLED)
    if old.nullable and not new.nullable and forbidden:
        raise InvalidRequestError("a nullable column cannot become NOT NULL", column=shown(path))


def _refuse_partition_key(schema: TableSchema, path: Path) -> None:
    if len(path) == 1 and path[0] in schema.partition_keys:
        raise InvalidRequestError("a partition key cannot be changed", column=path[0])


def _refuse_primary_key(schema: TableSchema, path: Path) -> None:
    if len(path) == 1 and path[0] in schema.primary_keys:
        raise InvalidRequestError("a primary key cannot be changed so", column=path[0])


def _refuse_indexed(schema: TableSchema, path: Path) -> None:
    """Indexes over keys are found by the names of their columns."""
    for option, names in schema.options.items():
        if _PK_INDEX.fullmatch(option) and path[0] in map(str.strip, names.split(",")):
            raise InvalidRequestError("an index is over the column", column=path[0], option=option)


def _moved(fields: Fields, name: str, move: Move) -> Fields:
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


def _check_free(fields: Fields, name: str, path: Path) -> None:
    if any(f.name == name for f in fields):
        raise AlreadyExistsError("column exists already", column=shown(path))


def _update_field(schema: TableSchema, path: Path, update: Callable[[DataField], DataField]) -> TableSchema:
    return replace(schema, fields=update_field(schema.fields, path, update))


def _update_siblings(schema: TableSchema, path: Path, update: Callable[[Fields, str], Fields]) -> TableSchema:
    return replace(schema, fields=update_siblings(schema.fields, path, update))
