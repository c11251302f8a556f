"""File indexes of new files: where they lie, that they are used and go with their file. Spec: 05, 4."""

from __future__ import annotations

import pytest

from core.errors import InvalidRequestError
from core.fileindex import decode_file_index
from core.write import TableWrite
from tests.tables import arrow, compact, data_paths, files_of, new_table, put, rows_of

ROWS = [(i, f"text {i % 5}") for i in range(0, 200, 2)]
BITMAP = {"file_index__bitmap__columns": "v", "file_index__bloom_filter__columns": "id"}
BLOOM = {"file_index__bloom_filter__id__items": "100"}


def test_a_small_index_lies_in_the_manifest() -> None:
    table = new_table({"id": "INT", "v": "STRING"}, bucket="-1", **BITMAP, **BLOOM)
    put(table, *ROWS[:4])
    (file,) = files_of(table)
    assert file.extra_files == ()
    assert file.embedded_index is not None
    slots = decode_file_index(file.embedded_index).slots
    assert {(s.column, s.index_type) for s in slots} == {("v", "bitmap"), ("id", "bloom-filter")}


def test_a_large_index_lies_beside_its_file() -> None:
    table = new_table({"id": "INT", "v": "STRING"}, bucket="-1", **BITMAP)
    put(table, *ROWS)
    (file,) = files_of(table)
    assert file.extra_files == (f"{file.file_name}.index",)
    assert file.embedded_index is None
    assert table.io.exists(f"{table.paths.bucket_dir('', 0)}/{file.extra_files[0]}")


@pytest.mark.parametrize("index", ["bitmap", "range_bitmap", "bsi", "bloom_filter"])
def test_a_filter_asks_the_index(index: str) -> None:
    table = new_table({"id": "INT", "v": "STRING"}, bucket="-1", **{f"file_index__{index}__columns": "id"})
    put(table, *ROWS)
    assert rows_of(table, filter="id = 100") == [(100, "text 0")]
    assert rows_of(table, filter="id = 101") == []


def test_compacted_files_have_indexes_too() -> None:
    table = new_table({"id": "INT NOT NULL", "v": "STRING"}, ["id"], bucket="1", **BITMAP, **BLOOM)
    put(table, *ROWS)
    put(table, *ROWS[:3])
    compact(table)
    (file,) = files_of(table)
    assert file.level == 5
    assert file.extra_files or file.embedded_index


def test_an_aborted_writer_leaves_no_index() -> None:
    table = new_table({"id": "INT", "v": "STRING"}, bucket="-1", **BITMAP)
    with TableWrite(table) as writer:
        writer.write(arrow(table, ROWS))
        writer._writers[next(iter(writer._writers))].release_memory()
        assert len(data_paths(table)) == 2
    assert data_paths(table) == set()


def test_what_cannot_be_indexed_is_refused_before_the_first_row() -> None:
    with pytest.raises(InvalidRequestError, match="no such column"):
        TableWrite(new_table({"id": "INT"}, bucket="-1", file_index__bsi__columns="x"))
