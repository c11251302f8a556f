"""Whose directory the files of a table without snapshots lie in: no table is read by the name of another.

Such a table names its directory by an option, and who may set that need not be allowed to read what is there.
"""

from __future__ import annotations

from collections.abc import Callable

from core.errors import UnsupportedError
from core.identifier import Identifier

_DATABASE = ".db"


def check_is_own_place(
    table: Identifier, location: str, warehouse: str, exists: Callable[[Identifier], bool]
) -> None:
    """Nothing, if the place is none of another table, nor above any.

    Args:
        table: whose files they are to be.
        location: where they lie, below the warehouse; links followed and in one spelling, as is the next.
        warehouse: its directory.
        exists: whether there is a table of a name.

    Raises:
        UnsupportedError: names what lies there.
    """
    steps = location.removeprefix(warehouse.rstrip("/")).strip("/").split("/")
    is_database = steps[0].endswith(_DATABASE)
    if steps == [""] or (is_database and len(steps) == 1):
        _refuse(table, location, "the directory of a database or a warehouse")
    if is_database:
        other = Identifier(steps[0].removesuffix(_DATABASE), steps[1])
        if other != table.base and exists(other):
            _refuse(table, location, "the directory of another table")


def _refuse(table: Identifier, location: str, what: str) -> None:
    raise UnsupportedError(
        "the files of one table are not read by the name of another",
        feature=f"{what} as the place of plain files",
        table=str(table),
        where=location,
    )
