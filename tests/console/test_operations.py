"""Work that takes longer than its reader waits: 202, an operation to ask after, and then the answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from console.api.waiting import progress
from console.inspector import live
from console.jobs.planning import compact
from core import Table
from core.errors import NotFoundError
from tests.console.conftest import TABLE, Caller

pytestmark = pytest.mark.django_db(transaction=True)  # the end of an operation is written by another thread
AT_ONCE = {"Prefer": "wait=0"}


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """Open it to let slow work go on."""
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def slow(gate: threading.Event, monkeypatch: pytest.MonkeyPatch) -> None:
    """Loads of live files wait at the gate."""
    load = live._load
    monkeypatch.setattr(live, "_load", lambda *given: (gate.wait(300), load(*given))[1])


def ended(who: Caller, address: str) -> dict[str, Any]:
    until = time.monotonic() + 300
    while (view := who.json(address))["state"] == "running":
        assert time.monotonic() < until
        time.sleep(0.05)
    found: dict[str, Any] = view
    return found


def test_work_that_goes_on_tells_how_many_manifests_it_has_read(
    alice: Caller, table: Table, monkeypatch: pytest.MonkeyPatch, gate: threading.Event
) -> None:
    load, told = live._load, threading.Event()

    def slowly(*given: Any) -> Any:
        progress().of("manifests")(120, 480)
        told.set()
        gate.wait(300)
        return load(*given)

    monkeypatch.setattr(live, "_load", slowly)
    alice.get(f"{TABLE}/files", **AT_ONCE)
    assert told.wait(300)
    reply = alice.get(f"{TABLE}/files", **AT_ONCE)
    assert reply.json()["progress"] == {"done": 120, "total": 480, "unit": "manifests"}
    shown = alice.json(reply["Location"])["progress"]
    assert shown == {"done": 120, "total": 480, "unit": "manifests"}


def test_a_read_that_takes_long_goes_on_as_an_operation(
    alice: Caller, table: Table, slow: None, gate: threading.Event
) -> None:
    reply = alice.get(f"{TABLE}/files?level=0", **AT_ONCE)
    assert (reply.status_code, reply["Retry-After"], reply["Preference-Applied"]) == (202, "2", "wait=0")
    assert alice.json(reply["Location"])["state"] == "running"
    gate.set()
    operation = ended(alice, reply["Location"])
    assert operation["state"] == "succeeded"
    assert operation["result"] == {"method": "GET", "href": f"{TABLE}/files?level=0"}
    assert alice.get(operation["result"]["href"], **AT_ONCE).status_code == 200


def test_asking_again_meanwhile_finds_the_same_operation(alice: Caller, table: Table, slow: None) -> None:
    first, second = (alice.get(f"{TABLE}/files", **AT_ONCE)["Location"] for _ in range(2))
    assert first == second


def test_an_operation_that_fails_says_why(
    alice: Caller, table: Table, gate: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*given: object) -> None:
        gate.wait(300)
        raise NotFoundError("file not found", path="/lake/db.db/t/manifest/manifest-list-1")

    monkeypatch.setattr(live, "_load", fail)
    address = alice.get(f"{TABLE}/files", **AT_ONCE)["Location"]
    gate.set()
    operation = ended(alice, address)
    assert (operation["state"], operation["problem"]["code"]) == ("failed", "object-missing")


def test_operations_are_their_callers_own(alice: Caller, bob: Caller, table: Table, slow: None) -> None:
    address = alice.get(f"{TABLE}/files", **AT_ONCE)["Location"]
    assert bob.get(address).status_code == 404


def test_a_plan_that_takes_long_is_had_by_sending_the_same_request_again(
    alice: Caller, table: Table, gate: threading.Event, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    plan = compact.plan_compaction
    monkeypatch.setattr(
        compact, "plan_compaction", lambda *given, **more: (gate.wait(300), plan(*given, **more))[1]
    )
    settings.READ_DEADLINE = settings.READ_DEADLINE / 1000
    asked = {"kind": "compact", "params": {}}
    reply = alice.post(f"{TABLE}/plans", asked, key="the same key")
    assert reply.status_code == 202
    gate.set()
    assert ended(alice, reply["Location"])["result"]["method"] == "POST"
    settings.READ_DEADLINE = settings.READ_DEADLINE * 1000
    assert alice.post(f"{TABLE}/plans", asked, key="the same key").status_code == 201


@pytest.mark.parametrize("prefer", ["wait=9999999", "respond-async", "wait=soon", "wait=-1"])
def test_other_preferences_change_nothing(prefer: str, alice: Caller, table: Table) -> None:
    assert alice.get(f"{TABLE}/files", Prefer=prefer).status_code == 200
