"""Refuse columns of rows that another commit wrote since the writer looked. Spec: 08, 3, check 7.

An update of some columns (data evolution) takes the rows as of one snapshot, and gives all rows of a
range of ids anew, those that it did not change too. What others wrote to the same columns of the range
since would be hidden by it, and lost. Other columns of the same rows may be written side by side.
Compactions write no values that were not there, so they clash with nothing here.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import pyarrow.compute as _pc

from core.commit.change import Change
from core.commit.row_id_conflicts import Range, row_range
from core.errors import CommitConflictError, NotFoundError
from core.manifest.entry import ManifestEntry
from core.manifest.file_meta import DataFileMeta
from core.options import DATA_EVOLUTION_ENABLED
from core.snapshot.snapshot import CommitKind, Snapshot
from core.write.target import WriteTarget

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time


def check_written_columns(table: WriteTarget, change: Change, latest: Snapshot) -> None:
    """Refuse a change if its columns of rows that were there have been written since it was begun.

    Raises:
        CommitConflictError: they have, or it cannot be told as a snapshot has expired or was rewound.
    """
    if not table.options.get(DATA_EVOLUTION_ENABLED) or change.kind is CommitKind.COMPACT:
        return
    own = [entry for entry in change.entries if entry.file.first_row_id is not None]
    if own and (change.made_after or change.only_adds):
        base, since = _snapshots_since(table, change.made_after, latest)
        columns = WrittenColumns(own, _columns_of(table))
        for snapshot in since:
            if snapshot.commit_kind is not CommitKind.COMPACT:
                columns.check(snapshot, _of_old_rows(table, snapshot, base.next_row_id or 0))


class WrittenColumns:
    """The columns that a change writes, by rows; those of a file that goes are written, too."""

    def __init__(
        self, entries: Iterable[ManifestEntry], columns_of: Callable[[DataFileMeta], frozenset[int]]
    ) -> None:
        """`columns_of` tells the ids of the columns that a file holds."""
        self._columns_of = columns_of
        self._ranges: list[tuple[Range, frozenset[int]]] = []  # by first row, no row in two of them
        placed = [(found, entry) for entry in entries if (found := row_range(entry)) is not None]
        for (first, end), entry in sorted(placed, key=lambda pair: pair[0]):
            columns = columns_of(entry.file)
            if self._ranges and first < self._ranges[-1][0][1]:
                (start, reached), known = self._ranges.pop()
                self._ranges.append(((start, max(reached, end)), known | columns))
            else:
                self._ranges.append(((first, end), columns))
        self._ends = [end for (_, end), _ in self._ranges]

    def check(self, snapshot: Snapshot, entries: Iterable[ManifestEntry]) -> None:
        """`CommitConflictError` if one of the snapshot's entries is of the same columns of the same rows."""
        for entry in entries:
            found = row_range(entry)
            if found is not None and self._columns_within(found) & self._columns_of(entry.file):
                raise CommitConflictError(
                    "columns of the same rows have been written since: plan the change anew",
                    check="row ids",
                    winner=snapshot.reference,
                    file=entry.file.file_name,
                    first_row_id=entry.file.first_row_id,
                    rows=entry.file.row_count,
                )

    def _columns_within(self, rows: Range) -> frozenset[int]:
        found: frozenset[int] = frozenset()
        for (start, _), columns in self._ranges[bisect_right(self._ends, rows[0]) :]:
            if start >= rows[1]:
                break
            found |= columns
        return found


def _snapshots_since(
    table: WriteTarget, reference: str, latest: Snapshot
) -> tuple[Snapshot, Sequence[Snapshot]]:
    """The snapshot that a change was begun on, and those after it."""
    first = int(reference.partition("~")[0] or 0)
    try:
        base, *since = [table.snapshots.get(i) for i in range(first, latest.id)] + [latest]
    except NotFoundError as error:
        raise _unknown(reference) from error
    if base.reference != reference:
        raise _unknown(reference)
    return base, since


def _unknown(reference: str) -> CommitConflictError:
    return CommitConflictError(
        "a snapshot since the change was begun is gone, so nobody can say which columns it wrote",
        check="row ids",
        begun_on=reference,
    )


def _of_old_rows(table: WriteTarget, snapshot: Snapshot, next_row_id: int) -> Iterator[ManifestEntry]:
    """What a snapshot brings and takes of rows whose ids were given out before."""
    delta = table.manifests.delta_entries(snapshot)
    return iter(
        delta.filter(pc.fill_null(pc.less(delta.column("first_row_id"), next_row_id), False)).entries()
    )


def _columns_of(table: WriteTarget) -> Callable[[DataFileMeta], frozenset[int]]:
    def columns(file: DataFileMeta) -> frozenset[int]:
        fields = table.schemas.get(file.schema_id).fields
        names = file.write_cols
        return frozenset(field.id for field in fields if names is None or field.name in names)

    return columns
