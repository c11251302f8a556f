"""Which task gets which row: the same one as every other row of its partition and bucket."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import types as T  # noqa: N812 - the name that all of Spark's documentation uses

from core.errors import InvalidRequestError
from core.table import Table
from spark_jobs.placement import Placement
from tests.tables import new_table, put

COLUMNS = {"p": "STRING NOT NULL", "k": "INT NOT NULL", "v": "STRING"}
KEY, PART = T.StructField("k", T.IntegerType()), T.StructField("p", T.StringType())
FRAME = T.StructType([T.StructField("v", T.StringType()), KEY, PART])


def keyed(bucket: str, **how: Any) -> Table:
    return new_table(COLUMNS, ["p", "k"], partition=["p"], bucket=bucket, **how)


def placed(table: Table, tasks: int = 3) -> Placement:
    found = Placement.of(table.schema, FRAME, tasks)
    assert found is not None
    return found


def tasks_of(placement: Placement, rows: Mapping[str, list[Any]]) -> list[int]:
    columns = {"p": pa.string(), "k": pa.int32(), "part": pa.string(), "key": pa.int32()}
    arrays = [pa.array(rows[c.source], columns[c.source]) for c in placement.keys.columns]
    return placement.tasks_of(*arrays).to_pylist()


def test_a_row_goes_to_the_task_of_the_bucket_that_core_writes_it_to() -> None:
    table = keyed("4")
    rows = [(part, k, "v") for part in "ab" for k in range(20)]
    put(table, *rows)
    placement = placed(table)
    for split in table.plan().splits:
        read = pa.Table.from_batches(table.read_split(split))
        found = tasks_of(placement, {"p": read["p"].to_pylist(), "k": read["k"].to_pylist()})
        assert set(found) == {placement.task_of(split.partition, split.bucket)}


def test_the_buckets_of_a_partition_go_to_the_tasks_in_turn() -> None:
    placement = placed(new_table({"k": "INT NOT NULL"}, ["k"], bucket="6"))
    table = keyed("6")
    put(table, ("a", 1, "v"))
    (split,) = table.plan().splits
    assert [placement.task_of(split.partition, bucket) for bucket in range(6)] == [0, 1, 2, 0, 1, 2]
    first = placed(table).task_of(split.partition, 0)
    assert placed(table).task_of(split.partition, 1) == (first + 1) % 3


def test_dynamic_buckets_are_placed_by_partition() -> None:
    placement = placed(keyed("-1"))
    assert [column.source for column in placement.keys.columns] == ["p"]
    assert len(set(tasks_of(placement, {"p": ["a"] * 5}))) == 1


def test_one_task_writes_where_nothing_tells_rows_apart() -> None:
    assert placed(new_table(COLUMNS, ["k"], partition=["p"], bucket="-1")).tasks == 1, "keys that move"
    assert placed(new_table(COLUMNS, ["k"], bucket="1")).tasks == 1
    assert placed(new_table(COLUMNS, ["k"], bucket="-1")).tasks == 1


def test_rows_of_tables_without_buckets_stay_where_they_are() -> None:
    assert Placement.of(new_table(COLUMNS, partition=["p"], bucket="-1").schema, FRAME, 3) is None


def test_rows_without_a_key_are_refused() -> None:
    with pytest.raises(InvalidRequestError, match="column=k"):
        Placement.of(keyed("4").schema, T.StructType([PART]), 3)


# --- merges ------------------------------------------------------------------------

SOURCE = T.StructType([T.StructField("part", T.StringType()), T.StructField("key", T.IntegerType())])


def test_a_row_of_a_merge_goes_where_its_partner_is() -> None:
    table = keyed("4")
    merge = Placement.of_merge(table.schema, SOURCE, {"key": "k", "part": "p"}, 3)
    assert merge is not None
    rows = {"p": ["a", "a", "b"], "k": [1, 2, 3]}
    assert tasks_of(merge, {"part": rows["p"], "key": rows["k"]}) == tasks_of(placed(table), rows)
    assert len(tasks_of(merge, {"part": [None], "key": [None]})) == 1, "a null joins nothing, and is no error"


def test_a_merge_that_joins_the_partition_alone_goes_by_it() -> None:
    for table in (new_table(COLUMNS, partition=["p"], bucket="-1"), keyed("4")):
        merge = Placement.of_merge(table.schema, SOURCE, {"part": "p"}, 3)
        assert merge is not None
        assert [column.source for column in merge.keys.columns] == ["part"]


def test_a_merge_that_joins_neither_is_one_task() -> None:
    moving = new_table(COLUMNS, ["k"], partition=["p"], bucket="-1")
    for table in (moving, new_table(COLUMNS, bucket="-1"), keyed("4")):
        assert Placement.of_merge(table.schema, SOURCE, {"key": "k"}, 3) is None
