"""pypaimon 2.1.0 as the client of a REST catalog.

Reads a JSON object from standard input: `uri`, `token`, `warehouse`, and what to `do`, a function of this
module, with its arguments in `with`. Prints its answer as JSON on the last line, or `{"error": its class,
"message": ...}`.
"""

import json
import sys
from typing import Any

import pyarrow as pa
from pypaimon import CatalogFactory, Schema
from pypaimon.catalog.rest.property_change import PropertyChange
from pypaimon.schema.data_types import AtomicType
from pypaimon.schema.schema_change import SchemaChange

COLUMNS = pa.schema([("day", pa.string()), ("id", pa.int64()), ("note", pa.string())])


def schema(**options: str) -> Schema:
    return Schema.from_pyarrow_schema(
        COLUMNS, partition_keys=["day"], primary_keys=["day", "id"], options={"bucket": "1", **options}
    )


def write(catalog: Any, name: str, *rows: tuple[str, int, str]) -> None:
    builder = catalog.get_table(name).new_batch_write_builder()
    writer, commit = builder.new_write(), builder.new_commit()
    columns = list(zip(*rows, strict=True))
    writer.write_arrow(pa.Table.from_arrays([pa.array(c) for c in columns], schema=COLUMNS))
    commit.commit(writer.prepare_commit())
    writer.close()
    commit.close()


def read(catalog: Any, name: str, **options: str) -> list[list[Any]]:
    table = catalog.get_table(name)
    builder = table.copy({k.replace("_", "-", 1): v for k, v in options.items()}) if options else table
    builder = builder.new_read_builder()
    rows = builder.new_read().to_arrow(builder.new_scan().plan().splits()).to_pylist()
    return sorted([row["day"], row["id"], row["note"]] for row in rows)


def attempt(work: Any, *arguments: Any) -> Any:
    try:
        return work(*arguments)
    except Exception as error:
        return {"error": type(error).__name__, "message": str(error)}


def life_of_a_table(catalog: Any) -> dict[str, Any]:
    """Everything that a table can go through, with what is seen after each step."""
    seen: dict[str, Any] = {}
    catalog.create_database("shop", False, {})
    seen["again"] = attempt(catalog.create_database, "shop", False, {})
    seen["databases"] = catalog.list_databases()
    catalog.create_table("shop.orders", schema(), False)
    seen["tables"] = catalog.list_tables("shop")
    seen["twice"] = attempt(catalog.create_table, "shop.orders", schema(), False)
    seen["missing"] = attempt(catalog.get_table, "shop.none")
    seen["empty"] = read(catalog, "shop.orders")
    write(catalog, "shop.orders", ("2026-11-21", 1, "first"), ("2026-11-22", 1, "first"))
    catalog.create_tag("shop.orders", "v1")
    write(catalog, "shop.orders", ("2026-11-22", 1, "second"), ("2026-11-22", 2, "second"))
    seen["latest"] = read(catalog, "shop.orders")
    seen["of_the_tag"] = read(catalog, "shop.orders", **{"scan.tag-name": "v1"})
    seen["of_the_snapshot"] = read(catalog, "shop.orders", **{"scan.snapshot-id": "1"})
    seen["tag"] = catalog.get_tag("shop.orders", "v1").snapshot.id
    seen["tags"] = catalog.list_tags_paged("shop.orders").elements
    loaded = catalog.load_snapshot("shop.orders")
    seen["loaded"] = [loaded.snapshot.id, loaded.record_count, loaded.file_count]
    partitions = catalog.list_partitions_paged("shop.orders").elements
    seen["partitions"] = sorted([p.spec["day"], p.record_count] for p in partitions)
    catalog.create_branch("shop.orders", "b", "v1")
    seen["branches"] = catalog.list_branches("shop.orders")
    write(catalog, "shop.orders$branch_b", ("2026-11-22", 9, "on the branch"))
    seen["of_the_branch"] = read(catalog, "shop.orders$branch_b")
    seen["of_main"] = read(catalog, "shop.orders")
    catalog.get_table("shop.orders").rollback_to(1)
    seen["rolled_back"] = read(catalog, "shop.orders")
    catalog.fast_forward("shop.orders", "b")
    seen["forwarded"] = read(catalog, "shop.orders")
    catalog.rename_branch("shop.orders", "b", "c")
    catalog.drop_branch("shop.orders", "c")
    catalog.delete_tag("shop.orders", "v1")
    seen["no_tag"] = attempt(catalog.get_tag, "shop.orders", "v1")
    catalog.alter_table("shop.orders", [SchemaChange.add_column("more", AtomicType("INT"))])
    seen["columns"] = [field.name for field in catalog.get_table("shop.orders").fields]
    catalog.rename_table("shop.orders", "shop.sales")
    seen["renamed"] = [catalog.list_tables("shop"), len(catalog.get_table("shop.sales").fields)]
    catalog.drop_table("shop.sales", False)
    seen["dropped"] = [catalog.list_tables("shop"), attempt(catalog.drop_table, "shop.sales", False)]
    seen["property"] = attempt(catalog.alter_database, "shop", [PropertyChange.set_property("a", "b")])
    catalog.drop_database("shop", False, False)
    seen["gone"] = catalog.list_databases()
    return seen


def make(catalog: Any, name: str, **options: str) -> None:
    catalog.create_database(name.split(".")[0], True)
    catalog.create_table(name, schema(**options), False)


def append(catalog: Any, name: str, writer: int, times: int) -> None:
    for number in range(times):
        write(catalog, name, ("2026-11-22", 1000 * writer + number, f"writer {writer}"))


def functions(catalog: Any) -> dict[str, Any]:
    from pypaimon.common.identifier import Identifier
    from pypaimon.function.function import FunctionImpl
    from pypaimon.function.function_change import FunctionChange
    from pypaimon.function.function_definition import FunctionDefinition

    catalog.create_database("maths", True)
    name = Identifier.create("maths", "plus")
    one, two = (FunctionDefinition.sql(f"x + {number}") for number in (1, 2))
    catalog.create_function(name, FunctionImpl(name, definitions={"spark": one}, comment="adds"))
    catalog.alter_function(name, [FunctionChange.add_definition("flink", two)])
    found = catalog.get_function("maths.plus")
    seen = {
        "names": catalog.list_functions("maths"),
        "definitions": sorted(found.definitions()),
        "comment": found.comment(),
        "everywhere": [f.get_full_name() for f in catalog.list_functions_paged_globally().elements],
    }
    catalog.drop_function("maths.plus")
    seen["gone"] = attempt(catalog.get_function, "maths.plus")
    return seen


asked = json.load(sys.stdin)


def answer() -> Any:
    options = {name: asked[name] for name in ("uri", "token", "warehouse")}
    catalog = CatalogFactory.create({"metastore": "rest", "token.provider": "bear", **options})
    return globals()[asked["do"]](catalog, **asked.get("with", {}))


print(json.dumps(attempt(answer)), flush=True)
