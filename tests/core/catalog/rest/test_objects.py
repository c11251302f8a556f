from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.catalog.rest.objects import (
    Audit,
    PartitionStatistics,
    RestDatabase,
    RestPartition,
    RestSchema,
    RestTable,
    SnapshotInstant,
    TableSnapshot,
    TagInstant,
    decoded,
    identifier_from_wire,
    identifier_to_wire,
    instant_from_wire,
    instant_to_wire,
    page_of,
    snapshot_from_wire,
    snapshot_to_wire,
)
from core.errors import InvalidRequestError, UnsupportedError
from core.identifier import Identifier
from core.io.json_object import JsonObject
from tests.builders import fields, snapshot

AUDIT = Audit("alice", 1, "bob", 2, "carol")
STATISTICS = PartitionStatistics({"dt": "2026-11-22"}, -3, 40, 1, 7, -1)
SCHEMA = RestSchema(fields(id="BIGINT NOT NULL", a="ARRAY<INT>"), ("id",), ("id",), {"bucket": "1"}, "c")
OBJECTS = [
    RestDatabase("i", "db", "/wh/db.db", {"a": "b"}, AUDIT),
    SCHEMA,
    RestTable(id="u", database="db", name="t", path="/p", schema_id=3, schema=SCHEMA, audit=AUDIT),
    TableSnapshot(snapshot(7), 1, 2, 3, 4),
    STATISTICS,
    RestPartition(STATISTICS, True, Audit(None, 1, "bob", 2, "carol"), {"a": "b"}),
]


def over_the_wire(value: Any) -> JsonObject:
    return JsonObject.parse(json.dumps(value).encode())


@pytest.mark.parametrize("value", OBJECTS, ids=lambda value: type(value).__name__)
def test_an_object_comes_back_as_it_was_sent(value: Any) -> None:
    assert type(value).from_wire(over_the_wire(value.to_wire())) == value


@pytest.mark.parametrize("text", ["db.t", "db.t$branch_b", "db.t$branch_b$files", "db.t$snapshots"])
def test_an_identifier_has_branch_and_system_table_in_its_object(text: str) -> None:
    wire = identifier_to_wire(Identifier.parse(text))
    assert wire == {"database": "db", "object": text.removeprefix("db.")}
    assert identifier_from_wire(over_the_wire(wire)) == Identifier.parse(text)


def test_the_database_of_an_identifier_holds_no_dot() -> None:
    with pytest.raises(InvalidRequestError, match=r"'a\.b'"):
        identifier_from_wire(over_the_wire({"database": "a.b", "object": "t"}))


@pytest.mark.parametrize("instant", [SnapshotInstant(4), TagInstant("v1")])
def test_an_instant_comes_back_as_it_was_sent(instant: Any) -> None:
    assert instant_from_wire(over_the_wire(instant_to_wire(instant))) == instant


def test_an_unknown_instant_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedError, match="instant type timestamp"):
        instant_from_wire(over_the_wire({"type": "timestamp", "timestamp": 1}))


def test_a_snapshot_with_a_member_of_a_newer_version_is_refused_by_name() -> None:
    wire = snapshot_to_wire(snapshot(7))
    assert snapshot_from_wire(over_the_wire({**wire, "newer": None})) == snapshot(7)
    with pytest.raises(UnsupportedError, match="snapshot member newer"):
        snapshot_from_wire(over_the_wire({**wire, "newer": 1}))


@pytest.mark.parametrize("body", [b"", b"[]", b'{"database": 1, "object": "t"}', b"\xff"])
def test_a_body_that_is_none_is_the_senders_mistake(body: bytes) -> None:
    with pytest.raises(InvalidRequestError):
        decoded(body, identifier_from_wire)


@given(st.lists(st.text(), unique=True), st.integers(1, 5))
def test_pages_one_after_the_other_are_the_whole_list(names: list[str], size: int) -> None:
    names, found, token = sorted(names), list[str](), None
    while True:
        page = page_of(names, size, token)
        found += page.items
        token = page.next_token
        if token is None:
            break
    assert found == names
