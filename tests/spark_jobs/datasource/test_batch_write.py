"""`df.write.format("lakescope")`, but for what only Spark itself can show (see test_with_spark.py)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import types as T  # noqa: N812 - the name that all of Spark's documentation uses

from core.commit import TableCommit
from core.errors import CommitUnknownError
from core.table import Table
from core.types import STRING, BigIntType, IntType
from spark_jobs.datasource.batch_write import TableWriter
from spark_jobs.failures import TaskError, failure_from
from spark_jobs.spark_types import arrow_of
from tests.spark_jobs.datasource.direct import local_table, read, sent, source
from tests.tables import data_paths, put, rows_of

KEY, TEXT = T.StructField("k", T.IntegerType(), False), T.StructField("v", T.StringType())
SCHEMA = T.StructType([KEY, TEXT])


def batches(schema: T.StructType, *rows: tuple[Any, ...]) -> Iterator[pa.RecordBatch]:
    """Rows as one batch of Spark's; none without rows."""
    if rows:
        named = [dict(zip(schema.names, row, strict=True)) for row in rows]
        yield pa.RecordBatch.from_pylist(named, arrow_of(schema))


def writer_of(
    table: Table, schema: T.StructType = SCHEMA, *, overwrite: bool = False, **options: str
) -> TableWriter:
    return sent(source(table.location, **options).writer(schema, overwrite))


def write(
    table: Table,
    *tasks: Sequence[tuple[Any, ...]],
    schema: T.StructType = SCHEMA,
    overwrite: bool = False,
    **options: str,
) -> None:
    """What Spark does with a DataFrame of so many partitions."""
    writer = writer_of(table, schema, overwrite=overwrite, **options)
    written = [sent(writer).write(batches(schema, *rows)) for rows in tasks]
    sent(writer).commit(sent(written))


@pytest.fixture
def keyed(tmp_path: Path) -> Table:
    return local_table(tmp_path, {"k": "INT NOT NULL", "v": "STRING"}, ["k"])


@pytest.fixture
def plain(tmp_path: Path) -> Table:
    return local_table(tmp_path, {"k": "INT", "v": "STRING"}, bucket="-1")


def test_all_tasks_are_one_commit(plain: Table) -> None:
    write(plain, [(1, "a")], [], [(2, "b"), (3, None)])
    assert rows_of(plain) == [(1, "a"), (2, "b"), (3, None)]
    assert plain.snapshots.latest_id() == 1


def test_a_second_write_appends_or_takes_the_place_of_a_key(keyed: Table) -> None:
    write(keyed, [(1, "a"), (2, "b")])
    write(keyed, [(2, "c")])
    assert rows_of(keyed) == [(1, "a"), (2, "c")]


def test_an_overwrite_replaces_the_table_even_by_nothing(plain: Table) -> None:
    write(plain, [(1, "a")])
    write(plain, [(2, "b")], overwrite=True)
    assert rows_of(plain) == [(2, "b")]
    write(plain, [], overwrite=True)
    assert rows_of(plain) == []


@pytest.mark.parametrize(
    "options", [{"partitionOverwriteMode": "Dynamic"}, {"dynamic_partition_overwrite": "true"}]
)
def test_a_dynamic_overwrite_replaces_the_partitions_of_its_rows(
    options: dict[str, str], tmp_path: Path
) -> None:
    table = local_table(tmp_path, {"k": "INT", "v": "STRING"}, partition=["v"], bucket="-1")
    write(table, [(1, "a"), (2, "b")])
    write(table, [(3, "b")], overwrite=True, **options)
    assert rows_of(table) == [(1, "a"), (3, "b")]
    write(table, [(4, "c")], overwrite=True)
    assert rows_of(table) == [(4, "c")]


# --- rows and columns --------------------------------------------------------------


def test_columns_are_found_by_name_in_any_case_and_may_be_left_out(plain: Table) -> None:
    write(plain, [("a", 1)], schema=T.StructType([TEXT, T.StructField("K", T.LongType())]))
    write(plain, [(2,)], schema=T.StructType([KEY]))
    assert rows_of(plain) == [(1, "a"), (2, None)]


def test_digits_that_the_table_does_not_keep_are_cut_off(tmp_path: Path) -> None:
    table = local_table(tmp_path, {"at": "TIMESTAMP(3)", "all": "ARRAY<TIMESTAMP(6)>"}, bucket="-1")
    moment = datetime(2026, 1, 5, 8, 30, 0, 123456)
    at = T.StructField("at", T.TimestampNTZType())
    whole = T.StructField("all", T.ArrayType(T.TimestampNTZType()))
    write(table, [(moment, [moment])], schema=T.StructType([at, whole]))
    assert table.to_arrow().to_pylist() == [{"at": moment.replace(microsecond=123000), "all": [moment]}]


@pytest.mark.parametrize(
    ("field", "said"),
    [
        (T.StructField("k", T.StringType()), "type of a column does not fit"),
        (T.StructField("other", T.IntegerType()), "write.merge-schema"),
        (T.StructField("k", T.DayTimeIntervalType()), "Paimon has no type"),
    ],
)
def test_rows_that_do_not_fit_are_refused_before_a_task_starts(
    field: T.StructField, said: str, plain: Table
) -> None:
    with pytest.raises(TaskError, match=said):
        writer_of(plain, T.StructType([field]))


def test_two_columns_of_one_name_are_told_as_such(plain: Table) -> None:
    for other in ("k", "K"):
        with pytest.raises(TaskError, match="several columns of one name"):
            writer_of(plain, T.StructType([KEY, TEXT, T.StructField(other, T.IntegerType())]))


def test_a_required_column_has_to_be_there(keyed: Table) -> None:
    with pytest.raises(TaskError, match="column=k, problem=required"):
        writer_of(keyed, T.StructType([TEXT]))


def test_a_value_that_does_not_fit_fails_its_task_and_leaves_no_file(keyed: Table) -> None:
    long = T.StructType([T.StructField("k", T.LongType()), TEXT])
    writer = writer_of(keyed, long)
    with pytest.raises(TaskError, match="column=k"):
        writer.write(batches(long, (1, "a"), (1 << 40, "b")))
    assert not data_paths(keyed)


def test_a_text_that_cannot_be_cast_names_its_column(plain: Table) -> None:
    texts = T.StructType([T.StructField("k", T.StringType())])
    casts = {"write__merge_schema": "true", "write__merge_schema__explicit_cast": "true"}
    with pytest.raises(TaskError, match=r"does not fit its column \(column=k, value='one'") as told:
        write(plain, [("one",)], schema=texts, **casts)
    assert failure_from(told.value).code == "invalid-request"


def test_merge_schema_adds_columns_and_casts_what_it_may(plain: Table) -> None:
    write(plain, [(1, "a")])
    more = T.StructType([T.StructField("k", T.StringType()), TEXT, T.StructField("n", T.DoubleType())])
    with pytest.raises(TaskError, match="explicit-cast"):
        writer_of(plain, more, write__merge_schema="true")
    casts = {"write__merge_schema": "true", "write__merge_schema__explicit_cast": "true"}
    write(plain, [("2", "b", 0.5)], schema=more, **casts)
    grown = plain.refreshed()
    assert grown.schema.field_names == ("k", "v", "n")
    assert rows_of(grown) == [(1, "a", None), (2, "b", 0.5)]


def test_merge_schema_widens_types_where_it_may(plain: Table) -> None:
    long = T.StructType([T.StructField("k", T.LongType()), TEXT])
    write(plain, [(1, "a")])
    write(plain, [(2, "b")], schema=long, write__merge_schema="true")
    assert [field.type for field in plain.refreshed().schema.fields] == [IntType(), STRING]
    widened = {"write__merge_schema": "true", "write__merge_schema__type_widening": "true"}
    write(plain, [(1 << 40, "c")], schema=long, **widened)
    grown = plain.refreshed()
    assert [field.type for field in grown.schema.fields] == [BigIntType(), STRING]
    assert sorted(rows_of(grown)) == [(1, "a"), (2, "b"), (1 << 40, "c")]


def test_times_and_multisets_go_there_and_back(tmp_path: Path) -> None:
    table = local_table(tmp_path, {"at": "TIME(3)", "bag": "MULTISET<STRING>"}, bucket="-1")
    at = T.StructField("at", T.TimeType(6))
    bag = T.StructField("bag", T.MapType(T.StringType(), T.IntegerType(), False))
    rows = [(time(8, 30, 0, 123456), [("a", 2), ("b", 1)]), (None, [])]
    write(table, *([row] for row in rows), schema=T.StructType([at, bag]))
    assert read(table.location)[0].to_pylist() == [
        {"at": time(8, 30, 0, 123000), "bag": [("a", 2), ("b", 1)]},
        {"at": None, "bag": []},
    ]


def test_kinds_of_rows_come_from_a_column_that_is_not_the_tables(keyed: Table) -> None:
    write(keyed, [(1, "a"), (2, "b")])
    kinds = T.StructType([T.StructField("op", T.StringType()), KEY, TEXT])
    write(keyed, [("-D", 1, None), ("+U", 2, "c")], schema=kinds, rowkind__field="op")
    assert rows_of(keyed) == [(2, "c")]
    with pytest.raises(TaskError, match="not a kind of row"):
        write(keyed, [("?", 1, None)], schema=kinds, rowkind__field="op")
    with pytest.raises(TaskError, match=r"rowkind\.field"):
        writer_of(keyed, rowkind__field="op")


# --- failures ----------------------------------------------------------------------


def failing(rows: Sequence[tuple[Any, ...]]) -> Iterator[pa.RecordBatch]:
    yield from batches(SCHEMA, *rows)
    raise OSError("the executor lost its shuffle files")


def test_a_retried_task_leaves_the_files_of_its_last_attempt_alone(plain: Table) -> None:
    writer = writer_of(plain, file__block_size="1 b")
    with pytest.raises(OSError, match="shuffle"):
        sent(writer).write(failing([(1, "a")]))
    assert not data_paths(plain), "the failed attempt has deleted what it wrote"
    writer.commit([sent(writer).write(batches(SCHEMA, (1, "a")))])
    assert (rows_of(plain), len(data_paths(plain))) == ([(1, "a")], 1)


def test_an_attempt_that_lost_a_race_is_not_committed(plain: Table) -> None:
    writer = writer_of(plain)
    _slow, fast = (sent(writer).write(batches(SCHEMA, (1, "a"))) for _ in range(2))
    writer.commit([fast])
    assert rows_of(plain) == [(1, "a")]


def test_a_job_of_which_a_task_failed_deletes_the_files_of_the_others(plain: Table) -> None:
    writer = writer_of(plain)
    done = sent(writer).write(batches(SCHEMA, (1, "a")))
    assert data_paths(plain)
    sent(writer).abort([done, None])
    assert not data_paths(plain)


def test_a_commit_that_is_refused_deletes_its_files(keyed: Table) -> None:
    writer = writer_of(keyed)
    tasks = [sent(writer).write(batches(SCHEMA, (1, v))) for v in "ab"]
    with pytest.raises(TaskError, match="distributed") as refused:
        sent(writer).commit(tasks)
    assert failure_from(refused.value).code == "invalid-request"
    sent(writer).abort(tasks)  # as Spark does after a failed commit
    assert not data_paths(keyed)


def test_files_of_a_commit_with_an_unknown_end_stay(plain: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = writer_of(plain)
    task = writer.write(batches(SCHEMA, (1, "a")))

    def commit(self: TableCommit, *args: Any) -> None:
        raise CommitUnknownError("the store did not answer")

    with monkeypatch.context() as patch:
        patch.setattr(TableCommit, "commit", commit)
        with pytest.raises(TaskError, match="did not answer"):
            writer.commit([task])
    writer.abort([task])
    assert len(data_paths(plain)) == 1


def test_writers_that_compact_do_so_unless_the_write_says_write_only(tmp_path: Path) -> None:
    options = {"num_sorted_run__compaction_trigger": "2", "write_only": "false"}
    table = local_table(tmp_path, {"k": "INT NOT NULL", "v": "STRING"}, ["k"], **options)
    put(table, (1, "a"))
    write(table, [(2, "b")], write_only="true")
    assert table.snapshots.latest_id() == 2
    write(table, [(3, "c")])
    kinds = [str(s.commit_kind) for s in table.snapshots.iter_all()]
    assert kinds == ["APPEND", "APPEND", "APPEND", "COMPACT"]
    assert rows_of(table) == [(1, "a"), (2, "b"), (3, "c")]
