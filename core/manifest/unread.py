"""Entries of manifests that have been found but not read to the end. Spec: 02, 3."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from core.binary.pieces import Longs
from core.errors import PaimonError
from core.manifest.container import Records


@dataclass(frozen=True, slots=True)
class UnreadEntries:
    """Some rows of records that follow one another."""

    records: tuple[Records, ...]
    rows: Longs  # numbered through all records
    explain: Callable[[], None]  # raises what is wrong with the files, where it can tell better

    @staticmethod
    def of(records: Sequence[Records], explain: Callable[[], None] = lambda: None) -> UnreadEntries:
        return UnreadEntries(tuple(records), np.arange(sum(len(r) for r in records)), explain)

    def take(self, rows: Longs) -> UnreadEntries:
        """Those of the rows, in that order."""
        return replace(self, rows=self.rows[rows])

    def read(
        self, columns: Sequence[str], normal: Callable[[pa.Table], pa.Table], schema: pa.Schema
    ) -> pa.Table:
        """The members at these dotted paths, each part of them brought to `schema` by `normal`."""
        if len(self.records) == 1:  # as metadata mostly is; rows may come in any order
            return normal(self._read_one(self.records[0], columns, self.rows))
        order = np.argsort(self.rows, kind="stable")
        parts = [normal(part) for part in self._parts(columns, self.rows[order])]
        table = pa.concat_tables(parts) if parts else schema.empty_table()
        in_order = np.array_equal(order, np.arange(len(order)))
        return table if in_order else table.take(np.argsort(order, kind="stable"))

    def _parts(self, columns: Sequence[str], rows: Longs) -> Iterator[pa.Table]:
        first = 0
        for records in self.records:
            start, end = np.searchsorted(rows, [first, first + len(records)])
            yield self._read_one(records, columns, rows[start:end] - first)
            first += len(records)

    def _read_one(self, records: Records, columns: Sequence[str], rows: Longs) -> pa.Table:
        try:
            return records.read(columns, rows)
        except PaimonError:
            self.explain()
            raise
