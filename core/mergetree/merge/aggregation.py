"""`merge-engine = aggregation`: each column folds the values of all versions. Spec: 06, 4.

`Aggregation` called with the versions of one key is the rule in its clear form; tests hold
`history`, the same over columns, against it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from core.mergetree.aggregate import (
    AggregateFunction,
    Events,
    Folded,
    RetractionError,
    retraction_refused,
)
from core.mergetree.aggregate.events import Column, Flags
from core.mergetree.aggregate.pick import LastValue
from core.mergetree.key_value import KeyValue
from core.mergetree.merge.fold import Aggregate, last_row
from core.mergetree.sort_merge import Window
from core.mergetree.versions import Versions
from core.options import (
    AGGREGATION_REMOVE_ON_DELETE,
    DEFAULT_AGGREGATE_FUNCTION,
    SEQUENCE_FIELD,
    TableOptions,
)
from core.schema import TableSchema
from core.types import DataField, RowKind

DEFAULT_FUNCTION = "last_non_null_value"


@dataclass(frozen=True, slots=True)
class Aggregation:
    """The functions of a table; columns of the primary key have none."""

    fields: tuple[DataField, ...]
    functions: Mapping[str, Aggregate]
    remove_on_delete: bool = False

    @staticmethod
    def of(schema: TableSchema) -> Aggregation:
        """Raises `UnsupportedError` for a function that we do not have."""
        options = TableOptions(schema.options)
        functions = {
            field.name: Aggregate.of(_function_name(field, options), field, options)
            for field in schema.fields
            if field.name not in schema.primary_keys
        }
        return Aggregation(schema.fields, functions, options.get(AGGREGATION_REMOVE_ON_DELETE))

    def needed(self, fields: Sequence[DataField]) -> tuple[str, ...]:
        return ()

    def function_of_adds(self, field: DataField) -> AggregateFunction | None:
        aggregate = self.functions.get(field.name)
        return LastValue() if aggregate is None else aggregate.function

    def history(self, window: Window, versions: Versions) -> AggregationHistory:
        keys = len(versions.starts)
        events = Events.of(keys, versions.group, versions.rows, versions.retracts)
        if not self.remove_on_delete or not versions.deletes.any():
            return AggregationHistory(self.functions, events, np.zeros(keys, dtype=np.bool_))
        age = versions.age
        last = np.maximum.reduceat(np.where(versions.deletes, age, -1), versions.starts)[versions.group]
        # The delete itself is what the row starts from.
        events = replace(
            events, dropped=age < last, initial=age == last, retract=events.retract & (age != last)
        )
        removed = versions.deletes & (age < last)
        events = events.where(~removed)
        return AggregationHistory(self.functions, events, last_is(versions, versions.deletes))

    def __call__(self, versions: Sequence[KeyValue]) -> KeyValue:
        if len(versions) == 1:
            return versions[0]
        row: list[Any] = [None] * len(self.fields)
        clear = [self._accumulator(field) for field in self.fields]
        kind = RowKind.INSERT
        for version in versions:
            kind = RowKind.INSERT
            if self.remove_on_delete and version.kind is RowKind.DELETE:
                kind = RowKind.DELETE
                row = list(version.value)
                continue
            row = [fold(acc, v, version.kind) for fold, acc, v in zip(clear, row, version.value, strict=True)]
        return replace(versions[-1], kind=kind, value=tuple(row))

    def _accumulator(self, field: DataField) -> Any:
        aggregate = self.functions.get(field.name)
        if aggregate is None:
            return lambda accumulator, value, kind: value
        clear = aggregate.function.accumulator()

        def fold(accumulator: Any, value: Any, kind: RowKind) -> Any:
            if not kind.is_retract:
                return clear.agg(accumulator, value)
            try:
                return accumulator if aggregate.ignores_retracts else clear.retract(accumulator, value)
            except RetractionError:
                raise retraction_refused(aggregate.name, field.name) from None

        return fold


@dataclass(frozen=True, slots=True)
class AggregationHistory:
    functions: Mapping[str, Aggregate]
    events: Events
    deleted: Flags

    def fold(self, field: DataField, column: Column) -> Folded:
        aggregate = self.functions.get(field.name)
        if aggregate is None:
            return last_row(self.events)
        return aggregate.fold(column, self.events)


def last_is(versions: Versions, flags: Flags) -> Flags:
    """Whether the flag of each key's newest version is set."""
    last: Flags = flags[versions.starts + versions.sizes - 1]
    return last


def _function_name(field: DataField, options: TableOptions) -> str:
    if field.name in options.get(SEQUENCE_FIELD):
        return "last_value"
    own = options.of_field(field.name, "aggregate-function")
    return own or options.get(DEFAULT_AGGREGATE_FUNCTION) or DEFAULT_FUNCTION
