"""The order of the versions of a key, and the newest of them. Spec: 06, 1 and 6."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from core.datafile.system_fields import SEQUENCE_NUMBER, VALUE_KIND
from core.mergetree.keys import comparable_keys
from core.mergetree.merge.deduplicate import newest_rows
from core.mergetree.sort_merge import Positions, Window
from core.mergetree.versions import Versions, is_retract
from core.options import IGNORE_DELETE, SEQUENCE_FIELD, SEQUENCE_FIELD_SORT_ORDER, SortOrder, TableOptions
from core.types import DataField


@dataclass(frozen=True, slots=True)
class VersionOrder:
    """What has to be looked at to order the versions of a key: the less, the less is decoded."""

    columns: tuple[str, ...]  # sequence.field
    descending: bool
    system_fields: tuple[DataField, ...]
    ignore_delete: bool
    keep_retracts: bool = False  # a key whose newest version deletes it is shown as deleted

    @staticmethod
    def of(
        options: TableOptions, *, by_run: bool, has_retracts: bool, keep_retracts: bool = False
    ) -> VersionOrder:
        """The order of a section's versions.

        Args:
            options: of the table.
            by_run: every row of a run is older than every row of the next run.
            has_retracts: a row may be -U or -D; False only if that is proved.
            keep_retracts: deleted keys are wanted too.
        """
        columns: tuple[str, ...] = options.get(SEQUENCE_FIELD)
        numbers = () if by_run and not columns else (SEQUENCE_NUMBER,)
        kinds = (VALUE_KIND,) if has_retracts else ()
        descending = options.get(SEQUENCE_FIELD_SORT_ORDER) is SortOrder.DESCENDING
        ignored = options.get(IGNORE_DELETE)
        return VersionOrder(columns, descending, (*numbers, *kinds), ignored, keep_retracts)

    def visible_rows(self, window: Window) -> Positions:
        """Positions of the newest version of each key, unless that deletes it."""
        return self.without_retracts(window, self.newest(window))

    def without_retracts(self, window: Window, rows: Positions) -> Positions:
        """Those of the positions whose rows are adds, or all where retracts are wanted."""
        kinds = None if self.keep_retracts else self._kinds(window)
        return rows if kinds is None else rows[~is_retract(kinds[rows])]

    def versions(self, window: Window) -> Versions:
        """All versions of all keys."""
        return Versions.of(window.keys, self._sequence(window), self._kinds(window))

    def newest(self, window: Window) -> Positions:
        """Positions of the newest version of each key, in key order, deletes included."""
        kinds = self._kinds(window)
        return newest_rows(window.keys, self._sequence(window), kinds, ignore_delete=self.ignore_delete)

    def _kinds(self, window: Window) -> npt.NDArray[np.int8] | None:
        if VALUE_KIND not in self.system_fields:
            return None
        kinds: npt.NDArray[np.int8] = window.column(VALUE_KIND.name).to_numpy()
        return kinds

    def _sequence(self, window: Window) -> list[npt.NDArray[np.int64]]:
        """What orders versions, most significant first: the user's fields, then the numbers."""
        columns = [_ranks(window.column(name), self.descending) for name in self.columns]
        if SEQUENCE_NUMBER in self.system_fields:
            columns.append(window.column(SEQUENCE_NUMBER.name).to_numpy())
        return columns


def _ranks(column: pa.ChunkedArray[Any], descending: bool) -> npt.NDArray[np.int64]:
    """Numbers that order as the values do; null is smallest, in both directions."""
    values = column.combine_chunks()
    ranks = np.unique(comparable_keys([values]), return_inverse=True)[1].astype(np.int64)
    if descending:
        ranks = np.where(np.asarray(values.is_valid()), -ranks, np.iinfo(np.int64).min)
    return ranks
