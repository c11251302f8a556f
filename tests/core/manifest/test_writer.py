from __future__ import annotations

import re

import pytest

from core.errors import InvalidRequestError, StorageError, UnsupportedError
from core.io import MemoryFileIO, TablePaths
from core.manifest import IndexManifestEntry, ManifestStore, ManifestWriter
from core.manifest.writer import avro_codec
from core.options import TableOptions
from core.stats.simple_stats import EMPTY_STATS
from core.types import IntType
from tests.builders import add, delete, row, stats

PATHS = TablePaths("memory://b/t")


def writer(io: MemoryFileIO) -> ManifestWriter:
    return ManifestWriter(io, PATHS, [], TableOptions({}))


def test_entries_come_back_in_order_from_as_many_files_as_the_target_size_asks() -> None:
    io = MemoryFileIO()
    entries = [add(f"data-{i}", partition=row(i % 3)) for i in range(500)]
    options = TableOptions({"manifest.target-file-size": "500 b"})
    metas = ManifestWriter(io, PATHS, [IntType()], options).write_manifests(entries)
    assert len(metas) > 2
    assert list(ManifestStore(io, PATHS).read_entries(metas).entries()) == entries
    assert sum(m.num_added_files for m in metas) == 500
    assert all(io.status(PATHS.manifest_file(m.file_name)).size == m.file_size for m in metas)


def test_manifests_are_packed_at_the_level_of_data_files() -> None:
    entries = [add(f"data-{i * i}", partition=row(i % 3)) for i in range(500)]
    sizes = []
    for level in ("1", "19"):
        options = TableOptions({"file.compression.zstd-level": level})
        (meta,) = ManifestWriter(MemoryFileIO(), PATHS, [IntType()], options).write_manifests(entries)
        sizes.append(meta.file_size)
    assert sizes[1] < sizes[0]


def test_nothing_to_write_is_no_manifest_and_an_empty_list() -> None:
    io = MemoryFileIO()
    made = writer(io)
    assert made.write_manifests([]) == []
    written = made.write_list([])
    assert ManifestStore(io, PATHS).read_list(written.name) == []
    assert written.size == io.status(PATHS.manifest_file(written.name)).size


def test_names_count_up_by_kind_under_one_uuid() -> None:
    made = writer(MemoryFileIO())
    names = [
        made.write_manifests([add()])[0].file_name,
        made.write_manifests([add()])[0].file_name,
        made.write_list([]).name,
        made.write_list([]).name,
        made.write_index([]),
    ]
    uuid = re.compile(r"-([0-9a-f-]{36})-")
    assert len({uuid.search(name).group(1) for name in names}) == 1  # type: ignore[union-attr]  # all match
    assert [uuid.sub("-", name) for name in names] == [
        "manifest-0",
        "manifest-1",
        "manifest-list-0",
        "manifest-list-1",
        "index-manifest-0",
    ]


def test_a_failed_attempt_takes_all_its_files_back() -> None:
    io = MemoryFileIO()
    made = writer(io)
    made.write_list(made.write_manifests([add()]))
    made.write_index([])
    assert len(made.written) == 3
    made.discard()
    assert io.list_files(PATHS.manifest_dir) == []
    assert made.written == ()


def test_a_file_that_failed_while_it_was_written_is_taken_back_too() -> None:
    class Failing(MemoryFileIO):
        def write(self, path: str, data: bytes) -> None:
            super().write(path, data[:10])
            raise StorageError("the store failed", path=path)

    io = Failing()
    made = writer(io)
    with pytest.raises(StorageError):
        made.write_manifests([add()])
    made.discard()
    assert io.list_files(PATHS.manifest_dir) == []


def test_deletes_may_be_written_without_statistics() -> None:
    io = MemoryFileIO()
    known = stats([1], [2], [0])
    options = TableOptions({"manifest.delete-file-drop-stats": "true"})
    made = ManifestWriter(io, PATHS, [], options)
    metas = made.write_manifests(
        [add("a", value_stats=known), delete("b", value_stats=known, key_stats=known)]
    )
    first, second = ManifestStore(io, PATHS).read_entries(metas).entries()
    assert first.file.value_stats == known
    assert (second.file.value_stats, second.file.key_stats) == (EMPTY_STATS, EMPTY_STATS)
    assert second.file.value_stats_cols == ()


def test_index_files_are_written_whole() -> None:
    io = MemoryFileIO()
    index = IndexManifestEntry(
        partition=row(1), bucket=0, index_type="HASH", file_name="index-1", file_size=4, row_count=1
    )
    assert ManifestStore(io, PATHS).read_index(writer(io).write_index([index])) == [index]


@pytest.mark.parametrize(
    ("option", "codec"), [("zstd", "zstandard"), ("ZSTD", "zstandard"), ("none", "null")]
)
def test_options_name_codecs_as_paimon_does(option: str, codec: str) -> None:
    assert avro_codec(option) == codec


def test_a_codec_that_avro_does_not_know_is_refused() -> None:
    with pytest.raises(InvalidRequestError, match="lzo"):
        avro_codec("lzo")


@pytest.mark.parametrize("name", ["orc", "parquet"])
def test_manifests_in_other_formats_are_not_written(name: str) -> None:
    with pytest.raises(UnsupportedError, match=f"manifest.format={name}"):
        ManifestWriter(MemoryFileIO(), PATHS, [], TableOptions({"manifest.format": name}))
