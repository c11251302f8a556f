from __future__ import annotations

import json

import pytest

from core.catalog.errors import DefinitionAlreadyExistsError, DefinitionNotFoundError
from core.catalog.facts import Audit
from core.catalog.functions import (
    FileDefinition,
    Function,
    FunctionResource,
    LambdaDefinition,
    SqlDefinition,
)
from core.catalog.rest.views import (
    changed_function,
    function_change_from_wire,
    function_from_wire,
    function_to_wire,
    view_change_from_wire,
    view_change_to_wire,
    view_from_wire,
    view_to_wire,
)
from core.catalog.views import View, ViewSchema
from core.errors import UnsupportedError
from core.identifier import Identifier
from core.io.json_object import JsonObject
from tests.builders import fields

SCHEMA = ViewSchema(fields(id="INT"), "SELECT 1", {"spark": "select 1"}, "words", {"a": "b"})
FUNCTION = Function(
    Identifier("db", "f"),
    input_params=fields(x="INT"),
    return_params=fields(y="INT"),
    deterministic=True,
    definitions={
        "paimon": SqlDefinition("x + 1"),
        "spark": LambdaDefinition("(x) -> x + 1", "JAVA"),
        "flink": FileDefinition((FunctionResource("JAR", "/f.jar"),), "JAVA", "a.B", "plus"),
    },
    comment="words",
    options={"a": "b"},
    uuid="u",
)
SQL = {"type": "sql", "definition": "x + 2"}


def test_a_view_comes_back_as_it_was_sent() -> None:
    view = View(Identifier("db", "v"), SCHEMA, "u", Audit("alice", 1, "alice", 2, "bob"))
    assert view_from_wire("db", JsonObject.parse(json.dumps(view_to_wire(view)).encode())) == view


def test_a_function_comes_back_as_it_was_sent() -> None:
    wire = json.dumps(function_to_wire(FUNCTION)).encode()
    assert function_from_wire("db", JsonObject.parse(wire)) == FUNCTION


@pytest.mark.parametrize(
    "wire",
    [
        {"action": "setOption", "key": "a", "value": "b"},
        {"action": "removeOption", "key": "a"},
        {"action": "updateComment", "comment": None},
        {"action": "addDialect", "dialect": "d", "query": "q"},
        {"action": "updateDialect", "dialect": "d", "query": "q"},
        {"action": "dropDialect", "dialect": "d"},
    ],
)
def test_a_change_of_a_view_is_written_as_it_came(wire: dict[str, str]) -> None:
    assert view_change_to_wire(view_change_from_wire(JsonObject(wire))) == wire


def test_changes_of_a_function_are_made_in_order() -> None:
    wires = [
        {"action": "updateDefinition", "name": "paimon", "definition": SQL},
        {"action": "addDefinition", "name": "other", "definition": SQL},
        {"action": "dropDefinition", "name": "flink"},
        {"action": "setOption", "key": "c", "value": "d"},
        {"action": "removeOption", "key": "a"},
        {"action": "updateComment", "comment": None},
    ]
    changed = changed_function(FUNCTION, [function_change_from_wire(JsonObject(w)) for w in wires])
    assert list(changed.definitions) == ["paimon", "spark", "other"]
    assert changed.definitions["paimon"] == changed.definitions["other"] == SqlDefinition("x + 2")
    assert (changed.options, changed.comment) == ({"c": "d"}, None)


@pytest.mark.parametrize(
    ("action", "name", "error"),
    [
        ("addDefinition", "spark", DefinitionAlreadyExistsError),
        ("updateDefinition", "trino", DefinitionNotFoundError),
        ("dropDefinition", "trino", DefinitionNotFoundError),
    ],
)
def test_a_definition_is_there_or_not(action: str, name: str, error: type[Exception]) -> None:
    change = function_change_from_wire(JsonObject({"action": action, "name": name, "definition": SQL}))
    with pytest.raises(error, match=f"definition={name}"):
        changed_function(FUNCTION, [change])


def test_what_we_do_not_know_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedError, match="action renameView"):
        view_change_from_wire(JsonObject({"action": "renameView"}))
    with pytest.raises(UnsupportedError, match="definition type wasm"):
        function_from_wire("db", JsonObject({"name": "f", "definitions": {"a": {"type": "wasm"}}}))
