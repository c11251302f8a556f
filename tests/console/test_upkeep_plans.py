"""Plans of partitions, options, file indexes, manifests and statistics."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from console.jobs.models import Plan
from core import Table
from core.maintenance.analyze import plan_analyze
from core.maintenance.compact_manifests import plan_compact_manifests
from core.maintenance.partitions import plan_drop_partitions, plan_expire_partitions
from core.schema.changes import SetOption
from tests.console.conftest import Caller
from tests.console.test_history_plans import refused
from tests.console.test_plans import codes, plan
from tests.tables import put

DAY = "dt=2026-11-20"


def work() -> Any:
    return Plan.objects.latest("pk").work


# --- partitions -----------------------------------------------------------------------------------
def test_a_drop_names_the_partitions_their_bytes_and_the_way_back(alice: Caller, table: Table) -> None:
    put(table, ("2026-11-20", 1, 1, "now"))
    view = plan(alice, "partitions", action="drop", partitions=[DAY])
    effects, (truth,) = view["effects"], plan_drop_partitions(table, [{"dt": "2026-11-20"}]).partitions
    assert (view["level"], view["requires"], view["confirmation"]) == (2, "table:destroy", "lake.db.t")
    assert [p["partition"] for p in effects["partitions"]] == [DAY]
    assert (effects["files"], effects["bytes"], effects["rows"]) == (
        truth.files.count, truth.files.size, truth.files.rows,
    )  # fmt: skip
    assert effects["others"] == 1
    assert (view["undo"]["kind"], view["undo"]["detail"]) == ("restore", view["base"])
    assert codes(view["warnings"]) == {"writer-of-partitions"}
    assert work() == {"drop-partitions": {"partitions": [{"dt": "2026-11-20"}], "base": view["base"]}}


def test_a_drop_of_what_is_not_there_is_blocked(alice: Caller, table: Table) -> None:
    view = plan(alice, "partitions", action="drop", partitions=["dt=1999-01-01"])
    assert codes(view["blockers"]) == {"no-such-partitions"}


def test_an_expiry_drops_what_was_seen_and_tells_its_rule(alice: Caller, table: Table) -> None:
    age = "1 s"
    view = plan(alice, "partitions", action="expire", age=age)
    truth = plan_expire_partitions(table, now=datetime.now(), expiration_time=timedelta(seconds=1))
    assert view["effects"]["count"] == len(truth.partitions)
    effects = view["effects"]
    assert effects["rule"] == {"age_seconds": 1, "strategy": "values-time"}
    seen = [{"dt": p["partition"].partition("=")[2]} for p in effects["partitions"]]
    assert work() == {"expire-partitions": {"only": seen, "age": age}}


def test_without_an_age_the_option_decides_and_has_to_be_there(alice: Caller, table: Table) -> None:
    problem = refused(alice, "partitions", action="expire")
    assert (problem["code"], problem["errors"][0]["pointer"]) == ("validation-failed", "/params/age")
    table.alter([SetOption("partition.expiration-time", "9999999 d")])
    view = plan(alice, "partitions", action="expire")
    assert codes(view["blockers"]) == {"no-such-partitions"}
    assert view["effects"]["others"] == 2


def test_a_plan_to_drop_is_stale_once_somebody_writes_and_marks_are_not(alice: Caller, table: Table) -> None:
    drop = plan(alice, "partitions", action="drop", partitions=[DAY])
    mark = plan(alice, "partitions", action="mark_done", partitions=[DAY, "dt=1999-01-01"])
    assert codes(mark["warnings"]) == {"partition-empty"}
    put(table, ("2026-11-20", 1, 1, "late"))
    asked = {"plan_id": drop["id"], "confirmation": "lake.db.t", "reason": "old"}
    assert alice.post("/jobs", asked).json()["code"] == "plan-stale"
    assert alice.post("/jobs", {"plan_id": mark["id"]}).status_code == 201


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"action": "drop"}, "/params/partitions"),
        ({"action": "drop", "partitions": ["nope=1"]}, "/params/partitions"),
        ({"action": "mark_done", "partitions": []}, "/params/partitions"),
        ({"action": "expire", "age": "soon"}, "/params/age"),
        ({"action": "purge"}, "/params/action"),
    ],
)
def test_what_is_no_partition_is_refused_by_its_field(
    params: dict[str, Any], field: str, alice: Caller, table: Table
) -> None:
    problem = refused(alice, "partitions", **params)
    assert (problem["code"], problem["errors"][0]["pointer"]) == ("validation-failed", field)


def test_an_operator_without_the_flag_cannot_drop_partitions(bob: Caller, table: Table) -> None:
    view = plan(bob, "partitions", action="drop", partitions=[DAY])
    assert view["permitted"] is False
    asked = {"plan_id": view["id"], "confirmation": "lake.db.t", "reason": "old"}
    assert bob.post("/jobs", asked).json()["code"] == "forbidden"


# --- options --------------------------------------------------------------------------------------
def test_a_change_of_options_shows_each_before_and_after(alice: Caller, table: Table) -> None:
    view = plan(alice, "options", set={"snapshot.num-retained.max": "50"}, remove=[])
    (change,) = view["effects"]["changes"]
    assert (change["key"], change["before"], change["after"]) == ("snapshot.num-retained.max", None, "50")
    assert (view["level"], view["requires"]) == (1, "table:operate")
    assert view["effects"]["next_schema"] == view["effects"]["schema"] + 1
    assert view["undo"]["kind"] == "alter_options"


@pytest.mark.parametrize(
    "given",
    [
        {"set": {"merge-engine": "first-row"}},  # not any more
        {"set": {"data-file.external-paths": "s3://elsewhere/x"}},  # a place
        {"set": {"commit.callbacks": "a.b.C"}},  # code
        {"set": {"s3.secret-key": "x"}},  # a secret
        {"set": {"snapshot.num-retained.max": "many"}},  # no value of its type
        {"set": {"no.such-option": "1"}},
        {"set": {"bucket": "7"}},  # a rescale
        {"set": {"target-file-size": "9 mb"}, "remove": ["target-file-size"]},
        {"remove": ["path"]},
        {},
        {"set": {f"fields.c{i}.ignore-retract": "true" for i in range(60)}},
    ],
)
def test_options_that_are_not_changed_here_are_refused_by_name(
    given: dict[str, Any], alice: Caller, table: Table
) -> None:
    problem = refused(alice, "options", **given)
    assert problem["code"] == "validation-failed"
    assert problem["errors"][0]["pointer"].startswith("/params/")


def test_a_plan_of_options_is_stale_once_the_schema_is_another(alice: Caller, table: Table) -> None:
    view = plan(alice, "options", set={"target-file-size": "9 mb"})
    put(table, ("2026-11-20", 1, 1, "rows do not matter"))
    table.alter([SetOption("snapshot.num-retained.max", "60")])
    assert alice.post("/jobs", {"plan_id": view["id"]}).json()["code"] == "plan-stale"
    again = plan(alice, "options", set={"target-file-size": "9 mb"})
    assert alice.post("/jobs", {"plan_id": again["id"]}).status_code == 201


def test_options_that_are_so_already_start_nothing(alice: Caller, table: Table) -> None:
    table.alter([SetOption("target-file-size", "9 mb")])
    assert codes(plan(alice, "options", set={"target-file-size": "9 mb"})["blockers"]) == {"options-as-asked"}


# --- file indexes, manifests, statistics ----------------------------------------------------------
def test_files_that_lack_an_index_are_counted(alice: Caller, table: Table) -> None:
    assert codes(plan(alice, "file_index")["blockers"]) == {"indexes-as-asked"}
    table.alter([SetOption("file-index.bloom-filter.columns", "note")])
    view = plan(alice, "file_index", partitions=[DAY])
    ((added,), effects) = (view["effects"]["added"], view["effects"])
    assert (added["index"], added["files"]) == ("bloom-filter(note)", effects["files"])
    assert effects["bytes_to_read"] > 0
    assert work() == {"rewrite-file-index": {"partitions": [{"dt": "2026-11-20"}]}}


def test_manifests_are_told_by_their_lists(alice: Caller, table: Table) -> None:
    effects, truth = plan(alice, "manifests")["effects"], plan_compact_manifests(table)
    assert (effects["manifests"], effects["rewritten"], effects["deleted_entries"]) == (
        truth.manifests, len(truth.rewritten), truth.deleted_entries,
    )  # fmt: skip


def test_an_analysis_says_what_it_reads(alice: Caller, table: Table) -> None:
    effects, truth = plan(alice, "analyze", columns=["note"])["effects"], plan_analyze(table, ["note"])
    assert (effects["columns"], effects["rows"], effects["bytes"]) == (["note"], truth.rows, truth.size)
    assert refused(alice, "analyze", columns=["nope"])["errors"][0]["pointer"] == "/params/columns"


def test_a_compaction_tells_whom_it_may_meet(alice: Caller, table: Table) -> None:
    put(table, ("2026-11-20", 1, 1, "now"))
    effects = plan(alice, "compact")["effects"]
    assert effects["commits_last_hour"] >= 1
    assert effects["peak_bytes"] == effects["bytes_rewritten"]
    assert effects["conflict_risk"] == ("high" if effects["rivals"] else "low")


def test_only_append_tables_are_sorted(alice: Caller, table: Table) -> None:
    problem = refused(alice, "compact", strategy="zorder", order_by=["note"])
    assert problem["errors"][0]["pointer"] == "/params/order_by"
    assert refused(alice, "compact", strategy="order")["errors"][0]["pointer"] == "/params/order_by"
