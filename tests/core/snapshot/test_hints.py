from __future__ import annotations

import pytest

from core.io import MemoryFileIO
from core.snapshot.hints import HintedDirectory, parse_hint

ROOT = "memory://b/snapshot"
LONG = b"9" * 5000  # more digits than int() takes


def directory(*ids: int, latest: bytes | None = None, earliest: bytes | None = None) -> HintedDirectory:
    io = MemoryFileIO()
    for file_id in ids:
        io.write(f"{ROOT}/snapshot-{file_id}", b"")
    for name, hint in (("LATEST", latest), ("EARLIEST", earliest)):
        if hint is not None:
            io.write(f"{ROOT}/{name}", hint)
    return HintedDirectory(io, ROOT, "snapshot-")


@pytest.mark.parametrize(
    "hint", [b"5", b"4", b"99", b"3", b"0", b"-1", b"", b"x", b" 5\n", b"\xff", LONG, None]
)
def test_the_latest_is_found_whatever_the_hint_says(hint: bytes | None) -> None:
    assert directory(3, 4, 5, latest=hint).latest() == 5


@pytest.mark.parametrize("hint", [b"3", b"4", b"1", b"42", b"", b"x", LONG, None])
def test_the_earliest_is_found_whatever_the_hint_says(hint: bytes | None) -> None:
    assert directory(3, 4, 5, earliest=hint).earliest() == 3


@pytest.mark.parametrize("hint", [None, b"1"])
def test_nothing_is_found_where_nothing_is(hint: bytes | None) -> None:
    empty = directory(latest=hint, earliest=hint)
    assert empty.latest() is empty.earliest() is None


def test_a_right_hint_spares_the_listing() -> None:
    class Unlisted(MemoryFileIO):
        def list_files(self, directory: str, *, recursive: bool = False) -> list[object]:  # type: ignore[override]
            raise AssertionError("listed")

    io = Unlisted()
    for name in ("snapshot-3", "snapshot-4"):
        io.write(f"{ROOT}/{name}", b"")
    found = HintedDirectory(io, ROOT, "snapshot-")
    found.write_latest(4)
    found.write_earliest(3)
    assert (found.earliest(), found.latest()) == (3, 4)


def test_a_hint_is_decimal_text_without_a_newline() -> None:
    io = MemoryFileIO()
    HintedDirectory(io, ROOT, "snapshot-").write_latest(12)
    assert io.read(f"{ROOT}/LATEST") == b"12"


@pytest.mark.parametrize(("text", "value"), [("7", 7), (" 7\n", 7), ("", None), (None, None), ("-7", None)])
def test_a_hint_that_is_no_number_says_nothing(text: str | None, value: int | None) -> None:
    assert parse_hint(text) == value


def test_a_sound_directory_has_no_problems() -> None:
    for report in (directory(3, 4, 5, latest=b"5", earliest=b"3").report(), directory(3, 4, 5).report()):
        assert report.is_sound


def test_every_disagreement_is_reported() -> None:
    report = directory(3, 5, 6, 9, latest=b"5", earliest=b"junk").report()
    assert report.gaps == (4, 7, 8)
    assert report.wrong == (("EARLIEST", "junk", 3), ("LATEST", "5", 9))
    assert report.gap_ranges == "4, 7-8"
    assert not report.is_sound
