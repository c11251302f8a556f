from __future__ import annotations

import json

import pytest

from core.catalog.rest.objects import Audit
from core.catalog.rest.views import (
    FileDefinition,
    FileResource,
    LambdaDefinition,
    RestFunction,
    RestView,
    SqlDefinition,
    ViewSchema,
    apply_function_changes,
    apply_view_changes,
    function_change_from_wire,
    view_change_from_wire,
)
from core.errors import AlreadyExistsError, NotFoundError, UnsupportedError
from core.io.json_object import JsonObject
from tests.builders import fields

SCHEMA = ViewSchema(fields(id="INT"), "SELECT 1", {"spark": "select 1"}, "words", {"a": "b"})
VIEW = RestView("u", "v", SCHEMA, Audit("alice", 1, "alice", 2, "bob"))
FUNCTION = RestFunction(
    uuid="u",
    name="f",
    input_params=fields(x="INT"),
    return_params=fields(y="INT"),
    deterministic=True,
    definitions={
        "paimon": SqlDefinition("x + 1"),
        "spark": LambdaDefinition("(x) -> x + 1", "JAVA"),
        "flink": FileDefinition((FileResource("JAR", "/f.jar"),), "JAVA", "a.B", "plus"),
    },
    comment="words",
    options={"a": "b"},
)


@pytest.mark.parametrize("value", [VIEW, FUNCTION], ids=["view", "function"])
def test_an_object_comes_back_as_it_was_sent(value: RestView | RestFunction) -> None:
    assert type(value).from_wire(JsonObject.parse(json.dumps(value.to_wire()).encode())) == value


def test_changes_of_a_view_are_made_in_order() -> None:
    wires = [
        {"action": "addDialect", "dialect": "flink", "query": "f"},
        {"action": "updateDialect", "dialect": "flink", "query": "g"},
        {"action": "dropDialect", "dialect": "spark"},
        {"action": "setOption", "key": "c", "value": "d"},
        {"action": "removeOption", "key": "a"},
        {"action": "updateComment", "comment": None},
    ]
    changed = apply_view_changes(SCHEMA, [view_change_from_wire(JsonObject(wire)) for wire in wires])
    assert changed == ViewSchema(SCHEMA.fields, "SELECT 1", {"flink": "g"}, None, {"c": "d"})


@pytest.mark.parametrize(
    ("action", "dialect", "error"),
    [
        ("addDialect", "spark", AlreadyExistsError),
        ("updateDialect", "flink", NotFoundError),
        ("dropDialect", "flink", NotFoundError),
    ],
)
def test_a_dialect_is_there_or_not(action: str, dialect: str, error: type[Exception]) -> None:
    change = view_change_from_wire(JsonObject({"action": action, "dialect": dialect, "query": "q"}))
    with pytest.raises(error, match=f"dialect={dialect}"):
        apply_view_changes(SCHEMA, [change])


def test_changes_of_a_function_are_made_in_order() -> None:
    sql = {"type": "sql", "definition": "x + 2"}
    wires = [
        {"action": "updateDefinition", "name": "paimon", "definition": sql},
        {"action": "addDefinition", "name": "other", "definition": sql},
        {"action": "dropDefinition", "name": "flink"},
    ]
    changed = apply_function_changes(FUNCTION, [function_change_from_wire(JsonObject(w)) for w in wires])
    assert list(changed.definitions) == ["paimon", "spark", "other"]
    assert changed.definitions["paimon"] == changed.definitions["other"] == SqlDefinition("x + 2")


def test_what_we_do_not_know_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedError, match="action renameView"):
        view_change_from_wire(JsonObject({"action": "renameView"}))
    with pytest.raises(UnsupportedError, match="definition type wasm"):
        RestFunction.from_wire(JsonObject({"name": "f", "definitions": {"a": {"type": "wasm"}}}))
