"""Views and functions as a REST catalog keeps them, and their changes <-> JSON. Spec: 04, C4."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, TypeVar

from core.catalog.rest.objects import Audit, Wire
from core.errors import AlreadyExistsError, NotFoundError, UnsupportedError
from core.io.json_object import JsonObject
from core.schema.changes import RemoveOption, SetOption, UpdateComment
from core.types.data_types import DataField
from core.types.json import field_to_json, fields_from_json

C = TypeVar("C")


@dataclass(frozen=True, slots=True)
class ViewSchema:
    fields: tuple[DataField, ...]
    query: str
    dialects: Mapping[str, str] = field(default_factory=dict)  # engine -> its own text
    comment: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_wire(cls, value: JsonObject) -> ViewSchema:
        return cls(
            fields_from_json(value.array("fields")),
            value.text("query"),
            value.text_map("dialects"),
            value.text_or_none("comment"),
            value.text_map("options"),
        )

    def to_wire(self) -> Wire:
        return {
            "fields": [field_to_json(f) for f in self.fields],
            "query": self.query,
            "dialects": dict(self.dialects),
            "comment": self.comment,
            "options": dict(self.options),
        }


@dataclass(frozen=True, slots=True)
class RestView:
    id: str
    name: str
    schema: ViewSchema
    audit: Audit = field(default_factory=Audit)

    @classmethod
    def from_wire(cls, value: JsonObject) -> RestView:
        schema = ViewSchema.from_wire(value.nested("schema"))
        return cls(value.text_or_none("id") or "", value.text("name"), schema, Audit.from_wire(value))

    def to_wire(self) -> Wire:
        return {"id": self.id, "name": self.name, "schema": self.schema.to_wire(), **self.audit.to_wire()}


@dataclass(frozen=True, slots=True)
class SqlDefinition:
    definition: str


@dataclass(frozen=True, slots=True)
class LambdaDefinition:
    definition: str
    language: str


@dataclass(frozen=True, slots=True)
class FileResource:
    type: str
    uri: str


@dataclass(frozen=True, slots=True)
class FileDefinition:
    resources: tuple[FileResource, ...]
    language: str
    class_name: str
    function_name: str


Definition: TypeAlias = SqlDefinition | LambdaDefinition | FileDefinition


def definition_from_wire(value: JsonObject) -> Definition:
    match value.text("type"):
        case "sql":
            return SqlDefinition(value.text("definition"))
        case "lambda":
            return LambdaDefinition(value.text("definition"), value.text("language"))
        case "file":
            files = value.nested_list("fileResources")
            return FileDefinition(
                tuple(FileResource(f.text("resourceType"), f.text("uri")) for f in files),
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


@dataclass(frozen=True, slots=True, kw_only=True)
class RestFunction:
    uuid: str | None = None
    name: str
    input_params: tuple[DataField, ...] | None = None
    return_params: tuple[DataField, ...] | None = None
    deterministic: bool = False
    definitions: Mapping[str, Definition] = field(default_factory=dict)  # engine -> what it runs
    comment: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    audit: Audit = field(default_factory=Audit)

    @classmethod
    def from_wire(cls, value: JsonObject) -> RestFunction:
        definitions = value.nested_or_none("definitions") or JsonObject({})
        return cls(
            uuid=value.text_or_none("uuid"),
            name=value.text("name"),
            input_params=_parameters(value, "inputParams"),
            return_params=_parameters(value, "returnParams"),
            deterministic=value.flag("deterministic"),
            definitions={n: definition_from_wire(definitions.nested(n)) for n in definitions.members},
            comment=value.text_or_none("comment"),
            options=value.text_map("options"),
            audit=Audit.from_wire(value),
        )

    def to_wire(self) -> Wire:
        return {
            "uuid": self.uuid,
            "name": self.name,
            "inputParams": _parameters_to_wire(self.input_params),
            "returnParams": _parameters_to_wire(self.return_params),
            "deterministic": self.deterministic,
            "definitions": {n: definition_to_wire(d) for n, d in self.definitions.items()},
            "comment": self.comment,
            "options": dict(self.options),
            **self.audit.to_wire(),
        }


def _parameters(value: JsonObject, name: str) -> tuple[DataField, ...] | None:
    return None if value.members.get(name) is None else fields_from_json(value.array(name))


def _parameters_to_wire(fields: tuple[DataField, ...] | None) -> list[Any] | None:
    return None if fields is None else [field_to_json(f) for f in fields]


@dataclass(frozen=True, slots=True)
class AddDialect:
    dialect: str
    query: str


@dataclass(frozen=True, slots=True)
class UpdateDialect:
    dialect: str
    query: str


@dataclass(frozen=True, slots=True)
class DropDialect:
    dialect: str


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
ViewChange: TypeAlias = CommonChange | AddDialect | UpdateDialect | DropDialect
FunctionChange: TypeAlias = CommonChange | AddDefinition | UpdateDefinition | DropDefinition


def view_change_from_wire(value: JsonObject) -> ViewChange:
    return _change(value, _VIEW_CHANGES, "view")


def function_change_from_wire(value: JsonObject) -> FunctionChange:
    return _change(value, _FUNCTION_CHANGES, "function")


def apply_view_changes(schema: ViewSchema, changes: Sequence[ViewChange]) -> ViewSchema:
    """The view with all changes in order.

    Raises:
        AlreadyExistsError: a dialect to add is there. NotFoundError: one to update or drop is not.
    """
    for change in changes:
        match change:
            case AddDialect() | UpdateDialect():
                _check_there(schema.dialects, "dialect", change.dialect, not isinstance(change, AddDialect))
                schema = replace(schema, dialects={**schema.dialects, change.dialect: change.query})
            case DropDialect():
                _check_there(schema.dialects, "dialect", change.dialect, True)
                schema = replace(schema, dialects=_without(schema.dialects, change.dialect))
            case UpdateComment():
                schema = replace(schema, comment=change.comment)
            case _:
                schema = replace(schema, options=_options(schema.options, change))
    return schema


def apply_function_changes(function: RestFunction, changes: Sequence[FunctionChange]) -> RestFunction:
    """The function with all changes in order.

    Raises:
        AlreadyExistsError: a definition to add is there. NotFoundError: one to update or drop is not.
    """
    for change in changes:
        known = function.definitions
        match change:
            case AddDefinition() | UpdateDefinition():
                _check_there(known, "definition", change.name, not isinstance(change, AddDefinition))
                function = replace(function, definitions={**known, change.name: change.definition})
            case DropDefinition():
                _check_there(known, "definition", change.name, True)
                function = replace(function, definitions=_without(known, change.name))
            case UpdateComment():
                function = replace(function, comment=change.comment)
            case _:
                function = replace(function, options=_options(function.options, change))
    return function


def _check_there(known: Mapping[str, object], kind: str, name: str, wanted: bool) -> None:
    if wanted and name not in known:
        raise NotFoundError(f"no such {kind}", **{kind: name})
    if not wanted and name in known:
        raise AlreadyExistsError(f"{kind} exists already", **{kind: name})


def _without(known: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {other: value for other, value in known.items() if other != name}


def _options(options: Mapping[str, str], change: SetOption | RemoveOption) -> dict[str, str]:
    if isinstance(change, SetOption):
        return {**options, change.key: change.value}
    return _without(options, change.key)


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
