"""Tables made by our own writers, for tests of what comes after: short to make, in memory or on disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from core.arrow import arrow_schema, from_python, to_python
from core.catalog import FileSystemCatalog
from core.commit import TableCommit
from core.compact import Strategy
from core.io import FileIO, MemoryFileIO
from core.manifest import DataFileMeta
from core.snapshot import Snapshot
from core.table import Table
from core.types import DataField, RowKind, parse_type
from core.write import CommitMessage, TableWrite, plan_compaction, run_task

USER = "tester"


def new_table(
    columns: Mapping[str, str],
    keys: Sequence[str] = (),
    *,
    partition: Sequence[str] = (),
    io: FileIO | None = None,
    warehouse: str = "memory://wh",
    **options: str,
) -> Table:
    """A table `db.t` of `name: type`; options are spelled with `_` for `-` and `__` for `.`.

    Writers leave compactions to the test, unless it asks for `write_only="false"`.
    """
    fields = [DataField(i, name, parse_type(text)) for i, (name, text) in enumerate(columns.items())]
    catalog = FileSystemCatalog(MemoryFileIO() if io is None else io, warehouse)
    catalog.create_database("db", ignore_if_exists=True)
    spelled = {key.replace("__", ".").replace("_", "-"): value for key, value in options.items()}
    return catalog.create_table(
        "db.t",
        fields,
        primary_keys=keys,
        partition_keys=partition,
        options={"bucket": "1", "write-only": "true", **spelled},
    )


def copy(table: Table) -> Table:
    """The same table in a store of its own."""
    io = MemoryFileIO()
    for status in table.io.iter_tree(table.location):
        io.write(status.path, table.io.read(status.path))
    return Table(io, table.location, table.identifier)


def arrow(table: Table, rows: Sequence[tuple[Any, ...]]) -> pa.Table:
    """Rows in the internal forms as an Arrow table of the table's columns."""
    fields = table.schema.fields
    columns = [from_python([row[i] for row in rows], field.type) for i, field in enumerate(fields)]
    return pa.Table.from_arrays(columns, schema=arrow_schema(fields))


def prepare(
    table: Table, rows: Sequence[tuple[Any, ...]], kinds: Sequence[RowKind] | None = None
) -> list[CommitMessage]:
    """Files of some rows, not committed."""
    with TableWrite(table) as writer:
        writer.write(arrow(table, rows), kinds)
        return writer.prepare_commit()


def put(
    table: Table, *rows: tuple[Any, ...], kinds: Sequence[RowKind] | None = None, user: str = USER
) -> list[Snapshot]:
    """One commit of rows."""
    return TableCommit(table, user).commit(prepare(table, rows, kinds))


def remove(table: Table, *rows: tuple[Any, ...]) -> list[Snapshot]:
    """One commit of deletes; only the keys of the rows matter."""
    return put(table, *rows, kinds=[RowKind.DELETE] * len(rows))


def compact(table: Table, strategy: Strategy = Strategy.FULL, user: str = USER) -> list[Snapshot]:
    """One compaction of the whole table."""
    plan = plan_compaction(table, strategy=strategy)
    return TableCommit(table, user).commit([run_task(table, task) for task in plan.tasks])


def rows_of(table: Table, **how: Any) -> list[tuple[Any, ...]]:
    """The rows in the internal forms, sorted by their text."""
    read = table.to_arrow(**how)
    fields = [f for f in table.schema.fields if f.name in read.column_names]
    columns = [to_python(read.column(f.name), f.type) for f in fields]
    return sorted(zip(*columns, strict=True), key=repr)


def files_of(table: Table) -> list[DataFileMeta]:
    """The live files of the latest snapshot."""
    snapshot = table.snapshots.latest()
    return [e.file for e in table.manifests.live_entries(snapshot).entries()] if snapshot else []


def levels_of(table: Table) -> list[int]:
    return sorted(file.level for file in files_of(table))


def data_paths(table: Table) -> set[str]:
    """All data files that exist, committed or not."""
    tree = table.io.iter_tree(table.location)
    return {status.path for status in tree if "/bucket-" in status.path}
