"""`T/plans`: what an action would do, before it does it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.utils import timezone

from console.jobs.models import Job, Plan
from console.jobs.notices import notice, shown
from console.jobs.planning import compact
from console.warehouses.models import Warehouse
from core import Table
from core.jobs import commit_user
from core.maintenance.partitions.drop import live_partitions
from core.maintenance.rollback_plan import plan_rollback
from core.snapshot import Consumer
from tests.console.conftest import TABLE, Caller
from tests.tables import put


def plan(who: Caller, kind: str, **params: Any) -> dict[str, Any]:
    response = who.post(f"{TABLE}/plans", {"kind": kind, "params": params})
    assert response.status_code == 201, response.content
    body: dict[str, Any] = response.json()
    return body


def codes(notices: list[dict[str, Any]]) -> set[str]:
    return {notice["code"] for notice in notices}


def test_a_rollback_plan_shows_what_is_removed(alice: Caller, table: Table) -> None:
    view = plan(alice, "rollback", to={"snapshot": "3"})
    effects, truth = view["effects"], plan_rollback(table, 3)
    assert (view["level"], view["requires"], view["confirmation"]) == (2, "table:destroy", "lake.db.t")
    assert [s["id"] for s in effects["snapshots_removed"]] == [4, 5, 6]
    assert effects["files_leaving"]["count"] == truth.leaving.count
    assert effects["rows_delta"] == truth.rows_delta
    assert effects["next_id"] == 4
    assert view["undo"]["branch"].startswith("guard-j-")


def test_a_rollback_plan_names_who_is_affected(alice: Caller, table: Table) -> None:
    put(table, ("2026-11-20", 1, 1, "now"))  # the lake may be older than what counts as recent
    table.consumers.put(Consumer("reader", 8))
    view = plan(alice, "rollback", to={"tag": "v2"}, guard=False)
    assert {"consumer-ahead", "recent-writer", "no-guard"} <= codes(view["warnings"])
    assert view["undo"] is None


def test_a_job_of_ours_that_has_ended_is_no_writer_to_stop(alice: Caller, table: Table) -> None:
    lake = Warehouse.objects.get()
    users = [commit_user(job) for job in ("j-ended", "j-running")]
    for name, state in (("j-ended", "succeeded"), ("j-running", "running")):
        Job.objects.create(public_id=name, kind="write", state=state, warehouse=lake, spec={})
    for user in users:
        put(table, ("2026-11-20", 1, 1, "x"), user=user)
    warnings = plan(alice, "rollback", to={"tag": "v2"})["warnings"]
    recent = {warning["ref"] for warning in warnings if warning["code"] == "recent-writer"}
    assert users[0] not in recent
    assert users[1] in recent


def test_files_that_cannot_come_back_block_a_rollback(alice: Caller, table: Table) -> None:
    old = {item["name"]: item["path"] for item in alice.items(f"{TABLE}/files?at=2")}
    live = {item["name"] for item in alice.items(f"{TABLE}/files")}
    table.io.delete(next(path for name, path in old.items() if name not in live))
    view = plan(alice, "rollback", to={"snapshot": "2"})
    assert codes(view["blockers"]) == {"missing-files"}
    assert alice.post("/jobs", {"plan_id": view["id"]}).json()["code"] == "plan-blocked"


def test_a_rollback_to_where_the_table_stands_is_blocked(alice: Caller, table: Table) -> None:
    assert codes(plan(alice, "rollback", to={"snapshot": "6"})["blockers"]) == {"nothing-to-roll-back"}


def test_a_target_that_is_gone_is_not_planned(alice: Caller, table: Table) -> None:
    body = {"kind": "rollback", "params": {"to": {"snapshot": "4~00000000"}}}
    assert alice.post(f"{TABLE}/plans", body).json()["code"] == "snapshot-replaced"


def test_a_target_may_be_told_by_a_time(alice: Caller, table: Table) -> None:
    between = datetime.fromtimestamp((table.snapshots.get(5).time_millis - 1) / 1000, UTC).isoformat()
    for kind in ("rollback", "restore"):
        assert plan(alice, kind, to={"time": between})["effects"]["to"] == table.snapshots.get(4).reference
    assert Plan.objects.filter(kind="rollback").latest("pk").work["rollback"]["snapshot"] == 4


@pytest.mark.parametrize(
    ("kind", "text"), [("time", "42"), ("time", "tag:v2"), ("time", "soon"), ("watermark", "x")]
)
def test_what_is_no_time_is_no_target(alice: Caller, table: Table, kind: str, text: str) -> None:
    reply = alice.post(f"{TABLE}/plans", {"kind": "rollback", "params": {"to": {kind: text}}})
    assert (reply.status_code, reply.json()["code"]) == (400, "validation-failed")


def test_two_targets_are_not_one(alice: Caller, table: Table) -> None:
    body = {"kind": "rollback", "params": {"to": {"snapshot": "3", "tag": "v2"}}}
    problem = alice.post(f"{TABLE}/plans", body).json()
    assert (problem["code"], problem["errors"][0]["pointer"]) == ("validation-failed", "/params/to")


def test_a_compaction_plan_counts_what_it_would_rewrite(alice: Caller, table: Table) -> None:
    view = plan(alice, "compact", strategy="full")
    effects = view["effects"]
    assert view["level"] == 0
    assert view["confirmation"] is None
    assert effects["files_before"] == sum(bucket["files_before"] for bucket in effects["buckets"])
    assert all(bucket["runs_before"] > bucket["runs_after"] >= 1 for bucket in effects["buckets"])
    assert effects["est_seconds"] is None
    assert (effects["est_reason"], effects["est_reason_code"]) == ("fewer than 3 past jobs", "few-past-jobs")


def test_a_compaction_keeps_to_its_partitions(alice: Caller, table: Table) -> None:
    view = plan(alice, "compact", partitions=["dt=2026-11-20"])
    assert {bucket["partition"] for bucket in view["effects"]["buckets"]} == {"dt=2026-11-20"}
    nothing = plan(alice, "compact", partitions=["dt=1999-01-01"])
    assert codes(nothing["blockers"]) == {"nothing-to-compact"}


def test_a_compaction_keeps_to_partitions_that_have_got_no_file_for_as_long_as_is_asked(
    alice: Caller, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = "dt=2026-11-20", "dt=2026-11-19"
    put(table, ("2026-11-19", 1, 1, "now"))
    updated = {partition.name: partition.updated for partition in live_partitions(table)}
    assert updated[old] < updated[new]
    later = updated[old] + timedelta(hours=1)
    monkeypatch.setattr(compact, "_now_millis", lambda: int(later.timestamp() * 1000) + 1)
    view = plan(alice, "compact", idle_time="1 h")
    assert {bucket["partition"] for bucket in view["effects"]["buckets"]} == {old}
    assert Plan.objects.latest("pk").work["compact"]["partitions"] == [{"dt": "2026-11-20"}]
    for scope in (
        {"idle_time": "2 h"}, {"idle_time": "1 h", "partitions": [new]}, {"idle_time": "99999999 d"}
    ):  # fmt: skip
        assert codes(plan(alice, "compact", **scope)["blockers"]) == {"nothing-to-compact"}
    problem = alice.post(f"{TABLE}/plans", {"kind": "compact", "params": {"idle_time": "long"}}).json()
    assert problem["errors"][0]["pointer"] == "/params/idle_time"


def test_a_compaction_keeps_to_partitions_for_which_a_condition_holds(alice: Caller, table: Table) -> None:
    put(table, ("2026-11-19", 1, 1, "now"))
    view = plan(alice, "compact", where="dt > '2026-11-19'")
    assert {bucket["partition"] for bucket in view["effects"]["buckets"]} == {"dt=2026-11-20"}
    assert Plan.objects.latest("pk").work["compact"] == {"strategy": "full", "where": "dt > '2026-11-19'"}
    plan(alice, "compact", where="dt > '2026-11-19'", partitions=["dt=2026-11-19", "dt=2026-11-20"])
    assert Plan.objects.latest("pk").work["compact"]["partitions"] == [{"dt": "2026-11-20"}]


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [
        ({"where": "id = 1"}, "/params/where"),
        ({"where": "dt >"}, "/params/where"),
        ({"options": {"bucket": "3"}}, "/params/options"),
        ({"options": {"target-file-size": "much"}}, "/params/options"),
    ],
)
def test_what_a_compaction_cannot_be_asked_is_refused_by_its_member(
    alice: Caller, table: Table, wrong: dict[str, Any], pointer: str
) -> None:
    problem = alice.post(f"{TABLE}/plans", {"kind": "compact", "params": wrong}).json()
    assert (problem["code"], problem["errors"][0]["pointer"][: len(pointer)]) == (
        "validation-failed",
        pointer,
    )


def test_a_compaction_goes_by_options_of_its_own(alice: Caller, table: Table) -> None:
    options = {"num-sorted-run.compaction-trigger": "1"}
    assert codes(plan(alice, "compact", strategy="minor")["blockers"]) == {"nothing-to-compact"}
    assert plan(alice, "compact", strategy="minor", options=options)["effects"]["files_before"] > 1
    assert Plan.objects.latest("pk").work["compact"]["options"] == options


def test_a_table_without_deletion_vectors_has_none_to_materialise(alice: Caller, table: Table) -> None:
    assert codes(plan(alice, "vectors")["blockers"]) == {"no-vectors"}


def test_a_key_that_is_no_partition_key_is_refused(alice: Caller, table: Table) -> None:
    body = {"kind": "compact", "params": {"partitions": ["colour=red"]}}
    assert alice.post(f"{TABLE}/plans", body).json()["code"] == "validation-failed"


def test_a_bucket_number_beyond_all_buckets_is_refused(alice: Caller, table: Table) -> None:
    reply = alice.post(f"{TABLE}/plans", {"kind": "compact", "params": {"buckets": [2**70]}})
    assert reply.status_code == 400
    assert reply.json()["errors"][0]["pointer"] == "/params/buckets/0"


@pytest.fixture(autouse=True)
def _sources(settings: Any, tmp_path: Path) -> None:
    settings.SOURCE_ROOTS = [str(tmp_path)]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"dt": ["2026-11-20"], "id": [1], "amount": pa.array([5], pa.int64())}), path)
    return path


def test_a_write_plan_shows_how_the_columns_fit(alice: Caller, table: Table, source: Path) -> None:
    view = plan(alice, "write", source={"kind": "path", "path": str(source), "format": "parquet"})
    verdicts = {fit["column"]: fit["verdict"] for fit in view["effects"]["schema_fit"]}
    assert verdicts == {"dt": "ok", "id": "ok", "amount": "cast", "note": "missing"}
    assert (view["level"], view["effects"]["source_rows"], view["blockers"]) == (0, 1, [])


def test_how_columns_fit_is_said_in_codes_and_in_the_readers_language(
    alice: Caller, table: Table, source: Path
) -> None:
    made = plan(alice, "write", source={"kind": "path", "path": str(source), "format": "parquet"})
    shown = alice.json(f"/plans/{made['id']}", **{"Accept-Language": "zh"})["effects"]["schema_fit"]
    fits = {fit["column"]: fit for fit in shown}
    assert {name: fit["reason"] for name, fit in fits.items()} == {
        "dt": "same",
        "id": "same",
        "amount": "cast",
        "note": "missing",
    }
    assert fits["amount"]["detail"] == "BIGINT 转换为 INT；无法转换的值会使作业失败"


def test_columns_that_do_not_fit_block_a_write(alice: Caller, table: Table, tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    path.write_text('{"id": 1, "colour": "red"}\n')
    view = plan(alice, "write", source={"kind": "path", "path": str(path), "format": "json"})
    assert codes(view["blockers"]) == {"column-required", "column-unknown"}


def test_an_overwrite_shows_what_it_replaces(alice: Caller, table: Table, source: Path) -> None:
    given = {"kind": "path", "path": str(source), "format": "parquet"}
    one = plan(alice, "write", source=given, mode="overwrite", partition={"dt": "2026-11-19"})
    assert one["level"] == 1
    assert one["effects"]["partitions"] == ["dt=2026-11-19"]
    whole = plan(alice, "write", source=given, mode="overwrite", partition={})
    assert whole["effects"]["files_removed"] == alice.json(TABLE)["shape"]["files"]
    dynamic = plan(alice, "write", source=given, mode="overwrite")
    assert "partitions-unknown" in codes(dynamic["warnings"])


def test_a_rollback_moves_consumers_that_are_ahead_where_it_is_asked_to(alice: Caller, table: Table) -> None:
    table.consumers.put(Consumer("reader", 8))
    view = plan(alice, "rollback", to={"snapshot": "4"}, reset_consumers=True)
    [told] = [warning for warning in view["warnings"] if warning["code"] == "consumer-reset"]
    assert told["values"] == {"next": "8", "to": "5"}
    job = alice.post("/jobs", {"plan_id": view["id"], "confirmation": "lake.db.t", "reason": "r"}).json()
    assert Job.objects.get(public_id=job["id"]).spec["rollback"]["reset_consumers"] is True


def test_a_write_names_whom_it_concerns_what_stays_and_the_way_back(
    alice: Caller, table: Table, source: Path
) -> None:
    table.consumers.put(Consumer("reader", 7))
    given = {"kind": "path", "path": str(source), "format": "parquet"}
    view = plan(alice, "write", source=given, mode="overwrite", partition={})
    latest = table.snapshots.latest()
    assert latest is not None
    assert (view["undo"]["kind"], view["undo"]["detail"]) == ("restore", latest.reference)
    assert view["kept"] == ["history", "tags", "options"]
    assert view["effects"]["consumers_affected"] == ["reader"]
    assert view["effects"]["writers_affected"] == [latest.commit_user]
    assert "writer-clashes" in codes(view["warnings"])


def test_numbers_of_notices_have_their_singular(alice: Caller) -> None:
    said = [shown(notice("limit-reached", limit=n, left=n))["detail"] for n in (1, 2)]
    assert said == [
        "At most 1 goes at once; 1 more is due",
        "At most 2 go at once; 2 more are due",
    ]
    assert shown(notice("limit-reached"))["detail"].startswith("At most ?")


def test_a_source_that_is_not_there_blocks(alice: Caller, table: Table, tmp_path: Path) -> None:
    given = {"kind": "path", "path": str(tmp_path / "nothing.csv"), "format": "csv"}
    assert codes(plan(alice, "write", source=given)["blockers"]) == {"source-unreadable"}


def test_the_consoles_own_data_is_no_source(alice: Caller, table: Table, settings: Any) -> None:
    given = {"kind": "path", "path": f"{settings.DATA_FOLDER}/secrets.json", "format": "json"}
    view = plan(alice, "write", source=given)
    assert codes(view["blockers"]) == {"source-unreadable"}
    assert view["effects"]["source_files"] is None


def test_a_query_cannot_be_fitted_before_it_runs(alice: Caller, table: Table) -> None:
    view = plan(alice, "write", source={"kind": "query", "query": "SELECT 1 AS id"})
    assert {fit["verdict"] for fit in view["effects"]["schema_fit"]} == {"unknown"}
    assert codes(view["warnings"]) == {"fit-unknown"}


def test_a_table_that_we_do_not_write_is_refused_by_name(alice: Caller, corpus: Any) -> None:
    corpus("pypaimon21")
    path = "/warehouses/pypaimon21/databases/py/tables/pk_postpone/plans"
    problem = alice.post(path, {"kind": "compact", "params": {}}).json()
    assert problem["code"] == "unsupported-format-version"
    assert problem["fields"]["feature"] == "writing postponed buckets (bucket = -2)"


def test_the_same_key_gives_the_same_plan(alice: Caller, table: Table) -> None:
    body = {"kind": "compact", "params": {}}
    first = alice.post(f"{TABLE}/plans", body, key="same-key-1")
    again = alice.post(f"{TABLE}/plans", body, key="same-key-1")
    assert first.json()["id"] == again.json()["id"]
    assert again["Idempotent-Replay"] == "true"
    other = alice.post(
        f"{TABLE}/plans", {"kind": "compact", "params": {"strategy": "minor"}}, key="same-key-1"
    )
    assert (other.status_code, other.json()["code"]) == (422, "idempotency-conflict")


def test_a_plan_needs_a_key(alice: Caller, table: Table) -> None:
    response = alice.post(f"{TABLE}/plans", {"kind": "compact", "params": {}}, key="short")
    assert (response.status_code, response.json()["code"]) == (428, "precondition-required")


def test_a_plan_is_stale_once_the_table_moved(alice: Caller, table: Table) -> None:
    view = plan(alice, "rollback", to={"snapshot": "3"})
    put(table, ("2026-11-20", 50, 1, "meanwhile"))
    body = {"plan_id": view["id"], "confirmation": "lake.db.t", "reason": "why not"}
    problem = alice.post("/jobs", body).json()
    assert problem["code"] == "plan-stale"
    assert [commit["id"] for commit in problem["commits_since"]] == [7]


def test_a_compaction_tolerates_newer_commits(alice: Caller, table: Table) -> None:
    view = plan(alice, "compact")
    put(table, ("2026-11-20", 50, 1, "meanwhile"))
    assert alice.post("/jobs", {"plan_id": view["id"]}).status_code == 201


def test_an_expired_plan_starts_nothing(alice: Caller, table: Table) -> None:
    view = plan(alice, "compact")
    Plan.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert alice.get(f"/plans/{view['id']}").json()["state"] == "expired"
    assert alice.post("/jobs", {"plan_id": view["id"]}).json()["code"] == "plan-stale"


def test_level_2_needs_the_name_and_a_reason(alice: Caller, table: Table) -> None:
    view = plan(alice, "rollback", to={"snapshot": "3"})
    wrong = alice.post("/jobs", {"plan_id": view["id"], "confirmation": "db.t", "reason": "x"})
    assert (wrong.status_code, wrong.json()["code"]) == (422, "confirmation-mismatch")
    silent = alice.post("/jobs", {"plan_id": view["id"], "confirmation": "lake.db.t", "reason": " "})
    assert silent.json()["errors"][0]["pointer"] == "/reason"


def test_viewers_plan_and_do_not_start(vera: Caller, table: Table) -> None:
    view = plan(vera, "compact")
    assert not view["permitted"]
    problem = vera.post("/jobs", {"plan_id": view["id"]}).json()
    assert (problem["code"], problem["permission"]) == ("forbidden", "table:operate")


def test_an_operator_does_not_rewind_without_the_flag(bob: Caller, table: Table) -> None:
    view = plan(bob, "rollback", to={"snapshot": "3"})
    body = {"plan_id": view["id"], "confirmation": "lake.db.t", "reason": "bad load"}
    assert bob.post("/jobs", body).json()["permission"] == "table:destroy"
    assert bob.user is not None
    bob.user.role_bindings.update(table_destroy=True)
    assert bob.post("/jobs", body).status_code == 201


def test_notices_speak_the_callers_language(alice: Caller, table: Table) -> None:
    view = plan(alice, "rollback", to={"snapshot": "6"})
    chinese = alice.json(f"/plans/{view['id']}", **{"Accept-Language": "zh-CN"})
    assert chinese["blockers"][0]["detail"] != view["blockers"][0]["detail"]
