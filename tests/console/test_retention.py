"""`T/retention`, and what lists of partitions show on demand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core import Table
from core.commit import TableHome
from core.maintenance.partitions import apply_mark_done, plan_mark_done
from core.snapshot import Consumer
from tests.console.conftest import TABLE, Caller
from tests.tables import put


def with_options(table: Table, **options: str) -> None:
    """The table with these options in its latest schema."""
    path = Path(table.paths.schema_file(table.schema.id).removeprefix("file://"))
    schema = json.loads(path.read_text())
    path.write_text(json.dumps({**schema, "options": {**schema["options"], **options}}))


def test_what_may_expire_is_what_a_plan_of_an_expiration_takes(alice: Caller, table: Table) -> None:
    young = alice.json(f"{TABLE}/retention")
    assert (young["first_kept"], young["expirable"]) == (1, 0)
    with_options(table, **{"snapshot.num-retained.min": "2", "snapshot.time-retained": "1 ms"})
    shown = alice.json(f"{TABLE}/retention")
    plan = alice.post(f"{TABLE}/plans", {"kind": "expire", "params": {}}).json()
    assert shown["first_kept"] == plan["effects"]["first_kept"] == 5
    assert shown["expirable"] == len(plan["effects"]["snapshots_removed"]) == 4
    table.consumers.put(Consumer("reader", 3))
    held = alice.json(f"{TABLE}/retention")
    assert (held["first_kept"], held["held_by"], held["retain_min"]) == (3, ["reader"], 2)


def test_options_that_contradict_each_other_are_an_answer(alice: Caller, table: Table) -> None:
    with_options(table, **{"snapshot.num-retained.min": "9", "snapshot.num-retained.max": "3"})
    shown = alice.json(f"{TABLE}/retention")
    assert (shown["first_kept"], shown["expirable"]) == (None, None)
    assert "at least" in shown["problem"]


def test_a_damaged_snapshot_whose_age_decides_is_an_answer(alice: Caller, table: Table) -> None:
    with_options(table, **{"snapshot.num-retained.min": "1"})
    table.io.write(table.paths.snapshot_file(2), b"{")
    shown = alice.json(f"{TABLE}/retention")
    assert (shown["first_kept"], shown["problem"] is not None) == (None, True)


def partitions(alice: Caller, query: str) -> dict[str, Any]:
    return {row["partition"]: row for row in alice.items(f"{TABLE}/partitions?{query}")}


def test_the_bytes_of_partitions_over_the_newest_commits_are_those_at_each(
    alice: Caller, table: Table
) -> None:
    shown = partitions(alice, "history=true")
    for at in range(1, 7):
        then = partitions(alice, f"at={at}")
        assert {name: row["history"][at - 1] for name, row in shown.items()} == {
            name: then[name]["bytes"] if name in then else 0 for name in shown
        }
    assert {len(row["history"]) for row in shown.values()} == {6}
    assert all(row["history"] is None is row["done"] for row in partitions(alice, "").values())


def test_a_history_begins_where_commits_are_kept(alice: Caller, table: Table) -> None:
    whole = partitions(alice, "history=true")
    table.snapshots.delete(3)
    cut = partitions(alice, "history=true")
    assert {name: row["history"] for name, row in cut.items()} == {
        name: row["history"][3:] for name, row in whole.items()
    }


def test_a_partition_is_done_where_its_directory_says_so(alice: Caller, table: Table) -> None:
    put(table, ("2026-11-21", 1, 1, "new"))
    plan = plan_mark_done(table, [{"dt": "2026-11-19"}, {"dt": "2026-11-21"}])
    apply_mark_done(table, plan, now_millis=1_795_000_000_000)
    table.io.write(plan.files[1], b"")  # as other tools write it
    shown = partitions(alice, "done=true")
    assert {name: row["done"] for name, row in shown.items()} == {
        "dt=2026-11-19": True, "dt=2026-11-20": False, "dt=2026-11-21": True,
    }  # fmt: skip
    assert [row["done_at"] for row in shown.values()] == [None, None, "2026-11-18T11:06:40.000Z"]
    assert alice.get(f"{TABLE}/partitions?done=perhaps").status_code == 400


def test_a_partition_is_done_where_its_catalog_says_so(
    alice: Caller, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(TableHome, "partitions_done", lambda _, schema, specs: asked.append(specs) or [True])
    (one,) = partitions(alice, "done=true&limit=1").values()
    assert (one["done"], one["done_at"], one["done_by"]) == (True, None, ["catalog"])
    assert asked == [[{"dt": "2026-11-20"}]]  # those of the page alone


def test_an_exported_list_of_partitions_has_marks_and_histories(alice: Caller, table: Table) -> None:
    apply_mark_done(table, plan_mark_done(table, [{"dt": "2026-11-20"}]), now_millis=1_795_000_000_000)
    given = f"{TABLE}/partitions?done=true&history=true"
    lines = alice.get(given, Accept="application/x-ndjson").getvalue().decode().splitlines()
    assert [json.loads(line) for line in lines] == alice.items(given)
