"""The names that one place has in registered warehouses: what is masked under one of them is so under all."""

from __future__ import annotations

from dataclasses import replace

from console.accounts.roles import Scope
from console.warehouses.catalogs import place_of
from console.warehouses.models import Warehouse

_DATABASE = ".db"


def same_names(place: Scope) -> list[Scope]:
    """The place, and what has its name in warehouses at the same location.

    A REST catalog does not say where its tables lie, so it counts as being at every location.
    """
    roots = _roots()
    mine = roots.get(place.warehouse or "")
    same = [name for name, root in roots.items() if None in (root, mine) or root == mine]
    return [place, *(replace(place, warehouse=name) for name in same if name != place.warehouse)]


def near_warehouses(place: Scope) -> list[Scope]:
    """The warehouses around the place's own one, or inside of it: a path may lead from one into the other."""
    roots = _roots()
    mine = roots.get(place.warehouse or "")
    if mine is None:
        return []
    near = (n for n, root in roots.items() if root and root != mine and _meet(root, mine))
    return [Scope(name) for name in near]


def names_at(location: str) -> list[Scope]:
    """What lies at a location, by the names of directories: a table, a database, or whole warehouses."""
    place = f"{place_of(location).rstrip('/')}/"
    found = []
    for warehouse, root in _roots().items():
        if root is None or not _meet(root, place):
            continue
        database, _, inner = place[len(root) :].partition("/")
        if not database:
            found.append(Scope(warehouse))
        elif database.endswith(_DATABASE):
            found.append(Scope(warehouse, database.removesuffix(_DATABASE), inner.partition("/")[0] or None))
    return found


def _roots() -> dict[str, str | None]:
    """The location of each warehouse, ending in a slash; of a REST catalog it is not known."""
    return {
        warehouse.name: None
        if warehouse.options.get("metastore") == "rest"
        else f"{place_of(warehouse.location).rstrip('/')}/"
        for warehouse in Warehouse.objects.all()
    }


def _meet(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)
