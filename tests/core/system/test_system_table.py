"""System tables are read like tables: projected, filtered, at a snapshot, of a branch."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from core.catalog import open_catalog
from core.errors import InvalidRequestError, NotFoundError
from core.system import SYSTEM_TABLES, open_system_table
from core.system.columns import SystemTableKind, columns_of_rows, fields_of
from core.system.system_table import MetadataTable
from core.table import Table
from core.types import STRING, BigIntType

CORPORA = Path(__file__).parents[2] / "corpora"


def table(name: str) -> Table:
    return open_catalog(str(CORPORA / "java09")).get_table(name)


@pytest.mark.parametrize("name", SYSTEM_TABLES)
def test_an_empty_table_has_the_columns_and_types_of_the_spec(name: str) -> None:
    source = open_system_table(table("append.empty_table"), name)
    assert source.to_arrow().schema == source.arrow_schema


@pytest.mark.parametrize("name", SYSTEM_TABLES)
def test_a_filled_table_has_the_same_types(name: str) -> None:
    source = open_system_table(table("pk.dyn_hash_part"), name)
    assert source.to_arrow().schema == source.arrow_schema


def test_names_are_found_in_any_case() -> None:
    assert open_system_table(table("ops.tags"), "SnapShots").name == "snapshots"
    assert open_system_table(table("ops.tags"), "Audit_Log").name == "audit_log"


def test_columns_come_in_the_order_asked_for() -> None:
    found = open_system_table(table("ops.tags"), "tags").to_arrow(["snapshot_id", "tag_name"])
    assert found.column_names == ["snapshot_id", "tag_name"]


def test_a_filter_may_use_columns_that_are_not_shown() -> None:
    source = open_system_table(table("pk.lsm_levels"), "files")
    deep = source.to_arrow(["file_path"], "level >= 3")
    assert deep.column_names == ["file_path"]
    assert deep.num_rows == source.to_arrow(["level"]).filter(pa.compute.field("level") >= 3).num_rows == 2


def test_columns_that_nobody_asks_for_are_not_made() -> None:
    def never() -> pa.Array:
        raise AssertionError("made without need")

    columns = {"a": lambda: pa.array([1, 2]), "b": never}
    kind = SystemTableKind("x", fields_of(a=BigIntType(), b=STRING), lambda table, at: columns)
    source = MetadataTable(table("ops.tags"), kind)
    assert source.to_arrow(["a"], "a > 1").to_pydict() == {"a": [2]}


def test_files_and_manifests_show_the_snapshot_asked_for() -> None:
    source = open_system_table(table("append.logs_unaware"), "files")
    assert [source.to_arrow(snapshot_id=i).num_rows for i in (1, 2, 3)] == [1, 2, 3]
    manifests = open_system_table(table("ops.tags"), "manifests")
    assert manifests.to_arrow(tag="v1").num_rows == 1
    time = table("append.logs_unaware").snapshots.get(2).time_millis
    assert source.to_arrow(timestamp_millis=time).num_rows == 2


def test_options_are_those_of_the_snapshots_schema_when_asked() -> None:
    source = open_system_table(table("evo.append_parquet"), "options")
    now, then = source.to_arrow(), source.to_arrow(snapshot_id=1)
    assert now.num_rows > then.num_rows


def test_what_shows_no_snapshot_cannot_travel() -> None:
    with pytest.raises(InvalidRequestError, match="cannot be read at another one"):
        open_system_table(table("ops.tags"), "tags").to_arrow(tag="v1")


def test_a_branch_has_system_tables_of_its_own() -> None:
    main = table("ops.branches")
    branches = open_system_table(main, "branches").to_arrow().column("branch_name").to_pylist()
    ids = {b: open_system_table(main.with_branch(b), "snapshots").to_arrow().num_rows for b in branches}
    assert min(ids.values()) == 0  # the branch that was created empty
    assert max(ids.values()) > 0


def test_what_is_no_system_table_is_not_found() -> None:
    with pytest.raises(NotFoundError, match="snapshots, schemas"):
        open_system_table(table("ops.tags"), "nothing")


def test_an_unknown_column_is_refused() -> None:
    with pytest.raises(InvalidRequestError, match="no such column"):
        open_system_table(table("ops.tags"), "tags").to_arrow(["nothing"])


def test_batches_are_the_table() -> None:
    source = open_system_table(table("append.many_files"), "files")
    assert pa.Table.from_batches(source.to_batches()) == source.to_arrow()


def test_rows_become_columns_even_if_there_are_none() -> None:
    columns = columns_of_rows(fields_of(a=BigIntType(), b=STRING), ())
    assert [len(make()) for make in columns.values()] == [0, 0]
