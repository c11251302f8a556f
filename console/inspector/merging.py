"""What merging the versions of a key does to each column. Spec: 06."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from core.errors import PaimonError
from core.mergetree.merge.aggregation import Aggregation
from core.mergetree.merge.partial_update import PartialUpdate
from core.options import MERGE_ENGINE, ROWKIND_FIELD, SEQUENCE_FIELD, MergeEngine, TableOptions
from core.schema import TableSchema

EFFECTS = (
    "key",
    "row_kind",
    "sequence",
    "group_sequence",
    "aggregate",
    "group",
    "newest",
    "newest_value",
    "first",
    "unknown",
)


@dataclass(frozen=True, slots=True)
class Merging:
    """What becomes of one column."""

    effect: str  # of EFFECTS
    sequence: tuple[str, ...] = ()  # the columns that decide which version is the newest; empty: the commits
    function: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)  # of this column alone
    problem: str | None = None  # why it is not known


def merging_of(schema: TableSchema) -> dict[str, Merging]:
    """For each top-level column of a table with a primary key; empty for an append table."""
    if not schema.primary_keys:
        return {}
    options = TableOptions(schema.options)
    try:
        effect_of = _ENGINES[options.get(MERGE_ENGINE)](schema, options)
    except PaimonError as error:
        unknown = Merging("unknown", problem=str(error))
        return {f.name: Merging("key") if f.name in schema.primary_keys else unknown for f in schema.fields}
    return {f.name: _of_column(schema, options, f.name, effect_of) for f in schema.fields}


Effects = Callable[[str], Merging]


def _of_column(schema: TableSchema, options: TableOptions, name: str, effect_of: Effects) -> Merging:
    if name in schema.primary_keys:
        return Merging("key")
    if name == options.get(ROWKIND_FIELD):
        return Merging("row_kind")
    if name in options.get(SEQUENCE_FIELD):
        return Merging("sequence")
    found = effect_of(name)
    return Merging(found.effect, found.sequence, found.function, _options(schema, name), found.problem)


def _options(schema: TableSchema, name: str) -> dict[str, str]:
    """`fields.<name>.*` without the name before it; a group is told by its columns."""
    prefix = f"fields.{name}."
    found = {k.removeprefix(prefix): v for k, v in schema.options.items() if k.startswith(prefix)}
    return {k: v for k, v in sorted(found.items()) if k not in ("aggregate-function", "sequence-group")}


def _whole_rows(effect: str) -> Callable[[TableSchema, TableOptions], Effects]:
    """An engine that keeps one version of a key as it is."""

    def of(schema: TableSchema, options: TableOptions) -> Effects:
        sequence = () if effect == "first" else options.get(SEQUENCE_FIELD)
        return lambda _: Merging(effect, sequence)

    return of


def _partial_update(schema: TableSchema, options: TableOptions) -> Effects:
    engine, by_table = PartialUpdate.of(schema), options.get(SEQUENCE_FIELD)

    def effect_of(name: str) -> Merging:
        number = engine.group_of(name)
        if number is None:
            return Merging("newest_value", by_table)
        sequence = engine.groups[number].sequence
        if name in sequence:
            return Merging("group_sequence", sequence)
        aggregate = engine.functions.get(name)
        return Merging("aggregate", sequence, aggregate.name) if aggregate else Merging("group", sequence)

    return effect_of


def _aggregation(schema: TableSchema, options: TableOptions) -> Effects:
    functions = Aggregation.of(schema).functions
    sequence = options.get(SEQUENCE_FIELD)
    return lambda name: Merging("aggregate", sequence, functions[name].name)


_ENGINES: Mapping[Any, Callable[[TableSchema, TableOptions], Effects]] = MappingProxyType(
    {
        MergeEngine.DEDUPLICATE: _whole_rows("newest"),
        MergeEngine.FIRST_ROW: _whole_rows("first"),
        MergeEngine.PARTIAL_UPDATE: _partial_update,
        MergeEngine.AGGREGATION: _aggregation,
    }
)
