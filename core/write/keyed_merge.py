"""What a compaction makes of a window of its runs: the rows to store, and what changes. Spec: 06; 07, 4."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa

from core.compact.lookup import looks_up
from core.compact.plan import CompactionTask
from core.datafile.system_fields import SEQUENCE_NUMBER, VALUE_KIND
from core.mergetree.keys import KeyArray
from core.mergetree.lookup import Found, against_top, look_up, rows_where
from core.mergetree.sort_merge import Positions, Window
from core.mergetree.versions import is_retract
from core.options import (
    CHANGELOG_PRODUCER,
    CHANGELOG_ROW_DEDUPLICATE,
    CHANGELOG_ROW_DEDUPLICATE_IGNORE,
    DELETION_VECTORS_ENABLED,
    IGNORE_DELETE,
    MERGE_ENGINE,
    SEQUENCE_FIELD,
    ChangelogProducer,
    MergeEngine,
    TableOptions,
)
from core.read.merging import Merging, merging_of, rows_at, stored_rows
from core.read.newest import VersionOrder
from core.schema.table_schema import TableSchema
from core.types.data_types import DataField
from core.write.changelog import changelog_rows

Find = Callable[[Window], Found]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Of one window."""

    rows: pa.RecordBatch  # one a key, in key order
    changes: pa.RecordBatch | None  # for the changelog
    looked_up: Positions  # rows of the window that are no longer what their key is


@dataclass(frozen=True, slots=True)
class KeyedMerge:
    """The way of one task; `find` is there if older versions matter to it."""

    merging: Merging
    order: VersionOrder
    fields: tuple[DataField, ...]  # that are stored, the key columns of a file apart
    drops_deletes: bool
    find: Find | None = None
    tells_changes: bool = False
    compared: tuple[str, ...] | None = None  # see `changelog_rows`
    looks_at: tuple[DataField, ...] = ()  # the columns of what is looked up; the others are null
    keeps_level_zero_rows: bool = True  # rows of level 0 are what is stored on the output level

    @staticmethod
    def of(schema: TableSchema, options: TableOptions, task: CompactionTask) -> KeyedMerge:
        """Raises what `merging_of` does."""
        fields = (*schema.fields, SEQUENCE_NUMBER, VALUE_KIND)
        positions_only = _only_marks(options)
        return KeyedMerge(
            merging_of(schema),
            VersionOrder.of(options, by_run=False, has_retracts=True, keep_retracts=True),
            fields,
            task.drops_deletes,
            _find(options, task, positions_only),
            _tells_changes(options, task),
            _compared(schema, options),
            (*schema.key_fields(), SEQUENCE_NUMBER, VALUE_KIND) if positions_only else fields,
            _keeps_level_zero_rows(options, task),
        )

    @property
    def window_copies(self) -> int:
        """How many times the bytes of a window are in memory together, rows before and after included."""
        return self.merging.window_copies + (2 if self.find else 0) + (2 if self.tells_changes else 0)

    def outcome(self, window: Window) -> Outcome:
        if self.find is None:
            rows = stored_rows(self.merging, window, self.order, self.fields)
            return Outcome(self._kept(rows), None, _NONE)
        found = self.find(window)
        merged = rows_where(window, found.merged)
        rows, keys = self._with_keys(merged) if merged.tables else (self._no_rows(window), merged.keys)
        changes = self._changes(window, found, rows, keys) if self.tells_changes else None
        return Outcome(self._kept(rows), changes, found.looked_up)

    def _with_keys(self, window: Window) -> tuple[pa.RecordBatch, KeyArray]:
        """One row a key, deletes included, and their keys."""
        at = self.merging.chosen(window, self.order)
        if at is not None:
            return rows_at(window, at, self.fields), window.keys[at]
        return stored_rows(self.merging, window, self.order, self.fields), np.unique(window.keys)

    def _no_rows(self, window: Window) -> pa.RecordBatch:
        return rows_at(window, _NONE, self.fields)

    def _changes(self, window: Window, found: Found, rows: pa.RecordBatch, keys: KeyArray) -> pa.RecordBatch:
        changed = np.isin(keys, found.changed)
        after = (rows.filter(pa.array(changed)), keys[changed])
        before = (rows_at(window, found.before, self.fields), window.keys[found.before])
        return changelog_rows(before, after, self.compared)

    def _kept(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        if not self.drops_deletes:
            return rows
        retracts = is_retract(rows.column(VALUE_KIND.name).to_numpy())
        return rows.filter(pa.array(~retracts)) if retracts.any() else rows


_NONE: Positions = np.zeros(0, dtype=np.intp)


def _find(options: TableOptions, task: CompactionTask, positions_only: bool) -> Find | None:
    if looks_up(options):
        first = options.get(MERGE_ENGINE) is MergeEngine.FIRST_ROW
        return partial(
            look_up, output_level=task.output_level, keeps_first=first, positions_only=positions_only
        )
    if _tells_changes(options, task):
        return partial(against_top, max_level=task.max_level)
    return None


def _tells_changes(options: TableOptions, task: CompactionTask) -> bool:
    producer = options.get(CHANGELOG_PRODUCER)
    if producer is ChangelogProducer.FULL_COMPACTION:
        return task.output_level == task.max_level
    return producer is ChangelogProducer.LOOKUP and any(file.level == 0 for file in task.files)


def _compared(schema: TableSchema, options: TableOptions) -> tuple[str, ...] | None:
    if not options.get(CHANGELOG_ROW_DEDUPLICATE):
        return None
    ignored = options.get(CHANGELOG_ROW_DEDUPLICATE_IGNORE)
    return tuple(name for name in schema.field_names if name not in ignored)


def _only_marks(options: TableOptions) -> bool:
    """Whether of the older version of a key nothing but its place is of interest. Spec: 06, 9.4."""
    return bool(
        options.get(DELETION_VECTORS_ENABLED)
        and options.get(CHANGELOG_PRODUCER) is not ChangelogProducer.LOOKUP
        and options.get(MERGE_ENGINE) is MergeEngine.DEDUPLICATE
        and not options.get(SEQUENCE_FIELD)
        and not options.get(IGNORE_DELETE)
    )


def _keeps_level_zero_rows(options: TableOptions, task: CompactionTask) -> bool:
    """Whether nothing older that is looked up is merged into the rows of level 0. Spec: 06, 9.4."""
    if not looks_up(options) or task.output_level == task.max_level:
        return True
    return options.get(MERGE_ENGINE) is MergeEngine.DEDUPLICATE and not options.get(SEQUENCE_FIELD)
