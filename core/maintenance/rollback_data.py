"""What a rollback does to the live files: which leave, which come back, which cannot. Design: 7.2.

The head may be damaged: its manifest list or a manifest missing or unreadable, the very reason to
roll back. What leaves and comes back is then not known, so all that the target needs must be there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pyarrow.compute as _pc

from core.binary import BinaryRow
from core.errors import FormatError, NotFoundError, PaimonError
from core.manifest.columns import EntryColumns
from core.scan.deletion_files import index_path
from core.snapshot.snapshot import Snapshot
from core.table import Table
from core.write.table_write import partition_directory

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

_LOOKERS = 16  # files looked for at once


@dataclass(frozen=True, slots=True)
class FileTotals:
    count: int = 0
    size: int = 0  # bytes
    rows: int = 0  # physical, before merging

    @staticmethod
    def sum_of(totals: Iterable[FileTotals]) -> FileTotals:
        parts = list(totals)
        return FileTotals(sum(t.count for t in parts), sum(t.size for t in parts), sum(t.rows for t in parts))


@dataclass(frozen=True, slots=True)
class PartitionChange:
    """What the rollback does to the live files of one partition."""

    partition: str  # `k1=v1/k2=v2`, empty for an unpartitioned table
    leaving: FileTotals
    returning: FileTotals

    @property
    def rows_delta(self) -> int:
        return self.returning.rows - self.leaving.rows

    @property
    def size_delta(self) -> int:
        """Bytes."""
        return self.returning.size - self.leaving.size


@dataclass(frozen=True, slots=True)
class DataChange:
    """What leaves the live files and what comes back, where the head tells."""

    partitions: tuple[PartitionChange, ...]  # those that change, most rows first; empty if not known
    missing_files: tuple[str, ...]  # paths that must come back and are not there
    head_damage: PaimonError | None = None  # names what of the head cannot be read: the change is not known


def data_change(table: Table, head: Snapshot, target: Snapshot) -> DataChange:
    """How the live files of the target differ from those of the head.

    Raises:
        NotFoundError, FormatError: metadata of the target is missing or damaged; `path` names it.
    """
    with ThreadPoolExecutor(1) as pool:
        of_head = pool.submit(table.manifests.live_entries, head)
        then = table.manifests.live_entries(target)
    try:
        now = of_head.result()
    except (NotFoundError, FormatError) as error:
        return DataChange((), _missing(table, _all_files(table, target, then)), error.with_traceback(None))
    leaving, returning = _without(now, then), _without(then, now)
    return DataChange(_changes(table, leaving, returning), _missing(table, _data_files(table, returning)))


def _changes(table: Table, leaving: EntryColumns, returning: EntryColumns) -> tuple[PartitionChange, ...]:
    left, back = _by_partition(leaving), _by_partition(returning)
    changes = [
        PartitionChange(
            partition_directory(table.schema, table.options, BinaryRow.from_bytes(p)),
            left.get(p, FileTotals()),
            back.get(p, FileTotals()),
        )
        for p in {**left, **back}
    ]
    return tuple(sorted(changes, key=lambda c: (-abs(c.rows_delta), c.partition)))


def _without(entries: EntryColumns, others: EntryColumns) -> EntryColumns:
    """Entries whose file the others do not have at any level; names of data files are unique."""
    return entries.filter(pc.invert(pc.is_in(entries.column("file_name"), others.column("file_name"))))


def _by_partition(entries: EntryColumns) -> dict[bytes, FileTotals]:
    sums: list[Any] = [("file_size", "sum"), ("row_count", "sum"), ("file_name", "count")]
    grouped = entries.table.group_by("partition").aggregate(sums)
    return {
        row["partition"]: FileTotals(row["file_name_count"], row["file_size_sum"], row["row_count_sum"])
        for row in grouped.to_pylist()  # one a partition
    }


def _all_files(table: Table, target: Snapshot, live: EntryColumns) -> Iterator[str]:
    """Paths of all that a reader of the target opens; its schemas are read here.

    Raises:
        NotFoundError, FormatError: a schema or the index manifest is missing or damaged.
    """
    for schema_id in {target.schema_id, *pc.unique(live.column("schema_id")).to_pylist()}:  # a few
        table.schemas.get(schema_id)
    yield from _data_files(table, live)
    for entry in table.manifests.index_entries(target):
        yield index_path(table, table.schema, entry)


def _data_files(table: Table, entries: EntryColumns) -> Iterator[str]:
    for entry in entries.entries():
        directory = partition_directory(table.schema, table.options, entry.partition)
        yield table.paths.data_file(directory, entry.bucket, entry.file)


def _missing(table: Table, needed: Iterable[str]) -> tuple[str, ...]:
    paths = list(needed)
    with ThreadPoolExecutor(_LOOKERS) as pool:
        there = list(pool.map(table.io.exists, paths))
    return tuple(path for path, found in zip(paths, there, strict=True) if not found)
