"""A format table of its own, in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.format_table import FormatTable
from core.identifier import Identifier
from core.io.obstore_io import MemoryFileIO
from core.schema.create import initial_schema
from core.types import DataField, parse_type

LOCATION = "memory://t/data"


def format_table(
    columns: Mapping[str, str],
    keys: Sequence[str] = (),
    *,
    io: Any = None,
    location: str = LOCATION,
    **options: str,
) -> FormatTable:
    """Options are named with `_` for `-` and `__` for `.`."""
    fields = [DataField(0, name, parse_type(kind)) for name, kind in columns.items()]
    given = {key.replace("__", ".").replace("_", "-"): value for key, value in options.items()}
    schema = initial_schema(
        fields, partition_keys=keys, options={"type": "format-table", **given}, time_millis=1
    )
    return FormatTable(io or MemoryFileIO(), location, Identifier("db", "t"), schema)


def file_names(table: FormatTable) -> list[str]:
    """Paths of all files below the table, hidden ones too."""
    start = len(table.location) + 1
    return sorted(status.path[start:] for status in table.io.iter_tree(table.location))
