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
    rows: Longs  # numbered through all records, ascending
    explain: Callable[[], None]  # raises what is wrong with the files, where it can tell better

    @staticmethod
    def of(records: Sequence[Records], explain: Callable[[], None] = lambda: None) -> UnreadEntries:
        return UnreadEntries(tuple(records), np.arange(sum(len(r) for r in records)), explain)

    def take(self, rows: Longs) -> UnreadEntries:
        """Those of the rows, which are given in ascending order."""
        assert np.all(np.diff(rows) > 0), "entries keep their order until they are read"
        return replace(self, rows=self.rows[rows])

    def read(self, columns: Sequence[str]) -> Iterator[pa.Table]:
        """The members at these dotted paths, as tables that follow one another."""
        first = 0
        for records in self.records:
            start, end = np.searchsorted(self.rows, [first, first + len(records)])
            mine = self.rows[start:end] - first
            first += len(records)
            try:
                yield records.read(columns, None if len(mine) == len(records) else mine)
            except PaimonError:
                self.explain()
                raise
