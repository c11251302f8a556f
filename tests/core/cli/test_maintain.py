"""`lakescope maintain`: an action is shown first, and done with --yes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.catalog import open_catalog
from core.cli import main
from core.cli.actions import ACTIONS
from core.io import LocalFileIO
from core.schema.changes import SetOption
from core.snapshot import Consumer, Tag
from core.table import Table
from tests.tables import compact, new_table, prepare, put, rows_of

OPTIONS = {
    "partition__expiration_time": "10 d",
    "tag__automatic_creation": "process-time",
    "sink__process_time_zone": "UTC",
    "consumer__expiration_time": "7 d",
}

# What each action is asked, and whether the plan names something to do.
CALLS: dict[str, list[str]] = {
    "expire-snapshots": ["--retain-min", "1", "--retain-max", "2"],
    "expire-changelogs": ["--all"],
    "remove-orphan-files": [],
    "create-tag": ["new", "--snapshot", "2", "--age", "30 d"],
    "replace-tag": ["first", "--snapshot", "2"],
    "rename-tag": ["first", "renamed"],
    "delete-tags": ["first", "nothing"],
    "expire-tags": ["--older-than", "2020-01-01T00:00:00Z"],
    "auto-tags": [],
    "create-branch": ["new", "--tag", "first"],
    "rename-branch": ["dev", "renamed"],
    "delete-branch": ["dev"],
    "fast-forward": ["dev"],
    "reset-consumer": ["reader", "--next", "3"],
    "clear-consumers": ["--including", "rea.*", "--excluding", "other"],
    "expire-consumers": ["--age", "1 d"],
    "rollback": ["--snapshot", "2"],
    "restore": ["--tag", "first"],
    "drop-partitions": ["dt=2024-05-01", "dt=2024-05-02"],
    "expire-partitions": [],
    "mark-partitions-done": ["dt=2024-05-01"],
    "analyze": ["--columns", "v"],
    "compact-manifests": [],
    "compact": ["--strategy", "minor", "--partition", "dt=2024-05-01"],
    "rescale": ["--buckets", "2", "--partition", "dt=2024-05-01"],
    "rewrite-file-index": ["--partition", "dt=2024-05-01"],
    "remove-missing-files": [],
    "repair-hints": [],
    "purge": [],
}


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """Snapshots 1 to 3 of two days, a tag, a branch that has gone on, a consumer."""
    columns = {"dt": "STRING NOT NULL", "id": "INT NOT NULL", "v": "STRING"}
    table = new_table(
        columns, ["dt", "id"], partition=["dt"], io=LocalFileIO(), warehouse=str(tmp_path), **OPTIONS
    )
    for i in (1, 2):
        put(table, *((f"2024-05-0{day}", 7, f"v{i}") for day in (1, 2)))
    compact(table)
    table.tags.create(Tag("first", table.snapshots.get(1)))
    table.branches.create("dev", from_tag="first")
    put(table.with_branch("dev"), ("2024-05-01", 8, "b"))
    table.consumers.put(Consumer("reader", 2))
    return table


def tree(table: Table) -> dict[str, bytes]:
    return {s.path: table.io.read(s.path) for s in table.io.iter_tree(table.location)}


def maintain(table: Table, action: str, *arguments: str, status: int = 0) -> None:
    assert main(["maintain", action, table.location, *arguments]) == status


def told(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_every_action_is_called_below_and_documented() -> None:
    page = (Path(__file__).parents[3] / "docs" / "maintenance.md").read_text()
    assert CALLS.keys() == ACTIONS.keys()
    assert [name for name in ACTIONS if f"`{name}`" not in page] == []


def test_no_plan_changes_the_table(table: Table, capsys: pytest.CaptureFixture[str]) -> None:
    before = tree(table)
    for action, arguments in CALLS.items():
        maintain(table, action, *arguments)
        shown = capsys.readouterr()
        assert shown.out.startswith(f"{action} of ")
        assert shown.err == "nothing has been done: --yes applies this plan\n"
    assert tree(table) == before


DONE: dict[str, Any] = {
    "rename-tag": {"tag": "renamed", "snapshot": 1},
    "reset-consumer": None,
    "rollback": {"snapshot": 2, "kind": "APPEND"},
    "restore": {"snapshot": 4, "kind": "OVERWRITE"},
    "analyze": {"snapshot": 4, "kind": "ANALYZE"},
    "fast-forward": {"snapshot": 2, "kind": "APPEND"},
    "drop-partitions": [{"snapshot": 4, "kind": "OVERWRITE"}],
}


@pytest.mark.parametrize("action", DONE)
def test_with_yes_it_is_done_and_said(action: str, table: Table, capsys: pytest.CaptureFixture[str]) -> None:
    maintain(table, action, *CALLS[action], "--yes", "--format", "json")
    assert told(capsys)["done"] == DONE[action]


def test_a_table_of_batch_jobs_gets_the_tag_that_the_last_one_would_have_left(
    table: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    table.alter([SetOption("tag.automatic-creation", "batch"), SetOption("tag.batch.customized-name", "job")])
    maintain(table, "auto-tags", "--format", "json")
    assert [tag["tag"] for tag in told(capsys)["plan"]["created"]] == ["job"]
    maintain(table, "auto-tags", "--yes")
    assert table.tags.get("job").snapshot.id == 3


@pytest.mark.parametrize(
    ("spelled", "left"),
    [
        ('"name=a, b",n=1', ["a", 'say "c,d"']),
        ('"name=say ""c,d"""', ["a", "a, b"]),
        ("n=2", ["a, b"]),
    ],
)
def test_a_partition_value_with_a_comma_is_quoted_as_in_csv(
    spelled: str, left: list[str], tmp_path: Path
) -> None:
    where: dict[str, Any] = {"io": LocalFileIO(), "warehouse": str(tmp_path)}
    columns = {"name": "STRING", "n": "INT", "v": "INT"}
    table = new_table(columns, partition=["name", "n"], bucket="-1", **where)
    put(table, ("a, b", 1, 0), ("a", 2, 0), ('say "c,d"', 2, 0))
    maintain(table, "drop-partitions", spelled, "--yes")
    assert sorted(row[0] for row in rows_of(table)) == left


@pytest.mark.parametrize("spelled", ['"dt=2024-05-01', "", "dt", '"dt"=1'])
def test_what_names_no_partition_is_no_argument(
    spelled: str, table: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        maintain(table, "drop-partitions", spelled)
    assert "not key=value" in capsys.readouterr().err


def test_files_that_go_are_counted(table: Table, capsys: pytest.CaptureFixture[str]) -> None:
    table.consumers.delete("reader")
    maintain(table, "expire-snapshots", "--retain-min", "1", "--retain-max", "1", "--format", "json")
    plan = told(capsys)["plan"]
    assert [snapshot["snapshot"] for snapshot in plan["expired"]] == [1, 2]
    maintain(table, "expire-snapshots", "--retain-min", "1", "--retain-max", "1", "--yes", "--format", "json")
    assert told(capsys)["done"] == plan["files"]
    assert plan["files"]["data"]["files"] == 2
    assert table.snapshots.ids() == [3]


def test_a_purge_needs_nothing_but_yes(table: Table, capsys: pytest.CaptureFixture[str]) -> None:
    prepare(table, [("2024-05-01", 9, "lost")])
    maintain(table, "purge", "--yes")
    assert "branches: dev" in capsys.readouterr().out
    assert (rows_of(table), table.branches.names(), table.tags.names()) == ([], [], [])


def test_a_branch_is_maintained_by_its_name(table: Table, tmp_path: Path) -> None:
    warehouse = str(tmp_path)
    assert main(["-w", warehouse, "maintain", "create-tag", "db.t$branch_dev", "theirs", "--yes"]) == 0
    branch = open_catalog(warehouse).get_data_table("db.t$branch_dev")
    assert branch.tags.names() == ["first", "theirs"]


@pytest.mark.parametrize(
    ("action", "arguments", "words"),
    [
        ("create-tag", ["first", "--yes"], "tag-exists"),
        ("create-tag", ["x", "--age", "soon"], "a duration"),
        ("expire-snapshots", ["--older-than", "yesterday"], "not a time"),
        ("analyze", ["--columns", "nothing"], "no such column"),
        ("drop-partitions", ["hh=7"], "hh"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    action: str, arguments: list[str], words: str, table: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    before = tree(table)
    maintain(table, action, *arguments, status=2)
    (line,) = capsys.readouterr().err.splitlines()
    assert words in line
    assert tree(table) == before


def test_what_forbids_an_action_is_shown_with_its_plan(
    table: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    maintain(table, "create-tag", "first")
    assert "  blocked: code tag-exists, tag first" in capsys.readouterr().out.splitlines()


def test_rows_are_sorted_once_the_plan_has_told_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = new_table(
        {"d": "INT", "v": "INT"}, partition=["d"], bucket="-1", io=LocalFileIO(), warehouse=str(tmp_path)
    )
    put(table, (1, 3), (1, 1), (1, 2))
    order = ["--order-strategy", "order", "--order-by", "v", "--format", "json"]
    maintain(table, "compact", *order)
    (task,) = told(capsys)["plan"]["tasks"]
    assert {name: task[name] for name in ("partition", "reason", "files", "rows")} == {
        "partition": "d=1",
        "reason": "order: v",
        "files": 1,
        "rows": 3,
    }
    maintain(table, "compact", *order, "--yes")
    assert told(capsys)["done"] == [{"snapshot": 2, "kind": "OVERWRITE"}]
    assert table.to_arrow().column("v").to_pylist() == [1, 2, 3]


def test_columns_to_sort_by_need_an_order(table: Table, capsys: pytest.CaptureFixture[str]) -> None:
    maintain(table, "compact", "--order-by", "v", status=2)
    assert "expected=--order-strategy" in capsys.readouterr().err


def test_plans_of_files_are_told_in_words(table: Table, capsys: pytest.CaptureFixture[str]) -> None:
    indexed = table.alter([SetOption("file-index.bitmap.columns", "v")])
    maintain(indexed, "rewrite-file-index", "--format", "json")
    assert [file["added"] for file in told(capsys)["plan"]["files"]] == [["bitmap(v)"]] * 2
    maintain(indexed, "rescale", "--buckets", "3", "--format", "json")
    assert told(capsys)["plan"]["partitions"][0].keys() == {"partition", "buckets"}
