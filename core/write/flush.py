"""What a primary-key table stores of the rows of one buffer. Spec: 06, 1, 2 and 9.2."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from core.datafile.system_fields import SEQUENCE_NUMBER, VALUE_KIND
from core.mergetree.key_order import sort_keys
from core.mergetree.keys import comparable_keys
from core.mergetree.scattered import taken_in_slices
from core.mergetree.sort_merge import Window
from core.options import TableOptions
from core.read.merging import Merging, merging_of, stored_rows
from core.read.newest import VersionOrder
from core.schema.table_schema import TableSchema
from core.types.data_types import DataField

_SLICE_ROWS = 128 * 1024


@dataclass(frozen=True, slots=True)
class FlushRules:
    """How the rows of a key become one, by the table's merge engine, and in which order they come."""

    merging: Merging
    order: VersionOrder
    fields: tuple[DataField, ...]  # that are stored, the key columns of a file apart
    key: tuple[str, ...]

    @staticmethod
    def of(schema: TableSchema, options: TableOptions) -> FlushRules:
        """Raises what `merging_of` does."""
        # Rows of one writer are ordered by their arrival, unless the table orders them by columns.
        order = VersionOrder.of(options, by_run=True, has_retracts=True, keep_retracts=True)
        fields = (*schema.fields, SEQUENCE_NUMBER, VALUE_KIND)
        return FlushRules(merging_of(schema), order, fields, schema.trimmed_primary_keys)

    def merged(self, rows: pa.Table) -> Iterator[pa.RecordBatch]:
        """One row a key, by key; rows stand in the order of their arrival."""
        window = self._window(rows)
        chosen = self.merging.chosen(window, self.order)
        if chosen is not None:
            yield from taken_in_slices(rows, chosen, _SLICE_ROWS)
            return
        found = sort_keys(window.keys)
        for start, end in _whole_keys(found.keys):
            part = Window((rows.take(found.positions[start:end]).combine_chunks(),), found.keys[start:end])
            yield stored_rows(self.merging, part, self.order, self.fields)

    def unmerged(self, rows: pa.Table) -> Iterator[pa.RecordBatch]:
        """All rows by key, those of a key in the order in which they are merged."""
        rows_by_key = self.order.versions(self._window(rows)).rows
        yield from taken_in_slices(rows, rows_by_key, _SLICE_ROWS)

    def _window(self, rows: pa.Table) -> Window:
        return Window((rows,), comparable_keys([pa.concat_arrays(rows.column(k).chunks) for k in self.key]))


def _whole_keys(keys: np.ndarray[tuple[int], np.dtype[np.generic]]) -> Iterator[tuple[int, int]]:
    """Stretches of sorted keys of about a row group each; all rows of a key are in one."""
    starts = np.concatenate([[0], np.flatnonzero(keys[1:] != keys[:-1]) + 1])
    begin = 0
    while begin < len(keys):
        wanted = np.searchsorted(starts, begin + _SLICE_ROWS)
        end = int(starts[wanted]) if wanted < len(starts) else len(keys)
        yield begin, end
        begin = end
