"""Where the files of tables without snapshots may lie: in their warehouse, and nowhere else.

Whoever can write a schema names a directory by its option `path`. The console reads with its own rights, so
it would show any file of its machine, or of all that its credentials open.
"""

from __future__ import annotations

from collections.abc import Mapping

from console.warehouses.catalogs import place_of
from console.warehouses.models import Warehouse
from core.errors import UnsupportedError
from core.io.open import absolute_path
from core.options import PATH, TYPE
from core.schema.table_type import NO_SNAPSHOTS

_KEYS = (PATH.key, "object-location")


def check_files_place(warehouse: Warehouse, options: Mapping[str, str]) -> None:
    """`UnsupportedError` if options of a table without snapshots name a place outside of the warehouse."""
    if options.get(TYPE.key, TYPE.default).lower() not in NO_SNAPSHOTS:
        return
    for key in _KEYS:
        if options.get(key):
            check_inside(warehouse, options[key])


def check_inside(warehouse: Warehouse, location: str) -> None:
    """`UnsupportedError` if a place, all links followed, is outside of the warehouse."""
    root, place = place_of(warehouse.location), place_of(absolute_path(location))
    if place != root and not place.startswith(f"{root.rstrip('/')}/"):
        raise UnsupportedError(
            "the console reads no files outside of a warehouse",
            feature="a table whose files lie outside of its warehouse",
            where=location,
        )
