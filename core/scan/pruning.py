"""What a filter rules out before any data file is opened, stage by stage. Spec: 09, 8.

Every stage errs on the side of keeping: unknown statistics, changed types and columns that
a file does not list rule nothing out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as _pc

from core.arrow import to_python
from core.binary import decode_rows
from core.datafile.system_fields import ROW_ID, evolves_data
from core.manifest import EntryColumns, ManifestFileMeta
from core.options import FILE_INDEX_READ_ENABLED, POSTPONE_BUCKET, TableOptions
from core.predicate import (
    ColumnStats,
    Predicate,
    evaluate,
    may_match,
    predicate_to_text,
    references,
    split_and,
)
from core.predicate.text import literal_text, name_text
from core.scan.buckets import BucketFilter
from core.scan.explain import Stage, StageName
from core.scan.file_indexes import EmbeddedAnswers, ask_embedded, files_with_index
from core.scan.file_stats import key_stats, value_stats
from core.scan.levels import skips_level_zero, versions_combine
from core.scan.row_ranges import shares_rows
from core.scan.selection import FileSelection
from core.scan.splits import bucket_groups, on_one_upper_level
from core.schema import SchemaStore, TableSchema
from core.types import DataField

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time
Mask: TypeAlias = npt.NDArray[np.bool_]
Conjuncts: TypeAlias = "tuple[Predicate, ...]"


class Pruner:
    """Takes manifests, then entries, through the stages in order; `stages` tells what each did.

    With `keeps_dropped`, `dropped` has the entries that each stage has left out, and stages count
    rows; both cost memory and time that a read does not need. `with_level_zero` reads level 0 even
    where batch reads wait for its compaction.
    """

    def __init__(
        self,
        schemas: SchemaStore,
        schema: TableSchema,
        predicate: Predicate | None,
        *,
        keeps_dropped: bool = False,
        with_level_zero: bool = False,
    ) -> None:
        self._schemas = schemas
        self._schema = schema
        conjuncts = () if predicate is None else tuple(split_and(predicate))
        self._on_partition = _over(conjuncts, schema.partition_keys)
        self._on_key = _over(conjuncts, schema.trimmed_primary_keys)
        self._on_value = tuple(c for c in conjuncts if c not in self._on_partition)
        self._on_row_id = _over(conjuncts, [ROW_ID.name])
        self._bucket_filter = BucketFilter.of(schema, conjuncts)
        self._skips_level_zero = skips_level_zero(schema) and not with_level_zero
        self.stages: list[Stage] = []
        self.dropped: list[tuple[Stage, EntryColumns]] = []
        self._keeps_dropped = keeps_dropped

    def manifests(self, manifests: Sequence[ManifestFileMeta]) -> list[ManifestFileMeta]:
        """Manifests with an entry whose partition and row ids may match."""
        keep = np.ones(len(manifests), dtype=np.bool_)
        counts = pa.array([m.num_added_files + m.num_deleted_files for m in manifests], pa.int64())
        if self._on_partition and manifests:
            stats = _partition_stats(self._schema.partition_fields, manifests)
            keep = _all_may_match(self._on_partition, stats, counts)
        reason = self._partition_reason()
        if self._on_row_id and manifests:
            keep &= _all_may_match(self._on_row_id, _manifest_row_ids(manifests), counts)
            reason = _reason((*self._on_partition, *self._on_row_id), "partition columns")
        sizes = np.array([m.file_size for m in manifests], dtype=np.int64)
        self._note(StageName.MANIFESTS, "manifests", keep, sizes, reason)
        return [m for m, kept in zip(manifests, keep, strict=True) if kept]

    def partitions(self, entries: EntryColumns) -> EntryColumns:
        """Entries of partitions that match; the filter decides exactly here."""
        keep = np.ones(len(entries), dtype=np.bool_)
        if self._on_partition and len(entries):
            encoded = entries.column("partition").combine_chunks().dictionary_encode()
            fields = self._schema.partition_fields
            columns = decode_rows([f.type.with_nullability(True) for f in fields], encoded.dictionary)
            batch = pa.record_batch(columns, names=[field.name for field in fields])
            matching = np.ones(batch.num_rows, dtype=np.bool_)
            for conjunct in self._on_partition:
                matching &= _numpy(evaluate(conjunct, batch))
            keep = matching[encoded.indices.to_numpy()]
        return self._keep(StageName.PARTITIONS, entries, keep, self._partition_reason())

    def buckets(self, entries: EntryColumns) -> EntryColumns:
        """Entries of buckets that a key of the filter hashes to."""
        keep = self._bucket_filter.matching(entries.numpy("bucket"), entries.numpy("total_buckets"))
        postponed = entries.numpy("bucket") == POSTPONE_BUCKET
        reason = self._bucket_filter.reason
        if postponed.any():
            reason = f"{reason}; rows that wait for a bucket are seen once compaction has given them one"
        return self._keep(StageName.BUCKETS, entries, keep & ~postponed, reason)

    def levels(self, entries: EntryColumns) -> EntryColumns:
        """Files above level 0, where a batch read shows only what has been compacted."""
        keep = np.ones(len(entries), dtype=np.bool_)
        reason = "all levels are read"
        if self._skips_level_zero:
            keep = entries.numpy("level") > 0
            reason = "rows are seen once compaction has taken them out of level 0"
        return self._keep(StageName.LEVELS, entries, keep, reason)

    def selected(self, entries: EntryColumns, selection: FileSelection) -> EntryColumns:
        """Files that the read is about; no stage of its own where that is all of them."""
        if selection.takes_all:
            return entries
        return self._keep(StageName.SELECTION, entries, selection.mask(entries), selection.reason)

    def statistics(self, entries: EntryColumns) -> EntryColumns:
        """Files whose statistics may match: of all columns, or of the key where versions must meet."""
        if self._schema.primary_keys:
            conjuncts, stats_of, columns = self._on_key, key_stats, "key columns"
        else:
            conjuncts, stats_of, columns = self._on_value, value_stats, "columns of the files"
        keep = self._matching(entries, conjuncts, stats_of)
        if evolves_data(self._schema):
            keep |= shares_rows(entries)
        return self._keep(StageName.STATISTICS, entries, keep, _reason(conjuncts, columns))

    def file_indexes(self, entries: EntryColumns) -> EntryColumns:
        """Files whose index in the manifest leaves a row; on the key alone where versions must meet."""
        conjuncts = self._on_key if self._schema.primary_keys else self._on_value
        answers = self._ask_indexes(entries, conjuncts)
        embedded, beside = files_with_index(entries)
        reason = (
            answers.reason or f"{embedded} files have an index in the manifest, none on a filtered column"
        )
        if not conjuncts or not embedded:
            reason = "no index in the manifest" if conjuncts else _reason((), "columns with an index")
        if beside and conjuncts:
            reason = f"{reason}; {beside} files have one beside them, which is asked when they are read"
        return self._keep(StageName.FILE_INDEX, entries, answers.keep, reason)

    def _ask_indexes(self, entries: EntryColumns, conjuncts: Conjuncts) -> EmbeddedAnswers:
        used = TableOptions(self._schema.options).get(FILE_INDEX_READ_ENABLED)
        answers = ask_embedded(self._schemas, self._schema, entries, conjuncts if used else ())
        if evolves_data(self._schema):
            # The rows of a file that shares them with others are not judged by its columns alone.
            answers.keep |= shares_rows(entries)
        return answers

    def whole_buckets(self, entries: EntryColumns) -> EntryColumns:
        """Primary-key files, less the buckets in which no file's value statistics and index match.

        All files of a bucket go or none, as one that does not match may hide a row of one that
        does; unless no key is in two of them: on one level above 0, or on any where level 0 is
        left out. Where values of several files combine into one row, none goes.
        """
        combine = versions_combine(self._schema) and not self._skips_level_zero
        conjuncts = self._on_value if self._schema.primary_keys and not combine else ()
        keep = self._matching(entries, conjuncts, value_stats)
        keep &= self._ask_indexes(entries, conjuncts).keep
        if not keep.all():
            group = bucket_groups(entries)
            any_of_bucket = np.bincount(group, weights=keep)[group] > 0
            if not self._skips_level_zero:
                keep = np.where(on_one_upper_level(group, entries.numpy("level")), keep, any_of_bucket)
        reason = _reason(conjuncts, "columns of the files")
        if combine:
            reason = "values of several files may combine into one row"
        if not self._schema.primary_keys:
            reason = "files of an append table are judged one by one"
        return self._keep(StageName.WHOLE_BUCKETS, entries, keep, reason)

    def _matching(self, entries: EntryColumns, conjuncts: Conjuncts, stats_of: Any) -> Mask:
        if not conjuncts or len(entries) == 0:
            return np.ones(len(entries), dtype=np.bool_)
        names = {name for conjunct in conjuncts for name in references(conjunct)}
        fields = [field for field in self._schema.fields if field.name in names]
        stats = stats_of(self._schemas, entries, fields)
        if ROW_ID.name in names:
            stats = {**stats, ROW_ID.name: _row_ids(entries)}
        return _all_may_match(conjuncts, stats, entries.column("row_count").combine_chunks())

    def _partition_reason(self) -> str:
        return _reason(self._on_partition, "partition columns")

    def _keep(self, name: StageName, entries: EntryColumns, keep: Mask, reason: str) -> EntryColumns:
        self._note(name, "files", keep, entries.numpy("file_size"), reason)
        if self._keeps_dropped:
            rows = entries.numpy("row_count")
            kept, dropped = int(rows[keep].sum()), int(rows[~keep].sum())
            self.stages[-1] = replace(self.stages[-1], kept_rows=kept, dropped_rows=dropped)
            self.dropped.append((self.stages[-1], entries.filter(~keep)))
        return entries if keep.all() else entries.filter(keep)

    def _note(
        self, name: StageName, unit: str, keep: Mask, sizes: npt.NDArray[np.int64], reason: str
    ) -> None:
        kept, kept_size = int(keep.sum()), int(sizes[keep].sum())
        stage = Stage(name, unit, kept, len(keep) - kept, kept_size, int(sizes.sum()) - kept_size, reason)
        self.stages.append(stage)

    def bounds(self, stage: StageName, entries: EntryColumns) -> list[str]:
        """What statistics say of each file's columns that a stage looks at: `v is in 1..9 or null`."""
        on_key = stage is StageName.STATISTICS and bool(self._schema.primary_keys)
        conjuncts, stats_of = (self._on_key, key_stats) if on_key else (self._on_value, value_stats)
        names = {name for conjunct in conjuncts for name in references(conjunct)}
        fields = [field for field in self._schema.fields if field.name in names]
        stats = stats_of(self._schemas, entries, fields)
        rows = entries.numpy("row_count").tolist()
        columns = [_bounds_texts(field, stats[field.name], rows) for field in fields if field.name in stats]
        return ["; ".join(texts) for texts in zip(*columns, strict=True)] if columns else [""] * len(rows)


def _bounds_texts(field: DataField, stats: ColumnStats, rows: Sequence[int]) -> list[str]:
    lows, highs = to_python(stats.minimum, field.type), to_python(stats.maximum, field.type)
    texts = []
    for low, high, nulls, count in zip(lows, highs, stats.null_count.to_pylist(), rows, strict=True):
        name = name_text(field.name)
        if nulls == count:
            texts.append(f"{name} is null")
        elif low is None or high is None:
            texts.append(f"of {name} nothing is known")
        else:
            between = f"{literal_text(low, field.type)}..{literal_text(high, field.type)}"
            texts.append(f"{name} is in {between}" + ("" if nulls == 0 else " or null"))
    return texts


def _row_ids(entries: EntryColumns) -> ColumnStats:
    """The ids of the rows of each file; unknown where its rows have ids of their own."""
    first: Any = entries.column("first_row_id").combine_chunks()
    last = pc.subtract(pc.add(first, entries.column("row_count").combine_chunks()), 1)
    return ColumnStats(first, last, pa.array(np.zeros(len(entries), dtype=np.int64)))


def _manifest_row_ids(manifests: Sequence[ManifestFileMeta]) -> dict[str, ColumnStats]:
    """The ids of the rows of all files of each manifest; a manifest has none unless all its files do."""
    first = pa.array([m.min_row_id for m in manifests], pa.int64())
    last = pa.array([m.max_row_id for m in manifests], pa.int64())
    return {ROW_ID.name: ColumnStats(first, last, pa.array([0] * len(manifests), pa.int64()))}


def _over(conjuncts: Conjuncts, names: Sequence[str]) -> Conjuncts:
    """The conjuncts that look at nothing but `names`."""
    return tuple(c for c in conjuncts if references(c) and set(references(c)) <= set(names))


def _reason(conjuncts: Conjuncts, columns: str) -> str:
    if not conjuncts:
        return f"no condition on {columns}"
    return " AND ".join(predicate_to_text(conjunct) for conjunct in conjuncts)


def _partition_stats(
    fields: Sequence[DataField], manifests: Sequence[ManifestFileMeta]
) -> dict[str, ColumnStats]:
    types = [field.type.with_nullability(True) for field in fields]
    stats = [m.partition_stats for m in manifests]
    minima = decode_rows(types, pa.array([s.min_values.to_bytes() for s in stats], pa.binary()))
    maxima = decode_rows(types, pa.array([s.max_values.to_bytes() for s in stats], pa.binary()))
    found = {}
    for index, field in enumerate(fields):
        counts = [s.null_counts[index] if index < len(s.null_counts) else None for s in stats]
        found[field.name] = ColumnStats(minima[index], maxima[index], pa.array(counts, pa.int64()))
    return found


def _all_may_match(conjuncts: Conjuncts, stats: dict[str, ColumnStats], row_count: Any) -> Mask:
    keep = np.ones(len(row_count), dtype=np.bool_)
    for conjunct in conjuncts:
        keep &= _numpy(may_match(conjunct, stats, row_count))
    return keep


def _numpy(mask: Any) -> Mask:
    return np.asarray(mask.fill_null(False).to_numpy(zero_copy_only=False))
