"""Views: a query under a name, and what changes one. Spec: 04, C2 and C4."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from core.catalog.errors import DialectAlreadyExistsError, DialectNotFoundError
from core.catalog.facts import NO_AUDIT, Audit
from core.errors import UnsupportedError
from core.identifier import Identifier
from core.schema.changes import RemoveOption, SetOption, UpdateComment
from core.types import DataField
from core.types.sql import type_to_text


@dataclass(frozen=True, slots=True)
class ViewSchema:
    """What a view shows and how it is asked for."""

    fields: tuple[DataField, ...]
    query: str
    dialects: Mapping[str, str] = field(default_factory=dict)  # name of an engine's SQL -> query
    comment: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)

    def query_for(self, dialect: str) -> str:
        """The text for an engine; the general one where it has none of its own."""
        return self.dialects.get(dialect, self.query)

    def digest_for(self, dialect: str) -> str:
        """What tells whether the view still says to an engine what it said: its text and its columns."""
        columns = [[column.name, type_to_text(column.type)] for column in self.fields]
        said = json.dumps([self.query_for(dialect), columns])
        return hashlib.sha256(said.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class View:
    """A view as its catalog knows it."""

    identifier: Identifier
    schema: ViewSchema
    uuid: str | None = None
    audit: Audit = NO_AUDIT


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


ViewChange: TypeAlias = SetOption | RemoveOption | UpdateComment | AddDialect | UpdateDialect | DropDialect


def changed_view(view: Identifier, schema: ViewSchema, changes: Sequence[ViewChange]) -> ViewSchema:
    """The schema with all changes in order, or none.

    Raises:
        DialectNotFoundError, DialectAlreadyExistsError: the first change that does not fit.
        UnsupportedError: a change of another kind.
    """
    for change in changes:
        schema = _changed(view, schema, change)
    return schema


def _changed(view: Identifier, schema: ViewSchema, change: ViewChange) -> ViewSchema:
    match change:
        case SetOption():
            return replace(schema, options={**schema.options, change.key: change.value})
        case RemoveOption():
            return replace(schema, options=_without(schema.options, change.key))
        case UpdateComment():
            return replace(schema, comment=change.comment)
        case AddDialect():
            if change.dialect in schema.dialects:
                raise DialectAlreadyExistsError(
                    "the view has this dialect", view=str(view), dialect=change.dialect
                )
            return replace(schema, dialects={**schema.dialects, change.dialect: change.query})
        case UpdateDialect():
            _check_dialect(view, schema, change.dialect)
            return replace(schema, dialects={**schema.dialects, change.dialect: change.query})
        case DropDialect():
            _check_dialect(view, schema, change.dialect)
            return replace(schema, dialects=_without(schema.dialects, change.dialect))
        case _:
            raise UnsupportedError("no such change of a view", feature=type(change).__name__, where=str(view))


def _check_dialect(view: Identifier, schema: ViewSchema, dialect: str) -> None:
    if dialect not in schema.dialects:
        raise DialectNotFoundError("the view has no such dialect", view=str(view), dialect=dialect)


def _without(options: Mapping[str, str], key: str) -> dict[str, str]:
    return {name: value for name, value in options.items() if name != key}
