from __future__ import annotations

import pytest

from core.catalog import Catalog
from core.catalog.errors import DatabaseAlreadyExistsError, DatabaseNotEmptyError, DatabaseNotFoundError
from core.catalog.facts import PropertyChanges, PropertyOutcome
from core.errors import InvalidRequestError, UnsupportedError
from tests.builders import fields
from tests.core.catalog.contract.kinds import Kind


def test_databases_come_and_go(catalog: Catalog, kind: Kind) -> None:
    catalog.create_database("other")
    assert kind.databases(catalog) == ["db", "other"]
    assert catalog.database_exists("other")
    catalog.drop_database("other")
    assert kind.databases(catalog) == ["db"]
    assert not catalog.database_exists("never")


def test_a_database_is_created_once(catalog: Catalog, kind: Kind) -> None:
    with pytest.raises(DatabaseAlreadyExistsError) as refused:
        catalog.create_database("db")
    assert refused.value.fields == {"database": "db"}
    catalog.create_database("db", ignore_if_exists=True)
    assert kind.databases(catalog) == ["db"]


@pytest.mark.parametrize("name", ["", "a/b", "..", "a.b", "a$b"])
def test_a_name_that_makes_no_directory_is_refused(catalog: Catalog, kind: Kind, name: str) -> None:
    with pytest.raises(InvalidRequestError):
        catalog.create_database(name)
    assert kind.databases(catalog) == ["db"]


@pytest.mark.parametrize("name", ["with blank", "数据", "a-b_c", "percent%", "quote'\"", "`tick`"])
def test_odd_names_are_kept_as_they_are(catalog: Catalog, kind: Kind, name: str) -> None:
    if not kind.odd_names:
        with pytest.raises(InvalidRequestError):
            catalog.create_database(name)
        return
    catalog.create_database(name)
    assert name in catalog.list_databases()
    assert catalog.get_database(name).name == name
    catalog.drop_database(name)
    assert kind.databases(catalog) == ["db"]


def test_a_database_with_tables_goes_only_with_all_of_them(catalog: Catalog, kind: Kind) -> None:
    table = catalog.create_table("db.t", fields(k="INT"))
    with pytest.raises(DatabaseNotEmptyError) as refused:
        catalog.drop_database("db")
    assert refused.value.fields == {"database": "db", "tables": 1}
    catalog.drop_database("db", cascade=True)
    assert kind.databases(catalog) == []
    assert table.io.list_files(table.location, recursive=True) == []


def test_a_database_that_is_not_there_is_named(catalog: Catalog) -> None:
    for call in (
        lambda: catalog.get_database("no"),
        lambda: catalog.drop_database("no"),
        lambda: catalog.alter_database("no", PropertyChanges({"a": "b"})),
        lambda: catalog.list_tables("no"),
        lambda: catalog.list_tables_page("no", limit=1),
        lambda: catalog.list_views("no"),
        lambda: catalog.list_functions("no"),
        lambda: catalog.get_table("no.t"),
        lambda: catalog.create_table("no.t", fields(k="INT")),
    ):
        with pytest.raises(DatabaseNotFoundError) as refused:
            call()
        assert refused.value.fields == {"database": "no"}
    catalog.drop_database("no", ignore_if_missing=True)
    assert catalog.alter_database(
        "no", PropertyChanges(removals=("a",)), ignore_if_missing=True
    ) == PropertyOutcome(missing=("a",))


def test_sys_is_there_and_is_not_changed(catalog: Catalog) -> None:
    assert "sys" not in catalog.list_databases()
    assert catalog.get_database("sys").name == "sys"
    assert catalog.list_tables("sys") == ["all_table_options", "catalog_options", "partitions", "tables"]
    assert catalog.list_views("sys") == catalog.list_functions("sys") == []
    for call in (
        lambda: catalog.create_database("sys"),
        lambda: catalog.drop_database("sys"),
        lambda: catalog.alter_database("sys", PropertyChanges()),
        lambda: catalog.create_table("sys.t", fields(k="INT")),
        lambda: catalog.drop_table("sys.tables"),
    ):
        with pytest.raises(InvalidRequestError):
            call()


def test_databases_come_in_pages_that_bear_changes_in_between(catalog: Catalog, kind: Kind) -> None:
    for name in ("a", "b", "c", "z"):
        catalog.create_database(name)
    first = catalog.list_databases_page(limit=2)
    assert (first.names, first.next_token) == (("a", "b"), "b")
    catalog.drop_database("b")
    catalog.create_database("a2")
    second = catalog.list_databases_page(limit=2, token=first.next_token)
    last = catalog.list_databases_page(limit=2, token=second.next_token)
    assert (second.names, last.names, last.next_token) == (("c", "db"), (*kind.fixed, "z"), None)
    assert catalog.list_databases_page(pattern="d_").names == ("db",)


def test_properties_are_kept_or_refused(catalog: Catalog, kind: Kind) -> None:
    if not kind.has_properties:
        with pytest.raises(UnsupportedError, match="properties of databases"):
            catalog.alter_database("db", PropertyChanges({"a": "b"}))
        return
    catalog.create_database("other", properties={"a": "1", "b": "2"})
    changes = PropertyChanges({"b": "3", "c": "4"}, ("a", "none"))
    assert catalog.alter_database("other", changes) == PropertyOutcome(("b", "c"), ("a",), ("none",))
    assert catalog.get_database("other").options == {"b": "3", "c": "4"}
    assert catalog.get_database("db").options == {}


def test_a_property_is_not_set_and_removed_at_once(catalog: Catalog) -> None:
    with pytest.raises(InvalidRequestError, match="at once"):
        catalog.alter_database("db", PropertyChanges({"a": "b"}, ("a",)))


def test_a_database_lies_in_the_warehouse(catalog: Catalog, kind: Kind) -> None:
    location = catalog.get_database("db").location
    assert location is not None
    assert location.endswith("/warehouse/db.db") or catalog.warehouse in location
    assert not kind.is_its_place or location == f"{catalog.warehouse}/db.db"
