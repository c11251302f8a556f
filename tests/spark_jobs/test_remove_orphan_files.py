"""The job that deletes orphans, alone and by tasks."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.io import LocalFileIO
from core.jobs import RemoveOrphanFilesJob, Where
from spark_jobs.jobs import remove_orphan_files
from tests.spark_jobs.jobs import Pickling, do, plan_of
from tests.tables import data_paths, new_table, prepare, put, rows_of

LATER = 4_000_000_000_000


@pytest.mark.parametrize(
    ("mode", "phases"), [(Where.LOCAL, []), (Where.DISTRIBUTED, [("list", 1), ("delete", 1)])]
)
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


def test_many_folders_are_listed_by_many_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = {"k": "INT NOT NULL", "v": "INT"}
    table = new_table(columns, ["k"], io=LocalFileIO(), warehouse=str(tmp_path), bucket="8")
    put(table, *((k, 0) for k in range(100)))
    kept = data_paths(table)
    prepare(table, [(k, 1) for k in range(100)])
    monkeypatch.setattr(remove_orphan_files, "_FOLDERS", 3)
    monkeypatch.setattr(remove_orphan_files, "_TASKS", 2)
    executors = Pickling()
    work = RemoveOrphanFilesJob(mode=Where.DISTRIBUTED)
    result = do(tmp_path, work, executors=executors, now_millis=LATER)
    listings = [tasks for phase, tasks in executors.phases if phase == "list"]
    assert (max(listings), sum(listings)) == (2, 4)  # 8 buckets, manifest, schema and snapshot
    assert (result.metrics["files_deleted"], data_paths(table)) == (8, kept)
