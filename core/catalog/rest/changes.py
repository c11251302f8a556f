"""Changes of a schema <-> JSON. Spec: 04, C4; what they do: 09, 1."""

from __future__ import annotations

from collections.abc import Callable

from core.catalog.rest.objects import Wire
from core.errors import FormatError, UnsupportedError
from core.io.json_object import JsonObject
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
from core.types.data_types import DataType
from core.types.json import type_from_json, type_to_json


def change_from_wire(value: JsonObject) -> SchemaChange:
    """The change that an object says.

    Raises:
        FormatError: members are missing or of another type. UnsupportedError: an action that we do not know.
    """
    action = value.text("action")
    decode = _DECODERS.get(action)
    if decode is None:
        raise UnsupportedError("unknown change of a schema", feature=f"action {action}")
    return decode(value)


def change_to_wire(change: SchemaChange) -> Wire:
    match change:
        case SetOption():
            return {"action": "setOption", "key": change.key, "value": change.value}
        case RemoveOption():
            return {"action": "removeOption", "key": change.key}
        case UpdateComment():
            return {"action": "updateComment", "comment": change.comment}
        case AddColumn():
            move = None if change.move is None else _move_to_wire(change.path[-1], change.move)
            added = {"dataType": type_to_json(change.type), "comment": change.description, "move": move}
            return _of_column("addColumn", change.path, **added)
        case RenameColumn():
            return _of_column("renameColumn", change.path, newName=change.new_name)
        case DropColumn():
            return _of_column("dropColumn", change.path)
        case UpdateColumnType():
            retyped = {"newDataType": type_to_json(change.type), "keepNullability": change.keep_nullability}
            return _of_column("updateColumnType", change.path, **retyped)
        case UpdateColumnNullability():
            return _of_column("updateColumnNullability", change.path, newNullability=change.nullable)
        case UpdateColumnDescription():
            return _of_column("updateColumnComment", change.path, newComment=change.description)
        case UpdateColumnDefaultValue():
            return _of_column("updateColumnDefaultValue", change.path, newDefaultValue=change.default_value)
        case UpdateColumnPosition():
            return _position_to_wire(change)
        case DropPrimaryKey():
            return {"action": "dropPrimaryKey"}


def _of_column(action: str, path: Path, **members: object) -> Wire:
    return {"action": action, "fieldNames": list(path), **members}


def _position_to_wire(change: UpdateColumnPosition) -> Wire:
    if len(change.path) > 1:
        raise UnsupportedError(
            "a column inside another cannot be moved through a REST catalog",
            feature="updateColumnPosition of a nested column",
            column=".".join(change.path),
        )
    return {"action": "updateColumnPosition", "move": _move_to_wire(change.path[0], change.move)}


def _path(value: JsonObject) -> Path:
    path = value.texts("fieldNames")
    if not path:
        raise FormatError("a JSON member is missing", member="fieldNames", expected="array of strings")
    return path


def _type(value: JsonObject, name: str) -> DataType:
    found = value.members.get(name)
    if found is None:
        raise FormatError("a JSON member is missing", member=name, expected="data type")
    return type_from_json(found)


def _add_column(value: JsonObject) -> AddColumn:
    move = value.nested_or_none("move")
    return AddColumn(
        _path(value),
        _type(value, "dataType"),
        value.text_or_none("comment"),
        None if move is None else _move(move),
    )


def _update_type(value: JsonObject) -> UpdateColumnType:
    return UpdateColumnType(_path(value), _type(value, "newDataType"), value.flag("keepNullability"))


def _update_nullability(value: JsonObject) -> UpdateColumnNullability:
    if value.members.get("newNullability") is None:
        raise FormatError("a JSON member is missing", member="newNullability", expected="true or false")
    return UpdateColumnNullability(_path(value), value.flag("newNullability"))


def _update_position(value: JsonObject) -> UpdateColumnPosition:
    move = value.nested("move")
    return UpdateColumnPosition((move.text("fieldName"),), _move(move))


def _move(value: JsonObject) -> Move:
    kind = value.text("type")
    if kind not in Position.__members__:
        raise UnsupportedError("unknown kind of move", feature=f"move type {kind}")
    return Move(Position(kind), value.text_or_none("referenceFieldName"))


def _move_to_wire(column: str, move: Move) -> Wire:
    return {"fieldName": column, "referenceFieldName": move.reference, "type": move.position.value}


_DECODERS: dict[str, Callable[[JsonObject], SchemaChange]] = {
    "setOption": lambda value: SetOption(value.text("key"), value.text("value")),
    "removeOption": lambda value: RemoveOption(value.text("key")),
    "updateComment": lambda value: UpdateComment(value.text_or_none("comment")),
    "addColumn": _add_column,
    "renameColumn": lambda value: RenameColumn(_path(value), value.text("newName")),
    "dropColumn": lambda value: DropColumn(_path(value)),
    "updateColumnType": _update_type,
    "updateColumnNullability": _update_nullability,
    "updateColumnComment": lambda v: UpdateColumnDescription(_path(v), v.text_or_none("newComment")),
    "updateColumnDefaultValue": lambda v: UpdateColumnDefaultValue(
        _path(v), v.text_or_none("newDefaultValue")
    ),
    "updateColumnPosition": _update_position,
    "dropPrimaryKey": lambda _: DropPrimaryKey(),
}
