"""Overwrites, truncation and dropped partitions in every bucket mode: rows go, their indexes with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from core.commit import TableCommit
from core.manifest import IndexManifestEntry
from core.table import Table
from core.write.partition_spec import PartitionSpec
from tests.tables import arrow, new_table, put, rows_of

COLUMNS = {"p": "STRING NOT NULL", "id": "INT NOT NULL", "v": "STRING"}
MODES: Mapping[str, Callable[[], Table]] = {
    "unaware": lambda: new_table(COLUMNS, partition=["p"], bucket="-1"),
    "unaware with vectors": lambda: new_table(
        COLUMNS, partition=["p"], bucket="-1", deletion_vectors__enabled="true"
    ),
    "append in buckets with vectors": lambda: new_table(
        COLUMNS, partition=["p"], bucket="2", bucket_key="id", deletion_vectors__enabled="true"
    ),
    "fixed": lambda: new_table(COLUMNS, ["p", "id"], partition=["p"], bucket="2"),
    "mod": lambda: new_table(COLUMNS, ["p", "id"], partition=["p"], bucket="2", bucket_function__type="mod"),
    "dynamic": lambda: new_table(
        COLUMNS, ["p", "id"], partition=["p"], bucket="-1", dynamic_bucket__target_row_num="1"
    ),
}
ROWS = [("a", 1, "x"), ("a", 2, "x"), ("b", 1, "x"), ("b", 2, "y")]


@pytest.fixture(params=MODES)
def table(request: pytest.FixtureRequest) -> Table:
    """Two partitions with two rows each; one of `b` is deleted where the mode keeps an index of that."""
    made = MODES[request.param]()
    put(made, *ROWS)
    plan = made.plan_delete("p = 'b' AND v = 'y'")
    TableCommit(made, "u").commit(made.apply_changes(plan))
    return made


def overwrite(table: Table, rows: list[tuple[str, int, str]], spec: PartitionSpec | None) -> None:
    with table.new_write(overwrite=True) as writer:
        if rows:
            writer.write(arrow(table, rows))
        TableCommit(table, "u").overwrite(writer.prepare_commit(), spec)


def indexes(table: Table) -> list[IndexManifestEntry]:
    snapshot = table.snapshots.latest()
    return table.manifests.index_entries(snapshot) if snapshot else []


def partitions_with_index(table: Table) -> set[bytes]:
    return {entry.partition.to_bytes() for entry in indexes(table)}


def test_an_overwrite_replaces_the_partitions_of_its_rows(table: Table) -> None:
    overwrite(table, [("b", 7, "new"), ("b", 8, "new")], None)
    assert rows_of(table) == [*ROWS[:2], ("b", 7, "new"), ("b", 8, "new")]


def test_an_overwrite_of_a_named_partition_empties_it_without_rows(table: Table) -> None:
    before = partitions_with_index(table)
    overwrite(table, [], {"p": "b"})
    assert rows_of(table) == ROWS[:2]
    assert len(partitions_with_index(table)) == max(len(before) - 1, 0)


def test_an_overwrite_of_the_whole_table_leaves_its_rows_alone(table: Table) -> None:
    overwrite(table, [("c", 1, "new")], {})
    assert rows_of(table) == [("c", 1, "new")]
    assert sum(entry.row_count for entry in indexes(table)) in (0, 1)


def test_a_truncated_table_has_no_rows_and_no_index_and_is_written_again(table: Table) -> None:
    TableCommit(table, "u").truncate()
    assert (rows_of(table), indexes(table)) == ([], [])
    put(table, *ROWS)
    assert rows_of(table) == ROWS


def test_a_dropped_partition_comes_back_with_new_rows(table: Table) -> None:
    TableCommit(table, "u").truncate_partitions([{"p": "b"}])
    assert rows_of(table) == ROWS[:2]
    put(table, ("b", 2, "again"), ("a", 1, "more"))
    kept = ROWS[1:2] if table.schema.primary_keys else ROWS[:2]
    assert rows_of(table) == sorted([*kept, ("a", 1, "more"), ("b", 2, "again")], key=repr)
