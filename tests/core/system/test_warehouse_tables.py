"""The tables of database `sys`. Spec: 04, B2."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.catalog import FileSystemCatalog, open_catalog
from core.errors import InvalidRequestError, NotFoundError
from core.io import MemoryFileIO
from core.system import WAREHOUSE_TABLES
from core.types import DataField, parse_type
from tests.tables import new_table, put

CORPORA = Path(__file__).parents[2] / "corpora"
JAVA = str(CORPORA / "java09")


def rows(warehouse: str, name: str, filter: str | None = None) -> list[dict[str, Any]]:
    return open_catalog(warehouse).get_table(f"sys.{name}").to_arrow(filter=filter).to_pylist()


def test_options_of_all_tables_are_those_that_java_lists() -> None:
    answer = json.loads((CORPORA / "expected" / "java09" / "_warehouse.json").read_text())["sys"]
    theirs = [
        dict(zip(answer["all_table_options"]["columns"], r, strict=True))
        for r in answer["all_table_options"]["rows"]
    ]
    key = json.dumps
    assert sorted(rows(JAVA, "all_table_options"), key=key) == sorted(theirs, key=key)


def test_the_options_of_a_catalog_hide_what_is_secret() -> None:
    options = {"s3.secret-key": "x", "aws_access_key_id": "y", "uri": "jdbc:pg://ann:pw@host/db", "case": "z"}
    options["place"] = "jdbc:pg://host/db?user=ann&password=pw&ssl=true"
    catalog = FileSystemCatalog(MemoryFileIO(), "memory://wh", options)
    found = dict(zip(*catalog.get_table("sys.catalog_options").to_arrow().to_pydict().values(), strict=True))
    assert found == {
        "warehouse": "memory://wh",
        "s3.secret-key": "******",
        "aws_access_key_id": "******",
        "uri": "jdbc:pg://******@host/db",
        "case": "z",
        "place": "jdbc:pg://host/db?user=ann&password=******&ssl=true",
    }


def test_tables_tell_what_kind_they_are() -> None:
    (found,) = rows(JAVA, "tables", "database_name = 'pk' AND table_name = 'fixed_orc_part'")
    assert (found["table_type"], found["partitioned"], found["primary_key"]) == ("table", True, True)
    assert found["owner"] is None


@pytest.mark.parametrize("name", ["tables", "all_table_options", "partitions"])
def test_a_table_that_cannot_be_read_is_listed_by_its_name(name: str) -> None:
    (found,) = rows(str(CORPORA / "damaged"), name, "table_name = 'schema_garbage'")
    assert {key for key, value in found.items() if value is not None} == {"database_name", "table_name"}


def test_a_partitioned_table_whose_manifests_are_gone_is_listed_by_its_name() -> None:
    io = MemoryFileIO()
    table = new_table({"p": "STRING", "v": "INT"}, partition=["p"], bucket="-1", io=io)
    put(table, ("a", 1))
    for status in list(io.iter_tree(f"{table.location}/manifest")):
        io.delete(status.path)
    (found,) = FileSystemCatalog(io, "memory://wh").get_table("sys.partitions").to_arrow().to_pylist()
    assert (found["table_name"], found["partition_name"]) == ("t", None)


def test_partitions_of_all_tables_are_summed_up() -> None:
    io = MemoryFileIO()
    table = new_table({"p": "STRING", "v": "INT"}, partition=["p"], bucket="-1", io=io)
    put(table, ("a/b", 1), ("a/b", 2), ("c", 3))
    catalog = FileSystemCatalog(io, "memory://wh")
    catalog.create_table("db.flat", [DataField(0, "v", parse_type("INT"))])
    found = catalog.get_table("sys.partitions").to_arrow().to_pylist()
    assert [(r["partition_name"], r["record_count"], r["file_count"], r["done"]) for r in found] == [
        ("p=a/b", 2, 1, False),
        ("p=c", 1, 1, False),
    ]
    snapshot = table.snapshots.latest()
    assert snapshot is not None
    assert abs(found[0]["last_file_creation_time"] - snapshot.time_millis) < 60_000


@pytest.mark.parametrize("name", WAREHOUSE_TABLES)
def test_an_empty_warehouse_has_them_all(name: str) -> None:
    catalog = FileSystemCatalog(MemoryFileIO(), "memory://wh")
    source = catalog.get_table(f"sys.{name}")
    assert source.to_arrow().schema == source.arrow_schema
    assert name in catalog.list_tables("sys")


def test_what_is_not_there_is_named() -> None:
    catalog = FileSystemCatalog(MemoryFileIO(), "memory://wh")
    with pytest.raises(NotFoundError, match="all_table_options"):
        catalog.get_table("sys.lineage")
    with pytest.raises(InvalidRequestError, match="no snapshots"):
        catalog.get_table("sys.tables").to_arrow(snapshot_id=1)


@pytest.mark.parametrize("change", ["create_database", "drop_database"])
def test_the_database_cannot_be_changed(change: str) -> None:
    catalog = FileSystemCatalog(MemoryFileIO(), "memory://wh")
    with pytest.raises(InvalidRequestError, match="database=sys"):
        getattr(catalog, change)("sys")
