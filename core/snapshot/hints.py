"""The hint files EARLIEST and LATEST, and what they are checked against. Spec: 01, 3."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import NotFoundError
from core.io.file_io import FileIO
from core.io.numbered_files import listed_ids

_MOST_DIGITS = 19  # of a 64-bit id


@dataclass(frozen=True, slots=True)
class HintReport:
    """What the hints say, what the listing says, and where they disagree."""

    earliest_hint: str | None  # text of the file as it stands; None: there is no file
    latest_hint: str | None
    earliest: int | None  # by listing
    latest: int | None
    gaps: tuple[int, ...]  # missing ids between earliest and latest

    @property
    def wrong(self) -> tuple[tuple[str, str, int | None], ...]:
        """Each hint that does not say what the listing says: its name, its text, the id by listing.

        A missing hint is legal.
        """
        hints = (
            ("EARLIEST", self.earliest_hint, self.earliest),
            ("LATEST", self.latest_hint, self.latest),
        )
        return tuple(
            (name, hint.strip()[:40], listed)
            for name, hint, listed in hints
            if hint is not None and parse_hint(hint) != listed
        )

    @property
    def is_sound(self) -> bool:
        """Whether hints and listing agree, and no id is missing."""
        return not self.wrong and not self.gaps

    @property
    def gap_ranges(self) -> str:
        """The missing ids as text, such as `3-5, 9`; empty where there is none."""
        return _ranges(self.gaps)


class HintedDirectory:
    """Numbered files with hints to the first and the last of them. Hints are never trusted alone."""

    def __init__(self, io: FileIO, directory: str, prefix: str) -> None:
        self._io = io
        self._directory = directory
        self._prefix = prefix

    def ids(self) -> list[int]:
        return listed_ids(self._io, self._directory, self._prefix)

    def has(self, file_id: int) -> bool:
        return self._io.exists(self.path(file_id))

    def path(self, file_id: int) -> str:
        return f"{self._directory}/{self._prefix}{file_id}"

    def latest(self) -> int | None:
        """The hint, if that file exists and the next one does not; else the highest listed."""
        hint = parse_hint(self._hint_text("LATEST"))
        if hint is not None and hint > 0 and self.has(hint) and not self.has(hint + 1):
            return hint
        return max(self.ids(), default=None)

    def earliest(self) -> int | None:
        """The hint, if that file exists and the one before does not; else the lowest listed."""
        hint = parse_hint(self._hint_text("EARLIEST"))
        if hint is not None and self.has(hint) and not (hint > 1 and self.has(hint - 1)):
            return hint
        return min(self.ids(), default=None)

    def write_latest(self, file_id: int) -> None:
        self._io.write(f"{self._directory}/LATEST", str(file_id).encode())

    def write_earliest(self, file_id: int) -> None:
        self._io.write(f"{self._directory}/EARLIEST", str(file_id).encode())

    def delete_latest(self) -> None:
        self._io.delete(f"{self._directory}/LATEST")

    def delete_earliest(self) -> None:
        self._io.delete(f"{self._directory}/EARLIEST")

    def report(self) -> HintReport:
        ids = self.ids()
        gaps = tuple(sorted(set(range(ids[0], ids[-1] + 1)) - set(ids))) if ids else ()
        earliest, latest = (ids[0], ids[-1]) if ids else (None, None)
        return HintReport(self._hint_text("EARLIEST"), self._hint_text("LATEST"), earliest, latest, gaps)

    def _hint_text(self, name: str) -> str | None:
        try:
            return self._io.read(f"{self._directory}/{name}").decode("utf-8", "replace")
        except NotFoundError:
            return None


def parse_hint(text: str | None) -> int | None:
    """The id that a hint's text says; None where it says none."""
    digits = (text or "").strip()
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS else None


def _ranges(ids: tuple[int, ...]) -> str:
    """`3`, `3-5, 9`: ascending ids, runs joined."""
    runs: list[list[int]] = []
    for value in ids:
        if runs and runs[-1][1] == value - 1:
            runs[-1][1] = value
        else:
            runs.append([value, value])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)
