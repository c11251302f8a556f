"""What the data files of a table are kept for: live, old snapshots, tags and branches. Design: 6.3.

A file that nothing names is known only to who lists the store, which no page does: orphans are not here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as _pc

from console.inspector.cache import computed
from console.inspector.opening import OpenTable
from core.io import MAIN_BRANCH
from core.manifest import EntryColumns
from core.snapshot import Snapshot, Tag
from core.table import Table

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

MOST_SEARCHED = 2000  # commits of a branch, newest first
_COLUMNS: dict[str, pa.DataType] = {"file_name": pa.string(), "file_size": pa.int64(), "level": pa.int32()}
_FILES = pa.schema(_COLUMNS)


def of_table(opened: OpenTable) -> dict[str, Any]:
    """Files and bytes by what keeps them, and those that are live by level, at this moment.

    Raises:
        PaimonError: metadata that a kept snapshot or tag needs is missing or damaged.
    """
    latest = opened.table.snapshots.latest()
    key = ("storage", *(opened.cache_key(latest) if latest else (opened.table.location, opened.branch)))
    return computed(key, lambda: _of_table(opened.table, latest))


def _of_table(table: Table, latest: Snapshot | None) -> dict[str, Any]:
    ids = table.snapshots.ids()[-MOST_SEARCHED:]
    live = files_of([table.manifests.live_entries(latest)] if latest else [])
    old = _without(files_of(_removed(table, ids[1:])), live)
    known = pa.concat_tables([live, old])
    held = _without(files_of(_of_refs(table)), known)
    return {
        "live": _counted(live),
        "old_snapshots": _counted(old),
        "refs": _counted(held),
        "levels": _levels(live),
        "searched_from": ids[0] if ids else None,
    }


def _removed(table: Table, ids: list[int]) -> Iterator[EntryColumns]:
    """What each commit took away: the snapshot before it, which is kept, still has that."""
    for snapshot_id in ids:
        yield table.manifests.delta_entries(table.snapshots.get(snapshot_id)).deletes()


def _of_refs(table: Table) -> Iterator[EntryColumns]:
    """What tags and other branches have: of a branch the files of its first snapshot and all added since."""
    for branch in (MAIN_BRANCH, *table.branches.names()):
        view = table if branch == table.branch else table.with_branch(branch)
        for tag in view.tags.examine():
            if isinstance(tag, Tag):
                yield view.manifests.live_entries(tag.snapshot)
        if view is table:
            continue
        yield from files_since(view, view.snapshots.ids()[-MOST_SEARCHED:])


def files_since(table: Table, ids: list[int]) -> Iterator[EntryColumns]:
    """The files of the first of these snapshots and all that the others added: whatever one of them needs."""
    for i, snapshot_id in enumerate(ids):
        snapshot = table.snapshots.get(snapshot_id)
        yield table.manifests.delta_entries(snapshot).adds() if i else table.manifests.live_entries(snapshot)


def files_of(parts: Iterable[EntryColumns]) -> pa.Table:
    """Each file once."""
    tables = [
        pa.Table.from_arrays([part.column(name) for name in _FILES.names], names=_FILES.names).cast(_FILES)
        for part in parts
    ]
    whole = pa.concat_tables([_FILES.empty_table(), *tables])
    once = whole.group_by("file_name").aggregate([("file_size", "max"), ("level", "max")])
    return once.rename_columns(["file_name", "file_size", "level"]).select(_FILES.names)


def _without(files: pa.Table, others: pa.Table) -> pa.Table:
    named = pc.is_in(files.column("file_name"), value_set=others.column("file_name").combine_chunks())
    return files.filter(pc.invert(named))


def _counted(files: pa.Table) -> dict[str, int]:
    return {"files": len(files), "bytes": pc.sum(files.column("file_size")).as_py() or 0}


def _levels(files: pa.Table) -> list[dict[str, int]]:
    sums = files.group_by("level").aggregate([("file_size", "count"), ("file_size", "sum")]).to_pylist()
    rows = sorted(sums, key=lambda row: row["level"])
    return [{"level": r["level"], "files": r["file_size_count"], "bytes": r["file_size_sum"]} for r in rows]
