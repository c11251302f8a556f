"""What maintenance is tested on: tables with a past, and ways to look at all that can be read of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from core.catalog import FileSystemCatalog
from core.io import MAIN_BRANCH, MemoryFileIO
from core.maintenance.check import CheckReport, check_table
from core.manifest.entry import FileKind
from core.snapshot import Tag
from core.table import Table
from tests.tables import compact, copy, new_table, put, remove, rows_of

CORPORA = Path(__file__).parents[2] / "corpora"
HOUR = 3_600_000  # milliseconds

Rows = list[tuple[Any, ...]]


def keyed(**options: str) -> Table:
    """Snapshots 1 to 6: upserts, but for a compaction (3) and a delete (5)."""
    return copy(_keyed(tuple(sorted(options.items()))))


@cache
def _keyed(options: tuple[tuple[str, str], ...]) -> Table:
    table = new_table({"id": "INT NOT NULL", "v": "STRING"}, ["id"], **dict(options))
    for i in (1, 2):
        put(table, (i, f"v{i}"), (0, f"latest {i}"))
    compact(table)
    put(table, (4, "v4"), (0, "latest 4"))
    remove(table, (1, None))
    put(table, (6, "v6"), (0, "latest 6"))
    return table


def later(table: Table, hours: int = 2) -> int:
    """A time after the last commit, epoch milliseconds."""
    latest = table.snapshots.latest()
    assert latest is not None
    return latest.time_millis + hours * HOUR


def tag(table: Table, name: str, snapshot_id: int) -> None:
    table.tags.create(Tag(name, table.snapshots.get(snapshot_id)))


def corpus(name: str) -> Table:
    """A copy of a table that real Paimon wrote, such as `java09/changelog.db/input`."""
    io, source = MemoryFileIO(), CORPORA / name
    catalog = FileSystemCatalog(io, "memory://wh")
    folder = f"memory://wh/{source.parent.name}/{source.name}"
    for path in source.rglob("*"):
        if path.is_file():
            io.write(f"{folder}/{path.relative_to(source)}", path.read_bytes())
    return catalog.get_data_table(f"{source.parent.name.removesuffix('.db')}.{source.name}")


def everything(table: Table) -> dict[str, Rows]:
    """The rows of every snapshot and tag of every branch."""
    found: dict[str, Rows] = {}
    for branch in (MAIN_BRANCH, *table.branches.names()):
        view = table if branch == table.branch else table.with_branch(branch)
        for snapshot_id in view.snapshots.ids():
            found[f"{branch}/{snapshot_id}"] = rows_of(view, snapshot_id=snapshot_id)
        for name in view.tags.names():
            found[f"{branch}/{name}"] = rows_of(view, tag=name)
    return found


def files(table: Table) -> set[str]:
    """Names of all files below the table that are not found by listing alone."""
    tree = (status.path.removeprefix(f"{table.location}/") for status in table.io.iter_tree(table.location))
    return {
        path for path in tree if path.startswith(("manifest/", "index/", "statistics/")) or "bucket-" in path
    }


def is_clean(report: CheckReport) -> bool:
    """Whether nothing is wrong and nothing is left over."""
    return not (report.findings or report.orphans or report.orphans_unknown)


def checked(table: Table) -> CheckReport:
    return check_table(table)


def deleted_yet_live(table: Table) -> set[str]:
    """Live files that a manifest of the latest snapshot says were deleted: peers do not look at the order."""
    latest = table.snapshots.latest()
    assert latest is not None
    entries = table.manifests.open_entries(table.manifests.manifests(latest))
    live = {entry.identifier for entry in entries.live().entries()}
    return {e.file.file_name for e in entries.entries() if e.kind is FileKind.DELETE and e.identifier in live}
