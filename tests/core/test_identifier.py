"""Names of tables. Spec: 01, 5; 04, B."""

from __future__ import annotations

import pytest

from core.errors import InvalidRequestError
from core.identifier import Identifier, check_name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("db.t", Identifier("db", "t")),
        ("db.t.with.dots", Identifier("db", "t.with.dots")),
        ("db.t$branch_dev", Identifier("db", "t", "dev")),
        ("db.t$branch_main", Identifier("db", "t")),
        ("db.t$SNAPSHOTS", Identifier("db", "t", None, "snapshots")),
        ("db.t$branch_a_b$files", Identifier("db", "t", "a_b", "files")),
        ("sys.all_tables", Identifier("sys", "all_tables")),
        ("库.表", Identifier("库", "表")),
    ],
)
def test_parse(text: str, expected: Identifier) -> None:
    assert Identifier.parse(text) == expected
    assert Identifier.parse(str(expected)) == expected


@pytest.mark.parametrize(
    "text",
    ["", "t", ".t", "db.", "db.$files", "db.t$", "db.t$a$b", "db.t$branch_", "db.a/b", "../x.t", "db..."],
)
def test_what_is_no_name_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequestError, match="not a table name"):
        Identifier.parse(text)


def test_base_and_changes() -> None:
    identifier = Identifier.parse("db.t$branch_dev$files")
    assert str(identifier.base) == "db.t"
    assert str(identifier.with_branch("main").with_system("tags")) == "db.t$tags"


@pytest.mark.parametrize("name", ["", " ", ".", "..", "a/b", "a\\b", "a$b", "a.b"])
def test_databases_have_plain_names(name: str) -> None:
    with pytest.raises(InvalidRequestError, match="database"):
        check_name("database", name)


def test_tables_may_have_dots() -> None:
    assert check_name("table", "a.b") == "a.b"
