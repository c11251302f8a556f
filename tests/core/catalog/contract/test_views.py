from __future__ import annotations

from dataclasses import replace

import pytest

from core.catalog import Catalog
from core.catalog.errors import (
    DatabaseNotEmptyError,
    DatabaseNotFoundError,
    DialectAlreadyExistsError,
    DialectNotFoundError,
    FunctionNotFoundError,
    TableAlreadyExistsError,
    TableNotFoundError,
    ViewAlreadyExistsError,
    ViewNotFoundError,
)
from core.catalog.views import AddDialect, DropDialect, UpdateDialect, ViewSchema
from core.errors import UnsupportedError
from core.schema.changes import RemoveOption, SetOption, UpdateComment
from tests.builders import fields
from tests.core.catalog.contract.kinds import Kind

V = ViewSchema(fields(k="INT", 名="STRING"), "SELECT 1", {"spark": "SELECT 2"}, "said", {"a": "b"})


@pytest.fixture
def views(catalog: Catalog, kind: Kind) -> Catalog:
    """A catalog with the view `db.v`, of a kind that has views."""
    if not kind.has_views:
        pytest.skip(f"{kind.metastore} catalogs have no views")
    catalog.create_view("db.v", of(kind))
    return catalog


def of(kind: Kind) -> ViewSchema:
    """A view with all that the kind keeps."""
    return V if kind.has_dialects else replace(V, dialects={})


def test_a_kind_without_views_lists_none_and_makes_none(catalog: Catalog, kind: Kind) -> None:
    assert catalog.list_views("db") == []
    with pytest.raises(ViewNotFoundError) as refused:
        catalog.get_view("db.v")
    assert refused.value.fields == {"view": "db.v"}
    catalog.drop_view("db.v", ignore_if_missing=True)
    if not kind.has_views:
        with pytest.raises(UnsupportedError, match="views"):
            catalog.create_view("db.v", V)


def test_functions_are_listed_and_missed(catalog: Catalog) -> None:
    assert catalog.list_functions("db") == []
    with pytest.raises(FunctionNotFoundError) as refused:
        catalog.get_function("db.f")
    assert refused.value.fields == {"function": "db.f"}


def test_a_view_is_kept_whole(views: Catalog, kind: Kind) -> None:
    assert views.list_views("db") == ["v"]
    assert views.get_view("db.v").schema == of(kind)
    assert (V.query_for("spark"), V.query_for("flink")) == ("SELECT 2", "SELECT 1")
    assert views.list_tables("db") == []


def test_tables_and_views_share_names(views: Catalog, kind: Kind) -> None:
    views.create_table("db.t", fields(k="INT"))
    with pytest.raises(ViewAlreadyExistsError):
        views.create_view("db.t", of(kind))
    with pytest.raises(ViewAlreadyExistsError):
        views.create_view("db.v", of(kind))
    views.create_view("db.v", of(kind), ignore_if_exists=True)
    with pytest.raises(TableAlreadyExistsError):
        views.create_table("db.v", fields(k="INT"))
    with pytest.raises(TableNotFoundError):
        views.get_table("db.v")
    with pytest.raises(DatabaseNotFoundError):
        views.create_view("no.v", of(kind))


def test_a_view_changes_by_all_changes_or_none(views: Catalog, kind: Kind) -> None:
    views.alter_view("db.v", [SetOption("c", "d"), RemoveOption("a"), UpdateComment(None)])
    changed = views.get_view("db.v").schema
    assert (changed.options, changed.comment) == ({"c": "d"}, None)
    if not kind.has_dialects:
        with pytest.raises(UnsupportedError, match="dialect"):
            views.alter_view("db.v", [SetOption("e", "f"), AddDialect("flink", "SELECT 3")])
        assert views.get_view("db.v").schema == changed
        return
    views.alter_view("db.v", [AddDialect("flink", "SELECT 3"), UpdateDialect("spark", "SELECT 4")])
    changed = views.get_view("db.v").schema
    assert changed.dialects == {"spark": "SELECT 4", "flink": "SELECT 3"}
    with pytest.raises(DialectAlreadyExistsError):
        views.alter_view("db.v", [DropDialect("flink"), AddDialect("spark", "x")])
    with pytest.raises(DialectNotFoundError):
        views.alter_view("db.v", [UpdateDialect("hive", "x")])
    assert views.get_view("db.v").schema == changed


def test_a_view_gets_another_name(views: Catalog, kind: Kind) -> None:
    views.create_database("other")
    views.rename_view("db.v", "other.w")
    assert (views.list_views("db"), views.list_views("other")) == ([], ["w"])
    views.create_view("db.v", of(kind))
    with pytest.raises(ViewAlreadyExistsError):
        views.rename_view("other.w", "db.v")
    with pytest.raises(ViewNotFoundError):
        views.rename_view("db.x", "db.y")
    with pytest.raises(DatabaseNotFoundError):
        views.rename_view("db.v", "no.v")


def test_a_view_goes_alone_or_with_its_database(views: Catalog, kind: Kind) -> None:
    with pytest.raises(DatabaseNotEmptyError) as refused:
        views.drop_database("db")
    assert refused.value.fields == {"database": "db", "tables": 0, "views": 1}
    views.drop_view("db.v")
    with pytest.raises(ViewNotFoundError):
        views.drop_view("db.v")
    views.create_view("db.v", of(kind))
    views.drop_database("db", cascade=True)
    assert kind.databases(views) == []


def test_views_come_in_pages(views: Catalog, kind: Kind) -> None:
    for name in ("a", "w"):
        views.create_view(f"db.{name}", of(kind))
    page = views.list_views_page("db", limit=2)
    assert (page.names, page.next_token) == (("a", "v"), "v")
    assert views.list_views_page("db", limit=2, token="v").names == ("w",)
    assert views.list_views_page("db", pattern="v%").names == ("v",)
