"""What lies between two snapshots: net changes, and what was made and removed in between. Design: 6.4."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow.compute as _pc

from core.errors import InvalidRequestError
from core.inspect.changes import FileTotals
from core.inspect.schema_diff import SchemaDiff, diff_schemas
from core.manifest import EntryColumns
from core.snapshot import Snapshot
from core.system.placement import Partitions
from core.table import Table

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time


@dataclass(frozen=True, slots=True)
class LevelTotals:
    level: int
    before: FileTotals
    after: FileTotals


@dataclass(frozen=True, slots=True)
class SnapshotComparison:
    """From `before` to `after`, whichever is older. A file is one by name, at any level."""

    before: str  # reference
    after: str
    only_before: FileTotals
    only_after: FileTotals
    both: FileTotals
    transient: FileTotals | None  # made and removed in between; None if a snapshot there is gone
    partitions: tuple[str, ...]  # path forms with a net change, sorted
    levels: tuple[LevelTotals, ...]
    commits: tuple[str, ...]  # references after the older one up to the newer one, in order
    commits_by_kind: Mapping[str, int]
    schemas: SchemaDiff | None  # None: the same schema


def compare_snapshots(table: Table, before: Snapshot, after: Snapshot) -> SnapshotComparison:
    """The net difference of two snapshots of one branch.

    Raises:
        InvalidRequestError: they are the same.
    """
    if before.identity == after.identity:
        raise InvalidRequestError("these are one snapshot", snapshot=before.reference)
    old, new = table.manifests.live_entries(before), table.manifests.live_entries(after)
    in_new, in_old = _is_in(old, new), _is_in(new, old)
    gone, came, stayed = old.filter(~in_new), new.filter(~in_old), new.filter(in_old)
    commits = _between(table, before, after)
    return SnapshotComparison(
        before=before.reference,
        after=after.reference,
        only_before=FileTotals.of(gone),
        only_after=FileTotals.of(came),
        both=FileTotals.of(stayed),
        transient=None if commits is None else _transient(table, commits, old, new),
        partitions=_touched(table, EntryColumns.concat([gone, came])),
        levels=_levels(old, new),
        commits=tuple(snapshot.reference for snapshot in commits or ()),
        commits_by_kind=dict(Counter(snapshot.commit_kind.value for snapshot in commits or ())),
        schemas=_schema_diff(table, before, after),
    )


def _is_in(entries: EntryColumns, others: EntryColumns) -> Any:
    names = others.column("file_name").combine_chunks()
    mask = pc.is_in(entries.column("file_name").combine_chunks(), value_set=names)
    return mask.to_numpy(zero_copy_only=False)


def _between(table: Table, one: Snapshot, other: Snapshot) -> list[Snapshot] | None:
    """The commits after the older snapshot up to the newer one; None if one of them is gone."""
    first, last = sorted((one.id, other.id))
    wanted = range(first + 1, last + 1)
    if not set(wanted) <= set(table.snapshots.ids()):
        return None
    return [table.snapshots.get(snapshot_id) for snapshot_id in wanted]


def _transient(table: Table, commits: Sequence[Snapshot], old: EntryColumns, new: EntryColumns) -> FileTotals:
    """Files added in between that neither end has."""
    added = EntryColumns.concat([table.manifests.delta_entries(snapshot).adds() for snapshot in commits])
    names = added.column("file_name").combine_chunks()
    _, first = np.unique(names.dictionary_encode().indices.to_numpy(), return_index=True)
    once = added.take(np.sort(first))
    return FileTotals.of(once.filter(~_is_in(once, old) & ~_is_in(once, new)))


def _touched(table: Table, changed: EntryColumns) -> tuple[str, ...]:
    return tuple(sorted(set(Partitions.of(table.schema, changed.column("partition")).names)))


def _levels(old: EntryColumns, new: EntryColumns) -> tuple[LevelTotals, ...]:
    levels = np.union1d(old.numpy("level"), new.numpy("level")).tolist()
    return tuple(
        LevelTotals(level, FileTotals.of(_at(old, level)), FileTotals.of(_at(new, level))) for level in levels
    )


def _at(entries: EntryColumns, level: int) -> EntryColumns:
    return entries.filter(entries.numpy("level") == level)


def _schema_diff(table: Table, before: Snapshot, after: Snapshot) -> SchemaDiff | None:
    if before.schema_id == after.schema_id:
        return None
    return diff_schemas(table.schemas.get(before.schema_id), table.schemas.get(after.schema_id))
