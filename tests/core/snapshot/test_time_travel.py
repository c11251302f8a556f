from __future__ import annotations

import pytest

from core.errors import InvalidRequestError, NotFoundError
from core.io import MemoryFileIO, TablePaths
from core.snapshot import SnapshotStore, Tag, TagStore
from core.snapshot.time_travel import resolve
from tests.builders import NOON, snapshot

PATHS = TablePaths("memory://b/t")


def stores() -> tuple[SnapshotStore, TagStore]:
    """Snapshots 3 to 5; 2 has expired and lives on in a tag."""
    io = MemoryFileIO()
    snapshots, tags = SnapshotStore(io, PATHS), TagStore(io, PATHS)
    for number in (3, 4, 5):
        snapshots.create(snapshot(number))
    tags.create(Tag("old", snapshot(2)))
    return snapshots, tags


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({}, 5),
        ({"snapshot_id": 4}, 4),
        ({"snapshot_id": 2}, 2),  # from the tag
        ({"tag": "old"}, 2),
        ({"timestamp_millis": NOON + 4500}, 4),
    ],
)
def test_each_way_of_asking_finds_its_snapshot(asked: dict[str, object], expected: int) -> None:
    assert resolve(*stores(), **asked) == snapshot(expected)  # type: ignore[arg-type]  # spread keywords


@pytest.mark.parametrize("asked", [{"snapshot_id": 1}, {"tag": "none"}, {"timestamp_millis": NOON}])
def test_what_is_not_there_is_not_found(asked: dict[str, object]) -> None:
    with pytest.raises(NotFoundError):
        resolve(*stores(), **asked)  # type: ignore[arg-type]  # spread keywords


def test_a_time_before_all_snapshots_says_when_the_first_is() -> None:
    with pytest.raises(NotFoundError, match=f"earliest_millis={NOON + 3000}"):
        resolve(*stores(), timestamp_millis=NOON)


def test_one_way_of_asking_at_a_time() -> None:
    with pytest.raises(InvalidRequestError, match="snapshot_id=4, tag=old"):
        resolve(*stores(), snapshot_id=4, tag="old")


def test_a_table_without_snapshots_has_no_latest() -> None:
    io = MemoryFileIO()
    assert resolve(SnapshotStore(io, PATHS), TagStore(io, PATHS)) is None


@pytest.mark.parametrize(
    "asked", [{"snapshot_id": "4"}, {"snapshot_id": True}, {"timestamp_millis": 1.5}, {"tag": 4}]
)
def test_a_value_of_another_type_is_refused(asked: dict[str, object]) -> None:
    with pytest.raises(InvalidRequestError, match=next(iter(asked))):
        resolve(*stores(), **asked)  # type: ignore[arg-type]  # spread keywords
