"""The job that deletes orphans, alone and by tasks."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.io import LocalFileIO
from core.jobs import RemoveOrphanFilesJob, Where
from tests.spark_jobs.jobs import Pickling, do, plan_of
from tests.tables import data_paths, new_table, prepare, put, rows_of

LATER = 4_000_000_000_000


@pytest.mark.parametrize(("mode", "phases"), [(Where.LOCAL, []), (Where.DISTRIBUTED, [("delete", 1)])])
def test_orphans_go_and_nothing_else(tmp_path: Path, mode: Where, phases: list[tuple[str, int]]) -> None:
    table = new_table({"v": "INT"}, io=LocalFileIO(), warehouse=str(tmp_path), bucket="-1")
    put(table, (1,))
    kept = data_paths(table)
    prepare(table, [(2,)])
    assert plan_of(tmp_path, RemoveOrphanFilesJob())["plan"]["files"] == {}  # type: ignore[index]
    executors = Pickling()
    work = RemoveOrphanFilesJob(mode=mode)
    result = do(tmp_path, work, executors=executors, now_millis=LATER)
    assert (executors.phases, result.metrics["files_deleted"]) == (phases, 1)
    assert (data_paths(table), rows_of(table)) == (kept, [(1,)])
    assert result.details["verified"] == {"files_deleted": 1, "files_deleted_and_needed": 0}
    assert do(tmp_path, work, now_millis=LATER).metrics["files_deleted"] == 0
