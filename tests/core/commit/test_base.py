"""How little of a large table a commit has to look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.commit.base import bucket_samples
from core.manifest import ManifestEntry, ManifestFileMeta
from core.manifest.columns import EntryColumns
from core.manifest.store import ManifestStore
from tests.builders import add, delete, manifest, row


class Manifests(ManifestStore):
    """Manifests in memory, named m0, m1, ...; remembers which were opened."""

    def __init__(self, *entries: list[ManifestEntry]) -> None:
        self._entries = dict(zip(map("m{}".format, range(len(entries))), entries, strict=True))
        self.opened: list[str] = []

    def open_entries(self, manifests: Sequence[ManifestFileMeta]) -> EntryColumns:  # type: ignore[override]
        self.opened += [meta.file_name for meta in manifests]
        return EntryColumns.of(e for meta in manifests for e in self._entries[meta.file_name])


def at(partition: int, name: str, buckets: int) -> ManifestEntry:
    return add(name, partition=row(partition), total_buckets=buckets)


def sampled(store: Manifests, *partitions: int) -> set[tuple[str, int]]:
    """Of a table whose manifest m0 is large."""
    names = list(store._entries)
    base = [replace(manifest(names[0]), file_size=8 << 20), *map(manifest, names[1:])]
    found = bucket_samples(store, base, map(row, partitions))
    return {(entry.file.file_name, entry.total_buckets) for entry in found}


def test_a_partition_written_lately_is_told_by_its_newest_file() -> None:
    store = Manifests([at(1, "a", 2)], [at(1, "b", 4)], [at(2, "c", 4)])
    assert sampled(store, 1) == {("b", 4)}
    assert store.opened == ["m1", "m2"]


def test_a_partition_not_written_lately_is_looked_for_everywhere() -> None:
    store = Manifests([at(1, "a", 2), at(2, "b", 2)], [at(2, "c", 2)])
    assert sampled(store, 1, 2) == {("a", 2), ("c", 2)}


def test_files_that_are_gone_or_postponed_tell_nothing() -> None:
    gone = delete("a", partition=row(1), total_buckets=2)
    store = Manifests([at(1, "a", 2), at(1, "b", 3)], [gone, at(1, "p", -2)])
    assert ("b", 3) in sampled(store, 1)
    assert ("a", 2) not in sampled(store, 1)


def test_of_a_new_partition_nothing_is_known() -> None:
    assert sampled(Manifests([at(1, "a", 2)], [at(1, "b", 2)]), 3) == set()
