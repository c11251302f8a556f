"""The live files of a table: pages of them, and one in detail."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pyarrow as pa

from console.api.columns import page_of_columns
from console.api.damage import Damage, Pointer, damage_of, problem_of, wrong_size
from console.api.listing import Listing, ListQuery, Page
from console.inspector import column_stats, lineage
from console.inspector.live import LiveFiles, find_file, live_files, rows_of
from console.inspector.opening import OpenTable
from core.errors import NotFoundError, PaimonError
from core.snapshot import Snapshot

_NOT_ASKED_FOR = {"born": None, "statistics": None}


def page(
    opened: OpenTable,
    snapshot: Snapshot | None,
    listing: Listing,
    query: ListQuery,
    *,
    born: bool = False,
    statistics: Collection[int] = (),
) -> Page:
    """A page of the files that are live at the snapshot.

    With `born`, also which commit each came with; with `statistics`, what is known of the columns of these
    field ids in each.
    """
    live = live_files(opened, snapshot)
    as_of = snapshot.reference if snapshot else ""
    rows, page_ = page_of_columns(live.table, listing, query, as_of)
    shown = _shown(opened, live, rows)
    if born and snapshot is not None:
        births = lineage.births(opened, snapshot, [row["name"] for row in shown])
        shown = [row | {"born": births.get(row["name"])} for row in shown]
    if statistics:
        told = column_stats.of_files(opened, live.entries, rows.column("row"), statistics)
        shown = [row | {"statistics": found} for row, found in zip(shown, told, strict=True)]
    return Page(shown, page_.next, page_.total, as_of or None)


def _shown(opened: OpenTable, live: LiveFiles, rows: pa.Table) -> list[dict[str, Any]]:
    partitions: list[Any] = live.entries.column("partition").take(rows.column("row")).to_pylist()
    external = live.entries.column("external_path").take(rows.column("row")).to_pylist()
    shown = [{**row, **_NOT_ASKED_FOR} for row in rows_of(opened, live.entries, rows)]
    for row, partition, elsewhere in zip(shown, partitions, external, strict=True):
        row["path"] = elsewhere or _path(opened, partition, row["bucket"], row["name"])
    return shown


def _path(opened: OpenTable, partition: bytes, bucket: int, name: str) -> str:
    return f"{opened.table.paths.bucket_dir(opened.labels.directory(partition), bucket)}/{name}"


def path_of(opened: OpenTable, snapshot: Snapshot | None, name: str) -> str:
    """Where a live file lies.

    Raises:
        Problem: `not-found`.
    """
    live = live_files(opened, snapshot)
    shown = _shown(opened, live, live.table.slice(find_file(live, name), 1))
    return str(shown[0]["path"])


def detail(opened: OpenTable, snapshot: Snapshot | None, name: str) -> dict[str, Any]:
    """One live file: all its metadata, its column statistics, and whether it is there."""
    live = live_files(opened, snapshot)
    position = find_file(live, name)
    row = _shown(opened, live, live.table.slice(position, 1))[0]
    meta = live.entries.file(position)
    found, damage = _stored(opened, row)
    try:
        described = column_stats.of_file(opened, meta)
    except PaimonError as error:  # the schema it was written with is lost
        described = []
        damage = damage or damage_of(error).named(Pointer("data_file", name))
    return row | {
        **problem_of(damage),
        "columns": described,
        "extra_files": meta.extra_files,
        "external_path": meta.external_path,
        "value_stats_cols": meta.value_stats_cols,
        "first_row_id": meta.first_row_id,
        "write_cols": meta.write_cols,
        "exists": found,
        "redacted": not opened.sight.tells_everything,
    }


def _stored(opened: OpenTable, row: dict[str, Any]) -> tuple[bool | None, Damage | None]:
    """Whether the file is there (None: the store does not say), and what is wrong with it from outside."""
    try:
        size = opened.table.io.status(row["path"]).size
    except NotFoundError as error:
        return False, damage_of(error)
    except PaimonError as error:
        return None, damage_of(error)
    if size == row["bytes"]:
        return True, None
    return True, wrong_size("data_file", row["path"], expected=row["bytes"], found=size)
