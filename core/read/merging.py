"""How the versions of a key become the row that a read shows: one way for each merge engine. Spec: 06."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

import pyarrow as pa

from core.arrow import arrow_schema
from core.compact.lookup import looks_up
from core.mergetree.merge import Aggregation, Engine, PartialUpdate, combined_rows, first_rows
from core.mergetree.sort_merge import Positions, Window, iter_kept
from core.options import MERGE_ENGINE, MergeEngine, TableOptions
from core.read.newest import VersionOrder
from core.scan.levels import versions_combine
from core.schema import TableSchema
from core.types import DataField


def tells_levels(schema: TableSchema) -> bool:
    """Whether a row above level 0 has taken in what higher levels say, so that those do not count."""
    return versions_combine(schema) and looks_up(TableOptions(schema.options))


class Merging(Protocol):
    """Makes rows of windows."""

    @property
    def window_copies(self) -> int:
        """How many times the bytes of a window are in memory together while its rows are made."""
        ...

    def needed(self, fields: Sequence[DataField]) -> tuple[str, ...]:
        """The columns of the table that decide about `fields`, beside key and order."""
        ...

    def rows(
        self, windows: Iterator[Window], order: VersionOrder, fields: Sequence[DataField]
    ) -> Iterator[pa.RecordBatch]:
        """Batches with `fields` and perhaps others: a row of each key that is there.

        `VALUE_KIND` among the fields is the kind of that row.
        """
        ...

    def chosen(self, window: Window, order: VersionOrder) -> Positions | None:
        """Where the row that a writer stores of each key stands, in key order, deletes included.

        None if such rows are combined of several: then they are what `rows` gives with retracts.
        """
        ...


@dataclass(frozen=True, slots=True)
class _Newest:
    window_copies: int = 1

    def needed(self, fields: Sequence[DataField]) -> tuple[str, ...]:
        return ()

    def rows(
        self, windows: Iterator[Window], order: VersionOrder, fields: Sequence[DataField]
    ) -> Iterator[pa.RecordBatch]:
        return iter_kept(windows, order.visible_rows)

    def chosen(self, window: Window, order: VersionOrder) -> Positions | None:
        return order.newest(window)


@dataclass(frozen=True, slots=True)
class _Oldest:
    window_copies: int = 1

    def needed(self, fields: Sequence[DataField]) -> tuple[str, ...]:
        return ()

    def rows(
        self, windows: Iterator[Window], order: VersionOrder, fields: Sequence[DataField]
    ) -> Iterator[pa.RecordBatch]:
        def oldest(window: Window) -> Positions:
            first = first_rows(order.versions(window), ignore_delete=order.ignore_delete)
            return order.without_retracts(window, first)

        return iter_kept(windows, oldest)

    def chosen(self, window: Window, order: VersionOrder) -> Positions | None:
        return first_rows(order.versions(window), ignore_delete=order.ignore_delete)


@dataclass(frozen=True, slots=True)
class _Combined:
    engine: Engine
    window_copies: int = 3  # each column is put together, and its rows are taken one by one

    def needed(self, fields: Sequence[DataField]) -> tuple[str, ...]:
        return self.engine.needed(fields)

    def rows(
        self, windows: Iterator[Window], order: VersionOrder, fields: Sequence[DataField]
    ) -> Iterator[pa.RecordBatch]:
        for window in windows:
            versions = order.versions(window)
            batch = combined_rows(self.engine, window, versions, fields, keep_retracts=order.keep_retracts)
            if batch.num_rows:
                yield batch

    def chosen(self, window: Window, order: VersionOrder) -> Positions | None:
        return None


def stored_rows(
    merging: Merging, window: Window, order: VersionOrder, fields: Sequence[DataField]
) -> pa.RecordBatch:
    """One row a key, in key order, deletes included, if `order` keeps them: what a writer stores."""
    at = merging.chosen(window, order)
    if at is None:
        return next(iter(merging.rows(iter([window]), order, fields)))
    return rows_at(window, at, fields)


def rows_at(window: Window, positions: Positions, fields: Sequence[DataField]) -> pa.RecordBatch:
    """Some rows of a window, in the order of their positions."""
    schema = arrow_schema(fields)
    if not len(positions):
        return pa.RecordBatch.from_pylist([], schema=schema)
    names = [field.name for field in fields]
    together = pa.concat_tables([table.select(names) for table in window.tables])
    columns = [column.combine_chunks() for column in together.take(positions).columns]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


_MERGINGS: Mapping[MergeEngine, Callable[[TableSchema], Merging]] = MappingProxyType(
    {
        MergeEngine.DEDUPLICATE: lambda schema: _Newest(),
        MergeEngine.FIRST_ROW: lambda schema: _Oldest(),
        MergeEngine.PARTIAL_UPDATE: lambda schema: _Combined(PartialUpdate.of(schema)),
        MergeEngine.AGGREGATION: lambda schema: _Combined(Aggregation.of(schema)),
    }
)


def merging_of(schema: TableSchema) -> Merging:
    """The way of the table's merge engine.

    Raises:
        UnsupportedError: an aggregate function that we do not have.
        InvalidRequestError: options of the engine that contradict one another.
    """
    return _MERGINGS[TableOptions(schema.options).get(MERGE_ENGINE)](schema)
