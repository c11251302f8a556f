"""Where the files of tables may lie: in their warehouse, and where whoever runs the console allows it.

Whoever can write a schema names directories by its options. The console and its jobs read, write and delete
with rights of their own, so they would do that anywhere on their machine, or in all that their credentials
open.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.conf import settings

from console.warehouses.catalogs import place_of
from console.warehouses.models import Warehouse
from core.catalog import Catalog
from core.catalog.plain_places import check_is_own_place
from core.errors import InvalidRequestError, UnsupportedError
from core.identifier import Identifier
from core.io.open import absolute_path
from core.options import DATA_FILE_EXTERNAL_PATHS, GLOBAL_INDEX_EXTERNAL_PATH, PATH, TYPE, parse_list
from core.schema.table_type import NO_SNAPSHOTS

_KEYS = (PATH.key, "object-location")
_WRITTEN = (DATA_FILE_EXTERNAL_PATHS.key, GLOBAL_INDEX_EXTERNAL_PATH.key)  # catalogs refuse another `path`


def check_files_place(warehouse: Warehouse, options: Mapping[str, str]) -> None:
    """Nothing, if all places that the options of a table name are those where its files may lie.

    Raises:
        UnsupportedError: a table without snapshots, whose files lie outside of the warehouse.
        InvalidRequestError: another one, with a place neither there nor below LAKESCOPE_TABLE_ROOTS.
    """
    if options.get(TYPE.key, TYPE.default).lower() not in NO_SNAPSHOTS:
        for key in _WRITTEN:
            for place in parse_list(options.get(key) or ""):
                _check_allowed(warehouse, key, place)
        return
    for key in _KEYS:
        if options.get(key):
            check_inside(warehouse, options[key])


def check_inside(warehouse: Warehouse, location: str) -> None:
    """`UnsupportedError` if a place, all links followed, is outside of the warehouse."""
    if not _is_below(location, warehouse.location):
        raise UnsupportedError(
            "the console reads no files outside of a warehouse",
            feature="a table whose files lie outside of its warehouse",
            where=location,
        )


def check_own_files(warehouse: Warehouse, table: Identifier, location: str, catalog: Catalog) -> None:
    """As `check_inside`; and `UnsupportedError` if the place is another table's, or above one."""
    check_inside(warehouse, location)
    place, root = place_of(absolute_path(location)), place_of(absolute_path(warehouse.location))
    check_is_own_place(table, place, root, catalog.table_exists)


def _check_allowed(warehouse: Warehouse, key: str, location: str) -> None:
    roots = (warehouse.location, *settings.TABLE_ROOTS)
    if not any(_is_below(location, root) for root in roots):
        raise InvalidRequestError(
            "the files of a table lie in its warehouse; whoever runs the console allows other places by "
            "LAKESCOPE_TABLE_ROOTS",
            option=key,
            value=location,
        )


def _is_below(location: str, root: str) -> bool:
    place, above = place_of(absolute_path(location)), place_of(absolute_path(root))
    return place == above or place.startswith(f"{above.rstrip('/')}/")
