"""What the engines that combine versions share: rows made column by column. Spec: 06, 1.

A key with one version passes through as it is, with its kind. Of the others an engine first
decides, from keys, sequences and kinds alone, which versions each column sees and whether the
key is deleted (`History`); only then are columns looked at, one after the other. Where no version
of a window takes anything back, most columns go without a history (`FoldsAdds`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
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
    FoldsAdds,
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

    def function_of_adds(self, field: DataField) -> AggregateFunction | None:
        """What folds a column where every version adds; None if that does not say all."""
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
    rows = _Rows(engine, window, versions)
    retracts = is_retract(rows.kinds)
    keep = np.flatnonzero(~retracts) if retracts.any() and not keep_retracts else None
    columns = [rows.column(field, keep) for field in fields]
    return pa.RecordBatch.from_arrays(columns, schema=arrow_schema(fields))


class _Rows:
    """The row of each key of a window, column by column."""

    def __init__(self, engine: Engine, window: Window, versions: Versions) -> None:
        self._engine, self._window, self._versions = engine, window, versions
        # Where nothing is taken back, most columns need no history.
        self._turns = None if versions.retracts.any() else versions.turns()

    @cached_property
    def _several(self) -> Positions:
        """The keys that have several versions."""
        return np.flatnonzero(self._versions.sizes > 1)

    @cached_property
    def _history(self) -> History:
        return self._engine.history(self._window, self._versions.merged())

    @cached_property
    def kinds(self) -> npt.NDArray[np.int8]:
        kinds = self._versions.kinds[self._versions.starts]
        deleted = False if self._turns else self._history.deleted
        kinds[self._several] = np.where(deleted, RowKind.DELETE, RowKind.INSERT)
        return kinds

    def column(self, field: DataField, keep: Positions | None) -> Column:
        """The values of all keys, or of those to `keep`."""
        if field == VALUE_KIND:
            return _kept(pa.array(self.kinds), keep)
        if field == SEQUENCE_NUMBER:
            return _kept(pa.array(_newest_sequence(self._window, self._versions)), keep)
        column = self._window.column(field.name).combine_chunks()
        added = self._added(field, column)
        return self._picked(field, column, keep) if added is None else added

    def _added(self, field: DataField, column: Column) -> Column | None:
        """The values if every version adds, and the column's function needs to know no more."""
        if self._turns is None:
            return None
        function: object = self._engine.function_of_adds(field)
        return function.fold_adds(column, self._turns) if isinstance(function, FoldsAdds) else None

    def _picked(self, field: DataField, column: Column, keep: Positions | None) -> Column:
        folded = self._history.fold(field, column)
        at: Positions = self._versions.rows[self._versions.starts]
        at[self._several] = folded.at
        return picked(column, folded, at if keep is None else at.take(keep))


def _kept(column: Column, keep: Positions | None) -> Column:
    return column if keep is None else column.take(pa.array(keep))


def _newest_sequence(window: Window, versions: Versions) -> npt.NDArray[Any]:
    """The sequence number of each key's newest version, which is that of its row."""
    numbers: npt.NDArray[Any] = window.column(SEQUENCE_NUMBER.name).to_numpy()
    newest: npt.NDArray[Any] = numbers[versions.rows[versions.starts + versions.sizes - 1]]
    return newest


def last_row(events: Events) -> Folded:
    """The value of the last event, whatever its kind."""
    return Folded(events.rows_at(events.last()))
