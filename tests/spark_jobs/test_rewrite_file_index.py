"""The job that rewrites file indexes: a task a file."""

from __future__ import annotations

from pathlib import Path

from core.io import LocalFileIO
from core.jobs import RewriteFileIndexJob
from core.schema.changes import SetOption
from tests.spark_jobs.jobs import Pickling, do, plan_of
from tests.tables import new_table, put, rows_of


def test_every_file_gets_the_index_from_a_task_of_its_own(tmp_path: Path) -> None:
    table = new_table({"v": "INT"}, io=LocalFileIO(), warehouse=str(tmp_path), bucket="-1")
    for i in range(3):
        put(table, *[(k,) for k in range(i * 1000, i * 1000 + 1000)])
    table = table.alter([SetOption("file-index.bloom-filter.columns", "v")])
    told = plan_of(tmp_path, RewriteFileIndexJob())["plan"]
    assert isinstance(told, dict)
    assert len(told["files"]) == 3
    executors = Pickling()
    result = do(tmp_path, RewriteFileIndexJob(), executors=executors)
    assert executors.phases == [("index", 3)]
    assert (result.metrics["files_changed"], result.details["added"]) == (3, {"bloom-filter(v)": 3})
    assert result.details["verified"]["rows_after"] == len(rows_of(table)) == 3000
    assert do(tmp_path, RewriteFileIndexJob()).snapshots == result.snapshots
