"""Directories of files that end in a number: `snapshot-7`, `schema-0`, `changelog-3`."""

from __future__ import annotations

from collections.abc import Iterable

from core.io.decoding import KeepsWhatIsKnown
from core.io.file_io import FileIO


def listed_ids(io: FileIO, directory: str, prefix: str) -> list[int]:
    """The numbers of the files `<prefix><number>`, ascending.

    Anything else is passed over: temporary files (`.snapshot-7.<uuid>.tmp` from Java,
    `snapshot-7<uuid>.tmp` from Python), hints. Spec: 01, 3.
    """
    if isinstance(io, KeepsWhatIsKnown):
        return io.numbers(directory, prefix)
    return numbers_of((status.path.rpartition("/")[2] for status in io.list_files(directory)), prefix)


def numbers_of(names: Iterable[str], prefix: str) -> list[int]:
    """The numbers of the names `<prefix><number>`, ascending."""
    tails = (name.removeprefix(prefix) for name in names if name.startswith(prefix))
    return sorted(int(tail) for tail in tails if tail.isascii() and tail.isdigit())
