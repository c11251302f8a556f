"""How the versions of a key become the row that a read shows: one way for each merge engine. Spec: 06."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

import pyarrow as pa

from core.mergetree.merge import Aggregation, Engine, PartialUpdate, combined_rows, first_rows
from core.mergetree.sort_merge import Positions, Window, iter_kept
from core.options import MERGE_ENGINE, MergeEngine, TableOptions
from core.read.newest import VersionOrder
from core.schema import TableSchema
from core.types import DataField


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


@dataclass(frozen=True, slots=True)
class _Newest:
    window_copies: int = 1

    def needed(self, fields: Sequence[DataField]) -> tuple[str, ...]:
        return ()

    def rows(
        self, windows: Iterator[Window], order: VersionOrder, fields: Sequence[DataField]
    ) -> Iterator[pa.RecordBatch]:
        return iter_kept(windows, order.visible_rows)


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
