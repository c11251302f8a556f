"""What lists of partitions show on demand: bytes over the newest commits, and marks that they are done."""

from __future__ import annotations

from collections.abc import Sequence
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
from core.errors import FormatError, NotFoundError, PaimonError
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
    """Whether the directory of each partition holds a `_SUCCESS` file, and when that was last written.

    Null where the store does not say.
    """
    directories = _directories(opened, snapshot)

    def look(row: dict[str, Any]) -> dict[str, Any]:
        directory = directories.get(row["partition"])
        if directory is None:
            return {"done": None, "done_at": None}
        try:
            return {"done": True, "done_at": _written_at(opened, directory)}
        except NotFoundError:
            return {"done": False, "done_at": None}
        except PaimonError:
            return {"done": None, "done_at": None}

    return in_parallel(look, list(rows))


def _directories(opened: OpenTable, snapshot: Snapshot) -> dict[str, str]:
    """The directory of each partition that holds a file."""
    distinct = pc.unique(live_files(opened, snapshot).entries.column("partition"))
    paths = opened.table.paths
    return {
        opened.labels.partition(one): paths.partition_dir(opened.labels.directory(one))
        for one in distinct.to_pylist()
    }


def _written_at(opened: OpenTable, directory: str) -> datetime | None:
    try:
        found = JsonObject.parse(opened.table.io.read(f"{directory}/_SUCCESS"))
        return from_millis(found.integer("modificationTime"))
    except FormatError:
        return None  # an empty one, as other tools write it
