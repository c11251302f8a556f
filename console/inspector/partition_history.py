"""What lists of partitions show on demand: bytes over the newest commits, and marks that they are done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as _pc

from console.api.fields import from_millis
from console.inspector.cache import in_parallel
from console.inspector.changes import delta
from console.inspector.live import live_files
from console.inspector.opening import OpenTable
from core.binary import BinaryRow, decode_row
from core.catalog.partitions import spec_of
from core.errors import FormatError, NotFoundError, PaimonError
from core.io import MAIN_BRANCH
from core.io.json_object import JsonObject
from core.manifest import EntryColumns
from core.snapshot import Snapshot

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

MOST_POINTS = 30  # of a history: commits up to the pinned one


def histories(opened: OpenTable, snapshot: Snapshot, rows: Sequence[dict[str, Any]]) -> list[list[int]]:
    """The bytes of each partition after each of the newest commits, the oldest first, the last as it is now.

    It begins where a commit before is gone, or cannot be read.
    """
    commits = _commits(opened, snapshot)
    names = [row["partition"] for row in rows]
    change = np.zeros((len(rows), len(commits)), np.int64)
    for at, entries in enumerate(commits):
        labels = opened.labels.partitions(entries.column("partition"))
        place = pc.index_in(labels, value_set=pa.array(names, pa.string()))
        known = np.asarray(pc.is_valid(place))
        signed = np.where(entries.numpy("kind") == 0, 1, -1) * entries.numpy("file_size")
        np.add.at(change[:, at], pc.drop_null(place).to_numpy(), signed[known])
    now = np.array([[row["bytes"]] for row in rows], np.int64).reshape(len(rows), 1)
    before = now - np.cumsum(change, axis=1)  # of the newest commit first
    found: list[list[int]] = np.concatenate([now, before], axis=1)[:, ::-1].tolist()
    return found


def _commits(opened: OpenTable, snapshot: Snapshot) -> list[EntryColumns]:
    """What the newest commits did, the newest first, as far as they follow one another and can be read."""
    kept = set(opened.table.snapshots.ids())
    ids = [snapshot.id]
    if not _is_kept(opened, snapshot):
        return []  # of a history that was rolled back, which only a tag keeps
    while len(ids) < MOST_POINTS and ids[-1] - 1 in kept:
        ids.append(ids[-1] - 1)

    def read(snapshot_id: int) -> EntryColumns | None:
        try:
            if snapshot_id == snapshot.id:
                return delta(opened, snapshot)
            return delta(opened, opened.table.snapshots.get(snapshot_id))
        except PaimonError:
            return None

    found: list[EntryColumns] = []
    for entries in in_parallel(read, ids[:-1]):
        if entries is None:
            break
        found.append(entries)
    return found


def _is_kept(opened: OpenTable, snapshot: Snapshot) -> bool:
    try:
        return opened.table.snapshots.get(snapshot.id).reference == snapshot.reference
    except PaimonError:
        return False


def done_marks(opened: OpenTable, snapshot: Snapshot, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Whether each partition is marked as done: by a `_SUCCESS` file in its directory, or in the catalog.

    `done` is null where neither is known. `done_by` names what says so, `done_at` when the file was written.
    """
    partitions = _serialized(opened, snapshot, [row["partition"] for row in rows])
    files = in_parallel(lambda one: _by_file(opened, one), partitions)
    told = _by_catalog(opened, partitions)
    return [_mark(by_file, by_catalog) for by_file, by_catalog in zip(files, told, strict=True)]


def _serialized(opened: OpenTable, snapshot: Snapshot, names: Sequence[str]) -> list[bytes | None]:
    """Each of these partitions as its files name it; None for one without any."""
    live = live_files(opened, snapshot)
    first = pc.index_in(
        pa.array(names, pa.string()), value_set=live.table.column("partition").combine_chunks()
    )
    found: list[bytes | None] = live.entries.column("partition").take(first).to_pylist()
    return found


@dataclass(frozen=True, slots=True)
class _SuccessFile:
    is_there: bool | None  # None: the store does not say
    written_at: datetime | None = None


def _by_file(opened: OpenTable, partition: bytes | None) -> _SuccessFile:
    if partition is None:
        return _SuccessFile(None)
    try:
        directory = opened.table.paths.partition_dir(opened.labels.directory(partition))
        return _SuccessFile(True, _written_at(opened, directory))
    except NotFoundError:
        return _SuccessFile(False)
    except PaimonError:
        return _SuccessFile(None)


def _written_at(opened: OpenTable, directory: str) -> datetime | None:
    try:
        found = JsonObject.parse(opened.table.io.read(f"{directory}/_SUCCESS"))
        return from_millis(found.integer("modificationTime"))
    except FormatError:
        return None  # an empty one, as other tools write it


def _by_catalog(opened: OpenTable, partitions: Sequence[bytes | None]) -> list[bool | None]:
    """What the catalog was told of each; None where it keeps no marks, or does not answer."""
    unknown: list[bool | None] = [None] * len(partitions)
    asked = [at for at, partition in enumerate(partitions) if partition is not None]
    if opened.branch != MAIN_BRANCH or not opened.table.schema.partition_keys or not asked:
        return unknown
    try:
        types = opened.table.schema.partition_types
        values = [decode_row(types, BinaryRow.from_bytes(partitions[at] or b"")) for at in asked]
        specs = [spec_of(opened.table, one) for one in values]
        marked = opened.table.home.partitions_done(opened.table.schema, specs)
    except PaimonError:
        return unknown
    for at, is_done in zip(asked, marked or (), strict=marked is not None):
        unknown[at] = is_done
    return unknown


def _mark(file: _SuccessFile, told: bool | None) -> dict[str, Any]:
    by = [word for word, says in (("file", file.is_there), ("catalog", told)) if says]
    known = file.is_there is not None or told is not None
    return {"done": bool(by) if known else None, "done_at": file.written_at, "done_by": by}
