from __future__ import annotations

import pytest

from core.errors import FormatError, NotFoundError
from core.io import MemoryFileIO, TablePaths
from core.manifest import EntryColumns, ManifestStore, ManifestWriter
from core.options import TableOptions
from core.snapshot import Snapshot
from tests.builders import add, delete, snapshot

PATHS = TablePaths("memory://b/t")


def names(entries: EntryColumns) -> list[str]:
    return [e.file.file_name for e in entries.entries()]


def table() -> tuple[MemoryFileIO, Snapshot]:
    """Base: a, b and c in two manifests. Delta: b goes, d comes. Changelog: e."""
    io = MemoryFileIO()
    writer = ManifestWriter(io, PATHS, [], TableOptions({}))
    base = writer.write_manifests([add("a"), add("b")]) + writer.write_manifests([add("c")])
    delta = writer.write_manifests([delete("b"), add("d")])
    changelog = writer.write_manifests([add("e")])
    lists = [writer.write_list(metas).name for metas in (base, delta, changelog)]
    return io, snapshot(
        2, base_manifest_list=lists[0], delta_manifest_list=lists[1], changelog_manifest_list=lists[2]
    )


def test_live_files_are_base_and_delta_cancelled() -> None:
    io, latest = table()
    assert names(ManifestStore(io, PATHS).live_entries(latest)) == ["a", "c", "d"]


def test_delta_and_changelog_are_read_alone() -> None:
    io, latest = table()
    store = ManifestStore(io, PATHS)
    assert names(store.delta_entries(latest)) == ["b", "d"]
    assert names(store.changelog_entries(latest)) == ["e"]
    assert names(store.changelog_entries(snapshot(1))) == []
    assert store.index_entries(latest) == []


def test_a_delete_whose_add_was_pruned_away_is_dropped() -> None:
    io, latest = table()
    store = ManifestStore(io, PATHS)
    _, second, delta = store.manifests(latest)
    assert names(store.live_entries(latest, [second, delta])) == ["c", "d"]


def test_many_manifests_are_read_in_order() -> None:
    io = MemoryFileIO()
    writer = ManifestWriter(io, PATHS, [], TableOptions({}))
    metas = [meta for i in range(20) for meta in writer.write_manifests([add(f"data-{i}")])]
    assert names(ManifestStore(io, PATHS).read_entries(metas)) == [f"data-{i}" for i in range(20)]


@pytest.mark.parametrize("count", [1, 5])
def test_the_manifest_that_is_damaged_is_named(count: int) -> None:
    io = MemoryFileIO()
    writer = ManifestWriter(io, PATHS, [], TableOptions({}))
    metas = [meta for i in range(count) for meta in writer.write_manifests([add(f"data-{i}")])]
    path = PATHS.manifest_file(metas[-1].file_name)
    io.write(path, io.read(path)[:-20])
    with pytest.raises(FormatError, match=metas[-1].file_name):
        ManifestStore(io, PATHS).read_entries(metas)


def test_the_list_that_is_missing_is_named() -> None:
    io, latest = table()
    io.delete(PATHS.manifest_file(latest.delta_manifest_list))
    with pytest.raises(NotFoundError, match=latest.delta_manifest_list):
        ManifestStore(io, PATHS).live_entries(latest)
