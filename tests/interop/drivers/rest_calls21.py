"""Every call of pypaimon 2.1.0 to a REST catalog: its command line and its Python API.

Reads a JSON object from standard input: `options` of the catalog, `folder` for files, and `commands`, a list
of arguments of `paimon`. Prints, on the last line, `{"commands": [{"code", "out", "err"}], "leaves": [...],
"calls": {name: its answer or {"error": its class, "message": ...}}, "public": [...]}`: `leaves` are all
commands that it has, `public` all calls.
"""

import argparse
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
from pypaimon import CatalogFactory, Schema
from pypaimon.api.rest_api import RESTApi
from pypaimon.catalog.rest.property_change import PropertyChange
from pypaimon.catalog.rest.rest_catalog import RESTCatalog
from pypaimon.cli import cli
from pypaimon.common.identifier import Identifier
from pypaimon.function.function import FunctionImpl
from pypaimon.function.function_change import FunctionChange
from pypaimon.function.function_definition import FunctionDefinition
from pypaimon.management.list_permissions_request import ListPermissionsRequest
from pypaimon.management.permission_assignment import PermissionAssignment
from pypaimon.management.permission_management import PermissionManagement
from pypaimon.management.permission_resource import PermissionResource
from pypaimon.management.resource_type import ResourceType
from pypaimon.schema.schema_change import SchemaChange
from pypaimon.table.instant import Instant

COLUMNS = pa.schema([("day", pa.string()), ("id", pa.int64()), ("note", pa.string())])
SCHEMA = Schema.from_pyarrow_schema(
    COLUMNS, partition_keys=["day"], primary_keys=["day", "id"], options={"bucket": "1"}
)
T, PLUS = "api.t", Identifier.create("api", "plus")
# Helpers that ask the server nothing by themselves.
OF_NO_SERVER = {"catalog_loader", "create", "to_table_metadata", "file_io_from_options", "file_io_for_data"}


def run(arguments: list[str]) -> dict[str, Any]:
    """What the program `paimon` does with these arguments."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    sys.argv = ["paimon", *arguments]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            cli.main()
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
        except Exception as error:
            print(f"{type(error).__name__}: {error}", file=err)
            code = 1
    return {"code": code, "out": out.getvalue(), "err": err.getvalue()}


def leaves() -> list[str]:
    """All commands that the program has, as it shows them itself."""
    kept: list[argparse.ArgumentParser] = []

    def keep(parser: argparse.ArgumentParser, *_: Any, **__: Any) -> argparse.Namespace:
        kept.append(parser)
        raise SystemExit(0)

    real, argparse.ArgumentParser.parse_args = argparse.ArgumentParser.parse_args, keep
    with contextlib.suppress(SystemExit):
        cli.main()
    argparse.ArgumentParser.parse_args = real
    return sorted(_leaves(kept[0], ()))


def _leaves(parser: argparse.ArgumentParser, path: tuple[str, ...]) -> list[str]:
    children = [a.choices for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    if not children:
        return [" ".join(path)]
    return [leaf for name, child in children[0].items() for leaf in _leaves(child, (*path, name))]


def write(catalog: Any, table: str, *rows: tuple[str, int, str]) -> None:
    builder = catalog.get_table(table).new_batch_write_builder()
    writer, commit = builder.new_write(), builder.new_commit()
    columns = [pa.array(column) for column in zip(*rows, strict=True)]
    writer.write_arrow(pa.Table.from_arrays(columns, schema=COLUMNS))
    commit.commit(writer.prepare_commit())
    writer.close()
    commit.close()


def names(page: Any) -> list[str]:
    return [e if isinstance(e, str) else e.get_full_name() for e in page.elements]


def assignment() -> PermissionAssignment:
    return PermissionAssignment(PermissionResource(ResourceType.TABLE, "api", "t"), "SELECT", "user:ann")


def calls(catalog: Any) -> dict[str, Any]:
    """Each public call once or more, in an order in which it has something to do; `name:more` says what."""
    api, rights = catalog.rest_api, catalog.permission_management()
    one, two = (FunctionDefinition.sql(f"x + {number}") for number in (1, 2))
    x, y, z = {"day": "x"}, {"day": "y"}, {"day": "z"}
    done: dict[str, Any] = {}

    def ask(name: str, work: Any) -> None:
        try:
            done[name] = work()
        except Exception as error:
            done[name] = {"error": type(error).__name__, "message": str(error)}

    ask("create_database", lambda: catalog.create_database("api", False))
    ask("create_database:properties", lambda: catalog.create_database("p", False, {"a": "b"}))
    ask("list_databases", lambda: catalog.list_databases())
    ask("list_databases_paged", lambda: names(catalog.list_databases_paged(1, None, "a%")))
    ask("get_database", lambda: catalog.get_database("api").name)
    ask("alter_database", lambda: catalog.alter_database("api", [PropertyChange.set_property("a", "b")]))
    ask("create_table", lambda: catalog.create_table(T, SCHEMA, False))
    ask("list_tables", lambda: catalog.list_tables("api"))
    ask("list_tables_paged", lambda: names(catalog.list_tables_paged("api", 9, None, "t%", "table")))
    ask("get_table", lambda: [f.name for f in catalog.get_table(T).fields])
    ask("get_table:system", lambda: type(catalog.get_table(f"{T}$snapshots")).__name__)
    ask("load_table", lambda: type(catalog.get_table(T)).__name__)
    ask("load_table_metadata", lambda: bool(catalog.load_table_metadata(Identifier.create("api", "t")).uuid))
    ask("supports_version_management", lambda: catalog.supports_version_management())
    ask("load_snapshot:none", lambda: catalog.load_snapshot(T))
    ask("commit_snapshot", lambda: write(catalog, T, ("x", 1, "a"), ("y", 2, "b")))
    ask("load_snapshot", lambda: catalog.load_snapshot(T).snapshot.id)
    ask("list_partitions_paged", lambda: [p.spec for p in catalog.list_partitions_paged(T, 1).elements])
    ask("create_partitions", lambda: catalog.create_partitions(T, [x]))
    ask("create_partitions:there", lambda: catalog.create_partitions(T, [x], False))
    ask("create_partitions:empty", lambda: catalog.create_partitions(T, [z]))
    ask("create_tag", lambda: catalog.create_tag(T, "v1"))
    ask("get_tag", lambda: catalog.get_tag(T, "v1").snapshot.id)
    ask("list_tags_paged", lambda: catalog.list_tags_paged(T, 9, None, "v").elements)
    ask("drop_partitions", lambda: catalog.drop_partitions(T, [y]))
    ask("rollback_to", lambda: catalog.rollback_to(T, Instant.snapshot(1), 2))
    ask("rollback_to:tag", lambda: catalog.rollback_to(T, Instant.tag("v1")))
    ask("rollback_to:missing", lambda: catalog.rollback_to(T, Instant.snapshot(99)))
    ask("create_branch", lambda: catalog.create_branch(T, "b", "v1"))
    ask("list_branches", lambda: catalog.list_branches(T))
    ask("rename_branch", lambda: catalog.rename_branch(T, "b", "c"))
    ask("fast_forward", lambda: catalog.fast_forward(T, "c"))
    ask("drop_branch", lambda: catalog.drop_branch(T, "c"))
    ask("delete_tag", lambda: catalog.delete_tag(T, "v1"))
    ask("auth_table_query", lambda: catalog.auth_table_query(Identifier.create("api", "t"), None).filter)
    ask("load_table_token", lambda: api.load_table_token(Identifier.create("api", "t")))
    ask("alter_table", lambda: catalog.alter_table(T, [SchemaChange.set_option("a", "b")]))
    ask("rename_table", lambda: catalog.rename_table(T, "api.u"))
    ask("create_function", lambda: catalog.create_function(PLUS, FunctionImpl(PLUS, definitions={"a": one})))
    ask("alter_function", lambda: catalog.alter_function(PLUS, [FunctionChange.add_definition("b", two)]))
    ask("get_function", lambda: sorted(catalog.get_function(PLUS).definitions()))
    ask("list_functions", lambda: catalog.list_functions("api"))
    ask("list_functions_paged", lambda: names(catalog.list_functions_paged("api", 9, None, "p%")))
    ask("list_functions_paged_globally", lambda: names(catalog.list_functions_paged_globally("a%", "p%")))
    details = catalog.list_function_details_paged
    ask("list_function_details_paged", lambda: [f.name() for f in details("api").elements])
    ask("drop_function", lambda: catalog.drop_function(PLUS))
    wanted = ListPermissionsRequest(ResourceType.TABLE, "api", "t")
    ask("list_permissions", lambda: rights.list_permissions(wanted))
    ask("grant_permission", lambda: rights.grant_permission(assignment()))
    given = (assignment().get_resource(), "SELECT", "user:ann")
    ask("revoke_permission", lambda: rights.revoke_permission(*given))
    ask("permission_management", lambda: type(rights).__name__)
    ask("get_options", lambda: "prefix" in api.get_options().to_map())
    ask("drop_table", lambda: catalog.drop_table("api.u"))
    ask("drop_database", lambda: catalog.drop_database("api"))
    return done


def public() -> list[str]:
    found = {
        n
        for c in (RESTCatalog, RESTApi, PermissionManagement)
        for n in vars(c)
        if n[0] != "_" and n.islower()
    }
    static = {"is_valid_function_name", "check_function_name"}
    return sorted(
        n
        for n in found - OF_NO_SERVER - static
        if callable(getattr(RESTCatalog, n, getattr(RESTApi, n, len)))
    )


asked = json.load(sys.stdin)
folder = Path(asked["folder"])
(folder / "paimon.yaml").write_text(json.dumps(asked["options"]))  # JSON is YAML
(folder / "schema.json").write_text(
    json.dumps(
        {
            "fields": [
                {"id": 0, "name": "day", "type": "STRING NOT NULL"},
                {"id": 1, "name": "id", "type": "BIGINT NOT NULL"},
                {"id": 2, "name": "note", "type": "STRING"},
            ],
            "partitionKeys": ["day"],
            "primaryKeys": ["day", "id"],
            "options": {"bucket": "1"},
            "comment": "made by the command line",
        }
    )
)
(folder / "rows.csv").write_text("day,id,note\nx,1,one\ny,2,two\n")
before = ["--config", str(folder / "paimon.yaml")]
given = [[word.replace("FOLDER", str(folder)) for word in command] for command in asked["commands"]]
answer = {
    "commands": [run([*before, *command]) for command in given],
    "leaves": leaves(),
    "calls": calls(CatalogFactory.create(asked["options"])),
    "public": public(),
}
print(json.dumps(answer, default=str), flush=True)
