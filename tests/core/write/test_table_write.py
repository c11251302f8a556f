"""Rows in, files and messages out."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.binary import decode_row
from core.commit import TableCommit
from core.datafile.system_fields import SEQUENCE_NUMBER, VALUE_KIND
from core.errors import InvalidRequestError, StorageError, UnsupportedError
from core.manifest import DataFileMeta, FileSource
from core.schema import SetOption
from core.table import Table
from core.types import IntType, RowKind
from core.write import TableWrite, partitions
from tests.crashes import seen_through
from tests.faults import FaultyFileIO
from tests.tables import arrow, compact, data_paths, files_of, new_table, prepare, put, rows_of

ID_V = {"id": "INT NOT NULL", "v": "STRING"}
INT = [IntType()]


def read_file(table: Table, name: str) -> pa.Table:
    (path,) = (path for path in data_paths(table) if path.endswith(name))
    return pq.read_table(pa.BufferReader(table.io.read(path)))


def key_range(file: DataFileMeta) -> tuple[Any, Any]:
    return decode_row(INT, file.min_key)[0], decode_row(INT, file.max_key)[0]


def test_a_level_0_file_is_sorted_and_holds_the_last_row_of_each_key() -> None:
    table = new_table(ID_V, ["id"])
    put(table, (3, "a"), (1, "b"), (3, "c"), (2, "d"))
    (file,) = files_of(table)
    stored = read_file(table, file.file_name)
    assert stored.column_names == ["_KEY_id", "_SEQUENCE_NUMBER", "_VALUE_KIND", "id", "v"]
    assert stored.column("id").to_pylist() == stored.column("_KEY_id").to_pylist() == [1, 2, 3]
    assert stored.column("v").to_pylist() == ["b", "d", "c"]
    assert stored.column(SEQUENCE_NUMBER.name).to_pylist() == [1, 3, 2]


def test_the_meta_of_a_level_0_file_tells_keys_sequence_and_deletes() -> None:
    table = new_table(ID_V, ["id"])
    put(table, (7, "a"), (1, None), (4, "x"), kinds=[RowKind.INSERT, RowKind.DELETE, RowKind.UPDATE_BEFORE])
    (file,) = files_of(table)
    assert key_range(file) == (1, 7)
    assert (file.min_sequence_number, file.max_sequence_number) == (0, 2)
    assert (file.row_count, file.delete_row_count, file.level) == (3, 2, 0)
    assert (file.file_source, file.schema_id) == (FileSource.APPEND, 0)


def test_sequence_numbers_go_on_from_the_bucket() -> None:
    table = new_table(ID_V, ["id"])
    put(table, (1, "a"), (2, "a"))
    put(table, (1, "b"))
    assert sorted((f.min_sequence_number, f.max_sequence_number) for f in files_of(table)) == [(0, 1), (2, 2)]


def test_sequence_numbers_go_on_after_a_compaction() -> None:
    table = new_table(ID_V, ["id"])
    put(table, (1, "a"), (2, "a"))
    put(table, (1, "b"))
    compact(table)
    put(table, (1, "c"))
    assert max(f.min_sequence_number for f in files_of(table)) == 3


def test_of_one_buffer_the_highest_sequence_field_stays() -> None:
    table = new_table({**ID_V, "s": "INT"}, ["id"], sequence__field="s")
    put(table, (1, "newest", 5), (1, "later, but older", 3), (2, "null loses", None), (2, "wins", 0))
    assert [file.row_count for file in files_of(table)] == [2]
    assert rows_of(table) == [(1, "newest", 5), (2, "wins", 0)]


def test_a_full_buffer_becomes_further_level_0_files() -> None:
    table = new_table(ID_V, ["id"], write_buffer_size="2 kb")
    with TableWrite(table) as writer:
        for start in range(0, 400, 40):
            writer.write(arrow(table, [(i % 100, f"value {i}") for i in range(start, start + 40)]))
        messages = writer.prepare_commit()
    TableCommit(table, "u").commit(messages)
    assert len(files_of(table)) > 2
    assert rows_of(table) == sorted([(i, f"value {300 + i}") for i in range(100)], key=repr)


@pytest.mark.parametrize(
    "options",
    [
        {"changelog_producer": "input"},
        {"merge_engine": "first-row"},
        {"sequence__field": "s"},
        {"merge_engine": "aggregation", "fields__v__aggregate_function": "listagg"},
    ],
)
def test_rows_that_are_sorted_on_their_way_make_the_files_that_they_make_without(
    options: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = []
    for piece_rows in (10**9, 64):  # in one piece they are too few to be sorted
        monkeypatch.setattr(partitions, "_GROUP_ROWS", 16 if piece_rows == 64 else 10**9)
        monkeypatch.setattr(partitions, "_PIECE_ROWS", piece_rows)
        table = new_table({**ID_V, "s": "INT"}, ["id"], bucket="3", **options)
        put(table, *[(i * 7919 % 83, f"{i} ", i * 31 % 17) for i in range(400)])
        paths = sorted(data_paths(table), key=lambda path: (path.split("/")[-2:-1], "changelog" in path))
        stored.append([pq.read_table(pa.BufferReader(table.io.read(path))).to_pylist() for path in paths])
    assert stored[0] == stored[1]


def test_files_roll_at_the_target_size_into_neighbouring_ranges() -> None:
    table = new_table(ID_V, ["id"], target_file_size="8 kb")
    put(table, *[(i, f"some text that is {i * 7919} long") for i in range(5000)])
    ranges = sorted(key_range(file) for file in files_of(table))
    assert len(ranges) > 2
    assert all(high < low for (_, high), (low, _) in pairwise(ranges))


def test_files_roll_at_a_number_of_rows() -> None:
    table = new_table(ID_V, bucket="-1", target_file_row_num="10")
    put(table, *[(i, "v") for i in range(25)])
    assert [file.row_count for file in files_of(table)] == [10, 10, 5]


def test_append_rows_keep_their_order_and_count_from_the_bucket() -> None:
    table = new_table({"id": "INT"}, bucket="2", bucket_key="id")
    put(table, *[(i,) for i in (5, 3, 9, 1)])
    put(table, *[(i,) for i in (5, 3, 9, 1)])
    ranges: dict[Any, list[tuple[int, int]]] = {}
    for entry in table.manifests.live_entries(table.snapshots.latest()).entries():
        numbers = (entry.file.min_sequence_number, entry.file.max_sequence_number)
        ranges.setdefault(entry.bucket, []).append(numbers)
    for first, second in ranges.values():
        assert second[0] == first[1] + 1


def test_partitions_lie_in_folders_of_their_own_null_included() -> None:
    table = new_table({"p": "STRING", "h": "INT", "v": "INT"}, partition=["p", "h"], bucket="-1")
    put(table, ("a/b", 1, 1), (None, 2, 2), ("a/b", None, 3), ("a/b", 1, 4))
    folders = {path.removeprefix(table.location).rpartition("/")[0] for path in data_paths(table)}
    assert folders == {
        "/p=a%2Fb/h=1/bucket-0",
        "/p=__DEFAULT_PARTITION__/h=2/bucket-0",
        "/p=a%2Fb/h=__DEFAULT_PARTITION__/bucket-0",
    }


def test_many_partitions_keep_few_files_open() -> None:
    table = new_table({"p": "INT", "v": "INT"}, partition=["p"], bucket="-1", write_max_writers_to_spill="2")
    put(table, *[(i % 5, i) for i in range(50)])
    assert rows_of(table) == sorted([(i % 5, i) for i in range(50)], key=repr)


DEMANDING = {
    "c": "VARCHAR(3)",
    "f": "FLOAT",
    "fs": "ARRAY<FLOAT>",
    "fm": "MAP<STRING, FLOAT>",
    "cs": "ARRAY<VARCHAR(3)>",
    "a": "ARRAY<INT NOT NULL>",
    "m": "MAP<STRING NOT NULL, ARRAY<INT NOT NULL>>",
    "r": "ROW<x INT NOT NULL>",
}


def test_a_column_that_is_missing_is_null_and_a_default_stands_in() -> None:
    table = new_table({"a": "INT", "b": "STRING"}, bucket="-1")
    with TableWrite(table) as writer:
        writer.write(pa.table({"a": pa.array([1], pa.int32())}))
        TableCommit(table, "u").commit(writer.prepare_commit())
    assert rows_of(table) == [(1, None)]


@pytest.mark.parametrize(
    ("rows", "column"),
    [
        ({"id": [1], "other": [1]}, "other"),
        ({"v": ["a"]}, "id"),
        ({"id": [None], "v": ["a"]}, "id"),
        ({"id": ["1"]}, "id"),
        ({"id": [2**40]}, "id"),
        ({"id": [1.5]}, "id"),
        ({"id": [1], "v": [3]}, "v"),
        ({"id": [1], "c": ["too long"]}, "c"),
        ({"id": [1], "f": [1e300]}, "f"),
        ({"id": [1], "fs": [[1.0, None, 1e300]]}, "fs"),
        ({"id": [1], "fm": pa.array([[("k", 1e300)]], pa.map_(pa.string(), pa.float64()))}, "fm"),
        ({"id": [1], "cs": [["abc", "too long"]]}, "cs"),
        ({"id": [1], "a": [[1, None]]}, "a"),
        ({"id": [1], "m": pa.array([[("k", [None])]], pa.map_(pa.string(), pa.list_(pa.int32())))}, "m"),
        ({"id": [1], "r": [{"x": None}]}, "r"),
    ],
)
def test_rows_that_do_not_fit_are_refused_by_column(rows: Mapping[str, Any], column: str) -> None:
    table = new_table({**ID_V, **DEMANDING}, ["id"])
    with TableWrite(table) as writer, pytest.raises(InvalidRequestError) as refused:
        writer.write(pa.table(dict(rows)))
    assert refused.value.fields["column"] == column


def test_a_null_row_array_or_map_has_no_null_members() -> None:
    table = new_table({**ID_V, **DEMANDING}, ["id"])
    row = (1, *(None for _ in table.schema.fields[1:]))
    put(table, row)
    assert rows_of(table) == [row]


def test_kinds_need_a_primary_key_and_one_for_each_row() -> None:
    with (
        TableWrite(new_table(ID_V, bucket="-1")) as writer,
        pytest.raises(InvalidRequestError, match="primary"),
    ):
        writer.write(pa.table({"id": [1]}), [RowKind.INSERT])
    with TableWrite(new_table(ID_V, ["id"])) as writer, pytest.raises(InvalidRequestError, match="kind"):
        writer.write(pa.table({"id": [1]}), [])
    with TableWrite(new_table(ID_V, ["id"])) as writer, pytest.raises(InvalidRequestError, match="kind"):
        writer.write(pa.table({"id": [1]}), pa.array([9], pa.int8()))


@pytest.mark.parametrize(
    ("option", "left"), [("ignore_delete", [(1, "a"), (2, "b")]), ("ignore_update_before", [(1, "a")])]
)
def test_kinds_that_the_table_ignores_are_dropped(option: str, left: list[tuple[Any, ...]]) -> None:
    table = new_table(ID_V, ["id"], **{option: "true"})
    put(table, (1, "a"), (2, "b"))
    put(table, (1, "a"), (2, "b"), kinds=[RowKind.UPDATE_BEFORE, RowKind.DELETE])
    assert rows_of(table) == left


def test_memory_stays_within_the_buffer_however_many_rows_come() -> None:
    table = new_table(ID_V, ["id"], write_buffer_size="1 mb")
    rows = arrow(table, [(i, f"some text of row {i}") for i in range(20_000)])
    highest, before = 0, pa.total_allocated_bytes()
    with TableWrite(table) as writer:
        for _ in range(30):
            writer.write(rows)
            highest = max(highest, pa.total_allocated_bytes() - before)
    assert 30 * rows.nbytes > 17_000_000
    assert highest < 2_500_000 + rows.nbytes


def test_an_append_without_buckets_does_not_read_what_is_there() -> None:
    table = new_table({"id": "INT"}, bucket="-1")
    (snapshot,) = put(table, (1,))
    for manifest in table.manifests.manifests(snapshot):
        table.io.delete(table.paths.manifest_file(manifest.file_name))
    put(table, (2,))
    assert table.snapshots.latest_id() == 2


def test_a_block_that_is_left_without_prepare_leaves_no_file() -> None:
    table = new_table(ID_V, ["id"], write_buffer_size="1 b")
    with TableWrite(table) as writer:
        writer.write(arrow(table, [(1, "a")]))
        assert data_paths(table)
    assert not data_paths(table)


def test_an_aborted_message_leaves_no_file() -> None:
    table = new_table(ID_V, ["id"])
    messages = prepare(table, [(1, "a")])
    assert data_paths(table)
    TableCommit(table, "u").abort(messages)
    assert not data_paths(table)


def test_a_writer_goes_on_after_prepare() -> None:
    table = new_table(ID_V, ["id"])
    with TableWrite(table) as writer:
        for i in range(3):
            writer.write(arrow(table, [(1, f"v{i}")]))
            TableCommit(table, "u").commit(writer.prepare_commit(), i)
    assert rows_of(table) == [(1, "v2")]
    assert sorted(f.min_sequence_number for f in files_of(table)) == [0, 1, 2]


def test_a_partition_with_another_number_of_buckets_is_refused() -> None:
    table = new_table(ID_V, ["id"], bucket="2")
    put(table, (1, "a"))
    table.schemas.commit_changes([SetOption("bucket", "4")], has_snapshots=True)
    with pytest.raises(InvalidRequestError, match="number of buckets"):
        put(table.refreshed(), (2, "b"))


def test_an_overwrite_may_change_the_number_of_buckets() -> None:
    table = new_table(ID_V, ["id"], bucket="2")
    put(table, (1, "a"), (2, "b"))
    table.schemas.commit_changes([SetOption("bucket", "4")], has_snapshots=True)
    rescaled = table.refreshed()
    with rescaled.new_write(overwrite=True) as writer:
        writer.write(rescaled.to_arrow())
        rescaled.new_commit("rescale").overwrite(writer.prepare_commit(), {})
    put(rescaled, (1, "c"))
    assert rows_of(rescaled) == [(1, "c"), (2, "b")]


@pytest.mark.parametrize(
    ("options", "feature"),
    [
        ({"file__format": "lance"}, "writing file.format lance"),
        ({"bucket": "-2"}, "writing postponed buckets"),
    ],
)
def test_what_we_would_write_wrongly_is_refused_by_name(options: Mapping[str, str], feature: str) -> None:
    plain = new_table(ID_V, ["id"])
    spelled = {key.replace("__", ".").replace("_", "-"): value for key, value in options.items()}
    schema = plain.schema
    changed = type(schema)(
        id=1,
        fields=schema.fields,
        highest_field_id=1,
        primary_keys=("id",),
        options={"bucket": "1", **spelled},
    )
    plain.schemas.create(changed)
    with pytest.raises(UnsupportedError) as refused:
        TableWrite(plain.refreshed())
    assert str(refused.value.fields["feature"]).startswith(feature)


KINDS = st.sampled_from([RowKind.INSERT, RowKind.UPDATE_AFTER, RowKind.DELETE])
CHANGES = st.lists(st.tuples(st.integers(0, 6), KINDS), max_size=12)


@settings(max_examples=settings().max_examples // 3)
@given(st.lists(CHANGES, max_size=5), st.sampled_from(["1 b", "256 mb"]), st.sampled_from(["1", "3"]))
def test_the_last_row_of_each_key_is_what_is_read(
    commits: list[list[tuple[int, RowKind]]], buffer: str, buckets: str
) -> None:
    table, expected = new_table(ID_V, ["id"], write_buffer_size=buffer, bucket=buckets), {}
    for number, commit in enumerate(commits):
        rows = [(key, f"{number}.{i}") for i, (key, _) in enumerate(commit)]
        put(table, *rows, kinds=[kind for _, kind in commit])
        for row, (key, kind) in zip(rows, commit, strict=True):
            expected.pop(key, None)
            if kind is not RowKind.DELETE:
                expected[key] = row
    assert rows_of(table) == sorted(expected.values(), key=repr)


def test_value_kinds_are_stored_as_given() -> None:
    table = new_table(ID_V, ["id"])
    put(table, (1, "a"), (2, "b"), kinds=[RowKind.UPDATE_AFTER, RowKind.DELETE])
    (file,) = files_of(table)
    assert read_file(table, file.file_name).column(VALUE_KIND.name).to_pylist() == [2, 3]


@pytest.mark.parametrize("keys", [["p", "v"], []])
@pytest.mark.parametrize("number", range(3))
def test_a_writer_that_has_failed_gives_no_part_of_its_rows(keys: list[str], number: int) -> None:
    table = new_table({"p": "INT NOT NULL", "v": "INT NOT NULL"}, keys, partition=["p"], bucket_key="v")
    failing = FaultyFileIO(table.io, number, fails=True)
    with TableWrite(seen_through(table, failing)) as writer:
        writer.write(arrow(table, [(i % 3, i) for i in range(9)]))
        with pytest.raises(StorageError):
            writer.prepare_commit()
        with pytest.raises(InvalidRequestError, match="failed before"):
            writer.prepare_commit()
    assert data_paths(table) == set()
