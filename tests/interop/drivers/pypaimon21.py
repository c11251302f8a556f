"""Drives pypaimon 2.1.0 in an environment of its own, for as long as its input is open.

Each line of input is a request of one `warehouse`, and is answered by one line of output. With `write`, a
description is carried out; with `dump`, every table is read, in those parts that the list names; with
`reads`, each of a list of reads is answered. Else the request is of one `table`: an operation of a
description, or, without `op`, a read of it with `options`. Descriptions as in ../describe.py; the layout of
a dump and its values as in tests/corpora/README.md. With PATCH_MANIFEST in the environment it also opens
tables of Java 0.9.0.
"""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
from pypaimon import CatalogFactory, Schema
from pypaimon.common.identifier import Identifier
from pypaimon.consumer.consumer import Consumer
from pypaimon.data.generic_variant import GenericVariant
from pypaimon.manifest import manifest_file_manager
from pypaimon.schema.data_types import DataField, DataTypeParser, PyarrowFieldParser
from pypaimon.schema.schema_change import Move, SchemaChange

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import values

SYSTEM_TABLES = (
    *("snapshots", "schemas", "options", "manifests", "files", "partitions", "buckets"),
    *("tags", "branches", "file_key_ranges", "table_indexes", "consumers"),
)
LATER_FIELDS = ("_VALUE_STATS_COLS", "_WRITE_COLS", "_EXTERNAL_PATH", "_FIRST_ROW_ID")


def accept_old_manifests() -> None:
    """Give each entry of a 0.9.0 manifest, as null, the fields that came later: 2.1.0 fails without them."""
    original = manifest_file_manager._read_manifest_records

    def patched(*args: Any, **kwargs: Any) -> Any:
        for record, *rest in original(*args, **kwargs):
            if isinstance(record.get("_FILE"), dict):
                for field in LATER_FIELDS:
                    record["_FILE"].setdefault(field, None)
            yield record, *rest

    manifest_file_manager._read_manifest_records = patched


# ---------------------------------------------------------------------------------------------- write


def write(catalog: Any, description: dict[str, Any]) -> dict[str, Any]:
    """How many tables `failed`, and what is `told` of them."""
    told = []
    for database in description["databases"]:
        catalog.create_database(database["name"], True)
        for table in database["tables"]:
            told += write_table(catalog, f"{database['name']}.{table['name']}", table)
    return {"failed": len(told), "told": "\n".join(told)}


def write_table(catalog: Any, name: str, table: dict[str, Any]) -> list[str]:
    """Nothing, or how it failed: the next table may still succeed."""
    step = "create"
    try:
        if not table.get("exists"):
            catalog.create_table(name, table_schema(table), False)
        for number, operation in enumerate(table["ops"]):
            step = f"operation {number} {operation['op']}"
            OPERATIONS[operation["op"]](catalog, name, operation)
    except Exception as error:
        return [f"FAIL {name} at {step}: {type(error).__name__}: {error}"]
    return []


def table_schema(table: dict[str, Any]) -> Schema:
    fields = [
        DataField(
            i, column[0], DataTypeParser.parse_data_type(column[1]), column[2] if len(column) > 2 else None
        )
        for i, column in enumerate(table["fields"])
    ]
    return Schema(
        fields=fields,
        partition_keys=table["partitionKeys"],
        primary_keys=table["primaryKeys"],
        options=table["options"],
        comment=table.get("comment"),
    )


def write_rows(catalog: Any, name: str, operation: dict[str, Any]) -> None:
    """Commit rows; pypaimon takes their kind only from a `rowkind.field`, so it must be +I here."""
    assert {row[0] for row in operation["rows"]} <= {"+I"}
    table = catalog.get_table(name)
    schema = PyarrowFieldParser.from_paimon_schema(table.table_schema.fields)
    builder = table.new_batch_write_builder()
    if "overwrite" in operation:
        builder.overwrite(operation["overwrite"] or None)
    writer, commit = builder.new_write(), builder.new_commit()
    writer.write_arrow(values.arrow_table([row[1:] for row in operation["rows"]], schema))
    commit.commit(writer.prepare_commit())
    writer.close()
    commit.close()


CHANGES: dict[str, Callable[..., SchemaChange]] = {
    "set": SchemaChange.set_option,
    "unset": SchemaChange.remove_option,
    "comment": SchemaChange.update_comment,
    "add": lambda name, kind, comment=None: SchemaChange.add_column(
        name, DataTypeParser.parse_data_type(kind), comment, None
    ),
    "drop": SchemaChange.drop_column,
    "rename": SchemaChange.rename_column,
    "type": lambda name, kind: SchemaChange.update_column_type(name, DataTypeParser.parse_data_type(kind)),
    "nullable": SchemaChange.update_column_nullability,
    "colcomment": SchemaChange.update_column_comment,
    "first": lambda name: SchemaChange.update_column_position(Move.first(name)),
    "after": lambda name, other: SchemaChange.update_column_position(Move.after(name, other)),
}


def alter(catalog: Any, name: str, operation: dict[str, Any]) -> None:
    catalog.alter_table(name, [CHANGES[change[0]](*change[1:]) for change in operation["changes"]], False)


def tag(catalog: Any, name: str, operation: dict[str, Any]) -> None:
    catalog.get_table(name).create_tag(
        operation["name"], operation.get("snapshot"), False, operation.get("retained")
    )


def make_branch(catalog: Any, name: str, operation: dict[str, Any]) -> None:
    catalog.create_branch(Identifier.from_string(name), operation["name"], operation.get("tag"))


def rollback(catalog: Any, name: str, operation: dict[str, Any]) -> None:
    catalog.get_table(name).rollback_to(operation.get("snapshot") or operation.get("tag"))


def delete_tag(catalog: Any, name: str, operation: dict[str, Any]) -> None:
    catalog.get_table(name).delete_tag(operation["name"])


def drop_branch(catalog: Any, name: str, operation: dict[str, Any]) -> None:
    catalog.get_table(name).branch_manager().drop_branch(operation["name"])


def reset_consumer(catalog: Any, name: str, operation: dict[str, Any]) -> None:
    manager = catalog.get_table(name).consumer_manager()
    manager.reset_consumer(operation["name"], Consumer(next_snapshot=operation["next"]))


OPERATIONS: dict[str, Callable[[Any, str, dict[str, Any]], None]] = {
    "write": write_rows,
    "alter": alter,
    "tag": tag,
    "deltag": delete_tag,
    "mkbranch": make_branch,
    "rmbranch": drop_branch,
    "rollback": rollback,
    "consumer": reset_consumer,
}


# ----------------------------------------------------------------------------------------------- dump


def dump(catalog: Any, parts: list[str]) -> dict[str, Any]:
    names = [f"{d}.{t}" for d in sorted(catalog.list_databases()) for t in sorted(catalog.list_tables(d))]
    return {name: attempt(dump_table, catalog, name, parts) for name in names}


def dump_table(catalog: Any, name: str, asked: list[str]) -> dict[str, Any]:
    table = catalog.get_table(name)
    snapshots = table.snapshot_manager().list_snapshots()
    parts: dict[str, Callable[[], dict[str, Any]]] = {
        "latest": lambda: attempt(read, table),
        "atSnapshot": lambda: {
            str(s.id): attempt(read, table, {"scan.snapshot-id": str(s.id)}) for s in snapshots
        },
        "atTag": lambda: {
            tag: attempt(read, table, {"scan.tag-name": tag}) for tag in sorted(table.list_tags())
        },
        "branches": lambda: {
            b: {"latest": attempt(read_named, catalog, f"{name}$branch_{b}")}
            for b in sorted(table.branch_manager().branches())
        },
        "system": lambda: {
            system: attempt(read_named, catalog, f"{name}${system}") for system in SYSTEM_TABLES
        },
    }
    return {
        "table": name,
        "bucketMode": table.bucket_mode().name,
        "schema": dump_schema(table.table_schema),
        "latestSnapshotId": snapshots[-1].id if snapshots else None,
        "earliestSnapshotId": snapshots[0].id if snapshots else None,
        **{part: parts[part]() for part in asked if part in parts},
    }


def dump_schema(schema: Any) -> dict[str, Any]:
    return {
        "id": schema.id,
        "fields": [
            {"id": field.id, "name": field.name, "type": str(field.type), "description": field.description}
            for field in schema.fields
        ],
        "highestFieldId": schema.highest_field_id,
        "partitionKeys": schema.partition_keys,
        "primaryKeys": schema.primary_keys,
        "options": dict(sorted(schema.options.items())),
        "comment": schema.comment,
        "timeMillis": schema.time_millis,
    }


def read_named(catalog: Any, name: str) -> dict[str, Any]:
    return read(catalog.get_table(name))


def read(table: Any, options: dict[str, str] | None = None) -> dict[str, Any]:
    builder = (table.copy(options) if options else table).new_read_builder()
    fields = table.table_schema.fields if hasattr(table, "table_schema") else table.row_type().fields
    arrow = builder.new_read().to_arrow(builder.new_scan().plan().splits())
    if arrow is None:
        return {"columns": [field.name for field in fields], "rows": []}
    types = {field.name: str(field.type) for field in fields}
    rows = values.json_rows(arrow, types)
    for i, name in enumerate(arrow.column_names):
        if types.get(name, "").startswith("VARIANT"):
            for row, decoded in zip(rows, decode_variants(arrow.column(i)), strict=True):
                row[i] = decoded
    return {"columns": arrow.column_names, "rows": rows}


def decode_variants(column: pa.ChunkedArray) -> list[Any]:
    """VARIANT values as JSON: their bytes say nothing to a reader of the dump."""
    structs = column.to_pylist()
    return [None if s is None else GenericVariant.from_arrow_struct(s).to_python() for s in structs]


def attempt(function: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    """The answer, or what this reader fails with: both are worth knowing."""
    try:
        return function(*arguments)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {str(error)[:400]}"}


# ---------------------------------------------------------------------------------------------- serve


def serve() -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what pypaimon itself prints goes to the log
    catalogs: dict[str, Any] = {}
    for line in sys.stdin:
        request = json.loads(line)
        warehouse = request["warehouse"]
        if warehouse not in catalogs:
            catalogs[warehouse] = CatalogFactory.create({"warehouse": warehouse})
        answered = attempt(answer, catalogs[warehouse], request)
        print(json.dumps(answered, ensure_ascii=False), file=answers, flush=True)


def answer(catalog: Any, request: dict[str, Any]) -> dict[str, Any]:
    if "write" in request:
        return write(catalog, request["write"])
    if "dump" in request:
        return dump(catalog, request["dump"])
    if "reads" in request:
        return {"answers": [attempt(answer, catalog, asked) for asked in request["reads"]]}
    branch = request.get("branch")
    name = f"{request['table']}$branch_{branch}" if branch else request["table"]
    if "op" not in request:
        return read(catalog.get_table(name), request.get("options"))
    OPERATIONS[request["op"]](catalog, name, request)
    return {}


if __name__ == "__main__":
    if os.environ.get("PATCH_MANIFEST"):
        accept_old_manifests()
    serve()
