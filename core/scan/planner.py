"""Plan a batch read: from a snapshot to splits. Spec: 09, 8.

    manifests of the snapshot
      -> manifests whose partition range can match
      -> their entries in partitions and buckets that match      (before ADD and DELETE cancel)
      -> live files
      -> files above level 0                                     (deletion vectors, first-row)
      -> files that the kind of read is about                    (read-optimized, by creation time)
      -> files whose statistics can match
      -> buckets with a file whose value statistics can match    (primary-key tables)
      -> splits, each with the deletion vectors of its files

Why a value filter cannot drop a single file of a primary-key bucket: another file of the
bucket may hold a newer version of one of its keys, and dropping that would show the older one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.datafile.system_fields import ROW_ID, evolves_data, hidden_fields, select_fields
from core.manifest import EntryColumns
from core.options import SPLIT_OPEN_FILE_COST, SPLIT_TARGET_SIZE, TableOptions
from core.predicate import And, Predicate, references, split_and
from core.scan.deletion_files import read_deletion_files
from core.scan.explain import Explain
from core.scan.levels import keys_unique_above_level_zero
from core.scan.plan import Plan
from core.scan.pruning import Pruner
from core.scan.row_ranges import row_range_layout
from core.scan.selection import ALL_FILES, FileSelection
from core.scan.source import TableSource
from core.scan.splits import Layout, Packing, Splits, append_layout, merge_tree_layout
from core.schema import TableSchema
from core.schema.defaults import defaulted_columns
from core.snapshot.snapshot import Snapshot

# What every plan looks at; statistics are read where a filter asks for them, the rest with the splits.
_LAYOUT = (
    *("row_count", "min_key", "max_key", "min_sequence_number", "level"),
    *("extra_files", "delete_row_count", "embedded_index"),
)


def plan_scan(
    source: TableSource,
    schema: TableSchema,
    snapshot: Snapshot | None,
    columns: Sequence[str] | None = None,
    predicate: Predicate | None = None,
    *,
    selection: FileSelection = ALL_FILES,
    branch: str | None = None,
) -> Plan:
    """The splits to read, and what each stage of pruning left out.

    Args:
        source: the table.
        schema: as which rows will be read.
        snapshot: to read; None for a table without one, which has no rows.
        columns: names, in the order wanted; None for all.
        predicate: bound to `schema`.
        selection: which of the live files to read.
        branch: what the splits say about theirs, where they join those of another branch.

    Raises:
        InvalidRequestError: no such column, or one is named twice.
    """
    fields = select_fields(schema, columns)
    pruner = Pruner(
        source.schemas,
        schema,
        on_columns(schema, predicate),
        with_level_zero=selection.with_level_zero,
    )
    deletion_files = read_deletion_files(source, schema, snapshot)
    entries = _live_files(source, snapshot, pruner, selection)
    layout = _layout(schema, entries)
    ordered = entries.take(layout.order)
    return Plan(
        snapshot=snapshot,
        schema=schema,
        fields=fields,
        predicate=predicate,
        entries=ordered,
        splits=Splits(snapshot.id if snapshot else 0, ordered, layout, deletion_files, branch=branch),
        explain=Explain(
            (*pruner.stages, deletion_files.stage(entries)) if pruner.stages else (),
            deletion_files.unused_indexes,
        ),
    )


def on_columns(schema: TableSchema, predicate: Predicate | None) -> Predicate | None:
    """The parts of a filter that metadata can answer: not on filled columns, of hidden ones on row ids."""
    hidden = {field.name for field in hidden_fields(schema) if field != ROW_ID} | defaulted_columns(schema)
    if predicate is None or not hidden & set(references(predicate)):
        return predicate
    left = tuple(c for c in split_and(predicate) if not hidden & set(references(c)))
    return And(left) if left else None


def _live_files(
    source: TableSource, snapshot: Snapshot | None, pruner: Pruner, selection: FileSelection
) -> EntryColumns:
    if snapshot is None:
        return EntryColumns.empty()
    manifests = pruner.manifests(source.manifests.manifests(snapshot))
    entries = pruner.partitions(source.manifests.open_entries(manifests))
    entries = pruner.buckets(entries).live()
    if entries.numpy("kind").any():  # a DELETE without its ADD belongs to a manifest that was left out
        entries = entries.adds()
    entries = pruner.selected(entries.with_columns(_LAYOUT), selection)
    return pruner.whole_buckets(pruner.file_indexes(pruner.statistics(pruner.levels(entries))))


def _layout(schema: TableSchema, entries: EntryColumns) -> Layout:
    if len(entries) == 0:
        nothing = np.zeros(0, dtype=np.int64)
        return Layout(nothing, nothing, np.zeros(0, dtype=np.bool_))
    options = TableOptions(schema.options)
    packing = Packing(options.get(SPLIT_TARGET_SIZE), options.get(SPLIT_OPEN_FILE_COST))
    if not schema.primary_keys:
        return row_range_layout(entries, packing) if evolves_data(schema) else append_layout(entries, packing)
    key_types = [field.type for field in schema.key_fields()]
    unique = keys_unique_above_level_zero(schema)
    return merge_tree_layout(entries, key_types, packing, unique_above_zero=unique)
