from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from core.catalog import Catalog, FileSystemCatalog, open_catalog
from core.errors import AlreadyExistsError, InvalidRequestError, NotFoundError, PaimonError
from core.identifier import Identifier
from core.io import FileIO, LocalFileIO, MemoryFileIO
from tests.builders import fields


@pytest.fixture(params=["local", "memory"])
def catalog(request: pytest.FixtureRequest, tmp_path: Path) -> Catalog:
    """An empty warehouse with the database `db`."""
    made = FileSystemCatalog(*_place(request.param, tmp_path))
    made.create_database("db")
    return made


def _place(kind: str, folder: Path) -> tuple[FileIO, str]:
    return (LocalFileIO(), f"{folder}/wh/") if kind == "local" else (MemoryFileIO(), "memory://b/wh")


def test_databases_come_and_go(catalog: Catalog) -> None:
    catalog.create_database("other")
    assert catalog.list_databases() == ["db", "other"]
    catalog.drop_database("other")
    assert catalog.list_databases() == ["db"]
    assert catalog.database_exists("db")
    assert not catalog.database_exists("other")


def test_a_database_is_created_once(catalog: Catalog) -> None:
    with pytest.raises(AlreadyExistsError, match="database=db"):
        catalog.create_database("db")
    catalog.create_database("db", ignore_if_exists=True)


@pytest.mark.parametrize("name", ["", "a/b", "..", "a.b"])
def test_a_name_that_makes_no_directory_is_refused(catalog: Catalog, name: str) -> None:
    with pytest.raises(InvalidRequestError):
        catalog.create_database(name)


def test_a_database_with_tables_goes_only_with_all_of_them(catalog: Catalog) -> None:
    catalog.create_table("db.t", fields(k="INT"))
    with pytest.raises(InvalidRequestError, match="not empty"):
        catalog.drop_database("db")
    catalog.drop_database("db", cascade=True)
    assert catalog.list_databases() == []


def test_what_is_not_there_is_named(catalog: Catalog) -> None:
    for call in (
        lambda: catalog.drop_database("no"),
        lambda: catalog.list_tables("no"),
        lambda: catalog.get_table("no.t"),
        lambda: catalog.create_table("no.t", fields(k="INT")),
    ):
        with pytest.raises(NotFoundError, match="database=no"):
            call()
    with pytest.raises(NotFoundError, match=r"table=db\.t"):
        catalog.get_table("db.t$branch_b")
    catalog.drop_database("no", ignore_if_missing=True)
    catalog.drop_table("db.t", ignore_if_missing=True)


def test_a_created_table_is_empty_and_found(catalog: Catalog) -> None:
    made = catalog.create_table(
        "db.t", fields(k="INT", v="STRING"), primary_keys=["k"], options={"bucket": "2"}, comment="c"
    )
    found = catalog.get_table("db.t")
    assert found.schema == made.schema
    assert (found.schema.id, found.schema.primary_keys, found.schema.comment) == (0, ("k",), "c")
    assert found.snapshots.latest() is None
    assert catalog.list_tables("db") == ["t"]
    assert found.to_arrow().num_rows == 0


def test_a_table_can_be_made_after_arrow_data(catalog: Catalog) -> None:
    made = catalog.create_table("db.t", pa.schema([("k", pa.int64()), ("v", pa.list_(pa.string()))]))
    assert made.arrow_schema.names == ["k", "v"]


def test_a_table_is_created_once(catalog: Catalog) -> None:
    first = catalog.create_table("db.t", fields(k="INT"))
    with pytest.raises(AlreadyExistsError, match=r"table=db\.t"):
        catalog.create_table("db.t", fields(x="INT"))
    again = catalog.create_table("db.t", fields(x="INT"), ignore_if_exists=True)
    assert again.schema == first.schema


def test_a_schema_that_breaks_a_rule_makes_no_table(catalog: Catalog) -> None:
    with pytest.raises(InvalidRequestError, match="bucket"):
        catalog.create_table("db.t", fields(k="INT"), options={"bucket": "0"})
    assert catalog.list_tables("db") == []


def test_a_table_goes_with_all_its_files(catalog: Catalog) -> None:
    made = catalog.create_table("db.t", fields(k="INT"))
    catalog.drop_table("db.t")
    assert not catalog.table_exists("db.t")
    assert made.io.list_files(made.location, recursive=True) == []
    with pytest.raises(NotFoundError):
        catalog.drop_table("db.t")


def test_directories_without_a_schema_are_no_tables(catalog: Catalog) -> None:
    made = catalog.create_table("db.t", fields(k="INT"))
    made.io.write(f"{catalog.warehouse}/db.db/folder/file", b"")
    made.io.write(f"{catalog.warehouse}/folder/file", b"")
    assert catalog.list_tables("db") == ["t"]
    assert catalog.list_databases() == ["db"]


def test_branches_are_opened_by_name(catalog: Catalog) -> None:
    table = catalog.create_table("db.t", fields(k="INT"))
    table.branches.create("b")
    assert catalog.get_table("db.t$branch_b").branch == "b"
    assert catalog.get_table("db.t$branch_main").branch == "main"
    with pytest.raises(NotFoundError, match="branch=c"):
        catalog.get_table("db.t$branch_c")


def test_system_tables_are_opened_by_name(catalog: Catalog) -> None:
    table = catalog.create_table("db.t", fields(k="INT"))
    table.branches.create("b")
    assert catalog.get_table("db.t$schemas").to_arrow(["schema_id"]).to_pydict() == {"schema_id": [0]}
    assert catalog.get_table("db.t$branch_b$schemas").to_arrow().num_rows == 1


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("get_data_table", "db.t$schemas"),
        ("get_table", "t"),
        ("drop_table", "db.t$branch_b"),
    ],
)
def test_the_wrong_kind_of_name_is_refused(catalog: Catalog, call: str, name: str) -> None:
    catalog.create_table("db.t", fields(k="INT"))
    with pytest.raises(InvalidRequestError):
        getattr(catalog, call)(name)


def test_a_catalog_and_its_tables_travel_to_executors(tmp_path: Path) -> None:
    catalog = open_catalog(str(tmp_path))
    catalog.create_database("db")
    catalog.create_table("db.t", fields(k="INT"))
    copy = pickle.loads(pickle.dumps(catalog))
    table = pickle.loads(pickle.dumps(copy.get_table("db.t")))
    assert table.schema.field_names == ("k",)


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({}, "warehouse"),
        ("", "warehouse"),
        ({"warehouse": "/x", "metastore": "glue"}, "metastore=glue"),
        ({"warehouse": "/x", "metastore": "hive"}, "option uri"),
        ("cosn://x/y", "cosn"),
    ],
)
def test_a_catalog_that_cannot_be_opened_says_why(options: str | dict[str, str], found: str) -> None:
    with pytest.raises(PaimonError, match=found):
        open_catalog(options)


@pytest.mark.parametrize("given", [{"warehouse": None}, {"warehouse": " "}, {}, None, 5])
def test_a_warehouse_has_to_be_named(given: Any) -> None:
    with pytest.raises(InvalidRequestError):
        open_catalog(given)


def test_a_relative_warehouse_stays_where_it_was_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert open_catalog("wh/").warehouse == open_catalog(Path("wh")).warehouse == f"{tmp_path}/wh"


@pytest.mark.parametrize(
    "name",
    [Identifier("db", "../../x"), Identifier("..", "t"), Identifier("db", ""), Identifier("db", "a$b")],
)
def test_an_identifier_made_by_hand_is_checked_too(catalog: Catalog, name: Identifier) -> None:
    for call in (catalog.get_table, catalog.table_exists, catalog.drop_table):
        with pytest.raises(InvalidRequestError, match="not a name"):
            call(name)


def test_only_a_numbered_schema_makes_a_table(tmp_path: Path) -> None:
    (tmp_path / "db.db/t/schema").mkdir(parents=True)
    (tmp_path / "db.db/t/schema/schema-0.bak").write_text("{}")
    assert open_catalog(str(tmp_path)).list_tables("db") == []
