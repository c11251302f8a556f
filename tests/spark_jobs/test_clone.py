"""The clone job: a copy that is a table, whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from core import open_catalog
from core.errors import InvalidRequestError, UnsupportedError
from core.io import LocalFileIO
from core.jobs import CloneJob
from core.maintenance.check import check_table
from core.maintenance.clone import copy_file, finish_clone, plan_clone
from core.maintenance.tags import apply_create_tag, plan_create_tag
from core.schema.changes import AddColumn
from core.table import Table
from core.types import parse_type
from tests.faults import Died, FaultyFileIO
from tests.spark_jobs.jobs import Pickling, do, plan_of
from tests.tables import compact, new_table, put, rows_of


def make_table(folder: Path) -> Table:
    """Deletion vectors, partitions, a changelog, two schemas, and a past."""
    table = new_table(
        {"dt": "STRING NOT NULL", "id": "INT NOT NULL"},
        ["dt", "id"],
        partition=["dt"],
        io=LocalFileIO(),
        warehouse=str(folder / "wh"),
        changelog_producer="input",
        deletion_vectors__enabled="true",
    )
    put(table, ("a", 1), ("b", 2))
    apply_create_tag(table, plan_create_tag(table, "first", now_millis=0))
    compact(table)
    table = table.alter([AddColumn(("v",), parse_type("INT"))])
    put(table, ("a", 1, 7), ("c", 3, 8))
    compact(table)
    return table


def copy_in(folder: Path, name: str = "backup.orders") -> Table:
    return open_catalog(str(folder)).get_data_table(name)


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_clone_holds_the_same_rows_and_nothing_of_it_is_missing(tmp_path: Path, elsewhere: bool) -> None:
    table = make_table(tmp_path)
    other = {"warehouse": str(tmp_path / "other")} if elsewhere else None
    executors = Pickling()
    result = do(tmp_path / "wh", CloneJob("backup.orders", other), executors=executors)
    copy = copy_in(tmp_path / ("other" if elsewhere else "wh"))
    assert rows_of(copy) == rows_of(table)
    assert copy.snapshots.latest() == table.snapshots.latest()
    assert [phase for phase, _ in executors.phases] == ["copy"]
    assert result.details["verified"]["missing_or_damaged"] == 0
    assert check_table(copy).findings == ()
    put(copy, ("z", 9, 9))
    compact(copy)
    assert len(rows_of(copy)) == len(rows_of(table)) + 1, "what is written to one is not in the other"


@pytest.mark.parametrize("work", [CloneJob("db.copy", tag="first"), CloneJob("db.copy", snapshot=1)])
def test_a_clone_of_a_tag_or_snapshot_is_as_the_table_was(tmp_path: Path, work: CloneJob) -> None:
    table = make_table(tmp_path)
    do(tmp_path / "wh", work)
    copy = copy_in(tmp_path / "wh", "db.copy")
    assert rows_of(copy) == rows_of(table, snapshot_id=1)
    assert copy.schema.field_names == ("dt", "id")


def test_a_clone_is_not_made_twice_and_never_over_another_table(tmp_path: Path) -> None:
    table = make_table(tmp_path)
    do(tmp_path / "wh", CloneJob("db.copy"))
    copy = copy_in(tmp_path / "wh", "db.copy")
    put(copy, ("z", 9, 9))
    compact(copy)
    again = Pickling()
    do(tmp_path / "wh", CloneJob("db.copy"), executors=again)
    assert (again.phases, len(rows_of(copy))) == ([], len(rows_of(table)) + 1)
    with pytest.raises(InvalidRequestError, match="table-exists"):
        do(tmp_path / "wh", CloneJob("db.copy", snapshot=1), "j-2")


@pytest.mark.parametrize("step", range(1, 5))
def test_what_a_crash_leaves_is_finished_by_the_next_run(tmp_path: Path, step: int) -> None:
    table = make_table(tmp_path)
    catalog = open_catalog(str(tmp_path / "wh"))
    place = catalog.location("db.copy")
    dying = Table(FaultyFileIO(LocalFileIO(), step, done=True), place, table.identifier)
    plan = plan_clone(table, dying, table.snapshots.latest())
    for file in plan.named:
        copy_file(table.io, LocalFileIO(), f"{table.location}/{file.path}", f"{place}/{file.path}")
    with pytest.raises(Died):
        finish_clone(plan)
    do(tmp_path / "wh", CloneJob("db.copy"))
    assert rows_of(copy_in(tmp_path / "wh", "db.copy")) == rows_of(table)


def test_a_plan_tells_what_would_be_copied(tmp_path: Path) -> None:
    table = make_table(tmp_path)
    told = plan_of(tmp_path / "wh", CloneJob("db.copy"))["plan"]
    assert isinstance(told, dict)
    assert told["files"]["data"]["files"] > 0
    assert told["target"] == "db.copy"
    assert not Path(f"{table.location}/../copy").exists()


def test_files_outside_of_the_table_are_refused(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    table = new_table(
        {"id": "INT"},
        io=LocalFileIO(),
        warehouse=str(tmp_path / "wh"),
        bucket="-1",
        data_file__external_paths=f"file://{outside}",
        data_file__external_paths__strategy="round-robin",
    )
    put(table, (1,))
    with pytest.raises(UnsupportedError, match="outside"):
        do(tmp_path / "wh", CloneJob("db.copy"))


def test_a_table_is_not_cloned_over_itself(tmp_path: Path) -> None:
    make_table(tmp_path)
    with pytest.raises(InvalidRequestError, match=r"over itself .*field=clone\.target"):
        plan_of(tmp_path / "wh", CloneJob("db.t"))
