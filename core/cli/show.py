"""`lakescope show`: what a table is and what it holds."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import pyarrow.compute as _pc

from core.bucket import bucket_mode
from core.catalog.table_types import PlainTable
from core.cli.tables import kind_of
from core.cli.targets import source_of
from core.format_table import FormatTable
from core.options import BUCKET
from core.schema.table_type import table_type_name
from core.snapshot import Snapshot
from core.system import SystemTable, system_table_names
from core.table import Table
from core.types import DataField, type_to_text

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time


def run_show(given: argparse.Namespace) -> int:
    source = source_of(given, given.table)
    facts = _facts_of(source)
    if given.format == "json":
        print(json.dumps(facts, ensure_ascii=False, indent=2))
    else:
        sys.stdout.writelines(_lines(facts))
    return 0


def _facts_of(source: Table | SystemTable | PlainTable) -> dict[str, Any]:
    match source:
        case SystemTable():
            return _of_system_table(source)
        case Table():
            return _of_table(source)
        case _:
            return _of_files(source)


def _of_files(table: PlainTable) -> dict[str, Any]:
    """What there is to say of a table without snapshots; its files are not counted, as it may take long."""
    schema = table.schema
    return {
        "table": str(table.identifier),
        "location": table.location,
        "comment": schema.comment,
        "kind": table_type_name(schema),
        "format": str(table.kind) if isinstance(table, FormatTable) else None,
        "partition keys": list(schema.partition_keys),
        "columns": [_column(field) for field in schema.fields],
        "options": dict(schema.options),
    }


def _of_system_table(source: SystemTable) -> dict[str, Any]:
    return {"table": str(source.identifier), "columns": [_column(f) for f in source.schema.fields]}


def _of_table(table: Table) -> dict[str, Any]:
    schema = table.schema
    latest = table.snapshots.latest()
    return {
        "table": str(table.identifier),
        "location": table.location,
        "comment": schema.comment,
        "kind": kind_of(table),
        "bucket mode": bucket_mode(
            schema.primary_keys, schema.partition_keys, table.options.get(BUCKET)
        ).name,
        "primary keys": list(schema.primary_keys),
        "partition keys": list(schema.partition_keys),
        "bucket keys": list(schema.bucket_keys),
        "schema": schema.id,
        "columns": [_column(field) for field in schema.fields],
        "options": dict(schema.options),
        "snapshots": len(table.snapshots.ids()),
        "latest snapshot": None if latest is None else _snapshot(latest),
        "files": None if latest is None else _files(table, latest),
        "tags": table.tags.names(),
        "branches": table.branches.names(),
        "consumers": table.consumers.ids(),
        "system tables": [f"${name}" for name in system_table_names()],
    }


def _column(field: DataField) -> dict[str, Any]:
    found = {"id": field.id, "name": field.name, "type": type_to_text(field.type)}
    return found if field.description is None else {**found, "comment": field.description}


def _snapshot(snapshot: Snapshot) -> dict[str, Any]:
    time = datetime.fromtimestamp(snapshot.time_millis / 1000, UTC)
    return {
        "id": snapshot.id,
        "kind": snapshot.commit_kind.value,
        "time": time.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "user": snapshot.commit_user,
        "rows in files": snapshot.total_record_count,
    }


def _files(table: Table, snapshot: Snapshot) -> dict[str, int]:
    entries = table.manifests.live_entries(snapshot)
    return {
        "count": len(entries),
        "bytes": pc.sum(entries.column("file_size")).as_py() or 0,
        "partitions": pc.count_distinct(entries.column("partition")).as_py(),
    }


def _lines(facts: Mapping[str, Any]) -> Iterator[str]:
    """`name: value` a line; what is a list of objects or a mapping, indented below its name."""
    width = max(map(len, facts))
    for name, value in facts.items():
        if value is None or value == [] or value == {}:
            continue
        if isinstance(value, Mapping):
            yield f"{name}:\n"
            yield from (f"  {key} = {one}\n" for key, one in value.items())
        elif isinstance(value, Sequence) and not isinstance(value, str) and isinstance(value[0], Mapping):
            yield f"{name}:\n"
            yield from (f"  {_one_line(one)}\n" for one in value)
        else:
            shown = ", ".join(map(str, value)) if isinstance(value, list) else value
            yield f"{name + ':':<{width + 2}}{shown}\n"


def _one_line(column: Mapping[str, Any]) -> str:
    comment = f"  -- {column['comment']}" if "comment" in column else ""
    return f"{column['id']:>4}  {column['name']}  {column['type']}{comment}"
