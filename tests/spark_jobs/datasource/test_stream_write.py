"""`writeStream.format("lakescope")`, as its engine calls it; each call is in a process of its own there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark import TaskContext
from pyspark.sql import types as T  # noqa: N812 - the name that all of Spark's documentation uses
from pyspark.sql.datasource import WriterCommitMessage

from core.commit import TableCommit
from core.errors import CommitConflictError
from core.table import Table
from spark_jobs.datasource.stream_write import BATCH_PROPERTY, QUERY_PROPERTY
from spark_jobs.failures import TaskError
from tests.spark_jobs.datasource.direct import local_table, sent, source
from tests.spark_jobs.datasource.test_batch_write import SCHEMA, batches
from tests.tables import data_paths, put, rows_of


class Query:
    """A streaming query; `run` is what its engine does for one batch."""

    def __init__(self, table: Table, query: str = "q-1", overwrite: bool = False, **options: str) -> None:
        self.table, self.query, self.overwrite, self.options = table, query, overwrite, options

    def writer(self, schema: T.StructType = SCHEMA) -> Any:
        return source(self.table.location, **self.options).streamWriter(schema, self.overwrite)

    def written(self, batch: int, *tasks: list[tuple[Any, ...]]) -> list[WriterCommitMessage]:
        context = TaskContext()
        context._localProperties = {QUERY_PROPERTY: self.query, BATCH_PROPERTY: str(batch)}
        TaskContext._setTaskContext(context)
        try:
            return [sent(sent(self.writer()).write(batches(SCHEMA, *rows))) for rows in tasks]
        finally:
            TaskContext._setTaskContext(None)

    def run(self, batch: int, *tasks: list[tuple[Any, ...]]) -> None:
        self.writer().commit(self.written(batch, *tasks), batch)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    return local_table(tmp_path, {"k": "INT", "v": "STRING"}, bucket="-1")


def test_a_batch_is_a_commit_of_the_query_with_its_number(table: Table) -> None:
    Query(table).run(0, [(1, "a")], [], [(2, "b")])
    Query(table).run(1, [(3, "c")])
    made = [(s.commit_user, s.commit_identifier) for s in table.snapshots.iter_all()]
    assert made == [("q-1", 0), ("q-1", 1)]
    assert rows_of(table) == [(1, "a"), (2, "b"), (3, "c")]


def test_a_batch_without_rows_or_tasks_makes_no_snapshot(table: Table) -> None:
    Query(table).run(0, [], [])
    Query(table).run(1)
    assert table.snapshots.latest_id() is None


def test_a_batch_that_is_run_again_is_there_once_and_leaves_no_file(table: Table) -> None:
    query = Query(table)
    query.run(0, [(1, "a")])
    query.run(1, [(2, "b")])
    there = data_paths(table)
    query.run(1, [(2, "b")])
    assert rows_of(table) == [(1, "a"), (2, "b")]
    assert data_paths(table) == there
    Query(table, "q-2").run(1, [(3, "of another query")])
    assert len(rows_of(table)) == 3


def test_a_batch_that_died_before_its_commit_is_made_by_the_next_run(table: Table) -> None:
    query = Query(table)
    query.written(0, [(1, "lost")])
    query.run(0, [(1, "a")])
    assert rows_of(table) == [(1, "a")]


@pytest.mark.parametrize("keys", [["k"], []])
@pytest.mark.parametrize("overwrite", [False, True])
def test_of_two_runs_of_a_batch_that_commit_at_once_one_is_there_and_both_end_well(
    keys: list[str], overwrite: bool, tmp_path: Path
) -> None:
    """The commit of a driver that was killed may live on beside that of the next one."""
    columns = {"k": "INT NOT NULL", "v": "STRING"}
    table = local_table(tmp_path, columns, keys, bucket="1" if keys else "-1")
    put(table, (0, "before"))
    query = Query(table, overwrite=overwrite)
    late, there = query.written(7, [(1, "a")]), set[str]()

    def overtaken(self: TableCommit, identifiers: Iterable[int]) -> list[int]:
        monkeypatch.undo()
        found = self.filter_committed(identifiers)
        query.run(7, [(1, "a")])
        put(table, (2, "since"))
        there.update(data_paths(table))
        return found

    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(TableCommit, "filter_committed", overtaken)
        query.writer().commit(late, 7)
    assert rows_of(table) == [*([] if overwrite else [(0, "before")]), (1, "a"), (2, "since")]
    assert len(TableCommit(table, query.query).snapshots_of(7)) == 1
    assert data_paths(table) < there, "the files of the slower one are gone"


def test_a_run_that_is_behind_by_batches_changes_nothing(table: Table) -> None:
    query = Query(table)
    late = query.written(0, [(1, "a")])
    for batch in range(3):
        query.run(batch, [(batch, "a")])
    there = rows_of(table)
    query.writer().commit(late, 0)
    query.writer().abort([*query.written(0, [(1, "a")]), None], 0)
    assert rows_of(table) == there == [(0, "a"), (1, "a"), (2, "a")]


def test_a_conflict_that_is_of_no_other_run_ends_the_query(tmp_path: Path) -> None:
    keyed = local_table(tmp_path, {"k": "INT NOT NULL", "v": "STRING"}, ["k"], commit__max_retries="0")
    query = Query(keyed)
    made = query.written(0, [(1, "a")])

    def beaten(self: TableCommit, *args: Any) -> Any:
        monkeypatch.undo()
        raise CommitConflictError("other commits were faster each time")

    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(TableCommit, "commit", beaten)
        with pytest.raises(TaskError, match="faster"):
            query.writer().commit(made, 0)
    assert not data_paths(keyed)


def test_a_batch_of_which_a_task_failed_leaves_no_file(table: Table) -> None:
    query = Query(table)
    query.writer().abort([*query.written(0, [(1, "a")]), None], 0)
    assert not data_paths(table)


def test_output_mode_complete_replaces_the_table(table: Table) -> None:
    query = Query(table, overwrite=True)
    query.run(0, [(1, "a"), (2, "b")])
    query.run(1, [(1, "c")])
    query.run(1, [(1, "c")])
    assert rows_of(table) == [(1, "c")]
    assert table.snapshots.latest_id() == 2


def test_two_tasks_in_a_bucket_of_keys_are_refused(tmp_path: Path) -> None:
    keyed = local_table(tmp_path, {"k": "INT NOT NULL", "v": "STRING"}, ["k"])
    with pytest.raises(TaskError, match="distributed"):
        Query(keyed).run(0, [(1, "a")], [(2, "b")])
    assert not data_paths(keyed)


def test_a_sink_outside_of_a_query_has_nothing_to_commit_by(table: Table) -> None:
    with pytest.raises(TaskError, match="streaming query"):
        Query(table).writer().write(batches(SCHEMA, (1, "a")))
