"""The audit log: complete, append-only, chained."""

from __future__ import annotations

import pytest

from console.audit.chain import entry_hash
from console.audit.log import record, redacted
from console.audit.models import AuditEvent
from core import Table
from tests.console.conftest import PASSWORD, TABLE, Caller


def test_unsafe_requests_and_denials_are_recorded(alice: Caller, carol: Caller, table: Table) -> None:
    alice.post(f"{TABLE}/plans", {"kind": "compact", "params": {}})
    carol.get(TABLE)
    made, denied = AuditEvent.objects.order_by("id")
    assert (made.actor, made.outcome, made.plan_id[:2]) == ("alice", "ok", "p-")
    assert (denied.actor, denied.outcome, denied.target) == ("carol", "denied", TABLE)
    assert made.detail["request"] == {"kind": "compact", "params": {}}


def test_reads_leave_no_trace_but_exports_and_the_log_itself_do(alice: Caller, table: Table) -> None:
    alice.get(f"{TABLE}/files")
    assert not AuditEvent.objects.exists()
    alice.get(f"{TABLE}/files", Accept="text/csv")
    alice.get("/audit-events")
    assert [e.action for e in AuditEvent.objects.order_by("id")] == [
        "export_file_list",
        "get_audit_event_list",
    ]


def test_previews_record_the_question_and_not_the_values(bob: Caller, table: Table) -> None:
    bob.post(f"{TABLE}/preview", {"columns": ["id"], "filter": "id = 1", "limit": 1})
    event = AuditEvent.objects.get()
    assert event.detail["request"]["filter"] == "id = 1"
    assert "rows" not in str(event.detail)


def test_secrets_are_not_recorded(bob: Caller) -> None:
    bob.post("/me/password", {"current_password": PASSWORD, "new_password": "long enough a phrase"})
    assert PASSWORD not in str(AuditEvent.objects.get().detail)
    assert redacted({"credentials": {"a": "b"}, "x": [{"token": "t"}]}) == {
        "credentials": "…",
        "x": [{"token": "…"}],
    }


def test_a_change_says_what_was_before_and_what_is_after(alice: Caller, table: Table) -> None:
    alice.patch("/warehouses/lake", {"description": "new words"})
    detail = AuditEvent.objects.get(action="update_warehouse").detail
    assert (detail["before"]["description"], detail["after"]["description"]) == ("", "new words")
    assert "name" not in detail["after"]


def test_what_was_deleted_is_told_with_it(alice: Caller, bob: Caller) -> None:
    made = alice.post("/role-bindings", {"user": "bob", "role": "viewer", "scope": {"warehouse": "lake"}})
    alice.delete(made["Location"])
    before = AuditEvent.objects.get(action="delete_role_binding").detail["before"]
    assert (before["user"], before["role"], before["scope_text"]) == ("bob", "viewer", "lake")


def test_entries_are_not_rewritten(db: None) -> None:
    event = record(action="act")
    with pytest.raises(TypeError):
        event.save()
    with pytest.raises(TypeError):
        event.delete()
    assert event.hash == entry_hash(AuditEvent.objects.get())


def test_the_log_is_filtered(alice: Caller) -> None:
    for actor in ("ann", "ben"):
        record(action="act", actor=actor)
    assert [event["actor"] for event in alice.items("/audit-events?actor=ben")] == ["ben"]


def test_a_trace_runs_from_the_request_to_its_entry(alice: Caller) -> None:
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    response = alice.get("/audit-events", traceparent=f"00-{trace}-00f067aa0ba902b7-01")
    assert response["Trace-Id"] == trace
    assert AuditEvent.objects.get().trace_id == trace
