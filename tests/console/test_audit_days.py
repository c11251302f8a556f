"""The days of the audit log: their chains are checked, kept for a time, and told to a syslog server."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from console.audit.chain import FIRST, entry_hash
from console.audit.log import record
from console.audit.models import AuditDay, AuditEvent
from console.audit.retention import expire_entries
from console.audit.syslog import forward
from console.audit.syslog_server import SyslogServer
from console.audit.tasks import forward_entries
from console.environment import parse_retention
from tests.console.conftest import Caller

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
MESSAGE = re.compile(r"<(\d+)>1 (\S+Z) (\S+) lakescope - audit - (\{.*\})")


def on(monkeypatch: pytest.MonkeyPatch, days_ago: int, *actions: str) -> AuditDay:
    """Entries as they were written on a day."""
    monkeypatch.setattr(timezone, "now", lambda: NOW - timedelta(days=days_ago))
    for action in actions:
        record(action=action, actor="alice")
    monkeypatch.setattr(timezone, "now", lambda: NOW)
    return AuditDay.objects.get(day=(NOW - timedelta(days=days_ago)).date())


# --- checks ----------------------------------------------------------------------------------------


def remove(event: AuditEvent) -> None:
    AuditEvent.objects.filter(pk=event.pk).delete()


def change(event: AuditEvent) -> None:
    AuditEvent.objects.filter(pk=event.pk).update(actor="mallory")


def add_after_the_last(event: AuditEvent) -> None:
    last = AuditEvent(day=event.day, number=5, at=NOW, action="act", outcome="ok", previous_hash=FIRST)
    last.hash = entry_hash(last)
    last.save()


@pytest.mark.parametrize(
    ("harm", "number", "broken_at"),
    [(change, 3, 3), (remove, 2, 2), (remove, 4, 4), (add_after_the_last, 1, 5)],
)
def test_a_chain_says_where_it_is_broken(
    alice: Caller,
    monkeypatch: pytest.MonkeyPatch,
    harm: Callable[[AuditEvent], None],
    number: int,
    broken_at: int,
) -> None:
    day = on(monkeypatch, 3, "a", "b", "c", "d")
    assert alice.get(f"/audit-days/{day.day}").json()["state"] == "whole"
    harm(AuditEvent.objects.get(day=day, number=number))
    told = alice.get(f"/audit-days/{day.day}").json()
    assert (told["state"], told["broken_at"], told["entries"]) == ("broken", broken_at, 4)


def test_the_days_are_listed_and_the_command_ends_with_an_error(
    alice: Caller, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = on(monkeypatch, 3, "a", "b"), on(monkeypatch, 1, "c")
    call_command("check_audit")
    assert [(d["day"], d["entries"]) for d in alice.items("/audit-days")] == [
        ("2026-11-22", 1),
        ("2026-11-20", 2),
    ]
    cursor = alice.get("/audit-days?limit=1&sort=day").json()["next"]
    assert alice.items(f"/audit-days?limit=1&sort=day&cursor={cursor}")[0]["head"] == new.head
    change(AuditEvent.objects.get(day=old, number=2))
    with pytest.raises(CommandError, match="1 days"):
        call_command("check_audit")
    assert "2026-11-20         2 entries" in capsys.readouterr().out
    assert [alice.get(f"/audit-days/{day}").status_code for day in ("2026-11-01", "yesterday")] == [404, 404]


# --- retention -------------------------------------------------------------------------------------


def test_whole_days_expire_and_their_heads_stay(
    alice: Caller, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    old, new = on(monkeypatch, 8, "a", "b"), on(monkeypatch, 7, "c")
    assert expire_entries(NOW) == []
    settings.AUDIT_RETENTION = parse_retention("7 d")
    assert expire_entries(NOW) == [old.day]
    assert expire_entries(NOW) == []
    told = AuditEvent.objects.order_by("id").values_list("action", "target")
    assert list(told) == [("c", ""), ("expire audit entries", str(old.day))]
    assert AuditDay.objects.get(day=old.day).head == old.head
    assert alice.get(f"/audit-days/{old.day}").json()["state"] == "expired"
    assert alice.get(f"/audit-days/{new.day}").json()["state"] == "whole"


def test_what_syslog_has_not_got_does_not_expire(
    monkeypatch: pytest.MonkeyPatch, settings: Any, db: None
) -> None:
    old = on(monkeypatch, 8, "a", "b")
    settings.AUDIT_RETENTION = timedelta(days=1)
    settings.AUDIT_SYSLOG = SyslogServer.parse("udp://127.0.0.1:9")
    assert expire_entries(NOW) == []
    AuditDay.objects.filter(day=old.day).update(forwarded=2)
    assert expire_entries(NOW) == [old.day]


# --- syslog ----------------------------------------------------------------------------------------


@pytest.fixture
def server(settings: Any) -> Iterator[socket.socket]:
    """What listens where entries go: a socket for datagrams."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.settimeout(10)
        settings.AUDIT_SYSLOG = SyslogServer.parse(f"udp://127.0.0.1:{listener.getsockname()[1]}")
        yield listener


def test_entries_go_to_syslog_once_and_in_order(
    server: socket.socket, monkeypatch: pytest.MonkeyPatch, db: None
) -> None:
    on(monkeypatch, 1, "a", "b")
    today = on(monkeypatch, 0, "日志")
    assert (forward(), forward()) == (3, 0)
    found = [MESSAGE.fullmatch(server.recv(65536).decode("ascii")) for _ in range(3)]
    entries = [json.loads(match.group(4)) for match in found if match]
    assert [e["action"] for e in entries] == ["a", "b", "日志"]
    assert entries[2]["hash"] == today.head
    assert {match.group(1) for match in found if match} == {"86"}  # authpriv (10 · 8) + informational (6)


def test_an_entry_longer_than_a_datagram_is_told_without_its_details(server: socket.socket, db: None) -> None:
    record(action="long", detail={"request": "x" * 100_000})
    assert forward() == 1
    assert '"detail":{"left_out_bytes":100015}' in server.recv(65536).decode()


def test_what_a_server_did_not_take_is_sent_when_it_is_back(settings: Any, db: None) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        settings.AUDIT_SYSLOG = SyslogServer.parse(f"tcp://127.0.0.1:{listener.getsockname()[1]}")
    record(action="while it was away")
    with pytest.raises(ConnectionRefusedError):
        forward()
    forward_entries()  # the task says so in the log of the worker and goes on
    with socket.create_server(settings.AUDIT_SYSLOG.address) as listener:
        assert forward() == 1
        taken, _ = listener.accept()
        with taken, taken.makefile() as lines:
            assert "while it was away" in lines.readline()


@pytest.mark.parametrize(
    "url", ["http://h:1", "udp://h", "tcp://:5", "unix://dev/log", "h:514", "udp://h:99999"]
)
def test_an_address_that_is_none_of_a_syslog_server_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"udp://host:port|Port"):
        SyslogServer.parse(url)


@pytest.mark.parametrize("text", ["30", "soon", "23 h", "-1 d"])
def test_a_time_that_is_too_short_or_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(text)):
        parse_retention(text)
