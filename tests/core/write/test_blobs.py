"""Tables with data evolution: rows are appended, BLOB columns into files of their own. Spec: 04, A6."""

from __future__ import annotations

from typing import Any

from core.manifest import DataFileMeta
from core.table import Table
from core.write import TableWrite
from tests.tables import arrow, data_paths, files_of, new_table, prepare, put, rows_of

COLUMNS = {"id": "INT", "b": "BLOB", "v": "STRING", "c": "BLOB"}
ROWS: list[tuple[Any, ...]] = [(i, b"b" * i if i % 3 else None, f"v{i}", b"") for i in range(9)]


def evolving(columns: dict[str, str] = COLUMNS, **options: str) -> Table:
    return new_table(
        columns, bucket="-1", row_tracking__enabled="true", data_evolution__enabled="true", **options
    )


def parts(files: list[DataFileMeta]) -> list[tuple[tuple[str, ...] | None, int | None, int]]:
    return [(file.write_cols, file.first_row_id, file.row_count) for file in files]


def test_blobs_lie_in_files_of_their_own() -> None:
    table = evolving()
    put(table, *ROWS)
    assert parts(files_of(table)) == [(("id", "v"), 0, 9), (("b",), 0, 9), (("c",), 0, 9)]
    assert [file.file_name.endswith(".blob") for file in files_of(table)] == [False, True, True]
    assert rows_of(table) == ROWS


def test_all_files_end_at_the_same_row() -> None:
    table = evolving(target_file_row_num="4")
    put(table, *ROWS)
    put(table, *ROWS[:2])
    plain = [part[1:] for part in parts(files_of(table)) if part[0] == ("id", "v")]
    assert plain == [(0, 4), (4, 4), (8, 1), (9, 2)]
    assert [part[1:] for part in parts(files_of(table)) if part[0] == ("b",)] == plain
    assert table.to_arrow(columns=["_ROW_ID"]).column(0).to_pylist() == list(range(11))


def test_several_files_of_blobs_share_one_file_of_other_columns() -> None:
    table = evolving({"id": "INT", "b": "BLOB"}, blob__target_file_size="1 kb")
    with TableWrite(table) as writer:
        for i in range(4):
            writer.write(arrow(table, [(i, b"x" * 2000)]))
        table.new_commit("u").commit(writer.prepare_commit())
    assert parts(files_of(table)) == [(("id",), 0, 4), *((("b",), i, 1) for i in range(4))]
    assert rows_of(table) == [(i, b"x" * 2000) for i in range(4)]


def test_statistics_say_nothing_of_blobs() -> None:
    table = evolving()
    put(table, *ROWS)
    plain, blob, _ = files_of(table)
    assert (plain.value_stats.null_counts, blob.value_stats.null_counts) == ((0, 0), ())
    assert (plain.value_stats_cols, blob.value_stats_cols) == (None, ())
    assert len(table.to_arrow(filter="id = 4 AND b IS NOT NULL")) == 1


def test_every_file_bears_the_number_of_its_snapshot() -> None:
    table = evolving({"id": "INT"}, target_file_row_num="2")
    put(table, (1,), (2,), (3,))
    put(table, (4,))
    found = [(file.min_sequence_number, file.max_sequence_number) for file in files_of(table)]
    assert found == [(1, 1), (1, 1), (2, 2)]


def test_a_writer_that_gives_up_leaves_nothing() -> None:
    table = evolving(target_file_row_num="4")
    with TableWrite(table) as writer:
        writer.write(arrow(table, ROWS))
    assert data_paths(table) == set()
    table.new_commit("u").abort(prepare(table, ROWS))
    assert data_paths(table) == set()
