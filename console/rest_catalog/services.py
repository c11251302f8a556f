"""What the catalog does besides what core does: ids of tables, their lock, sums over a snapshot's files."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

from console.api.errors import Problem
from console.inspector.cache import cache, loaded
from console.jobs.models import Lease
from console.rest_catalog.models import ServedTable, StoredView
from console.warehouses.catalogs import place_of
from console.warehouses.models import Warehouse
from core.catalog import Catalog
from core.catalog.errors import TableAlreadyExistsError, TableNotFoundError
from core.catalog.facts import Audit, TableFacts
from core.catalog.partitions import statistics_of
from core.catalog.rest.names import object_name
from core.catalog.rest.objects import RestSchema, RestTable, TableSnapshot
from core.catalog.told import ToldSchemas
from core.errors import NotFoundError
from core.identifier import Identifier
from core.io.paths import TablePaths
from core.manifest import EntryColumns
from core.schema.table_schema import encode_schema
from core.snapshot import Snapshot
from core.table import Table


def served_table(warehouse: Warehouse, table: Table, actor: str = "") -> ServedTable:
    """The row of a table that is there; a table made anew under an old name gets another id.

    `actor` is who makes the table through this catalog just now.
    """
    name = {
        "warehouse": warehouse,
        "database": table.identifier.database,
        "name": table.identifier.table,
    }
    origin = _origin(table)
    made = {"origin": origin, "created_by": actor, "updated_by": actor}
    row, _ = ServedTable.objects.get_or_create(**name, defaults=made)
    if row.origin != origin:
        row.uuid, row.origin, row.created_by, row.updated_by = uuid.uuid4(), origin, actor, actor
        row.save()
    return row


def _origin(table: Table) -> str:
    """What tells a table from one of the same name that was dropped: its first schema, with its time."""
    main = TablePaths(table.location)
    schemas = Table(table.io, table.location, table.identifier.base, home=table.home).schemas
    first = schemas.ids()[0]
    if isinstance(schemas, ToldSchemas):
        return hashlib.sha256(encode_schema(schemas.get(first))).hexdigest()
    return hashlib.sha256(table.io.read(main.schema_file(first))).hexdigest()


@contextmanager
def locked(row: ServedTable) -> Iterator[None]:
    """One change of a table at a time, whichever process serves it.

    The lock is a row's: it goes with the transaction, also where the process dies.
    """
    with transaction.atomic():
        ServedTable.objects.select_for_update().get(pk=row.pk)
        yield


def refuse_under_a_job(table: Table) -> None:
    """Raises `Problem`, `table-busy`, while a job of the console works on the table, or a branch of it."""
    lease = Lease.objects.filter(location=place_of(table.location)).select_related("job").first()
    if lease is not None:
        raise Problem("table-busy", job=lease.job.public_id, headers={"Retry-After": "5"})


def described(warehouse: Warehouse, facts: TableFacts, table: Table) -> RestTable:
    """The table as clients get it."""
    row = served_table(warehouse, table)
    first = table.schemas.get(table.schemas.ids()[0])
    audit = Audit(
        owner=row.created_by,
        created_at=first.time_millis,
        created_by=row.created_by,
        updated_at=facts.schema.time_millis,
        updated_by=row.updated_by,
    )
    return RestTable(
        id=str(row.uuid),
        database=table.identifier.database,
        name=object_name(table.identifier),  # by which Java's client knows that it is a branch
        path=facts.location,
        is_external=facts.is_external,
        schema_id=facts.schema.id,
        schema=RestSchema.of(facts.schema),
        audit=audit,
    )


def find_by_id(warehouse: Warehouse, catalog: Catalog, text: str) -> Table:
    """The table of an id that this catalog has given.

    Raises:
        TableNotFoundError: no table has it, or no longer.
    """
    try:
        row = ServedTable.objects.filter(warehouse=warehouse, uuid=uuid.UUID(text)).first()
    except ValueError:
        row = None
    if row is not None:
        try:
            table = catalog.get_data_table(Identifier(row.database, row.name))
            if served_table(warehouse, table).uuid == row.uuid:
                return table
        except NotFoundError:
            row.delete()
    raise TableNotFoundError("no table has this id", table=text)


def refuse_a_views_name(warehouse: Warehouse, table: Identifier) -> None:
    """Tables and views share their names. Raises `TableAlreadyExistsError`."""
    taken = StoredView.objects.filter(warehouse=warehouse, database=table.database, name=table.table)
    if taken.exists():
        raise TableAlreadyExistsError("a view has this name", table=str(table))


def with_sums(table: Table, snapshot: Snapshot) -> TableSnapshot:
    """The snapshot with the sums over its live files; kept, as each writer asks at each commit.

    Raises:
        StillWorkingError: it takes longer, and goes on. PaimonError: a manifest is missing or damaged.
    """
    key = _sums_key(table, snapshot)
    sums = loaded(key, lambda: _sums(table, snapshot), size=lambda _: 256)
    return TableSnapshot(snapshot, *sums)


Sums = tuple[int, int, int, int]  # rows, bytes, files, time of the newest file


def _sums_key(table: Table, snapshot: Snapshot) -> tuple[str, ...]:
    return ("catalog-sums", table.location, table.branch, snapshot.reference)


def _sums(table: Table, snapshot: Snapshot) -> Sums:
    """By the changes of the commit, where the sums before it are known; else over all live files."""
    before = _sums_before(table, snapshot)
    if before is None:
        return _added(table, table.manifests.live_entries(snapshot))
    delta = table.manifests.delta_entries(snapshot)
    added, removed = _added(table, delta.adds()), _added(table, delta.deletes())
    rows, size, files = (b + a - r for b, a, r in zip(before[:3], added[:3], removed[:3], strict=True))
    return rows, size, files, max(before[3], added[3])


def _sums_before(table: Table, snapshot: Snapshot) -> Sums | None:
    try:
        before = table.snapshots.get(snapshot.id - 1)
    except NotFoundError:
        return None
    found: Sums | None = cache.peek(_sums_key(table, before))
    return found


def _added(table: Table, entries: EntryColumns) -> Sums:
    statistics = statistics_of(table, entries) if len(entries) else []
    return (
        sum(s.record_count for s in statistics),
        sum(s.file_size_in_bytes for s in statistics),
        sum(s.file_count for s in statistics),
        max((s.last_file_creation_time for s in statistics), default=0),
    )
