from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from core.catalog.facts import Audit, Database, Partition, PartitionStatistics
from core.catalog.rest.objects import (
    RestSchema,
    RestTable,
    SnapshotInstant,
    TableSnapshot,
    TagInstant,
    database_from_wire,
    database_to_wire,
    decoded,
    identifier_from_wire,
    identifier_to_wire,
    instant_from_wire,
    instant_to_wire,
    partition_from_wire,
    partition_to_wire,
    snapshot_from_wire,
    snapshot_to_wire,
    statistics_from_wire,
    statistics_to_wire,
)
from core.errors import InvalidRequestError, UnsupportedError
from core.identifier import Identifier
from core.io.json_object import JsonObject
from tests.builders import fields, snapshot

AUDIT = Audit("alice", 1, "bob", 2, "carol")
STATISTICS = PartitionStatistics({"dt": "2026-11-22"}, -3, 40, 1, 7, -1)
SCHEMA = RestSchema(fields(id="BIGINT NOT NULL", a="ARRAY<INT>"), ("id",), ("id",), {"bucket": "1"}, "c")
TABLE = RestTable(id="u", database="db", name="t", path="/p", schema_id=3, schema=SCHEMA, audit=AUDIT)
OBJECTS: list[tuple[Any, Callable[[JsonObject], Any], Callable[[Any], Any]]] = [
    (Database("db", "/p", {"a": "b"}, "words", "u", AUDIT), database_from_wire, database_to_wire),
    (SCHEMA, RestSchema.from_wire, RestSchema.to_wire),
    (TABLE, RestTable.from_wire, RestTable.to_wire),
    (TableSnapshot(snapshot(7), 1, 2, 3, 4), TableSnapshot.from_wire, TableSnapshot.to_wire),
    (STATISTICS, statistics_from_wire, statistics_to_wire),
    (
        Partition(STATISTICS, True, Audit(None, 1, "bob", 2, "carol"), {"a": "b"}),
        partition_from_wire,
        partition_to_wire,
    ),
    (SnapshotInstant(4), instant_from_wire, instant_to_wire),
    (TagInstant("v1"), instant_from_wire, instant_to_wire),
]


def over_the_wire(value: Any) -> JsonObject:
    return JsonObject.parse(json.dumps(value).encode())


@pytest.mark.parametrize(("value", "read", "write"), OBJECTS, ids=lambda value: type(value).__name__)
def test_an_object_comes_back_as_it_was_sent(
    value: Any, read: Callable[[JsonObject], Any], write: Callable[[Any], Any]
) -> None:
    assert read(over_the_wire(write(value))) == value


@pytest.mark.parametrize("text", ["db.t", "db.t$branch_b", "db.t$branch_b$files", "db.t$snapshots"])
def test_an_identifier_has_branch_and_system_table_in_its_object(text: str) -> None:
    wire = identifier_to_wire(Identifier.parse(text))
    assert wire == {"database": "db", "object": text.removeprefix("db.")}
    assert identifier_from_wire(over_the_wire(wire)) == Identifier.parse(text)


def test_the_database_of_an_identifier_holds_no_dot() -> None:
    with pytest.raises(InvalidRequestError, match=r"'a\.b'"):
        identifier_from_wire(over_the_wire({"database": "a.b", "object": "t"}))


def test_an_unknown_instant_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedError, match="instant type timestamp"):
        instant_from_wire(over_the_wire({"type": "timestamp", "timestamp": 1}))


def test_a_snapshot_with_a_member_of_a_newer_version_is_refused_by_name() -> None:
    wire = snapshot_to_wire(snapshot(7))
    assert snapshot_from_wire(over_the_wire({**wire, "newer": None})) == snapshot(7)
    with pytest.raises(UnsupportedError, match="snapshot member newer"):
        snapshot_from_wire(over_the_wire({**wire, "newer": 1}))


TEXT = b'{"database": "d", "object": "t", "other": [{"comment": "%s"}]}'


@pytest.mark.parametrize(
    "body", [b"", b"[]", b'{"database": 1, "object": "t"}', b"\xff", TEXT % rb"\u0000", TEXT % rb"\ud800"]
)
def test_a_body_that_is_none_is_the_senders_mistake(body: bytes) -> None:
    with pytest.raises(InvalidRequestError):
        decoded(body, identifier_from_wire)
