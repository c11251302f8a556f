"""Table options. Spec: 04, D."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core.errors import InvalidRequestError
from core.options import (
    BUCKET,
    FILE_FORMAT_PER_LEVEL,
    IGNORE_DELETE,
    IMMUTABLE_KEYS,
    MERGE_ENGINE,
    OPTIONS,
    SEQUENCE_FIELD,
    SNAPSHOT_TIME_RETAINED,
    TARGET_FILE_SIZE,
    WRITE_ONLY,
    MergeEngine,
    TableOptions,
    family_of,
    parse_duration,
    parse_size,
)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("128 mb", 128 << 20),
        ("500 B", 500),
        ("64kb", 64 << 10),
        ("7", 7),
        (" 2 G ", 2 << 30),
        ("1tb", 1 << 40),
    ],
)
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("1 h", timedelta(hours=1)),
        ("10 s", timedelta(seconds=10)),
        ("3d", timedelta(days=3)),
        ("5 min", timedelta(minutes=5)),
        ("250", timedelta(milliseconds=250)),
        ("1000 ns", timedelta(microseconds=1)),
    ],
)
def test_durations(text: str, duration: timedelta) -> None:
    assert parse_duration(text) == duration


@pytest.mark.parametrize("text", ["", "mb", "-1 mb", "1.5 mb", "1 xb", "1 mb 2"])
def test_what_is_no_size_or_duration_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequestError):
        parse_size(text)
    with pytest.raises(InvalidRequestError):
        parse_duration(text)


def test_durations_beyond_any_calendar_are_refused() -> None:
    with pytest.raises(InvalidRequestError, match="days"):
        parse_duration("99999999999999999 d")


def test_values_are_typed_and_defaults_filled_in() -> None:
    options = TableOptions({"bucket": "4", "merge-engine": "FIRST_ROW", "sequence.field": "a, b"})
    assert options.get(BUCKET) == 4
    assert options.get(MERGE_ENGINE) is MergeEngine.FIRST_ROW
    assert options.get(SEQUENCE_FIELD) == ("a", "b")
    assert options.get(SNAPSHOT_TIME_RETAINED) == timedelta(hours=1)
    assert options.get(TARGET_FILE_SIZE) is None


def test_levels_map_to_values() -> None:
    options = TableOptions({"file.format.per.level": "0:avro, 3:parquet"})
    assert options.get(FILE_FORMAT_PER_LEVEL) == {0: "avro", 3: "parquet"}


@pytest.mark.parametrize("key", ["write.compaction-skip", "write-only"])
def test_old_keys_are_read(key: str) -> None:
    assert TableOptions({key: "true"}).get(WRITE_ONLY) is True


def test_the_new_key_wins_over_the_old_one() -> None:
    options = TableOptions({"partial-update.ignore-delete": "true", "ignore-delete": "false"})
    assert options.get(IGNORE_DELETE) is False


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("bucket", "many"),
        ("bucket", "9" * 30),
        ("write-only", "yes"),
        ("merge-engine", "newest"),
        ("target-file-size", "big"),
        ("compaction.small-file-ratio", "half"),
        ("file.format.per.level", "avro"),
        ("snapshot.time-retained", "soon"),
    ],
)
def test_a_bad_value_names_its_option(key: str, value: str) -> None:
    with pytest.raises(InvalidRequestError, match=f"option {key}"):
        TableOptions({key: value}).check()


def test_unknown_keys_are_kept() -> None:
    options = TableOptions({"my.own": "x"})
    options.check()
    assert options.texts == {"my.own": "x"}


@pytest.mark.parametrize("option", OPTIONS.values(), ids=lambda o: o.key)
def test_every_option_has_a_meaning_and_a_default_of_its_type(option: object) -> None:
    assert option.meaning  # type: ignore[attr-defined]
    if option.default_text is not None:  # type: ignore[attr-defined]
        assert option.default is not None  # type: ignore[attr-defined]


def test_immutable_keys_are_options() -> None:
    assert set(OPTIONS) >= IMMUTABLE_KEYS
    assert "bucket" not in IMMUTABLE_KEYS


def test_families_hold_keys_with_any_column() -> None:
    family = family_of("fields.a.b.sequence-group")
    assert family is not None
    assert family.pattern == "fields.<column>.sequence-group"
    assert family_of("bucket") is None
