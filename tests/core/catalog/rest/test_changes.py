from __future__ import annotations

import json
from typing import Any

import pytest

from core.catalog.rest.changes import change_from_wire, change_to_wire
from core.errors import FormatError, UnsupportedError
from core.io.json_object import JsonObject
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
from core.types import BigIntType, IntType

NESTED = ("r", "element", "a")
CHANGES: list[tuple[SchemaChange, dict[str, Any]]] = [
    (SetOption("k", "v"), {"action": "setOption", "key": "k", "value": "v"}),
    (RemoveOption("k"), {"action": "removeOption", "key": "k"}),
    (UpdateComment(None), {"action": "updateComment", "comment": None}),
    (
        AddColumn(("c",), IntType(), "words", Move(Position.AFTER, "b")),
        {
            "action": "addColumn",
            "fieldNames": ["c"],
            "dataType": "INT",
            "comment": "words",
            "move": {"fieldName": "c", "referenceFieldName": "b", "type": "AFTER"},
        },
    ),
    (RenameColumn(NESTED, "b"), {"action": "renameColumn", "fieldNames": list(NESTED), "newName": "b"}),
    (DropColumn(("c",)), {"action": "dropColumn", "fieldNames": ["c"]}),
    (
        UpdateColumnType(("c",), BigIntType(nullable=False), False),
        {
            "action": "updateColumnType",
            "fieldNames": ["c"],
            "newDataType": "BIGINT NOT NULL",
            "keepNullability": False,
        },
    ),
    (
        UpdateColumnNullability(("c",), False),
        {"action": "updateColumnNullability", "fieldNames": ["c"], "newNullability": False},
    ),
    (
        UpdateColumnDescription(("c",), "w"),
        {"action": "updateColumnComment", "fieldNames": ["c"], "newComment": "w"},
    ),
    (
        UpdateColumnDefaultValue(("c",), "1"),
        {"action": "updateColumnDefaultValue", "fieldNames": ["c"], "newDefaultValue": "1"},
    ),
    (
        UpdateColumnPosition(("c",), Move(Position.FIRST)),
        {
            "action": "updateColumnPosition",
            "move": {"fieldName": "c", "referenceFieldName": None, "type": "FIRST"},
        },
    ),
    (DropPrimaryKey(), {"action": "dropPrimaryKey"}),
]


@pytest.mark.parametrize(("change", "wire"), CHANGES, ids=[wire["action"] for _, wire in CHANGES])
def test_a_change_is_written_as_the_spec_has_it_and_read_back(
    change: SchemaChange, wire: dict[str, Any]
) -> None:
    assert change_to_wire(change) == wire
    assert change_from_wire(JsonObject.parse(json.dumps(wire).encode())) == change


@pytest.mark.parametrize(
    ("wire", "named"),
    [
        ({"action": "dropEverything"}, "action dropEverything"),
        ({"action": "updateColumnPosition", "move": {"fieldName": "c", "type": "UP"}}, "move type UP"),
    ],
)
def test_what_we_do_not_know_is_refused_by_name(wire: dict[str, Any], named: str) -> None:
    with pytest.raises(UnsupportedError, match=named):
        change_from_wire(JsonObject(wire))


@pytest.mark.parametrize(
    "wire",
    [
        {"action": "dropColumn"},
        {"action": "addColumn", "fieldNames": ["c"]},
        {"action": "updateColumnNullability", "fieldNames": ["c"]},
    ],
)
def test_a_change_that_lacks_a_member_is_refused(wire: dict[str, Any]) -> None:
    with pytest.raises(FormatError, match="missing"):
        change_from_wire(JsonObject(wire))


def test_a_nested_column_is_not_moved_over_the_wire() -> None:
    with pytest.raises(UnsupportedError, match="nested"):
        change_to_wire(UpdateColumnPosition(("r", "a"), Move(Position.FIRST)))
