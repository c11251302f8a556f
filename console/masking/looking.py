"""From the rows of policies to the sight of a caller at a table, or at a place of many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cryptography.fernet import InvalidToken

from console.accounts.roles import Access, Permission, Scope
from console.masking.models import MaskingPolicy
from console.masking.names import names_at, near_warehouses, same_names
from console.masking.policies import Policy, masks_of
from console.masking.sight import ALL, Sight
from core.errors import PaimonError
from core.io.paths import MAIN_BRANCH
from core.schema import TableSchema
from core.table import Table

_WILD = frozenset("*?")


def sight_of(access: Access | None, scope: Scope, table: Table, *, in_all_branches: bool = False) -> Sight:
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
    others = [name for name in names_at(table.location) if name.table is not None]
    hidden, is_readable = _hidden(access, rows, [scope, *others])
    if not hidden and is_readable:
        return Sight(reads)
    try:
        schemas = _schemas(table, in_all_branches)
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
    return bool(rows) and _hides(access, rows, [*same_names(place), *near_warehouses(place)])


def masks_files_of_others(access: Access, own: Scope, location: str) -> bool:
    """Whether a place that a table names for its files is, or holds, something else that is masked."""
    rows = [row for row in _all() if not row.terms().is_of(own)]
    return bool(rows) and _hides(access, rows, [name for name in names_at(location) if name != own])


def masks_near(access: Access, place: Scope) -> bool:
    """Whether something is masked in a warehouse that a path in the place's own one may lead to."""
    rows = _all()
    others = (*same_names(Scope(place.warehouse))[1:], *near_warehouses(place)) if rows else ()
    return _hides(access, rows, others)


def _hides(access: Access, rows: Iterable[MaskingPolicy], names: Iterable[Scope]) -> bool:
    terms = [row.terms() for row in rows]
    return any(
        each.touches(name) and not each.is_open_to(access.permissions(name))
        for name in names
        for each in terms
    )


def masked_patterns(access: Access, place: Scope, held: frozenset[Permission]) -> list[str]:
    """The tables of a place in which something is masked for the caller, as `database.table` patterns.

    `held` is what the caller has in all of the place that is looked at, which may be some of its tables.
    """
    rows = _all()
    found = set()
    for name in same_names(place) if rows else ():
        for terms in (row.terms() for row in rows):
            database, table = name.database or terms.scope.database, terms.scope.table
            whole = None if table and _WILD.intersection(table) else table  # no grant covers just a pattern
            has = access.permissions(Scope(name.warehouse, database, whole))
            has |= held if name == place else frozenset()
            if terms.touches(name) and not terms.is_open_to(has):
                found.add(f"{database or '*'}.{table or '*'}")
    return sorted(found)


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


def _schemas(table: Table, in_all_branches: bool) -> list[TableSchema]:
    """Every schema of the table, and of the branch that is open, or of all."""
    found = [*table.schemas.all(), table.schema]
    names = {MAIN_BRANCH, *(table.branches.names() if in_all_branches else ())} - {table.branch}
    return found + [schema for name in sorted(names) for schema in table.with_branch(name).schemas.all()]
