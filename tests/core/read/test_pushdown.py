"""Which parts of a filter a file can answer by itself. Spec: 09, 4."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.predicate import bind, parse_predicate, split_and
from core.read.pushdown import row_filters
from core.schema.evolution import map_fields
from core.types import parse_type
from tests.builders import fields

TABLE = fields(a="BIGINT", b="STRING", f="DOUBLE", new="INT")


def pushed(where: str) -> list[str]:
    """The expressions for a file that has `a` as INT, `b` under the name `old_b`, and no `new`."""
    a, b, f, _ = TABLE
    of_file = (replace(a, type=parse_type("INT")), replace(b, name="old_b"), f)
    predicate = bind(parse_predicate(where), TABLE)
    return [str(found.expression) for found in row_filters(split_and(predicate), map_fields(TABLE, of_file))]


def test_columns_are_asked_for_by_the_files_names() -> None:
    assert pushed("b = 'x'") == ['(old_b == "x")']


@pytest.mark.parametrize("where", ["a = 1", "new = 1", "new IS NULL", "a = 1 OR b = 'x'"])
def test_a_column_that_the_file_lacks_or_has_in_another_type_is_left_to_the_reader(where: str) -> None:
    assert pushed(where) == []


def test_parts_of_an_and_are_taken_one_by_one() -> None:
    assert pushed("a = 1 AND b = 'x' AND f > 2") == ['(old_b == "x")', "(f > 2)"]


@pytest.mark.parametrize("where", ["f <> 1", "f NOT IN (1)", "NOT f = 1", "b = 'x' OR f <> 1"])
def test_what_nan_satisfies_is_not_asked_of_statistics_that_may_leave_it_out(where: str) -> None:
    assert pushed(where) == []
