"""Functions that a catalog keeps; shown, never run. Spec: 04, C4."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from core.catalog.facts import NO_AUDIT, Audit
from core.identifier import Identifier
from core.types import DataField


@dataclass(frozen=True, slots=True)
class SqlDefinition:
    definition: str


@dataclass(frozen=True, slots=True)
class LambdaDefinition:
    definition: str
    language: str


@dataclass(frozen=True, slots=True)
class FunctionResource:
    type: str
    uri: str


@dataclass(frozen=True, slots=True)
class FileDefinition:
    resources: tuple[FunctionResource, ...]
    language: str
    class_name: str
    function_name: str


Definition: TypeAlias = SqlDefinition | LambdaDefinition | FileDefinition


@dataclass(frozen=True, slots=True)
class Function:
    """A function as its catalog knows it."""

    identifier: Identifier
    input_params: tuple[DataField, ...] | None = None
    return_params: tuple[DataField, ...] | None = None
    deterministic: bool = True
    definitions: Mapping[str, Definition] = field(default_factory=dict)  # by name of an engine
    comment: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    uuid: str | None = None
    audit: Audit = NO_AUDIT
