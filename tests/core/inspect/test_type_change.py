import pytest

from core.inspect.type_change import TypeChange, classify_type_change
from core.types import parse_type

WIDENINGS = [
    ("TINYINT", "SMALLINT"),
    ("INT", "BIGINT"),
    ("INT", "DOUBLE"),
    ("SMALLINT", "FLOAT"),
    ("FLOAT", "DOUBLE"),
    ("INT", "DECIMAL(10, 0)"),
    ("DECIMAL(9, 2)", "DECIMAL(11, 3)"),
    ("CHAR(3)", "VARCHAR(3)"),
    ("VARCHAR(3)", "STRING"),
    ("VARBINARY(3)", "BYTES"),
    ("TIMESTAMP(3)", "TIMESTAMP(6)"),
    ("DATE", "TIMESTAMP(3)"),
    ("ARRAY<INT>", "ARRAY<BIGINT>"),
    ("MAP<STRING, INT>", "MAP<STRING, BIGINT>"),
]
OTHERS = [
    ("BIGINT", "DOUBLE"),
    ("INT", "FLOAT"),
    ("INT", "STRING"),
    ("INT", "DECIMAL(10, 1)"),
    ("DECIMAL(9, 2)", "DECIMAL(9, 3)"),
    ("TIMESTAMP(3)", "TIMESTAMP(6) WITH LOCAL TIME ZONE"),
    ("ARRAY<INT>", "MULTISET<INT>"),
]


@pytest.mark.parametrize(("narrow", "wide"), WIDENINGS)
def test_a_type_that_holds_every_old_value_is_wider(narrow: str, wide: str) -> None:
    assert classify_type_change(parse_type(narrow), parse_type(wide)) is TypeChange.WIDENING
    assert classify_type_change(parse_type(wide), parse_type(narrow)) is TypeChange.NARROWING


@pytest.mark.parametrize(("before", "after"), OTHERS)
def test_types_of_which_neither_holds_the_other(before: str, after: str) -> None:
    assert classify_type_change(parse_type(before), parse_type(after)) is TypeChange.OTHER
