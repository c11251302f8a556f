from __future__ import annotations

import pytest

from core.errors import InvalidRequestError, NotFoundError
from core.io import MemoryFileIO, TablePaths
from core.snapshot import SnapshotStore, Tag, TagStore
from core.snapshot.time_travel import millis_of_time, resolve, resolve_version
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


def test_an_expired_snapshot_says_which_ones_there_are() -> None:
    with pytest.raises(NotFoundError, match="earliest=3, latest=5"):
        resolve(*stores(), snapshot_id=1)


WATERMARKS = {3: None, 4: 10, 5: None, 6: 20, 7: None, 8: None, 9: 30}


def with_watermarks() -> tuple[SnapshotStore, TagStore]:
    io = MemoryFileIO()
    snapshots = SnapshotStore(io, PATHS)
    for number, watermark in WATERMARKS.items():
        snapshots.create(snapshot(number, watermark=watermark))
    return snapshots, TagStore(io, PATHS)


@pytest.mark.parametrize("watermark", [-5, 9, 10, 11, 20, 21, 30])
def test_a_watermark_finds_the_first_snapshot_that_has_reached_it(watermark: int) -> None:
    expected = next(i for i, mark in WATERMARKS.items() if mark is not None and mark >= watermark)
    found = resolve(*with_watermarks(), watermark=watermark)
    assert found is not None
    assert found.id == expected


def test_a_watermark_that_nothing_has_reached_is_not_found() -> None:
    with pytest.raises(NotFoundError, match="watermark=31"):
        resolve(*with_watermarks(), watermark=31)


@pytest.mark.parametrize(("version", "expected"), [("watermark-11", 6), ("4", 4), ("5", 9)])
def test_a_version_is_a_tag_then_a_watermark_then_an_id(version: str, expected: int) -> None:
    snapshots, tags = with_watermarks()
    tags.create(Tag("5", snapshots.get(9)))
    assert resolve_version(snapshots, tags, version).id == expected


def test_another_version_is_not_found() -> None:
    with pytest.raises(NotFoundError, match="a version is"):
        resolve_version(*stores(), "main")


def test_a_time_with_a_zone_is_an_instant() -> None:
    assert millis_of_time("1970-01-02 00:00:00.250+00:00") == 86_400_250


def test_what_is_no_time_is_refused() -> None:
    with pytest.raises(InvalidRequestError, match="not a time"):
        millis_of_time("yesterday")
