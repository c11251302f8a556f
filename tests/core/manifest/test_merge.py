from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.io import MemoryFileIO, TablePaths
from core.manifest import (
    FileKind,
    ManifestEntry,
    ManifestFileMeta,
    ManifestStore,
    ManifestWriter,
    MergeSettings,
    merge_entries,
    merge_manifests,
    partitions_by_stats,
    plan_merge,
)
from core.manifest.merge import FullMerge, MinorMerge
from core.options import TableOptions
from core.types import IntType
from tests.builders import add, delete, entry, manifest, row

PATHS = TablePaths("memory://b/t")
SETTINGS = MergeSettings(target_size=100, min_count=3, full_size=1000)


def sized(*sizes: int, deleted: Sequence[int] = ()) -> list[ManifestFileMeta]:
    """Manifests m0, m1, ... of these sizes; those at `deleted` hold a DELETE."""
    return [
        manifest(f"m{i}", file_size=size, num_deleted_files=int(i in deleted)) for i, size in enumerate(sizes)
    ]


def groups(metas: Sequence[ManifestFileMeta], settings: MergeSettings = SETTINGS) -> list[str]:
    plan = plan_merge(metas, settings)
    assert isinstance(plan, MinorMerge)
    return ["+".join(m.file_name for m in group) for group in plan.groups]


# --- the decision ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([], []),
        ([10], ["m0"]),
        ([10, 10], ["m0", "m1"]),
        ([10, 10, 10], ["m0+m1+m2"]),  # as many as the count
        ([60, 60], ["m0+m1"]),  # as much as the target
        ([60, 60, 10, 10], ["m0+m1", "m2", "m3"]),
        ([100, 10, 100], ["m0", "m1+m2"]),
        ([10, 10, 90, 200, 10, 10, 10], ["m0+m1+m2", "m3", "m4+m5+m6"]),
    ],
)
def test_neighbours_are_joined_by_size_or_count(sizes: list[int], expected: list[str]) -> None:
    assert groups(sized(*sizes)) == expected


def test_small_and_changed_manifests_that_weigh_enough_are_rewritten() -> None:
    assert isinstance(plan_merge(sized(600, 600, deleted=[0, 1]), SETTINGS), FullMerge)
    assert isinstance(plan_merge(sized(600, 600, deleted=[0]), SETTINGS), MinorMerge)
    assert isinstance(plan_merge(sized(*[99] * 11), SETTINGS), FullMerge)
    assert isinstance(plan_merge(sized(5000, 5000), SETTINGS), MinorMerge)


def test_one_large_manifest_alone_is_left_alone() -> None:
    assert groups(sized(5000, deleted=[0])) == ["m0"]


def test_settings_come_from_the_tables_options() -> None:
    options = {
        "manifest.target-file-size": "1 kb",
        "manifest.merge-min-count": "7",
        "manifest.full-compaction-threshold-size": "2 mb",
    }
    assert MergeSettings.of(TableOptions(options)) == MergeSettings(1024, 7, 2 << 20)
    assert MergeSettings.of(TableOptions({})) == MergeSettings()


# --- doing it ----------------------------------------------------------------------


class Directory:
    """A manifest/ directory to write manifests to, merge them, and read them back."""

    def __init__(self) -> None:
        self.io = MemoryFileIO()
        self.store = ManifestStore(self.io, PATHS)

    def write(self, *entries: ManifestEntry) -> ManifestFileMeta:
        (meta,) = self.writer().write_manifests(entries)
        return meta

    def writer(self) -> ManifestWriter:
        return ManifestWriter(self.io, PATHS, [IntType()], TableOptions({}))

    def merge(self, metas: Sequence[ManifestFileMeta], settings: MergeSettings) -> list[ManifestFileMeta]:
        return merge_manifests(metas, settings, self.store, self.writer(), partitions_by_stats([IntType()]))

    def entries(self, metas: Sequence[ManifestFileMeta]) -> list[ManifestEntry]:
        return list(self.store.read_entries(metas).entries())


P1, P2 = row(1), row(2)
FULL = MergeSettings(target_size=1, min_count=30, full_size=1)
MINOR = MergeSettings(target_size=1 << 30, min_count=2, full_size=1 << 40)


def test_a_full_merge_leaves_what_no_delete_can_touch() -> None:
    d = Directory()
    untouched = d.write(add("a", partition=P1))
    changed = d.write(add("b", partition=P2), add("c", partition=P2))
    deletes = d.write(delete("b", partition=P2))
    first, *rest = d.merge([untouched, changed, deletes], FULL)
    assert first == untouched
    assert d.entries(rest) == [add("c", partition=P2)]
    assert all(m.num_deleted_files == 0 for m in rest)


def test_a_full_merge_keeps_a_manifest_of_a_touched_partition_that_lost_nothing() -> None:
    d = Directory()
    same_partition = d.write(add("a", partition=P1))
    changed, deletes = d.write(add("b", partition=P1)), d.write(delete("b", partition=P1))
    assert d.merge([same_partition, changed, deletes], FULL) == [same_partition]


def test_a_full_merge_brings_no_deleted_file_back_beside_longer_names() -> None:
    d = Directory()
    added = d.write(add("data-1.avro", partition=P1))
    changed = d.write(delete("data-1.avro", partition=P1), add("data-1.zstd.parquet", partition=P1))
    assert d.entries(d.merge([added, changed], FULL)) == [add("data-1.zstd.parquet", partition=P1)]


def test_a_full_merge_of_one_manifest_is_none() -> None:
    d = Directory()
    untouched, deletes = d.write(add("a", partition=P1)), d.write(delete("x", partition=P2))
    assert d.merge([untouched, deletes], FULL) == [untouched, deletes]


def test_a_minor_merge_cancels_and_keeps_a_delete_whose_add_is_older() -> None:
    d = Directory()
    one = d.write(add("a", partition=P1), add("b", partition=P1))
    two = d.write(delete("a", partition=P1), delete("older", partition=P1))
    (merged,) = d.merge([one, two], MINOR)
    assert d.entries([merged]) == [add("b", partition=P1), delete("older", partition=P1)]


def test_when_all_cancels_no_manifest_is_written() -> None:
    d = Directory()
    metas = [d.write(add("a", partition=P1)), d.write(delete("a", partition=P1))]
    before = len(d.io.list_files(PATHS.manifest_dir))
    assert d.merge(metas, MINOR) == d.merge(metas, FULL) == []
    assert len(d.io.list_files(PATHS.manifest_dir)) == before


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(1, 3)), max_size=40),
    st.lists(st.integers(1, 6), min_size=1, max_size=8),
    st.sampled_from([1, 700, 1500, 1 << 30]),
    st.integers(1, 4),
    st.sampled_from([1, 3000, 1 << 40]),
)
def test_a_merge_never_changes_the_live_files(
    files: list[tuple[int, int]], cuts: list[int], target: int, count: int, full: int
) -> None:
    d = Directory()
    history: list[ManifestEntry] = []
    for name, partition in files:  # a file's first mention adds it, the second deletes it
        seen = sum(e.file.file_name == str(name) and e.partition == row(partition) for e in history)
        if seen < 2:
            history.append(entry(str(name), kind=FileKind(seen), partition=row(partition)))
    metas, rest = [], history
    for cut in cuts:
        metas += [d.write(*rest[:cut])] if rest[:cut] else []
        rest = rest[cut:]
    written = d.entries(metas)
    merged = d.merge(metas, MergeSettings(target, count, full))
    assert live_names(d.entries(merged)) == live_names(written)


def live_names(entries: list[ManifestEntry]) -> list[str]:
    return sorted(f"{e.file.file_name}/{e.partition}" for e in merge_entries(entries))
