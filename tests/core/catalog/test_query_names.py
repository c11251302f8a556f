"""Names are found in a text of SQL, and the views that it is made of, all the way down."""

from __future__ import annotations

import pytest

from core.catalog.query_names import names_in, pieces_of, views_in
from core.catalog.views import ViewSchema
from core.errors import NotFoundError, UnsupportedError
from core.identifier import Identifier
from tests.builders import fields


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("SELECT 1 FROM T", {("db", "select"), ("db", "1"), ("db", "from"), ("db", "t")}),
        ("c.x.v", {("c", "x"), ("x", "v")}),
        ("x . `a``b`.c", {("x", "a`b"), ("a`b", "c")}),
        ("'v' \"v\" r'\\' -- v\n/* v */ 'it''s v'", set()),
        ("--v\rw", {("db", "w")}),
        ("über.größe", {("über", "größe")}),
        ("r'\\' v", {("db", "v")}),
    ],
)
def test_names_of_a_text_are_those_outside_of_strings_and_comments(
    sql: str, names: set[tuple[str, str]]
) -> None:
    assert names_in(sql, "db") == names
    assert "".join(piece for piece, _ in pieces_of(sql)) == sql


VIEWS = {
    "db.a": "SELECT * FROM x.b",
    "x.b": "SELECT * FROM C JOIN db.a",
    "x.c": "SELECT 1 FROM y.gone, broken",
    "db.other": "SELECT 1",
}


def get(view: Identifier) -> ViewSchema:
    if view.table == "broken":
        raise UnsupportedError("a type that we do not know", feature="geography")
    return ViewSchema((), VIEWS[str(view)])


def names(database: str) -> list[str]:
    if database == "y":
        raise NotFoundError("dropped meanwhile")
    return [*(v.partition(".")[2] for v in VIEWS if v.startswith(f"{database}.")), "broken"]


def test_the_views_of_a_text_are_found_all_the_way_down() -> None:
    found = views_in("SELECT a.other FROM a", "db", "spark", lambda: ["db", "x", "y"], names, get)
    assert set(map(str, found)) == {"db.a", "x.b", "x.c"}


def test_a_view_that_says_something_else_has_another_digest() -> None:
    said = ViewSchema(fields(k="INT"), "SELECT k FROM t", {"flink": "SELECT 1"})
    same = ViewSchema(fields(k="INT"), "x", {"spark": "SELECT k FROM t"}, comment="new")
    others = [ViewSchema(fields(k="STRING"), "SELECT k FROM t"), ViewSchema(fields(k="INT"), "SELECT 2")]
    assert same.digest_for("spark") == said.digest_for("spark")
    assert said.digest_for("spark") not in [other.digest_for("spark") for other in others]
