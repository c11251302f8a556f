"""Reads that are not done again where all that they looked at is as it was.

What accidents leave is mostly what was there before, and it is looked at thousands of times.
"""

from __future__ import annotations

from collections.abc import Callable

from core.errors import NotFoundError
from core.io import FileIO
from core.table import Table
from tests.faults import FaultyFileIO

Looked = dict[str, object]  # an operation on the store, and what it found

_known: dict[str, tuple[Looked, object]] = {}


def remembered(table: Table, what: str, read: Callable[[Table], object]) -> object:
    """What a read of the table gives; only the last one of its name is known."""
    looked, value = _known.get(what, (None, None))
    if looked is not None and all(_look(table.io, at) == found for at, found in looked.items()):
        return value
    watching = FaultyFileIO(table.io)
    value = read(Table(watching, table.location, table.identifier))
    _known[what] = {at: _look(table.io, at) for at in watching.operations}, value
    return value


def _look(io: FileIO, at: str) -> object:
    operation, _, path = at.partition(" ")
    if operation == "list":
        return [(status.path, status.size) for status in io.list_files(path, recursive=True)]
    try:
        return io.read(path)
    except NotFoundError:
        return None
