from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.catalog import open_catalog
from core.catalog.errors import (
    AccessDeniedError,
    CatalogError,
    CatalogUnknownError,
    DatabaseNotFoundError,
    TableAlreadyExistsError,
    TableNotFoundError,
)
from core.catalog.facts import PropertyChanges
from core.catalog.jdbc import JdbcCatalog, address
from core.catalog.jdbc.client import BusyError, JdbcClient
from core.catalog.jdbc.names import JdbcNames
from core.errors import InvalidRequestError
from core.schema.changes import SetOption
from tests.builders import fields
from tests.sql_servers import PASSWORD


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "c.db"


@pytest.fixture
def catalog(database: Path, tmp_path: Path) -> Iterator[JdbcCatalog]:
    made = open_catalog(
        {"metastore": "jdbc", "uri": f"jdbc:sqlite:{database}", "warehouse": f"{tmp_path}/wh"}
    )
    assert isinstance(made, JdbcCatalog)
    made.create_database("db")
    yield made
    made.close()


def ask(database: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(database)) as opened, opened:
        return opened.execute(sql).fetchall()


def test_its_tables_are_those_of_paimon(catalog: JdbcCatalog, database: Path) -> None:
    catalog.create_table("db.t", fields(k="INT", d="INT"), primary_keys=["k"], options={"bucket": "2"})
    tables = [name for (name,) in ask(database, "SELECT name FROM sqlite_master WHERE type = 'table'")]
    assert sorted(tables) == [
        "paimon_database_properties",
        "paimon_table_properties",
        "paimon_tables",
        "paimon_views",
    ]
    assert ask(database, "SELECT * FROM paimon_tables") == [("jdbc", "db", "t")]
    assert ask(database, "SELECT * FROM paimon_database_properties ORDER BY 3") == [
        ("jdbc", "db", "exists", "true"),
        ("jdbc", "db", "location", f"{catalog.warehouse}/db.db"),
    ]
    assert ask(database, "SELECT property_key, property_value FROM paimon_table_properties ORDER BY 1") == [
        ("bucket", "2"),
        ("bucket-key", "k"),
        ("primary-key", "k"),
    ]


def test_catalogs_of_two_keys_do_not_see_each_other(catalog: JdbcCatalog) -> None:
    other = open_catalog({**catalog.options, "catalog-key": "other"})
    assert other.list_databases() == []
    other.create_database("db")
    other.drop_database("db")
    assert catalog.list_databases() == ["db"]


def test_options_in_the_catalog_follow_the_schema(catalog: JdbcCatalog, database: Path) -> None:
    table = catalog.create_table("db.t", fields(k="INT"))
    table.alter([SetOption("snapshot.num-retained.min", "3")])
    kept = "SELECT property_value FROM paimon_table_properties WHERE property_key LIKE 'snapshot%'"
    assert ask(database, kept) == [("3",)]
    catalog.rename_table("db.t", "db.u")
    assert ask(database, "SELECT DISTINCT table_name FROM paimon_table_properties") == [("u",)]
    catalog.drop_table("db.u")
    assert ask(database, "SELECT * FROM paimon_table_properties") == []


def test_a_catalog_can_be_told_to_keep_no_options(catalog: JdbcCatalog, database: Path) -> None:
    bare = open_catalog({**catalog.options, "sync-all-properties": "false"})
    bare.create_table("db.t", fields(k="INT"), options={"bucket": "-1"})
    assert ask(database, "SELECT * FROM paimon_table_properties") == []


def test_a_database_that_only_a_table_names_is_there(catalog: JdbcCatalog, database: Path) -> None:
    ask(database, "INSERT INTO paimon_tables VALUES ('jdbc', 'old', 't')")
    assert catalog.list_databases() == ["db", "old"]
    assert catalog.get_database("old").location == f"{catalog.warehouse}/old.db"


def test_a_database_elsewhere_keeps_its_word_but_tables_lie_in_the_warehouse(catalog: JdbcCatalog) -> None:
    """As with Paimon, whose tables lie there whatever the property says."""
    catalog.create_database("far", properties={"location": "/far", "comment": "c"})
    assert (catalog.get_database("far").location, catalog.get_database("far").comment) == ("/far", "c")
    assert catalog.location("far.t") == f"{catalog.warehouse}/far.db/t"


@pytest.mark.parametrize("name", ["exists", "location"])
def test_what_makes_a_database_is_not_changed(catalog: JdbcCatalog, name: str) -> None:
    with pytest.raises(InvalidRequestError, match=name):
        catalog.alter_database("db", PropertyChanges(removals=(name,)))


def test_a_directory_that_the_catalog_does_not_know_is_named_and_taken_up(catalog: JdbcCatalog) -> None:
    made = catalog.create_table("db.t", fields(k="INT"))
    catalog._names.delete_table(made.identifier)  # as a crash leaves it
    with pytest.raises(TableNotFoundError):
        catalog.get_table("db.t")
    with pytest.raises(TableAlreadyExistsError, match="does not know"):
        catalog.create_table("db.t", fields(k="INT"))
    assert catalog.repair_table("db.t")
    assert not catalog.repair_table("db.t")
    assert catalog.get_data_table("db.t").schema == made.schema
    with pytest.raises(TableNotFoundError):
        catalog.repair_table("db.none")


def test_a_name_without_files_can_be_dropped(catalog: JdbcCatalog) -> None:
    made = catalog.create_table("db.t", fields(k="INT"))
    made.io.delete_directory(made.location)
    assert catalog.list_tables("db") == ["t"]
    catalog.drop_table("db.t")
    assert catalog.list_tables("db") == []


def test_a_table_that_cannot_be_written_down_leaves_no_file(catalog: JdbcCatalog, database: Path) -> None:
    ask(database, "CREATE TRIGGER no BEFORE INSERT ON paimon_tables BEGIN SELECT RAISE(FAIL, 'full'); END")
    with pytest.raises((CatalogError, TableAlreadyExistsError)):
        catalog.create_table("db.t", fields(k="INT"))
    assert catalog.io.list_files(catalog.location("db.t"), recursive=True) == []
    ask(database, "DROP TRIGGER no")
    catalog.create_table("db.t", fields(k="INT"))


def test_a_lost_answer_is_looked_up(catalog: JdbcCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    insert = JdbcNames.insert_table

    def lost(names: JdbcNames, *given: object) -> None:
        insert(names, *given)  # type: ignore[arg-type]
        raise CatalogUnknownError("the connection broke")

    monkeypatch.setattr(JdbcNames, "insert_table", lost)
    catalog.create_table("db.t", fields(k="INT"))
    assert catalog.list_tables("db") == ["t"]


def test_a_file_that_others_read_while_we_commit_is_busy_and_unchanged(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(address, "BUSY_SECONDS", 0)
    client = JdbcClient(f"jdbc:sqlite:{database}", {})
    ask(database, "CREATE TABLE seen (k INT)")
    ask(database, "INSERT INTO seen VALUES (1), (2)")
    with closing(sqlite3.connect(database)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM seen").fetchone()
        with pytest.raises(BusyError, match="nothing was changed"), client.transaction("add") as connection:
            connection.exec_driver_sql("INSERT INTO seen VALUES (3)")
    assert ask(database, "SELECT * FROM seen") == [(1,), (2,)]


def test_a_directory_that_cannot_be_renamed_keeps_its_name(
    catalog: JdbcCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog.create_table("db.t", fields(k="INT"))
    catalog.io.write(f"{catalog.location('db.u')}/in-the-way", b"")
    with pytest.raises(Exception, match="exists already"):
        catalog.rename_table("db.t", "db.u")
    assert catalog.list_tables("db") == ["t"]
    assert catalog.get_data_table("db.t").schema.field_names == ("k",)


def test_a_server_that_is_not_there_is_named_without_its_password(tmp_path: Path) -> None:
    options = {"metastore": "jdbc", "uri": "jdbc:postgresql://127.0.0.1:1/lake", "warehouse": str(tmp_path)}
    with pytest.raises(CatalogError) as failed:
        open_catalog({**options, "jdbc.user": "u", "jdbc.password": "hidden", "jdbc.connectTimeout": "5"})
    assert failed.value.fields["catalog"] == "jdbc:postgresql://127.0.0.1:1/lake"
    assert "hidden" not in str(failed.value)


@pytest.mark.parametrize("server", ["postgres", "mariadb"])
def test_who_is_not_let_in_is_told_so(
    request: pytest.FixtureRequest, server: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    options = {**request.getfixturevalue(server), "metastore": "jdbc", "warehouse": str(tmp_path)}
    with caplog.at_level(logging.DEBUG), pytest.raises(AccessDeniedError) as refused:
        open_catalog({**options, "jdbc.password": "wrong"})
    assert PASSWORD not in f"{refused.value} {caplog.text}"


def test_an_unknown_database_is_not_made_by_a_look(catalog: JdbcCatalog) -> None:
    with pytest.raises(DatabaseNotFoundError):
        catalog.get_table("no.t")
    assert catalog.list_databases() == ["db"]


def test_a_catalog_needs_an_address(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequestError, match="uri"):
        open_catalog({"metastore": "jdbc", "warehouse": str(tmp_path)})
