"""Tables with `branch-merge.enabled`: Paimon merges their branches by files, after appends alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core.commit import TableCommit
from core.errors import InvalidRequestError
from core.maintenance.analyze import apply_analyze, plan_analyze
from core.snapshot import CommitKind
from core.table import Table
from tests.tables import files_of, new_table, prepare, put, rows_of

COLUMNS = {"p": "STRING", "a": "INT"}
Act = Callable[[Table], Any]


def mergeable(**options: str) -> Table:
    return new_table(COLUMNS, partition=["p"], branch_merge__enabled="true", **{"bucket": "-1", **options})


def rewritten(table: Table) -> Any:
    return TableCommit(table, "u").commit(table.apply_changes(table.plan_delete("a = 1")))


REFUSED: dict[str, Act] = {
    "compact": lambda t: t.plan_compaction(),
    "sort": lambda t: t.plan_sort_compaction("order", ["a"]),
    "overwrite": lambda t: TableCommit(t, "u").overwrite(prepare(t, [("x", 9)]), {}),
    "overwrite_partitions": lambda t: TableCommit(t, "u").overwrite(prepare(t, [("x", 9)])),
    "truncate": lambda t: TableCommit(t, "u").truncate(),
    "drop": lambda t: TableCommit(t, "u").truncate_partitions([{"p": "x"}]),
    "delete": rewritten,
    "manifests": lambda t: TableCommit(t, "u").merge_manifests(),
}


@pytest.mark.parametrize("act", REFUSED.values(), ids=REFUSED)
def test_nothing_but_appends_is_committed(act: Act) -> None:
    table = mergeable()
    put(table, ("x", 1), ("y", 2))
    before = rows_of(table)
    with pytest.raises(InvalidRequestError, match=r"branch-merge\.enabled"):
        act(table)
    assert rows_of(table.refreshed()) == before


def test_rows_are_appended_and_analyzed() -> None:
    table = mergeable()
    put(table, ("x", 1))
    apply_analyze(table, plan_analyze(table), "u")
    put(table, ("y", 2))
    kinds = {snapshot.commit_kind for snapshot in table.snapshots.iter_all()}
    assert kinds == {CommitKind.APPEND, CommitKind.ANALYZE}


def test_a_writer_of_buckets_does_not_compact() -> None:
    table = mergeable(bucket="1", bucket_key="a", write_only="false", compaction__min__file_num="2")
    for i in range(4):
        put(table, ("x", i))
    assert len(files_of(table)) == 4


@pytest.mark.parametrize(
    ("keys", "options"),
    [(["p", "a"], {"bucket": "1"}), ([], {"bucket": "-1", "deletion_vectors__enabled": "true"})],
)
def test_such_a_table_is_made_without_keys_and_vectors(keys: list[str], options: dict[str, str]) -> None:
    with pytest.raises(InvalidRequestError, match=r"branch-merge\.enabled goes without"):
        new_table(
            {"p": "STRING NOT NULL", "a": "INT NOT NULL"}, keys, branch_merge__enabled="true", **options
        )
