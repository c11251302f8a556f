"""Views and functions as a REST catalog keeps them, and their changes <-> JSON. Spec: 04, C4."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar

from core.catalog.errors import DefinitionAlreadyExistsError, DefinitionNotFoundError
from core.catalog.functions import (
    Definition,
    FileDefinition,
    Function,
    FunctionResource,
    LambdaDefinition,
    SqlDefinition,
)
from core.catalog.rest.objects import Wire, audit_from_wire, audit_to_wire
from core.catalog.views import AddDialect, DropDialect, UpdateDialect, View, ViewChange, ViewSchema
from core.errors import UnsupportedError
from core.identifier import Identifier
from core.io.json_object import JsonObject
from core.schema.changes import RemoveOption, SetOption, UpdateComment
from core.types.data_types import DataField
from core.types.json import field_to_json, fields_from_json

C = TypeVar("C")


def view_schema_from_wire(value: JsonObject) -> ViewSchema:
    return ViewSchema(
        fields_from_json(value.array("fields")),
        value.text("query"),
        value.text_map("dialects"),
        value.text_or_none("comment"),
        value.text_map("options"),
    )


def view_schema_to_wire(schema: ViewSchema) -> Wire:
    return {
        "fields": [field_to_json(f) for f in schema.fields],
        "query": schema.query,
        "dialects": dict(schema.dialects),
        "comment": schema.comment,
        "options": dict(schema.options),
    }


def view_from_wire(database: str, value: JsonObject) -> View:
    return View(
        Identifier(database, value.text("name")),
        view_schema_from_wire(value.nested("schema")),
        value.text_or_none("id"),
        audit_from_wire(value),
    )


def view_to_wire(view: View) -> Wire:
    own = {"id": view.uuid, "name": view.identifier.table, "schema": view_schema_to_wire(view.schema)}
    return own | audit_to_wire(view.audit)


def definition_from_wire(value: JsonObject) -> Definition:
    match value.text("type"):
        case "sql":
            return SqlDefinition(value.text("definition"))
        case "lambda":
            return LambdaDefinition(value.text("definition"), value.text("language"))
        case "file":
            files = value.nested_list("fileResources")
            return FileDefinition(
                tuple(FunctionResource(f.text("resourceType"), f.text("uri")) for f in files),
                value.text("language"),
                value.text("className"),
                value.text("functionName"),
            )
        case kind:
            raise UnsupportedError("unknown kind of function", feature=f"definition type {kind}")


def definition_to_wire(definition: Definition) -> Wire:
    match definition:
        case SqlDefinition():
            return {"type": "sql", "definition": definition.definition}
        case LambdaDefinition():
            return {"type": "lambda", "definition": definition.definition, "language": definition.language}
        case FileDefinition():
            return {
                "type": "file",
                "fileResources": [{"resourceType": f.type, "uri": f.uri} for f in definition.resources],
                "language": definition.language,
                "className": definition.class_name,
                "functionName": definition.function_name,
            }


def function_from_wire(database: str, value: JsonObject) -> Function:
    definitions = value.nested_or_none("definitions") or JsonObject({})
    return Function(
        identifier=Identifier(database, value.text("name")),
        input_params=_parameters(value, "inputParams"),
        return_params=_parameters(value, "returnParams"),
        deterministic=value.flag("deterministic"),
        definitions={n: definition_from_wire(definitions.nested(n)) for n in definitions.members},
        comment=value.text_or_none("comment"),
        options=value.text_map("options"),
        uuid=value.text_or_none("uuid"),
        audit=audit_from_wire(value),
    )


def function_to_wire(function: Function) -> Wire:
    return {
        "uuid": function.uuid,
        "name": function.identifier.table,
        "inputParams": _parameters_to_wire(function.input_params),
        "returnParams": _parameters_to_wire(function.return_params),
        "deterministic": function.deterministic,
        "definitions": {n: definition_to_wire(d) for n, d in function.definitions.items()},
        "comment": function.comment,
        "options": dict(function.options),
        **audit_to_wire(function.audit),
    }


def _parameters(value: JsonObject, name: str) -> tuple[DataField, ...] | None:
    return None if value.members.get(name) is None else fields_from_json(value.array(name))


def _parameters_to_wire(fields: tuple[DataField, ...] | None) -> list[Any] | None:
    return None if fields is None else [field_to_json(f) for f in fields]


@dataclass(frozen=True, slots=True)
class AddDefinition:
    name: str
    definition: Definition


@dataclass(frozen=True, slots=True)
class UpdateDefinition:
    name: str
    definition: Definition


@dataclass(frozen=True, slots=True)
class DropDefinition:
    name: str


CommonChange: TypeAlias = SetOption | RemoveOption | UpdateComment
FunctionChange: TypeAlias = CommonChange | AddDefinition | UpdateDefinition | DropDefinition


def changed_function(function: Function, changes: Sequence[FunctionChange]) -> Function:
    """The function with all changes in order.

    Raises:
        DefinitionAlreadyExistsError: one to add is there. DefinitionNotFoundError: one to update or drop
            is not.
    """
    for change in changes:
        known = function.definitions
        match change:
            case AddDefinition() | UpdateDefinition():
                _check_definition(function, change.name, wanted=isinstance(change, UpdateDefinition))
                function = replace(function, definitions={**known, change.name: change.definition})
            case DropDefinition():
                _check_definition(function, change.name, wanted=True)
                function = replace(function, definitions=_without(known, change.name))
            case UpdateComment():
                function = replace(function, comment=change.comment)
            case SetOption():
                function = replace(function, options={**function.options, change.key: change.value})
            case RemoveOption():
                function = replace(function, options=_without(function.options, change.key))
    return function


def _check_definition(function: Function, name: str, *, wanted: bool) -> None:
    where = str(function.identifier)
    if wanted and name not in function.definitions:
        raise DefinitionNotFoundError("no such definition", function=where, definition=name)
    if not wanted and name in function.definitions:
        raise DefinitionAlreadyExistsError("definition exists already", function=where, definition=name)


def _without(known: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {other: value for other, value in known.items() if other != name}


def view_change_from_wire(value: JsonObject) -> ViewChange:
    return _change(value, _VIEW_CHANGES, "view")


def function_change_from_wire(value: JsonObject) -> FunctionChange:
    return _change(value, _FUNCTION_CHANGES, "function")


def view_change_to_wire(change: ViewChange) -> Wire:
    match change:
        case SetOption():
            return {"action": "setOption", "key": change.key, "value": change.value}
        case RemoveOption():
            return {"action": "removeOption", "key": change.key}
        case UpdateComment():
            return {"action": "updateComment", "comment": change.comment}
        case AddDialect():
            return {"action": "addDialect", "dialect": change.dialect, "query": change.query}
        case UpdateDialect():
            return {"action": "updateDialect", "dialect": change.dialect, "query": change.query}
        case DropDialect():
            return {"action": "dropDialect", "dialect": change.dialect}


def _change(value: JsonObject, decoders: Mapping[str, Callable[[JsonObject], C]], of: str) -> C:
    action = value.text("action")
    if action not in decoders:
        raise UnsupportedError(f"unknown change of a {of}", feature=f"action {action}")
    return decoders[action](value)


_COMMON: dict[str, Callable[[JsonObject], CommonChange]] = {
    "setOption": lambda value: SetOption(value.text("key"), value.text("value")),
    "removeOption": lambda value: RemoveOption(value.text("key")),
    "updateComment": lambda value: UpdateComment(value.text_or_none("comment")),
}
_VIEW_CHANGES: dict[str, Callable[[JsonObject], ViewChange]] = {
    **_COMMON,
    "addDialect": lambda value: AddDialect(value.text("dialect"), value.text("query")),
    "updateDialect": lambda value: UpdateDialect(value.text("dialect"), value.text("query")),
    "dropDialect": lambda value: DropDialect(value.text("dialect")),
}
_FUNCTION_CHANGES: dict[str, Callable[[JsonObject], FunctionChange]] = {
    **_COMMON,
    "addDefinition": lambda value: AddDefinition(value.text("name"), _definition(value)),
    "updateDefinition": lambda value: UpdateDefinition(value.text("name"), _definition(value)),
    "dropDefinition": lambda value: DropDefinition(value.text("name")),
}


def _definition(value: JsonObject) -> Definition:
    return definition_from_wire(value.nested("definition"))
