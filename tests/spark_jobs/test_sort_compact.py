"""The sort compact job: the same rows, in order."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import InvalidRequestError
from core.io import LocalFileIO
from core.jobs import SortCompactJob, SortStrategy
from core.table import Table
from tests.spark_jobs.jobs import Pickling, do
from tests.tables import files_of, new_table, put, rows_of


def make_table(folder: Path, **options: str) -> Table:
    columns = {"dt": "STRING", "a": "INT", "b": "INT"}
    table = new_table(
        columns, partition=["dt"], io=LocalFileIO(), warehouse=str(folder), bucket="-1", **options
    )
    for i in range(3):
        put(table, *[(dt, (k * 7) % 10, k) for dt in "xy" for k in range(i, 10, 3)])
    return table


@pytest.mark.parametrize("strategy", [SortStrategy.ORDER, SortStrategy.ZORDER, SortStrategy.HILBERT])
def test_partitions_are_sorted_by_tasks_of_their_own(tmp_path: Path, strategy: SortStrategy) -> None:
    table = make_table(tmp_path)
    before = rows_of(table)
    executors = Pickling()
    work = SortCompactJob(strategy, ("a", "b"))
    result = do(tmp_path, work, executors=executors)
    assert (executors.phases, rows_of(table), len(files_of(table))) == ([("compact", 2)], before, 2)
    verified = result.details["verified"]
    assert (verified["rows_before"], verified["rows_after"]) == (len(before), len(before))
    if strategy is SortStrategy.ORDER:
        assert table.to_arrow(["a"], "dt = 'x'").column("a").to_pylist() == sorted(range(10))
    assert do(tmp_path, work).snapshots == result.snapshots


def test_a_condition_chooses_partitions(tmp_path: Path) -> None:
    make_table(tmp_path)
    executors = Pickling()
    do(tmp_path, SortCompactJob(SortStrategy.ORDER, ("a",), where="dt > 'x'"), executors=executors)
    assert executors.phases == [("compact", 1)]


def test_what_a_clustered_table_has_still_to_do_is_a_strategy(tmp_path: Path) -> None:
    table = make_table(tmp_path, clustering__incremental="true", clustering__columns="a")
    before = rows_of(table)
    result = do(tmp_path, SortCompactJob(SortStrategy.INCREMENTAL))
    assert rows_of(table) == before
    assert len(result.snapshots) <= 1


def test_a_table_that_is_not_clustered_has_nothing_incremental(tmp_path: Path) -> None:
    make_table(tmp_path)
    with pytest.raises(InvalidRequestError) as told:
        do(tmp_path, SortCompactJob(SortStrategy.INCREMENTAL))
    assert told.value.fields["field"] == "sort-compact.strategy"
