"""Partitions get another number of buckets and keep their rows. Spec: 08, 15; 10, 4.2."""

from __future__ import annotations

from typing import Any

import pytest

from core.commit import TableCommit
from core.errors import CommitConflictError, InvalidRequestError
from core.maintenance.rescale import apply_rescale, plan_rescale
from core.maintenance.rollback import apply_rollback
from core.maintenance.rollback_plan import plan_rollback
from core.options import BUCKET
from core.schema.changes import SetOption
from core.snapshot import CommitKind
from core.table import Table
from core.write.rebucket import rebucket
from tests.core.maintenance.tables import checked, is_clean
from tests.tables import files_of, new_table, prepare, put, remove, rows_of

KEYED = {"id": "INT NOT NULL", "v": "STRING"}
DAYS = {"dt": "STRING NOT NULL", "id": "INT NOT NULL", "v": "STRING"}


def keyed(**options: str) -> Table:
    table = new_table(KEYED, ["id"], **{"bucket": "2", **options})
    put(table, *[(i, f"a{i}") for i in range(40)])
    put(table, *[(i, f"b{i}") for i in range(0, 40, 3)])
    remove(table, (1, None), (2, None))
    return table


def rescaled(table: Table, buckets: int | None = None, **scope: Any) -> Table:
    apply_rescale(table, plan_rescale(table, buckets, **scope), "rescaler")
    return table.refreshed()


def places_of(table: Table) -> set[tuple[int, int]]:
    """The bucket and number of buckets of each live file."""
    snapshot = table.snapshots.latest()
    assert snapshot is not None
    return {(e.bucket, e.total_buckets) for e in table.manifests.live_entries(snapshot).entries()}


@pytest.mark.parametrize("buckets", [1, 3, 5])
def test_keys_are_found_in_their_new_buckets(buckets: int) -> None:
    table, rows = keyed(), rows_of(keyed())
    table = rescaled(table, buckets)
    assert rows_of(table) == rows
    assert places_of(table) == {(i, buckets) for i in range(buckets)}
    put(table, *[(i, "new") for i in range(40)])
    assert rows_of(table) == sorted(((i, "new") for i in range(40)), key=repr)
    assert is_clean(checked(table))


def test_one_snapshot_replaces_a_partition_by_files_of_the_top_level() -> None:
    table = rescaled(keyed(), 3)
    latest = table.snapshots.latest()
    assert latest is not None
    assert (latest.id, latest.commit_kind) == (4, CommitKind.OVERWRITE)
    assert latest.changelog_manifest_list is None
    assert {file.level for file in files_of(table)} == {5}


def test_the_number_of_the_option_is_meant_where_none_is_given() -> None:
    table = keyed().alter([SetOption("bucket", "4")])
    with pytest.raises(InvalidRequestError, match="another number of buckets"):
        put(table, (1, "x"))
    plan = plan_rescale(table)
    assert (plan.option, plan.buckets, [p.buckets for p in plan.partitions]) == (4, 4, [2])
    table = rescaled(table)
    put(table, (1, "x"))
    assert plan_rescale(table).changes_nothing


def test_a_plan_changes_nothing_and_tells_what_it_would() -> None:
    table = keyed()
    plan = plan_rescale(table, 8)
    (partition,) = plan.partitions
    assert (partition.buckets, partition.partition.files.count, partition.partition.files.rows) == (2, 5, 56)
    assert table.refreshed().options.get(BUCKET) == 2
    assert table.snapshots.latest_id() == 3


@pytest.mark.parametrize("merge_bytes", [1, 10**8])
def test_rows_of_append_tables_keep_their_order(merge_bytes: int) -> None:
    table = new_table({"k": "INT", "n": "INT"}, bucket="2", bucket_key="k")
    for start in range(0, 60, 20):
        put(table, *[(i % 7, i) for i in range(start, start + 20)])
    (task,) = (p.task for p in plan_rescale(table, 3).partitions)
    messages = rebucket(table, task, merge_bytes=merge_bytes)
    table = table.alter([SetOption("bucket", "3")])
    TableCommit(table, "me").overwrite(messages, {})
    found = [tuple(row.values()) for row in table.to_arrow().to_pylist()]
    for key in range(7):
        assert [n for k, n in found if k == key] == [i for i in range(60) if i % 7 == key]


def test_partitions_that_are_not_named_keep_their_buckets_and_cannot_be_written() -> None:
    table = new_table(DAYS, ["dt", "id"], partition=["dt"], bucket="1")
    put(table, *[(day, i, "a") for day in ("d1", "d2") for i in range(9)])
    rows = rows_of(table)
    plan = plan_rescale(table, 2, [{"dt": "d1"}])
    assert [(p.partition.name, p.buckets) for p in plan.partitions] == [("dt=d1", 1)]
    assert [str(w) for w in plan.warnings] == ["not-to-be-written (partitions=1)"]
    apply_rescale(table, plan, "rescaler")
    table = table.refreshed()
    assert rows_of(table) == rows
    put(table, ("d1", 1, "b"), ("d3", 1, "b"))
    with pytest.raises(InvalidRequestError, match="another number of buckets"):
        prepare(table, [("d2", 1, "b")])
    table = rescaled(table)
    put(table, ("d2", 1, "b"))
    assert len(rows_of(table)) == 19


@pytest.mark.parametrize(
    "options", [{"deletion_vectors__enabled": "true"}, {"merge_engine": "first-row"}, {"bucket": "1"}]
)
def test_rows_that_wait_on_level_zero_come_along(options: dict[str, str]) -> None:
    table = new_table(KEYED, ["id"], **{"bucket": "2", **options})
    compacting = table.with_options({"write-only": "false"})
    put(compacting, *[(i, "a") for i in range(20)])
    put(table, (3, "b"), (50, "b"))  # not compacted, so not seen where level 0 is passed over
    kept = "a" if "merge_engine" in options else "b"
    expected = {**dict.fromkeys(range(20), "a"), 3: kept, 50: "b"}
    assert rows_of(rescaled(table, 3)) == sorted(expected.items(), key=repr)


def test_a_partition_of_deleted_rows_alone_ends_up_empty() -> None:
    table = new_table(KEYED, ["id"], bucket="1")
    put(table, (1, "a"))
    remove(table, (1, None))
    table = rescaled(table, 2)
    assert (rows_of(table), files_of(table)) == ([], [])


def test_rows_that_come_after_the_plan_are_not_lost() -> None:
    table = keyed()
    plan = plan_rescale(table, 3)
    put(table, (100, "late"))
    with pytest.raises(CommitConflictError, match="strict mode"):
        apply_rescale(table, plan, "rescaler")
    table = table.refreshed()
    assert (100, "late") in rows_of(table)
    assert (100, "late") in rows_of(rescaled(table))
    assert is_clean(checked(table))


def test_a_plan_from_before_a_rollback_changes_nothing_not_even_the_option() -> None:
    table = keyed()
    plan = plan_rescale(table, 3)
    apply_rollback(table, plan_rollback(table, 2))
    put(table, (100, "late"))  # takes the id of the snapshot of the plan
    rows = rows_of(table)
    with pytest.raises(CommitConflictError, match="has left the table"):
        apply_rescale(table, plan, "rescaler")
    assert (rows_of(table), table.refreshed().options.get(BUCKET)) == (rows, 2)
    with pytest.raises(CommitConflictError, match="has left the table"):
        TableCommit(table, "me").overwrite([], {}, read_at=plan.base.reference)


def test_a_table_without_a_snapshot_gets_the_option_alone() -> None:
    table = rescaled(new_table(KEYED, ["id"], bucket="1"), 4)
    assert table.options.get(BUCKET) == 4
    assert table.snapshots.latest() is None


@pytest.mark.parametrize(
    ("keys", "options", "buckets", "message"),
    [
        (["id"], {"bucket": "-1"}, 2, "only tables of a fixed number"),
        ([], {"bucket": "-1"}, 2, "only tables of a fixed number"),
        (["id"], {"bucket": "2"}, 0, "needs a bucket"),
    ],
)
def test_what_has_no_fixed_buckets_is_refused(
    keys: list[str], options: dict[str, str], buckets: int, message: str
) -> None:
    with pytest.raises(InvalidRequestError, match=message):
        plan_rescale(new_table(KEYED, keys, **options), buckets)
