"""Jobs on metadata alone: none of them starts Spark, and none is done twice."""

from __future__ import annotations

import shutil
from dataclasses import fields
from pathlib import Path

import pytest

from core import open_catalog
from core.cli.actions import ACTIONS, ARGUMENTS
from core.errors import CommitConflictError, InvalidRequestError
from core.io import LocalFileIO
from core.jobs import (
    KINDS,
    AlterOptionsJob,
    AutoTagsJob,
    ClearConsumersJob,
    CompactManifestsJob,
    CreateBranchJob,
    CreateTagJob,
    DeleteBranchJob,
    DeleteTagsJob,
    DropPartitionsJob,
    ExpireChangelogsJob,
    ExpireConsumersJob,
    ExpirePartitionsJob,
    ExpireSnapshotsJob,
    ExpireTagsJob,
    FastForwardJob,
    MarkPartitionsDoneJob,
    PurgeJob,
    RemoveMissingFilesJob,
    RenameBranchJob,
    RenameTagJob,
    RepairHintsJob,
    ReplaceTagJob,
    ResetConsumerJob,
    RestoreJob,
    Work,
)
from core.snapshot import Consumer
from core.table import Table
from spark_jobs.jobs.actions import ACTION_JOBS
from tests.spark_jobs.jobs import do, plan_of, references_of
from tests.tables import new_table, put, rows_of

PARTITIONS = ({"dt": "2026-11-01"}, {"dt": "2026-11-02"}, {"dt": "2026-11-03"})


def make_table(folder: Path) -> Table:
    """Three snapshots, a partition each; a tag, a branch, two consumers."""
    table = new_table(
        {"dt": "STRING", "v": "INT"},
        partition=["dt"],
        io=LocalFileIO(),
        warehouse=str(folder),
        bucket="-1",
        tag__automatic_creation="process-time",
        tag__num_retained_max="3",
    )
    for i, partition in enumerate(PARTITIONS):
        put(table, (partition["dt"], i), user="writer")
    do(folder, CreateTagJob("old", snapshot=1), "make-tag")
    do(folder, CreateBranchJob("side", tag="old"), "make-branch")
    put(table.with_branch("side"), ("2026-11-04", 9), user="writer")
    for name in ("c-1", "c-2"):
        table.consumers.put(Consumer(name, 2))
    return table


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("actions") / "wh"
    make_table(folder)
    return folder


@pytest.fixture
def warehouse(made: Path, tmp_path: Path) -> Path:
    """A copy of its own for each test."""
    return Path(shutil.copytree(made, tmp_path / "wh"))


def table_in(warehouse: Path) -> Table:
    return open_catalog(str(warehouse)).get_data_table("db.t")


CASES: list[tuple[Work, dict[str, object]]] = [
    (ExpireSnapshotsJob(retain_max=1, retain_min=1), {"earliest": 2, "files_deleted_and_needed": 0}),
    (ExpireChangelogsJob(all=True), {"changelogs_left": 0}),
    (CreateTagJob("new", age="3 d"), {"tag": "new", "files_kept": 3}),
    (ReplaceTagJob("old", snapshot=2), {"tag": "old", "files_kept": 2}),
    (RenameTagJob("old", "older"), {"tag": "older", "files_kept": 1}),
    (DeleteTagsJob(("old", "nobody")), {"tags_deleted": ["old"]}),
    (ExpireTagsJob(older_than="2100-01-01T00:00:00Z"), {"tags_deleted": ["old"]}),
    (AutoTagsJob(), {"files_deleted_and_needed": 0}),
    (CreateBranchJob("b", snapshot=2), {"branch": "b"}),
    (CreateBranchJob("empty"), {"branch": "empty", "stands_at": None}),
    (RenameBranchJob("side", "aside"), {"branch": "aside"}),
    (DeleteBranchJob("side"), {"branches": []}),
    (FastForwardJob("side"), {"rows_in_files": 2}),
    (ResetConsumerJob("c-1", next=3), {"consumer": "c-1", "next_snapshot": 3}),
    (ResetConsumerJob("c-1"), {"consumer": "c-1", "next_snapshot": None}),
    (ClearConsumersJob("c-.*", excluding="c-2"), {"consumers_left": ["c-2"]}),
    (ExpireConsumersJob("1 ms"), {"consumers_left": []}),
    (RestoreJob(snapshot=1), {"files": 1, "rows_in_files": 1}),
    (RestoreJob(branch="side"), {"files": 2, "rows_in_files": 2}),
    (DropPartitionsJob(PARTITIONS[:2]), {"partitions_dropped": ["dt=2026-11-01", "dt=2026-11-02"]}),
    (ExpirePartitionsJob("1 d"), {"partitions_dropped": [f"dt={p['dt']}" for p in PARTITIONS]}),
    (MarkPartitionsDoneJob(PARTITIONS), {"success_files": 3}),
    (CompactManifestsJob(), {"files": 3, "manifests_after": 1}),
    (RemoveMissingFilesJob(), {"files_taken_out": 0}),
    (RepairHintsJob(), {"hints_written": []}),
    (PurgeJob(), {"snapshots": 1, "files": 0}),
]


def state_of(folder: Path) -> dict[str, int]:
    """All files of the warehouse with their sizes; of success files and tags the times differ."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.stat().st_size for path in found}


def now_of(work: Work) -> int | None:
    """A month later for what is about age."""
    month = 32 * 86_400_000
    table_time = 1_800_000_000_000
    return table_time + month if isinstance(work, ExpirePartitionsJob | ExpireConsumersJob) else None


@pytest.mark.parametrize(("work", "true_then"), CASES, ids=lambda case: type(case).__name__)
def test_a_job_is_planned_without_a_change_says_what_is_true_then_and_is_not_done_twice(
    warehouse: Path, work: Work, true_then: dict[str, object]
) -> None:
    before = state_of(warehouse)
    told = plan_of(warehouse, work)
    assert (told["finished_before"], state_of(warehouse)) == (None, before)
    result = do(warehouse, work, now_millis=now_of(work))
    verified = result.details["verified"]
    assert {name: verified.get(name) for name in true_then} == true_then
    after = state_of(warehouse)
    again = do(warehouse, work, now_millis=now_of(work))
    assert (again.latest, state_of(warehouse)) == (result.latest, after)


def test_every_action_of_the_command_that_is_a_job_has_a_case() -> None:
    assert {type(work) for work, _ in CASES} == {KINDS[kind] for kind in ACTION_JOBS}


def test_jobs_and_the_command_ask_for_the_same() -> None:
    names = {
        key: a.settings.get("dest", a.flag.lstrip("-").replace("-", "_")) for key, a in ARGUMENTS.items()
    }
    for kind in ACTION_JOBS:
        asked = {names[key] for key in ACTIONS[kind].arguments}
        missing = asked - {field.name for field in fields(KINDS[kind])}  # type: ignore[arg-type]
        assert not missing, kind


def test_a_fast_forward_removes_nothing_that_was_not_confirmed(warehouse: Path) -> None:
    table = table_in(warehouse)
    with pytest.raises(CommitConflictError, match="moved since the job was confirmed"):
        do(warehouse, FastForwardJob("side", history=tuple(references_of(table)[:1])))
    assert len(rows_of(table)) == 3


def test_a_restoration_is_over_the_snapshot_that_was_confirmed(warehouse: Path) -> None:
    table = table_in(warehouse)
    confirmed = references_of(table)[-1]
    put(table, ("2026-11-04", 4))
    with pytest.raises(CommitConflictError, match="moved since the job was confirmed"):
        do(warehouse, RestoreJob(snapshot=1, base=confirmed))
    assert len(rows_of(table)) == 4
    do(warehouse, RestoreJob(snapshot=1, base=references_of(table)[-1]))
    assert len(rows_of(table)) == 1


def test_partitions_are_dropped_of_the_snapshot_that_was_confirmed(warehouse: Path) -> None:
    table = table_in(warehouse)
    confirmed = references_of(table)[-1]
    put(table, ("2026-11-01", 4))
    with pytest.raises(CommitConflictError, match="moved since the job was confirmed"):
        do(warehouse, DropPartitionsJob(PARTITIONS[:1], base=confirmed))
    do(warehouse, DropPartitionsJob(PARTITIONS[:1], base=references_of(table)[-1]))
    assert {str(row[0]) for row in rows_of(table)} == {"2026-11-02", "2026-11-03"}


def test_partitions_that_were_not_confirmed_do_not_expire(warehouse: Path) -> None:
    later = 1_900_000_000_000
    done = do(warehouse, ExpirePartitionsJob("1 d", only=PARTITIONS[1:2]), now_millis=later)
    assert done.details["verified"]["partitions_dropped"] == ["dt=2026-11-02"]
    assert do(warehouse, ExpirePartitionsJob("1 d", only=()), "j-2", now_millis=later).snapshots == ()


def test_options_are_set_and_removed_in_the_schema_that_was_confirmed(warehouse: Path) -> None:
    work = AlterOptionsJob({"target-file-size": "9 mb"}, remove=("tag.num-retained-max",), schema=0)
    done = do(warehouse, work)
    options = table_in(warehouse).schemas.latest().options
    assert (options["target-file-size"], "tag.num-retained-max" in options) == ("9 mb", False)
    assert done.details["verified"] == {"schema": 1, "options_changed": 2}
    assert "finished_before" in do(warehouse, work).details["verified"]
    with pytest.raises(CommitConflictError, match="moved since the job was confirmed"):
        do(warehouse, AlterOptionsJob({"target-file-size": "8 mb"}, schema=0), "j-2")
    with pytest.raises(InvalidRequestError, match="cannot be changed any more"):
        do(warehouse, AlterOptionsJob({"merge-engine": "first-row"}), "j-3")


def test_a_name_that_another_thing_has_is_refused(warehouse: Path) -> None:
    with pytest.raises(InvalidRequestError, match="tag-exists"):
        do(warehouse, CreateTagJob("old", snapshot=3))


def test_rows_that_come_after_a_drop_stay_when_it_is_run_again(warehouse: Path) -> None:
    table = table_in(warehouse)
    do(warehouse, DropPartitionsJob(PARTITIONS[:1]))
    put(table, (PARTITIONS[0]["dt"], 7))
    do(warehouse, DropPartitionsJob(PARTITIONS[:1]))
    assert (PARTITIONS[0]["dt"], 7) in rows_of(table)
