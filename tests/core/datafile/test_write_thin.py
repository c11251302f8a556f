"""Primary-key files that do not repeat their key. Spec: 04, A1."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.tables import compact, data_paths, files_of, new_table, put, remove, rows_of


@pytest.mark.parametrize("file_format", ["parquet", "orc", "avro"])
def test_thin_files_are_merged_and_compacted_like_others(file_format: str) -> None:
    table = new_table(
        {"id": "INT NOT NULL", "v": "STRING"}, ["id"], data_file__thin_mode="true", file__format=file_format
    )
    put(table, (1, "a"), (2, "b"), (3, "c"))
    put(table, (1, "x"))
    remove(table, (2, None))
    assert rows_of(table) == [(1, "x"), (3, "c")]
    compact(table)
    assert rows_of(table) == [(1, "x"), (3, "c")]
    (file,) = files_of(table)
    assert file.level == 5


@pytest.mark.parametrize(("thin", "columns"), [("true", 4), ("false", 5)])
def test_a_thin_file_has_no_key_columns(thin: str, columns: int) -> None:
    table = new_table({"id": "INT NOT NULL", "v": "STRING"}, ["id"], data_file__thin_mode=thin)
    put(table, (1, "a"))
    (path,) = data_paths(table)
    assert len(pq.read_schema(pa.BufferReader(table.io.read(path))).names) == columns
