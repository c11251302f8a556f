from __future__ import annotations

import json
from datetime import datetime, timedelta

import pytest

from core.errors import AlreadyExistsError, FormatError, InvalidRequestError, NotFoundError
from core.io import MemoryFileIO, TablePaths
from core.snapshot import Tag, TagStore, UnreadableTag, decode_snapshot, decode_tag, encode_tag
from tests.builders import snapshot

PATHS = TablePaths("memory://b/t")
KEPT = Tag("v1", snapshot(3), datetime(2026, 11, 21, 3, 38, 13, 777589), timedelta(hours=25))


def members(**extra: object) -> bytes:
    return json.dumps(json.loads(encode_tag(Tag("t", snapshot(3)))) | extra).encode()


@pytest.mark.parametrize("tag", [Tag("v1", snapshot(3)), KEPT])
def test_decode_is_the_inverse_of_encode(tag: Tag) -> None:
    assert decode_tag("v1", encode_tag(tag)) == tag


def test_retention_is_written_as_java_writes_it() -> None:
    text = encode_tag(KEPT).decode()
    assert '"tagCreateTime": [2026, 11, 21, 3, 38, 13, 777589000]' in text
    assert '"tagTimeRetained": 90000.000000000' in text


def test_without_retention_a_tag_is_its_snapshot_to_the_letter() -> None:
    assert set(json.loads(encode_tag(Tag("v1", snapshot(3))))) == set(json.loads(members()))
    assert decode_snapshot(encode_tag(Tag("v1", snapshot(3)))) == snapshot(3)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([2024, 1, 2, 3, 4, 5, 6_000], datetime(2024, 1, 2, 3, 4, 5, 6)),
        ([2024, 1, 2, 3, 4, 5], datetime(2024, 1, 2, 3, 4, 5)),
        ([2024, 1, 2, 3, 4], datetime(2024, 1, 2, 3, 4)),
        ("2024-01-02T03:04:05.678", datetime(2024, 1, 2, 3, 4, 5, 678_000)),
        (None, None),
    ],
)
def test_creation_times_of_all_writers_are_read(value: object, expected: datetime | None) -> None:
    assert decode_tag("t", members(tagCreateTime=value)).create_time == expected


@pytest.mark.parametrize(
    ("value", "seconds"), [(86400.5, 86400.5), (60, 60), ("PT8760H", 8760 * 3600), ("PT1M1.5S", 61.5)]
)
def test_retentions_of_all_writers_are_read(value: object, seconds: float) -> None:
    assert decode_tag("t", members(tagTimeRetained=value)).time_retained == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    "extra",
    [
        {"tagCreateTime": [2024, 13, 1]},
        {"tagCreateTime": {}},
        {"tagTimeRetained": "soon"},
        {"tagTimeRetained": True},
    ],
)
def test_nonsense_is_a_format_error(extra: dict[str, object]) -> None:
    with pytest.raises(FormatError, match=next(iter(extra))):
        decode_tag("t", members(**extra))


def test_a_retention_needs_a_creation_time() -> None:
    with pytest.raises(InvalidRequestError, match="creation time"):
        encode_tag(Tag("t", snapshot(1), None, timedelta(days=1)))


def test_tags_are_listed_by_snapshot() -> None:
    store = TagStore(MemoryFileIO(), PATHS)
    for name, snapshot_id in (("b", 2), ("a", 2), ("z", 1)):
        store.create(Tag(name, snapshot(snapshot_id)))
    assert [tag.name for tag in store.list()] == ["z", "a", "b"]
    assert store.names() == ["a", "b", "z"]
    found = store.of_snapshot(2)
    assert found is not None
    assert found.name == "a"
    assert store.of_snapshot(9) is None


def test_a_name_is_given_once_and_can_be_given_up() -> None:
    store = TagStore(MemoryFileIO(), PATHS)
    store.create(KEPT)
    with pytest.raises(AlreadyExistsError, match="tag=v1"):
        store.create(Tag("v1", snapshot(4)))
    store.delete("v1")
    with pytest.raises(NotFoundError, match="tag=v1"):
        store.get("v1")
    assert not store.exists("v1")


def test_a_damaged_tag_does_not_hide_the_others() -> None:
    io = MemoryFileIO()
    store = TagStore(io, PATHS)
    store.create(KEPT)
    io.write(PATHS.tag_file("broken"), b"{")
    broken, good = store.examine()
    assert isinstance(broken, UnreadableTag)
    assert good == KEPT


@pytest.mark.parametrize("name", ["", " ", "a/b"])
def test_a_name_that_makes_no_file_is_refused(name: str) -> None:
    with pytest.raises(InvalidRequestError):
        TagStore(MemoryFileIO(), PATHS).get(name)


@pytest.mark.parametrize(
    "extra",
    [
        {"tagTimeRetained": float("nan")},
        {"tagTimeRetained": 1e300},
        {"tagTimeRetained": "PT99999999999999H"},
        {"tagCreateTime": [10**30, 1, 1]},
    ],
)
def test_times_beyond_any_calendar_are_format_errors(extra: dict[str, object]) -> None:
    with pytest.raises(FormatError, match=next(iter(extra))):
        decode_tag("t", members(**extra))


@pytest.mark.parametrize(
    ("tag", "until"),
    [
        (Tag("t", snapshot(3)), None),
        (KEPT, datetime(2026, 11, 22, 4, 38, 13, 777589)),
        (Tag("t", snapshot(3), KEPT.create_time, timedelta(days=99_999_999)), None),
    ],
)
def test_a_tag_is_kept_until_a_time_of_the_calendar_or_for_good(tag: Tag, until: datetime | None) -> None:
    assert tag.retained_until == until
