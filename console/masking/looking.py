"""From the rows of policies to the sight of a caller at a table, or at a place of many."""

from __future__ import annotations

from collections.abc import Sequence

from cryptography.fernet import InvalidToken

from console.accounts.roles import Access, Permission, Scope
from console.masking.models import MaskingPolicy
from console.masking.policies import Policy, masks_of
from console.masking.sight import ALL, Sight
from console.warehouses.catalogs import place_of
from console.warehouses.models import Warehouse
from core.errors import PaimonError
from core.schema import TableSchema
from core.table import Table


def sight_of(access: Access | None, scope: Scope, table: Table) -> Sight:
    """What the caller is told of the table's values; without a caller, of all: the console's own work.

    A table whose files lie where another one's do has the policies of both. Where a policy is not open to
    the caller and a schema or a policy's key cannot be read, nothing is told.
    """
    if access is None:
        return ALL
    reads = access.allows(Permission.DATA_READ, scope)
    rows = _all()
    if not rows:
        return Sight(reads)
    hidden, is_readable = _hidden(access, rows, [scope, *_others(table)])
    if not hidden and is_readable:
        return Sight(reads)
    try:
        schemas = _schemas(table)
    except PaimonError:
        return Sight(reads, masks_of(hidden, ()), is_closed=True)
    return Sight(reads, masks_of(hidden, schemas), is_closed=not is_readable)


def sight_by_name(access: Access, scope: Scope) -> Sight:
    """What the caller is told of a table that is not opened: by the names in policies alone."""
    hidden, is_readable = _hidden(access, _all(), [scope])
    return Sight(access.allows(Permission.DATA_READ, scope), masks_of(hidden, ()), not is_readable)


def masks_something(access: Access, place: Scope) -> bool:
    """Whether anything in the place is masked for the caller: in a table, or in all of a database.

    By any name of the place: two warehouses may lead to the same tables.
    """
    rows = _all()
    return any(
        not row.terms().is_open_to(access.permissions(name))
        for name in (_names_of(place) if rows else ())
        for row in rows
        if row.terms().touches(name)
    )


def _names_of(place: Scope) -> list[Scope]:
    """The place in its warehouse, and in those at the same location; those around or inside it as a whole."""
    known = {w.name: place_of(w.location).rstrip("/") + "/" for w in Warehouse.objects.all()}
    mine = known.pop(place.warehouse or "", None)
    if mine is None:
        return [place]
    same = [Scope(name, place.database, place.table) for name, root in known.items() if root == mine]
    near = [
        Scope(name)
        for name, root in known.items()
        if root != mine and (root.startswith(mine) or mine.startswith(root))
    ]
    return [place, *same, *near]


def masked_patterns(access: Access, place: Scope) -> list[str]:
    """The tables of a warehouse in which something is masked for the caller, as `database.table` patterns."""
    rows = [row for row in _all() if row.terms().touches(place)]
    hidden = [row.scope for row in rows if not row.terms().is_open_to(access.permissions(row.scope))]
    return sorted({f"{scope.database or '*'}.{scope.table or '*'}" for scope in hidden})


def any_masks() -> bool:
    """Whether there is any policy at all."""
    return MaskingPolicy.objects.exists()


def _all() -> list[MaskingPolicy]:
    return list(MaskingPolicy.objects.all())


def _hidden(
    access: Access, rows: Sequence[MaskingPolicy], names: Sequence[Scope]
) -> tuple[list[Policy], bool]:
    """The policies over a table of these names that the caller does not see through; whether all are read."""
    hidden: dict[int, Policy] = {}
    is_readable = True
    for scope in names:
        held = access.permissions(scope)
        for row in rows:
            terms = row.terms()
            if not terms.is_of(scope) or terms.is_open_to(held):
                continue
            try:
                hidden[row.pk] = row.policy()
            except InvalidToken:
                is_readable = False
    return list(hidden.values()), is_readable


def _others(table: Table) -> list[Scope]:
    """The names under which registered warehouses have what lies where the table's files are."""
    place, found = place_of(table.location), []
    for warehouse in Warehouse.objects.all():
        root = place_of(warehouse.location).rstrip("/")
        if warehouse.options.get("metastore") == "rest" or not place.startswith(f"{root}/"):
            continue
        steps = place[len(root) :].strip("/").split("/")
        if len(steps) >= 2 and steps[0].endswith(".db"):
            found.append(Scope(warehouse.name, steps[0].removesuffix(".db"), steps[1]))
    return found


def _schemas(table: Table) -> list[TableSchema]:
    """Every schema of the table, and of the branch that is open."""
    found = [*table.schemas.all(), table.schema]
    return found if table.branch == "main" else [*found, *table.with_branch("main").schemas.all()]
