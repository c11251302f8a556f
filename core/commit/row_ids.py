"""What only a commit knows of new files: the ids of their rows, and their snapshot. Spec: 02, 3.1."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as _pc

from core.commit.delta import Delta
from core.errors import FormatError, UnsupportedError
from core.manifest.columns import ENTRY_SCHEMA, EntryColumns
from core.manifest.entry import FileKind
from core.manifest.file_meta import FileSource
from core.options import (
    ROW_TRACKING_ENABLED,
    ROW_TRACKING_PARTITION_GROUP,
    SEQUENCE_SNAPSHOT_ORDERING,
    TableOptions,
)

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

_Flags = npt.NDArray[np.bool_]
_Longs = npt.NDArray[np.int64]

_ROW_ID = "_ROW_ID"
_BLOB_SUFFIX = ".blob"


def stamp_entries(
    delta: Delta,
    options: TableOptions,
    *,
    snapshot_id: int,
    next_row_id: int | None,
    is_compaction: bool,
) -> Delta:
    """The delta with row ids and sequence numbers, where the table's options ask for them.

    Args:
        delta: the entries as writers made them.
        options: of the table.
        snapshot_id: of the snapshot to be made.
        next_row_id: of the snapshot before; None if it has none.
        is_compaction: the rows are not new.

    Raises:
        UnsupportedError, FormatError: as `assign_row_ids`.
    """
    entries = delta.entries
    if options.get(SEQUENCE_SNAPSHOT_ORDERING) and not is_compaction:
        entries = _with_sequence(entries, entries.numpy("kind") == FileKind.ADD, snapshot_id)
    if not options.get(ROW_TRACKING_ENABLED):
        return replace(delta, entries=entries, next_row_id=next_row_id)
    entries = _with_snapshot_id(entries, snapshot_id)
    if options.get(ROW_TRACKING_PARTITION_GROUP):
        entries = _grouped(entries)
    entries, following = assign_row_ids(entries, next_row_id or 0)
    return replace(delta, entries=entries, next_row_id=following)


def assign_row_ids(entries: EntryColumns, start: int) -> tuple[EntryColumns, int]:
    """The entries with the new rows numbered from `start` on, and the number after the last.

    Blobs are of rows of the file of other columns before them, and numbered from its first on.

    Raises:
        UnsupportedError: a file of vectors.
        FormatError: blobs of more rows than there are.
    """
    new = _without_row_ids(entries)
    names = entries.column("file_name").combine_chunks()
    vectors = pc.and_(pa.array(new), pc.match_substring(names, ".vector.")).index(pa.scalar(True)).as_py()
    if vectors >= 0:
        where = names[vectors].as_py()
        raise UnsupportedError("vectors in files of their own", feature="row ids", where=where)
    blobs = new & pc.ends_with(names, _BLOB_SUFFIX).to_numpy(zero_copy_only=False)
    rows = entries.numpy("row_count")
    counts = np.where(new & ~blobs, rows, 0)
    ends = start + np.cumsum(counts)
    firsts = ends - counts
    _number_blobs(entries, np.flatnonzero(blobs), np.flatnonzero(counts), firsts, ends)
    ids = pc.if_else(pa.array(new), pa.array(firsts), entries.column("first_row_id"))
    return _replaced(entries, "first_row_id", ids), start + int(counts.sum())


def _number_blobs(entries: EntryColumns, blobs: _Longs, plain: _Longs, firsts: _Longs, ends: _Longs) -> None:
    """Set the first ids of files of blobs in `firsts`; those of the plain files before them are there."""
    following: dict[tuple[int, str], int] = {}  # by plain file and column
    rows, columns = entries.numpy("row_count"), entries.column("write_cols")
    for blob, before in zip(blobs.tolist(), (np.searchsorted(plain, blobs) - 1).tolist(), strict=True):
        held = columns[blob].as_py() or [""]
        owner = int(plain[before]) if before >= 0 else -1
        first = following.get((owner, held[0]), int(firsts[owner])) if owner >= 0 else 0
        if owner < 0 or first + rows[blob] > ends[owner]:
            name = entries.column("file_name")[blob].as_py()
            raise FormatError(
                "blobs of rows that are in no file before them", file=name, rows=int(rows[blob])
            )
        firsts[blob] = first
        following[(owner, held[0])] = first + int(rows[blob])


def _without_row_ids(entries: EntryColumns) -> _Flags:
    """Files of rows that are new to the table, as opposed to those that are moved or changed."""
    columns: list[Any] = entries.column("write_cols").to_pylist()
    written = pc.fill_null(pc.equal(entries.column("file_source"), int(FileSource.APPEND)), False)
    keeps_ids = np.array([_ROW_ID in (names or ()) for names in columns], np.bool_)
    is_added = entries.numpy("kind") == FileKind.ADD
    unnumbered = entries.column("first_row_id").is_null().to_numpy()
    found: _Flags = is_added & written.to_numpy() & unnumbered & ~keeps_ids
    return found


def _with_snapshot_id(entries: EntryColumns, snapshot_id: int) -> EntryColumns:
    """Sequence numbers of 0 say that nobody has said anything yet."""
    added = entries.numpy("kind") == FileKind.ADD
    fresh = added & (entries.numpy("min_sequence_number") == 0)
    entries = _with_sequence(entries, fresh, snapshot_id)
    late = added & (entries.numpy("max_sequence_number") == 0)
    return _replaced(
        entries, "max_sequence_number", np.where(late, snapshot_id, entries.numpy("max_sequence_number"))
    )


def _with_sequence(entries: EntryColumns, which: _Flags, number: int) -> EntryColumns:
    for name in ("min_sequence_number", "max_sequence_number"):
        entries = _replaced(entries, name, np.where(which, number, entries.numpy(name)))
    return entries


def _grouped(entries: EntryColumns) -> EntryColumns:
    """By partition, in the order in which these first appear."""
    codes = entries.column("partition").combine_chunks().dictionary_encode().indices.to_numpy()
    order = np.argsort(codes, kind="stable")
    return EntryColumns(entries.complete().table.take(order))


def _replaced(entries: EntryColumns, name: str, values: Any) -> EntryColumns:
    table, field = entries.complete().table, ENTRY_SCHEMA.field(name)
    column = values if isinstance(values, pa.ChunkedArray) else pa.array(values, field.type)
    return EntryColumns(table.set_column(ENTRY_SCHEMA.get_field_index(name), field, column))
