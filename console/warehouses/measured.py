"""What was measured of all tables, kept in memory as columns until something is measured again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as _pc
from django.db.models import Count, F, Max, QuerySet

from console.accounts.roles import Access, Permission, Scope
from console.warehouses.models import TableStatistics, Warehouse

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

_TYPES: dict[str, pa.DataType] = {
    "BigAutoField": pa.int64(),
    "CharField": pa.string(),
    "TextField": pa.string(),
    "JSONField": pa.list_(pa.string()),
    "IntegerField": pa.int64(),
    "BigIntegerField": pa.int64(),
    "DateTimeField": pa.timestamp("us", "UTC"),
}
_HOURS = pa.list_(pa.list_(pa.int64()))  # of `commit_hours`, which is JSON as `partition_keys` is
_FIELDS = [f for f in TableStatistics._meta.fields if f.name != "warehouse"]
_SCHEMA = pa.schema(
    [pa.field(f.name, _HOURS if f.name == "commit_hours" else _TYPES[f.get_internal_type()]) for f in _FIELDS]
    + [pa.field("warehouse", pa.string())]
)
_LATE = timedelta(seconds=30)  # how much later than it was measured a row may appear in the database
_MOST_CHUNKS = 50  # of rows that were measured since all were read


class _State(NamedTuple):
    """Changes with every measurement, which leaves its time, and with warehouses that come, go or change."""

    tables: int
    last_table: int | None
    measured_at: Any
    warehouses: int
    changed_at: Any


@dataclass(frozen=True, slots=True)
class _Kept:
    state: _State | None
    rows: pa.Table


_kept = _Kept(None, _SCHEMA.empty_table())


def measured_tables() -> pa.Table:
    """A row a table of any warehouse: its statistics, the name of its warehouse, and `id`, all three names.

    One query tells whether the rows of the request before are still those of the database; where some were
    measured since, these are read, not all.
    """
    global _kept
    state, kept = _state(), _kept
    if kept.state != state:
        kept = _kept = _Kept(state, _grown(kept, state))
    return _named(kept.rows)


def rows_of_names(warehouse: str, database: str, names: Sequence[str], measured: pa.Table) -> pa.Table:
    """A row for each name: of those that were measured what was measured, of others nothing but the names."""
    known = measured.filter(pc.is_in(measured.column("name"), value_set=pa.array(names, pa.string())))
    others = sorted(set(names) - set(known.column("name").to_pylist()))
    given = {"warehouse": [warehouse] * len(others), "database": [database] * len(others), "name": others}
    blank = pa.table(
        [pa.array(given.get(f.name, [None] * len(others)), f.type) for f in _SCHEMA], schema=_SCHEMA
    )
    return pa.concat_tables([known, _named(blank)])


def seen(rows: pa.Table, access: Access) -> pa.Table:
    """The rows that the caller may browse."""
    names = _scope_columns(access)
    groups = rows.group_by(names).aggregate([]).to_pylist()
    allowed = [g for g in groups if access.allows(Permission.META_READ, Scope(*g.values()))]
    if len(allowed) == len(groups):
        return rows
    places = pc.binary_join_element_wise(*(rows.column(name) for name in names), "\0")
    wanted = pa.array(["\0".join(g.values()) for g in allowed], pa.string())
    return rows.filter(pc.is_in(places, value_set=wanted))


def with_permissions(rows: Iterable[dict[str, Any]], access: Access) -> list[dict[str, Any]]:
    """The rows of a page, each with what the caller may do there."""
    names = _scope_columns(access)
    held: dict[Scope, list[Permission]] = {}
    shown = []
    for row in rows:
        scope = Scope(*(row[name] for name in names))
        if scope not in held:
            held[scope] = sorted(access.permissions(scope))
        shown.append({**row, "permissions": held[scope]})
    return shown


def _scope_columns(access: Access) -> list[str]:
    """The names that decide what the caller may do: a table's own only where a grant is by table."""
    by_table = any(grant.scope.table is not None for grant in access.grants)
    return ["warehouse", "database", *(["name"] if by_table else [])]


def _state() -> _State:
    measured = TableStatistics.objects.aggregate(Count("id"), Max("id"), Max("measured_at"))
    known = Warehouse.objects.aggregate(Count("id"), Max("updated_at"))
    return _State(*measured.values(), *known.values())


def _grown(kept: _Kept, state: _State) -> pa.Table:
    """The rows of the database: those kept with what was measured since; all anew where that does not do."""
    before = kept.state
    if before is None or before[3:] != state[3:] or before.measured_at is None:
        return _read(TableStatistics.objects.all())
    new = _read(TableStatistics.objects.filter(measured_at__gte=before.measured_at - _LATE))
    old = kept.rows.filter(pc.invert(pc.is_in(kept.rows.column("id"), value_set=new.column("id"))))
    grown = pa.concat_tables([old, new])
    if len(grown) != state.tables:  # some are gone, or were never measured
        return _read(TableStatistics.objects.all())
    return grown.combine_chunks() if grown.column(0).num_chunks > _MOST_CHUNKS else grown


def _read(rows: QuerySet[TableStatistics]) -> pa.Table:
    names = [f.name for f in _FIELDS]
    found = list(rows.order_by().annotate(of=F("warehouse__name")).values_list(*names, "of"))
    columns = list(zip(*found, strict=True)) if found else [()] * len(_SCHEMA)
    return pa.table(
        [pa.array(values, field.type) for values, field in zip(columns, _SCHEMA, strict=True)], schema=_SCHEMA
    )


def _named(rows: pa.Table) -> pa.Table:
    """The same rows, by the names of warehouse, database and table in place of the database's number."""
    names = pc.binary_join_element_wise(*(rows.column(n) for n in ("warehouse", "database", "name")), "/")
    return rows.set_column(rows.schema.get_field_index("id"), "id", names)
