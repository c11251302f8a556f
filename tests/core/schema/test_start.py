"""Which options go with which `scan.mode`. Spec: 09, 6."""

from __future__ import annotations

import pytest

from core.errors import InvalidRequestError
from core.options import ScanMode, TableOptions
from core.schema.start import start_of

IMPLIED = {
    "scan.timestamp-millis": ("1", ScanMode.FROM_TIMESTAMP),
    "scan.timestamp": ("2024-01-01", ScanMode.FROM_TIMESTAMP),
    "scan.snapshot-id": ("1", ScanMode.FROM_SNAPSHOT),
    "scan.tag-name": ("t", ScanMode.FROM_SNAPSHOT),
    "scan.watermark": ("1", ScanMode.FROM_SNAPSHOT),
    "scan.version": ("t", ScanMode.FROM_SNAPSHOT),
    "scan.file-creation-time-millis": ("1", ScanMode.FROM_FILE_CREATION_TIME),
    "scan.creation-time-millis": ("1", ScanMode.FROM_CREATION_TIMESTAMP),
    "incremental-between": ("1,2", ScanMode.INCREMENTAL),
    "incremental-between-timestamp": ("1,2", ScanMode.INCREMENTAL),
    "incremental-to-auto-tag": ("2024-01-01", ScanMode.INCREMENTAL),
}


@pytest.mark.parametrize("key", sorted(IMPLIED))
def test_an_option_implies_its_mode(key: str) -> None:
    value, mode = IMPLIED[key]
    assert start_of(TableOptions({key: value})).mode is mode


@pytest.mark.parametrize(
    ("options", "mode"),
    [
        ({}, ScanMode.LATEST_FULL),
        ({"scan.mode": "full"}, ScanMode.LATEST_FULL),
        ({"scan.mode": "latest"}, ScanMode.LATEST),
        ({"scan.mode": "compacted-full"}, ScanMode.COMPACTED_FULL),
        ({"scan.mode": "from-snapshot-full", "scan.snapshot-id": "3"}, ScanMode.FROM_SNAPSHOT_FULL),
    ],
)
def test_a_mode_stands_as_it_is_given(options: dict[str, str], mode: ScanMode) -> None:
    assert start_of(TableOptions(options)).mode is mode


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scan.mode": "from-snapshot"}, "exactly one of the options of scan.mode from-snapshot"),
        ({"scan.snapshot-id": "1", "scan.tag-name": "t"}, "given=scan.snapshot-id, scan.tag-name"),
        ({"scan.mode": "latest", "scan.snapshot-id": "1"}, "do not go with scan.mode latest"),
        ({"scan.timestamp-millis": "1", "scan.snapshot-id": "1"}, "options=scan.snapshot-id"),
        ({"scan.mode": "incremental", "incremental-between": "1,2", "scan.tag-name": "t"}, "scan.tag-name"),
        ({"scan.mode": "from-snapshot-full", "scan.snapshot-id": "1", "scan.version": "1"}, "scan.version"),
        ({"scan.mode": "yesterday"}, "bad value of option scan.mode"),
    ],
)
def test_options_that_say_different_things_are_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(InvalidRequestError, match=message):
        start_of(TableOptions(options))


@pytest.mark.parametrize(
    ("options", "travels"),
    [({"scan.version": "1"}, True), ({"incremental-between": "1,2"}, False), ({}, False)],
)
def test_a_read_of_one_snapshot_of_the_past_travels(options: dict[str, str], travels: bool) -> None:
    assert start_of(TableOptions(options)).travels is travels
