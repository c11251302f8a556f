"""Splits -> rows: raw files concatenated, overlapping runs merged. Spec: 09, 9.

Memory. A raw read holds one batch. A merge holds, of each sorted run, a buffer bounded by
`MergeLimits` (`merge_bytes` and a million rows over all runs of a section, whichever is less,
plus one batch a run), and the output of one window; engines that combine versions copy a
window while they do, so they buffer a third of that. The theory is in `core.mergetree.sort_merge`.
Under them a Parquet file holds what it decodes of one batch, an Avro file twice a batch or one
block, an ORC file one stripe, and its batches until the last of them is gone. All together, threads
of the decoders and the allocator's gaps included, that is at most

    6 x merge_bytes + 8 MB  (of ORC: + 2 stripes a run)

on top of a process that has read before; `threads` splits at once take as many times as much. Rows
near half of a run's share, and more versions of one key than a window has, come on top.
Nothing grows with the size of a file, a bucket or a table. `tests/core/read/test_memory.py` has the
system enforce it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import pyarrow as pa

from core.datafile.read import BATCH_BYTES
from core.datafile.system_fields import VALUE_KIND, evolves_data, readable_fields, select_fields
from core.errors import InvalidRequestError
from core.manifest.file_meta import DataFileMeta
from core.mergetree.lookup import lowest_levels, with_level
from core.mergetree.sort_merge import MERGE_BYTES, MergeLimits, iter_windows
from core.mergetree.sorted_run import Section, SortedRun, interval_partition
from core.options import TableOptions
from core.predicate import Predicate, evaluate, references, split_and
from core.read.diff import DiffRead
from core.read.file_reader import FileReader
from core.read.filters import bound_filter
from core.read.merging import merging_of, tells_levels
from core.read.newest import VersionOrder
from core.read.row_kinds import RowKinds, adds, as_inserts, taken_back
from core.read.row_ranges import iter_row_ranges
from core.read.side_by_side import side_by_side
from core.read.support import check_files, check_readable
from core.scan.levels import keys_unique_above_level_zero
from core.scan.plan import Plan
from core.scan.source import TableSource
from core.scan.split import Split
from core.schema import TableSchema
from core.schema.defaults import defaulted_columns, read_defaults
from core.types import DataField


def read_plan(
    source: TableSource,
    plan: Plan,
    *,
    merge_bytes: int = MERGE_BYTES,
    kinds: RowKinds = RowKinds.HIDDEN,
    threads: int = 1,
) -> Iterator[pa.RecordBatch]:
    """The rows of a plan, filtered and projected as the plan says.

    Args:
        threads: splits read at once, each within the bounds of the module: their batches come mixed.
            With one they come split by split.

    Raises:
        InvalidRequestError: less than one thread; before the first batch.
    """
    names = [field.name for field in plan.fields]

    def rows(split: Split) -> Iterator[pa.RecordBatch]:
        of_branch = plan.fallback if split.branch else None
        at, schema = (of_branch.source, of_branch.schema) if of_branch else (source, plan.schema)
        yield from _rows(at, schema, split, names, plan.predicate, merge_bytes, kinds)

    return side_by_side([rows(split) for split in plan.splits], threads)


def read_split(
    source: TableSource,
    schema: TableSchema,
    split: Split,
    columns: Sequence[str] | None = None,
    filter: Predicate | str | None = None,
    *,
    merge_bytes: int = MERGE_BYTES,
    kinds: RowKinds = RowKinds.HIDDEN,
) -> Iterator[pa.RecordBatch]:
    """Batches of the split's rows, exactly those that satisfy `filter`.

    They are merged; those of a split of changes stand as they were written.

    Args:
        source: the table.
        schema: as which rows are read; files of other schemas are brought to it.
        split: of a plan of that table.
        columns: names, in the order wanted; None for all.
        filter: over columns of `schema`, whether they are among `columns` or not.
        merge_bytes: what a merge may buffer of all runs together; see the module.
        kinds: whether deletes are shown, and what rows are.

    Raises:
        UnsupportedError: the table needs what this version does not have; before any row.
        InvalidRequestError: no such column, or a filter that does not fit the columns.
    """
    check_readable(schema)
    check_files(file.file_name for file in split.files)
    return _rows(source, schema, split, columns, bound_filter(schema, filter), merge_bytes, kinds)


def _rows(
    source: TableSource,
    schema: TableSchema,
    split: Split,
    columns: Sequence[str] | None,
    predicate: Predicate | None,
    merge_bytes: int,
    kinds: RowKinds,
) -> Iterator[pa.RecordBatch]:
    wanted = select_fields(schema, columns)
    needed = _needed(schema, wanted, predicate)
    filled = defaulted_columns(schema)
    conjuncts = () if predicate is None else tuple(split_and(predicate))
    conjuncts = tuple(c for c in conjuncts if not filled & set(references(c)))
    reader = FileReader.of(source, schema, split)
    reader.check(split.files, needed)
    names = [field.name for field in wanted]
    if schema.primary_keys:
        old = FileReader.of(source, schema, split.before) if split.before else None
        batches = _keyed_rows(reader, old, split, needed, conjuncts, merge_bytes, kinds)
    elif evolves_data(schema):
        batches = iter_row_ranges(reader, split.files, needed, conjuncts)
    else:
        batches = _concatenated(reader, split.files, needed, conjuncts)
    if kinds.shown:
        names.append(VALUE_KIND.name)
        batches = batches if schema.primary_keys and not _is_plain(split, kinds) else as_inserts(batches)
    return _finished(_with_defaults(batches, read_defaults(schema)), names, predicate)


def _with_defaults(
    batches: Iterator[pa.RecordBatch], defaults: Mapping[str, Any]
) -> Iterator[pa.RecordBatch]:
    """The batches with values in place of null, where the table has such."""
    for batch in batches:
        for name in defaults.keys() & set(batch.schema.names):
            index = batch.schema.get_field_index(name)
            column: Any = batch.column(index)
            batch = batch.set_column(index, batch.schema.field(index), column.fill_null(defaults[name]))
        yield batch


def _is_plain(split: Split, kinds: RowKinds) -> bool:
    """Whether a split is read as if it were of a table without keys: then its rows are all inserts."""
    return split.raw_convertible and not split.is_streaming and kinds is RowKinds.ADDS


def _keyed_rows(
    reader: FileReader,
    old: FileReader | None,
    split: Split,
    fields: tuple[DataField, ...],
    conjuncts: tuple[Predicate, ...],
    merge_bytes: int,
    kinds: RowKinds,
) -> Iterator[pa.RecordBatch]:
    """A primary-key bucket as it stands, or what has changed in it."""
    if split.before and old and not split.is_streaming:
        diff = DiffRead(old, reader, reader.schema, conjuncts, merge_bytes, kinds.keep_retracts)
        return diff.rows(split.before, split)
    stored = RowKinds.HIDDEN if _is_plain(split, kinds) else kinds
    shown = (*fields, VALUE_KIND) if stored.shown else fields
    tree = _MergeTreeRead(reader, reader.schema, shown, conjuncts, merge_bytes, stored)
    if not split.is_streaming:
        return tree.rows(split)
    added = tree.unmerged(split.files)
    if not (split.before and old and kinds.keep_retracts):
        return added
    return chain(taken_back(replace(tree, reader=old).unmerged(split.before.files)), added)


def _needed(
    schema: TableSchema, wanted: Sequence[DataField], predicate: Predicate | None
) -> tuple[DataField, ...]:
    """The columns wanted and those that the filter looks at, in the schema's order; at least one."""
    names = {field.name for field in wanted}
    if predicate is not None:
        names |= set(references(predicate))
    readable = readable_fields(schema)
    unknown = names - {field.name for field in readable}
    if unknown:
        raise InvalidRequestError("no such column", column=", ".join(sorted(unknown)))
    return tuple(field for field in readable if field.name in names) or schema.fields[:1]


def _concatenated(
    reader: FileReader,
    files: Sequence[DataFileMeta],
    fields: Sequence[DataField],
    conjuncts: Sequence[Predicate],
) -> Iterator[pa.RecordBatch]:
    for file in files:
        yield from reader.read(file, fields, conjuncts)


def _finished(
    batches: Iterator[pa.RecordBatch], names: list[str], predicate: Predicate | None
) -> Iterator[pa.RecordBatch]:
    """Rows that satisfy the filter, in the columns that were asked for."""
    for batch in batches:
        kept = batch if predicate is None else batch.filter(evaluate(predicate, batch))
        if kept.num_rows:
            yield kept.select(names)


@dataclass(frozen=True, slots=True)
class _MergeTreeRead:
    """A primary-key bucket."""

    reader: FileReader
    schema: TableSchema
    fields: tuple[DataField, ...]
    conjuncts: tuple[Predicate, ...]
    merge_bytes: int
    kinds: RowKinds = RowKinds.HIDDEN  # if they are shown, `VALUE_KIND` is among `fields`

    def rows(self, split: Split) -> Iterator[pa.RecordBatch]:
        """One row a key."""
        if split.raw_convertible and keys_unique_above_level_zero(self.schema):
            yield from self.unmerged(split.files)  # they may overlap, no key does
            return
        key_types = [field.type for field in self.schema.key_fields()]
        for section in interval_partition(split.files, key_types):
            if _keys_are_unique(section):
                yield from self.unmerged(section.files)
            else:
                yield from self._merged(section)

    def unmerged(self, files: Sequence[DataFileMeta]) -> Iterator[pa.RecordBatch]:
        """The rows of files as they stand: no key is in two of them, or rows are changes."""
        for file in files:
            if self.kinds.keep_retracts or self.reader.has_no_deletes(file):
                yield from self.reader.read(file, self.fields, self.conjuncts)
            else:
                fields = _distinct((*self.fields, VALUE_KIND))
                for batch in self.reader.read(file, fields, self.conjuncts):
                    yield adds(batch).select([field.name for field in self.fields])

    def _merged(self, section: Section) -> Iterator[pa.RecordBatch]:
        """One row a key, as the merge engine makes it of all versions; none if it is deleted."""
        names = [field.name for field in self.fields]
        keys = self.schema.key_fields()
        order = VersionOrder.of(
            TableOptions(self.schema.options),
            by_run=section.ordered_by_sequence,
            has_retracts=self.kinds.shown
            or not all(self.reader.has_no_deletes(file) for file in section.files),
            keep_retracts=self.kinds.keep_retracts,
        )
        merging = merging_of(self.schema)
        columns = [field for field in self.fields if field != VALUE_KIND]
        deciding = self.schema.fields_of((*order.columns, *merging.needed(columns)))
        extra = [*keys, *deciding, *order.system_fields]
        fields = _distinct((*self.fields, *extra))
        # Below a merge only key columns may filter: a version that does not match hides one that does.
        key_names = {field.name for field in keys}
        conjuncts = [c for c in self.conjuncts if set(references(c)) <= key_names]
        limits = MergeLimits.for_runs(len(section.runs), self.merge_bytes // merging.window_copies)
        runs = [self._run(run, fields, conjuncts, limits) for run in section.runs]
        windows = iter_windows(runs, [field.name for field in keys], limits)
        if tells_levels(self.schema):
            windows = map(lowest_levels, windows)
        for batch in merging.rows(windows, order, self.fields):
            yield batch.select(names)

    def _run(
        self,
        run: SortedRun,
        fields: Sequence[DataField],
        conjuncts: Sequence[Predicate],
        limits: MergeLimits,
    ) -> Iterator[pa.RecordBatch]:
        max_bytes = min(BATCH_BYTES, limits.bytes_per_run // 2)
        tells = tells_levels(self.schema)
        for file in run.files:
            for batch in self.reader.read(file, fields, conjuncts, max_bytes=max_bytes):
                yield with_level(batch, file.level) if tells else batch


def _keys_are_unique(section: Section) -> bool:
    """Whether each key is in the section once: a level-0 file may repeat keys, as pypaimon's do."""
    return len(section.runs) == 1 and all(file.level > 0 for file in section.files)


def _distinct(fields: Sequence[DataField]) -> tuple[DataField, ...]:
    return tuple({field.id: field for field in fields}.values())
