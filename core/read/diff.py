"""What differs between two states of a primary-key bucket: both merged, and compared key by key.

The runs of both states are merged in common windows of keys, so that memory is bounded as in any
merge (`core.mergetree.sort_merge`). Spec: 09, 6.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from core.arrow import arrow_schema
from core.datafile.read import BATCH_BYTES
from core.datafile.system_fields import VALUE_KIND, readable_fields
from core.manifest.file_meta import DataFileMeta
from core.mergetree.keys import comparable_keys
from core.mergetree.lookup import lowest_levels, with_level
from core.mergetree.sort_merge import MergeLimits, Window, iter_windows
from core.mergetree.sorted_run import SortedRun, interval_partition
from core.options import TableOptions
from core.predicate import Predicate, references
from core.read.equality import equal_rows
from core.read.file_reader import FileReader
from core.read.merging import Merging, merging_of, tells_levels
from core.read.newest import VersionOrder
from core.scan.split import Split
from core.schema import TableSchema
from core.types import DataField, RowKind

Column: TypeAlias = Any  # a pa.Array: which one is known when it runs, not to its stubs

_IS_AFTER = pa.field("_IS_AFTER", pa.bool_(), nullable=False)  # which state a row is of


@dataclass(frozen=True, slots=True)
class DiffRead:
    """One bucket in two states.

    `keep_retracts`: a row that is gone comes as -D, and so does a delete that the later state stores
    and the earlier one does not; without, neither is seen.
    """

    before: FileReader
    after: FileReader
    schema: TableSchema
    conjuncts: tuple[Predicate, ...]  # only those on the key are used: others are for the result
    merge_bytes: int
    keep_retracts: bool

    def rows(self, old: Split, new: Split) -> Iterator[pa.RecordBatch]:
        """Batches of all columns and `VALUE_KIND`: what is new or different in `new`, by its kind."""
        order = VersionOrder.of(
            TableOptions(self.schema.options),
            by_run=False,
            has_retracts=True,
            keep_retracts=self.keep_retracts,
        )
        merging = merging_of(self.schema)
        keys = self.schema.key_fields()
        shown = (*readable_fields(self.schema), VALUE_KIND)
        stored = tuple({field.id: field for field in (*shown, *order.system_fields)}.values())
        sides = [_runs(self.schema, split.files) for split in (old, new)]
        copies = 2 * merging.window_copies + 1  # both states of a window, and the rows that differ
        limits = MergeLimits.for_runs(sum(map(len, sides)), self.merge_bytes // copies)
        runs = [
            _marked(self._read(reader, run, stored, limits), is_after)
            for reader, side, is_after in ((self.before, sides[0], False), (self.after, sides[1], True))
            for run in side
        ]
        judged = lowest_levels if tells_levels(self.schema) else None
        names = [field.name for field in keys]
        for window in iter_windows(runs, names, limits):
            parts = [judged(part) if judged and part.tables else part for part in _by_state(window)]
            states = [_merged(merging, order, shown, part) for part in parts]
            batch = self._different(states[0], states[1], names)
            if batch.num_rows:
                yield batch

    def _read(
        self,
        reader: FileReader,
        run: Sequence[DataFileMeta],
        fields: Sequence[DataField],
        limits: MergeLimits,
    ) -> Iterator[pa.RecordBatch]:
        key_names = set(self.schema.trimmed_primary_keys)
        conjuncts = [c for c in self.conjuncts if set(references(c)) <= key_names]
        max_bytes = min(BATCH_BYTES, limits.bytes_per_run // 2)
        tells = tells_levels(self.schema)
        for file in run:
            for batch in reader.read(file, fields, conjuncts, max_bytes=max_bytes):
                yield with_level(batch, file.level) if tells else batch

    def _different(self, old: pa.RecordBatch, new: pa.RecordBatch, key: Sequence[str]) -> pa.RecordBatch:
        columns = [pa.concat_arrays([old.column(name), new.column(name)]) for name in key]
        keys = comparable_keys(columns)
        old_keys, new_keys = keys[: old.num_rows], keys[old.num_rows :]
        _, in_old, in_new = np.intersect1d(old_keys, new_keys, assume_unique=True, return_indices=True)
        # Of the kinds only that matters: an update that says what was there before changes nothing.
        was_deleted, is_deleted = _retracts(old), _retracts(new)
        values = self.schema.field_names
        same = equal_rows(old.select(values).take(in_old), new.select(values).take(in_new))
        same &= was_deleted[in_old] == is_deleted[in_new]
        changed = np.ones(new.num_rows, dtype=np.bool_)
        changed[in_new[same]] = False
        rows = new.filter(pa.array(changed))
        if not self.keep_retracts:
            return rows
        gone = ~was_deleted
        gone[in_old] = False
        return _joined(_deleted(old.filter(pa.array(gone))), rows)


def _runs(schema: TableSchema, files: Sequence[DataFileMeta]) -> list[list[DataFileMeta]]:
    """The files of a bucket as few runs through all of its sections."""
    sections = interval_partition(files, [field.type for field in schema.key_fields()])
    most = max((len(section.runs) for section in sections), default=0)

    def run(section_runs: tuple[SortedRun, ...], i: int) -> tuple[DataFileMeta, ...]:
        return section_runs[i].files if i < len(section_runs) else ()

    return [list(chain.from_iterable(run(section.runs, i) for section in sections)) for i in range(most)]


def _marked(batches: Iterator[pa.RecordBatch], is_after: bool) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        marks = pa.array(np.full(batch.num_rows, is_after))
        yield batch.append_column(_IS_AFTER, marks)


def _by_state(window: Window) -> tuple[Window, Window]:
    """The rows of a window that are of the older state, and of the newer; older runs stand first."""
    old = tuple(t for t in window.tables if not t.column(_IS_AFTER.name)[0].as_py())
    count = sum(len(table) for table in old)
    return (
        Window(old, window.keys[:count]),
        Window(window.tables[len(old) :], window.keys[count:]),
    )


def _merged(
    merging: Merging, order: VersionOrder, fields: Sequence[DataField], window: Window
) -> pa.RecordBatch:
    """One row a key of one state."""
    schema = arrow_schema(fields)
    if not window.tables:
        return pa.RecordBatch.from_pylist([], schema=schema)
    names = [field.name for field in fields]
    batches = [batch.select(names) for batch in merging.rows(iter([window]), order, fields)]
    table = pa.Table.from_batches(batches, schema=schema).combine_chunks()
    return table.to_batches()[0] if table.num_rows else pa.RecordBatch.from_pylist([], schema=schema)


def _retracts(batch: pa.RecordBatch) -> npt.NDArray[np.bool_]:
    """Which rows are the deletes that a state stores."""
    return np.isin(batch.column(VALUE_KIND.name).to_numpy(), (RowKind.DELETE, RowKind.UPDATE_BEFORE))


def _deleted(batch: pa.RecordBatch) -> pa.RecordBatch:
    place = batch.schema.get_field_index(VALUE_KIND.name)
    kinds = pa.array(np.full(batch.num_rows, RowKind.DELETE, dtype=np.int8))
    return batch.set_column(place, batch.schema.field(place), kinds)


def _joined(some: pa.RecordBatch, others: pa.RecordBatch) -> pa.RecordBatch:
    if not some.num_rows or not others.num_rows:
        return some if some.num_rows else others
    columns = [pa.concat_arrays([a, b]) for a, b in zip(some.columns, others.columns, strict=True)]
    return pa.RecordBatch.from_arrays(columns, schema=others.schema)
