"""The analyze job: summaries of splits, merged, are the summary of all rows."""

from __future__ import annotations

from pathlib import Path

from core.io import LocalFileIO
from core.jobs import AnalyzeJob
from core.maintenance.analyze import plan_analyze
from core.maintenance.analyze.plan import gather
from core.stats.table_statistics import decode_table_statistics
from core.table import Table
from tests.spark_jobs.jobs import Pickling, do
from tests.tables import new_table, put


def make_table(folder: Path) -> Table:
    columns = {"dt": "STRING", "n": "INT", "x": "DOUBLE", "s": "STRING"}
    table = new_table(columns, partition=["dt"], io=LocalFileIO(), warehouse=str(folder), bucket="-1")
    for dt in "abc":
        rows = [
            (dt, i % 7, float(i) if i else float("nan"), None if i % 3 else f"text {i}") for i in range(30)
        ]
        put(table, *rows)
    put(table, ("d", None, None, None))
    return table


def test_splits_are_read_apart_and_tell_what_all_rows_together_tell(tmp_path: Path) -> None:
    table = make_table(tmp_path)
    expected = gather(table, plan_analyze(table))
    executors = Pickling()
    result = do(tmp_path, AnalyzeJob(), executors=executors)
    ((phase, tasks),) = executors.phases
    assert (phase, tasks >= 4) == ("analyze", True)
    path = table.paths.statistics_file(table.snapshots.latest().statistics)
    assert decode_table_statistics(table.io.read(path)) == expected
    assert result.details["verified"]["rows"] == 91


def test_it_is_not_done_twice(tmp_path: Path) -> None:
    table = make_table(tmp_path)
    first = do(tmp_path, AnalyzeJob(("n",)))
    assert do(tmp_path, AnalyzeJob(("n",))).snapshots == first.snapshots
    assert table.snapshots.latest_id() == 5
