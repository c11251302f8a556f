"""What the engines that combine versions share: rows made column by column. Spec: 06, 1.

A key with one version passes through as it is, with its kind. Of the others an engine first
decides, from keys, sequences and kinds alone, which versions each column sees and whether the
key is deleted (`History`); only then are columns looked at, one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from core.arrow import arrow_schema
from core.datafile.system_fields import SEQUENCE_NUMBER, VALUE_KIND
from core.mergetree.aggregate import (
    AggregateFunction,
    Events,
    Folded,
    aggregate_function,
    ignores_retracts,
    picked,
    retraction_refused,
)
from core.mergetree.aggregate.events import Column, Flags
from core.mergetree.sort_merge import Window
from core.mergetree.versions import Positions, Versions, is_retract
from core.options import TableOptions
from core.types import DataField, RowKind


@dataclass(frozen=True, slots=True)
class Aggregate:
    """The function of one column."""

    name: str
    field: DataField
    function: AggregateFunction
    ignores_retracts: bool

    @staticmethod
    def of(name: str, field: DataField, options: TableOptions) -> Aggregate:
        """Raises `UnsupportedError` if there is no such function for the column."""
        function = aggregate_function(name, field, options)
        return Aggregate(name, field, function, ignores_retracts(field, options))

    def fold(self, column: Column, events: Events) -> Folded:
        seen = events.adds() if self.ignores_retracts else events
        if not self.function.retracts and seen.retract.any():
            raise retraction_refused(self.name, self.field.name)
        return self.function.fold(column, seen)


class History(Protocol):
    """What has become of keys with several versions."""

    @property
    def deleted(self) -> Flags:
        """Whether each key's result is a delete."""
        ...

    def fold(self, field: DataField, column: Column) -> Folded:
        """The key's values of a column of the window."""
        ...


class Engine(Protocol):
    """A merge engine that combines versions."""

    def history(self, window: Window, versions: Versions) -> History:
        """What becomes of `versions`, all of keys that have several."""
        ...

    def needed(self, fields: Sequence[DataField]) -> tuple[str, ...]:
        """The columns that decide about `fields`."""
        ...


def combined_rows(
    engine: Engine,
    window: Window,
    versions: Versions,
    fields: Sequence[DataField],
    *,
    keep_retracts: bool = False,
) -> pa.RecordBatch:
    """The row of each key that is not deleted, in key order; with `keep_retracts` of each key.

    `VALUE_KIND` among the fields is +I or -D, or the kind of a lone version.
    """
    several = np.flatnonzero(versions.sizes > 1)
    history = engine.history(window, versions.merged())
    at: Positions = versions.rows[versions.starts]
    kinds = versions.kinds[versions.starts]
    kinds[several] = np.where(history.deleted, RowKind.DELETE, RowKind.INSERT)
    retracts = is_retract(kinds)
    keep = np.flatnonzero(~retracts) if retracts.any() and not keep_retracts else None
    columns = []
    for field in fields:
        if field in (VALUE_KIND, SEQUENCE_NUMBER):
            result = kinds if field == VALUE_KIND else _newest_sequence(window, versions)
            columns.append(pa.array(result if keep is None else result.take(keep)))
            continue
        column = window.column(field.name).combine_chunks()
        folded = history.fold(field, column)
        at[several] = folded.at
        columns.append(picked(column, folded, at if keep is None else at.take(keep)))
    return pa.RecordBatch.from_arrays(columns, schema=arrow_schema(fields))


def _newest_sequence(window: Window, versions: Versions) -> npt.NDArray[Any]:
    """The sequence number of each key's newest version, which is that of its row."""
    numbers: npt.NDArray[Any] = window.column(SEQUENCE_NUMBER.name).to_numpy()
    newest: npt.NDArray[Any] = numbers[versions.rows[versions.starts + versions.sizes - 1]]
    return newest


def last_row(events: Events) -> Folded:
    """The value of the last event, whatever its kind."""
    return Folded(events.rows_at(events.last()))
