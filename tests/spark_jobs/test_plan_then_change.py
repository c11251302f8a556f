"""A job that is planned, and applied when the table is another one: by commit, rollback or expiration."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from core import open_catalog
from core.errors import CommitConflictError, NotFoundError
from core.io import LocalFileIO
from core.jobs import (
    CompactJob,
    DeleteBranchJob,
    DeleteTagsJob,
    ExpirePartitionsJob,
    ExpireSnapshotsJob,
    RemoveOrphanFilesJob,
    ReplaceTagJob,
    RescaleJob,
    RestoreJob,
    RollbackJob,
    Work,
)
from core.maintenance.branches.create import apply_create_branch, plan_create_branch
from core.maintenance.check import check_table
from core.maintenance.expire.snapshots import apply_expire_snapshots, plan_expire_snapshots
from core.maintenance.rollback import apply_rollback
from core.maintenance.rollback_plan import plan_rollback
from core.table import Table
from spark_jobs.jobs.registry import JOBS
from spark_jobs.jobs.steps import Run
from tests.core.maintenance.tables import everything, files, tag
from tests.spark_jobs.conftest import Recorded
from tests.spark_jobs.jobs import Pickling, spec_of
from tests.tables import new_table, prepare, put, rows_of

D1, D2 = "2026-11-01", "2026-11-02"
LATER = 4_000_000_000_000  # every commit is old by then


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "wh"
    make(folder)
    return folder


def make(folder: Path) -> None:
    """Snapshots 1 to 5, of which a tag and a branch hold 2, and files that nobody committed."""
    table = new_table(
        {"dt": "STRING NOT NULL", "k": "INT NOT NULL", "v": "STRING"},
        ["dt", "k"],
        partition=["dt"],
        io=LocalFileIO(),
        warehouse=str(folder),
        bucket="2",
        partition__timestamp_formatter="yyyy-MM-dd",
    )
    put(table, *[(day, k, "a") for day in (D1, D2) for k in range(4)])
    for k, (day, value) in enumerate([(D1, "b"), (D2, "b"), (D1, "c"), (D2, "c")]):
        put(table, (day, k // 2, value))
    tag(table, "old", 2)
    apply_create_branch(table, plan_create_branch(table, "side", tag="old"))
    prepare(table, [(D1, 50, "not committed")])


def committed(table: Table) -> None:
    put(table.refreshed(), (D1, 99, "late"))


def rolled_back(table: Table) -> None:
    apply_rollback(table, plan_rollback(table, 3))


def replaced(table: Table) -> None:
    """Another snapshot 5 than the one of the plan."""
    apply_rollback(table, plan_rollback(table, 4))
    committed(table)


def expired(table: Table) -> None:
    apply_expire_snapshots(table, plan_expire_snapshots(table, now_millis=LATER, retain_min=1))


MOVED = "the table has moved since"
LEFT = "has left the table"
REPLACED = "a file to be replaced is no longer in the table"
GONE = "the target has expired since"
Expected = tuple[str | None, str | None, str | None, str | None]  # what a refusal says; None: it is done
CASES: list[tuple[Work, Expected]] = [
    # committed, rolled back, replaced, expired
    (RollbackJob(snapshot=3), (MOVED, MOVED, MOVED, GONE)),
    (RollbackJob(snapshot=4, guard=False), (MOVED, MOVED, MOVED, GONE)),
    (RestoreJob(snapshot=3), (MOVED, MOVED, MOVED, GONE)),
    (ExpireSnapshotsJob(retain_max=2, retain_min=1), (None, "the table was rolled back since", None, None)),
    (RemoveOrphanFilesJob(), (None, None, None, None)),
    (ExpirePartitionsJob("30 d"), (None, None, None, None)),
    (DeleteTagsJob(("old",)), (None, None, None, None)),
    (ReplaceTagJob("old", snapshot=4), (None, "snapshot expired", None, "snapshot expired")),
    (DeleteBranchJob("side"), (None, None, None, None)),
    (RescaleJob(3), ("strict mode", LEFT, LEFT, None)),
    (CompactJob(), (None, REPLACED, REPLACED, None)),
]
CHANGES = (committed, rolled_back, replaced, expired)
TABLE = [(work, c, said) for work, expected in CASES for c, said in zip(CHANGES, expected, strict=True)]


def rows_then(work: Work, before: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
    """The job's own doing aside, no row comes or goes."""
    return [] if isinstance(work, ExpirePartitionsJob) else before


@pytest.mark.parametrize(
    ("work", "change", "said"),
    TABLE,
    ids=[f"{type(work).__name__}-{n}-{change.__name__}" for n, (work, change, _) in enumerate(TABLE)],
)
def test_an_old_plan_does_what_is_right_or_says_what_has_changed_and_nothing(
    made: Path, tmp_path: Path, work: Work, change: Callable[[Table], None], said: str | None
) -> None:
    folder = Path(shutil.copytree(made, tmp_path / "wh"))
    table, spec = open_catalog(str(folder)).get_data_table("db.t"), spec_of(folder, work)
    run, job = Run(spec, Recorded(), Pickling(), LATER), JOBS[spec.kind]
    plan = job.plan(run)
    change(table)
    before, rows, stored = everything(table), rows_of(table), files(table)
    if said is not None:
        with pytest.raises((CommitConflictError, NotFoundError), match=said):
            job.apply(run, plan)
        assert (everything(table), files(table)) == (before, stored)
    else:
        job.verify(run, plan, job.apply(run, plan))
        after = everything(table)
        assert {name for name in after.keys() & before.keys() if after[name] != before[name]} <= {"main/old"}
        assert rows_of(table.refreshed()) == rows_then(work, rows)
    assert check_table(table.refreshed()).findings == ()
