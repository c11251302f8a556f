"""`spark.read.format("lakescope")`, but for what only Spark itself can show (see test_with_spark.py)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import datasource as S  # noqa: N812 - its filters are called as ours

from core.snapshot import Tag
from core.table import Table
from core.types import RowKind
from spark_jobs.failures import TaskError, failure_from
from tests.spark_jobs.datasource.direct import local_table, read, rows, source
from tests.tables import compact, put

COLUMNS = {"k": "INT", "v": "STRING"}


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """Three commits to two buckets, a tag on the first."""
    made = local_table(tmp_path, COLUMNS, ["k"], bucket="2")
    first = put(made, (1, "a"), (2, "b"), (3, "c"))[0]
    made.tags.create(Tag("first", first))
    put(made, (1, "x"), (4, "d"))
    put(made, (2, "b"), kinds=[RowKind.DELETE])
    return made


NOW = [(1, "x"), (3, "c"), (4, "d")]


def test_each_split_of_the_plan_is_a_task(table: Table) -> None:
    assert rows(table.location) == NOW
    assert read(table.location)[2] == len(table.plan().splits) == 2


def test_a_table_without_rows_has_its_columns(tmp_path: Path) -> None:
    empty = local_table(tmp_path, COLUMNS, ["k"])
    assert [f.name for f in source(empty.location).schema()] == ["k", "v"]
    assert rows(empty.location) == []


@pytest.mark.parametrize(
    ("option", "meant"),
    [
        ("scan.snapshotid", "meant=scan.snapshot-id"),
        ("scan.tagname", "meant=scan.tag-name"),
        ("incremental-beween", "meant=incremental-between"),
        ("read.changelogs", "meant=read.changelog"),
        ("versionAsOf", "instead=scan.version"),
        ("replaceWhere", "instead=partitionOverwriteMode"),
    ],
)
def test_an_option_that_would_be_passed_over_by_mistake_is_refused(
    option: str, meant: str, table: Table
) -> None:
    with pytest.raises(TaskError, match=re.escape(meant)):
        source(table.location, **{option: "1"}).schema()


def test_keys_that_look_like_no_option_of_ours_do_nothing(table: Table) -> None:
    assert rows(table.location, header="true", pathGlobFilter="*", queryName="q", any="b") == NOW


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"scan__snapshot_id": "1"}, [(1, "a"), (2, "b"), (3, "c")]),
        ({"scan__tag_name": "first"}, [(1, "a"), (2, "b"), (3, "c")]),
        ({"scan__version": "2"}, [(1, "x"), (2, "b"), (3, "c"), (4, "d")]),
        ({"scan__mode": "from-snapshot-full", "scan__snapshot_id": "1"}, [(1, "a"), (2, "b"), (3, "c")]),
        ({"scan__mode": "latest-full"}, NOW),
        ({"scan__mode": "latest-delta"}, []),
        ({"incremental_between": "1,2"}, [(1, "x"), (4, "d")]),
        ({"incremental_between": "1,3", "incremental_between_scan_mode": "diff"}, [(1, "x"), (4, "d")]),
    ],
)
def test_dynamic_options_say_what_is_read(options: dict[str, str], expected: list[Any], table: Table) -> None:
    assert rows(table.location, **options) == expected


def test_a_moment_says_what_is_read(table: Table) -> None:
    time = table.snapshots.get(1).time_millis  # a later snapshot may be of the same millisecond
    last = max(s.id for s in table.snapshots.iter_all() if s.time_millis <= time)
    at_last = rows(table.location, scan__snapshot_id=str(last))
    assert rows(table.location, scan__timestamp_millis=str(time)) == at_last
    now = str(table.snapshots.get(3).time_millis)
    assert rows(table.location, scan__timestamp_millis=now) == NOW
    written = [(1, "a"), (1, "x"), (2, "b"), (3, "c"), (4, "d")]
    assert rows(table.location, incremental_between_timestamp=f"{time - 1},{now}") == written


def test_a_branch_is_read_by_option_and_by_name(table: Table) -> None:
    table.branches.create("b", from_tag="first")
    first = [(1, "a"), (2, "b"), (3, "c")]
    assert rows(table.location, branch="b") == rows(table.location + "$branch_b") == first


def test_columns_come_in_the_order_asked_for(table: Table) -> None:
    found = read(table.location, columns="v, k")[0]
    assert found.schema.names == ["v", "k"]
    assert read(table.location, columns='["v"]')[0].schema.names == ["v"]


def test_a_limit_is_kept_by_one_task(table: Table) -> None:
    found, _, tasks = read(table.location, limit="2")
    assert (found.num_rows, tasks) == (2, 1)
    assert read(table.location, limit="9")[0].num_rows == 3


def test_filters_that_core_understands_are_not_asked_again(table: Table) -> None:
    taken = [S.GreaterThan(("k",), 1), S.StringStartsWith(("v",), "d")]
    left = S.EqualTo(("v", "inner"), 1)
    found, given_back, tasks = read(table.location, *taken, left)
    assert found.to_pylist() == [{"k": 4, "v": "d"}]
    assert given_back == [left]
    assert given_back[0] is left
    assert tasks == 1, "the file statistics leave out a bucket"


def test_a_filter_in_our_grammar_may_say_what_spark_cannot_push(table: Table) -> None:
    assert rows(table.location, filter="k = 1 OR v = 'd'") == [(1, "x"), (4, "d")]
    assert rows(table.location, S.LessThan(("k",), 3), filter="k = 1 OR v = 'd'") == [(1, "x")]


@pytest.mark.parametrize(
    ("system", "options", "expected"),
    [
        ("$audit_log", {}, [("+I", 1, "x"), ("+I", 3, "c"), ("+I", 4, "d"), ("-D", 2, "b")]),
        (
            "$audit_log",
            {"incremental_between": "1,3", "columns": "k,rowkind"},
            [(1, "+I"), (2, "-D"), (4, "+I")],
        ),
        ("$ro", {}, []),
        ("$snapshots", {"columns": "snapshot_id,commit_kind", "filter": "snapshot_id > 2"}, [(3, "APPEND")]),
        ("$options", {"filter": "key = 'bucket'"}, [("bucket", "2")]),
    ],
)
def test_system_tables_are_sources(
    system: str, options: dict[str, str], expected: list[Any], table: Table
) -> None:
    assert rows(table.location + system, **options) == expected


def test_read_changelog_is_the_audit_log(table: Table) -> None:
    assert rows(table.location, read__changelog="true") == rows(table.location + "$audit_log")


def test_a_system_table_of_the_warehouse_is_named_by_warehouse_and_table(table: Table) -> None:
    warehouse = table.location.removesuffix("/db.db/t")
    found = source("unused", warehouse=warehouse, table="sys.tables")
    assert "table_name" in found.schema().names


def test_filters_on_system_tables_reach_the_rows_or_spark(table: Table) -> None:
    kind, key = S.EqualTo(("rowkind",), "-D"), S.EqualTo(("k",), 2)
    found, left, _ = read(table.location + "$audit_log", kind, key)
    assert left == [kind]
    assert found.to_pylist() == [{"rowkind": "-D", "k": 2, "v": "b"}]


def test_what_was_planned_is_read_whatever_comes_in_between(table: Table) -> None:
    found = source(table.location)
    reader = found.reader(found.schema())
    parts = reader.partitions()
    put(table, (9, "late"))
    compact(table)
    batches = [b for part in parts for b in reader.read(part)]
    assert sorted(pa.Table.from_batches(batches).column("k").to_pylist()) == [1, 3, 4]


# --- what is refused ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "options", "code", "said"),
    [
        ("/wh/db/t", {}, "invalid-request", "<warehouse>/<database>.db/<table>"),
        ("{table}x", {}, "not-found", "table not found"),
        ("{table}", {"columns": "nope"}, "invalid-request", "no such column"),
        ("{table}", {"limit": "many"}, "invalid-request", "limit"),
        ("{table}", {"filter": "k ="}, "invalid-request", "filter"),
        ("{table}", {"scan__snapshot_id": "1", "scan__tag_name": "first"}, "invalid-request", "exactly one"),
        ("{table}", {"scan__snapshot_id": "99"}, "not-found", "99"),
        ("{table}$nothing", {}, "not-found", "no such system table"),
        ("{table}$snapshots", {"read__changelog": "true"}, "invalid-request", "read.changelog"),
    ],
)
def test_a_mistake_is_named(path: str, options: dict[str, str], code: str, said: str, table: Table) -> None:
    with pytest.raises(TaskError) as refused:
        rows(path.replace("{table}", table.location), **options)
    failure = failure_from(refused.value)
    assert failure.code == code
    assert said in str(refused.value)


def test_a_column_that_spark_cannot_hold_is_named_and_may_be_left_out(tmp_path: Path) -> None:
    table = local_table(tmp_path, {"k": "INT", "g": "GEOMETRY"}, bucket="-1")
    with pytest.raises(TaskError, match="column g") as refused:
        source(table.location).schema()
    assert failure_from(refused.value).code == "unsupported"
    assert source(table.location, columns="k").schema().names == ["k"]
