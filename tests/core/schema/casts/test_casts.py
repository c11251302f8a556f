"""Casts of columns give what running Paimon gave. Spec: 09, 2."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from core.arrow import from_python, to_python
from core.errors import FormatError, UnsupportedError
from core.schema.casts import cast_column, check_cast
from core.types import Timestamp, parse_type


def cast(value: object, source: str, target: str) -> Any:
    """One value through `cast_column`, with a null beside it, out of a slice."""
    column = from_python([value, value, None], parse_type(source)).slice(1)
    result = cast_column(column, parse_type(source), parse_type(target))
    values = to_python(result, parse_type(target))
    assert values[1] is None
    return values[0]


@pytest.mark.parametrize(
    ("value", "source", "target", "expected"),
    [
        (383, "INT", "TINYINT", 127),
        (-1, "BIGINT", "INT", -1),
        (7, "INT", "BIGINT", 7),
        (2, "INT", "BOOLEAN", True),
        (True, "BOOLEAN", "INT", 1),
        (True, "BOOLEAN", "STRING", "true"),
        (1e20, "DOUBLE", "INT", 2147483647),
        (-1e20, "DOUBLE", "BIGINT", -(2**63)),
        (-1.9, "DOUBLE", "INT", -1),
        (float("nan"), "DOUBLE", "INT", 0),
        (300.7, "DOUBLE", "TINYINT", 44),
        (1.5, "FLOAT", "DOUBLE", 1.5),
        (Decimal("123.45"), "DECIMAL(5, 2)", "DECIMAL(4, 1)", Decimal("123.5")),
        (Decimal("123.45"), "DECIMAL(5, 2)", "DECIMAL(3, 1)", None),
        (Decimal("-123.45"), "DECIMAL(5, 2)", "DECIMAL(4, 1)", Decimal("-123.5")),
        (Decimal("-9.99"), "DECIMAL(5, 2)", "INT", -9),
        (Decimal("0.1"), "DECIMAL(5, 2)", "DOUBLE", 0.1),
        (Decimal("0.0000001"), "DECIMAL(9, 7)", "STRING", "0.0000001"),
        (Decimal("-12.30"), "DECIMAL(5, 2)", "STRING", "-12.30"),
        (Decimal("5"), "DECIMAL(5, 0)", "STRING", "5"),
        (12, "INT", "DECIMAL(4, 2)", Decimal("12.00")),
        (123, "INT", "DECIMAL(4, 2)", None),
        ("12.7", "STRING", "INT", 12),
        ("+5", "STRING", "BIGINT", 5),
        ("1.5e3", "STRING", "DOUBLE", 1500.0),
        ("1.255", "STRING", "DECIMAL(5, 2)", Decimal("1.26")),
        ("Y", "STRING", "BOOLEAN", True),
        ("no", "STRING", "BOOLEAN", False),
        ("äbc", "STRING", "VARCHAR(2)", "äb"),
        ("ab", "STRING", "CHAR(4)", "ab  "),
        ("2024-2-3", "STRING", "DATE", 19756),
        ("2024-02-03 01:02:03.987", "STRING", "TIMESTAMP(1)", Timestamp(1706922123900, 0)),
        ("2024-02-03T01:02:03", "STRING", "TIMESTAMP(6)", Timestamp(1706922123000, 0)),
        ("ab", "STRING", "BINARY(4)", b"ab\0\0"),
        (b"abc", "BYTES", "BINARY(2)", b"ab"),
        (b"abc", "BYTES", "VARBINARY(5)", b"abc"),
        (b"ab", "BYTES", "STRING", "ab"),
        (19756, "DATE", "STRING", "2024-02-03"),
        (19756, "DATE", "TIMESTAMP(9)", Timestamp(1706918400000, 0)),
        (Timestamp(1700000000123, 456000), "TIMESTAMP(6)", "STRING", "2023-11-14 22:13:20.123456"),
        (Timestamp(1700000000100, 0), "TIMESTAMP(1)", "STRING", "2023-11-14 22:13:20.1"),
        (Timestamp(1700000000000, 0), "TIMESTAMP(0)", "STRING", "2023-11-14 22:13:20"),
        (Timestamp(1700000000123, 456000), "TIMESTAMP(6)", "TIMESTAMP(1)", Timestamp(1700000000100, 0)),
        (Timestamp(1700000000123, 0), "TIMESTAMP(3)", "TIMESTAMP(9)", Timestamp(1700000000123, 0)),
        (Timestamp(1700000000123, 0), "TIMESTAMP(3)", "BIGINT", 1700000000),
        (Timestamp(-1, 0), "TIMESTAMP_LTZ(3)", "DATE", -1),
        ([1, None, 3], "ARRAY<INT>", "STRING", "[1, null, 3]"),
        ([("a", 1), ("b", None)], "MAP<STRING, INT>", "STRING", "{a -> 1, b -> null}"),
        ((7, None), "ROW<x INT, y STRING>", "STRING", "{7, null}"),
        (([1.5e10], 19857), "ROW<x ARRAY<DOUBLE>, y DATE>", "VARCHAR(12)", "{[1.5E10], 2"),
        (500, "TIME(3)", "STRING", "00:00:00.5"),
        (2.0e-7, "DOUBLE", "STRING", "2.0E-7"),
        (1e38, "DOUBLE", "DECIMAL(38, 0)", None),
        (5e-39, "DOUBLE", "DECIMAL(38, 38)", Decimal("1e-38")),
        (123456789.125, "DOUBLE", "DECIMAL(11, 2)", Decimal("123456789.13")),
        (Timestamp(-1, 0), "TIMESTAMP(3)", "TIME", 86_399_999),
        (5, "INT", "TIMESTAMP(3)", Timestamp(5000, 0)),
        (Timestamp(1, 0), "TIMESTAMP_LTZ(3)", "TIMESTAMP_LTZ(6)", Timestamp(1, 0)),
    ],
)
def test_a_value_is_cast_as_paimon_casts_it(
    value: object, source: str, target: str, expected: object
) -> None:
    assert cast(value, source, target) == expected


@pytest.mark.parametrize(
    ("value", "target"),
    [
        ("abc", "INT"),
        (" 1", "INT"),
        ("300", "TINYINT"),
        ("maybe", "BOOLEAN"),
        ("2024-13-01", "DATE"),
        ("x", "DOUBLE"),
    ],
)
def test_a_text_that_is_no_such_value_is_an_error(value: str, target: str) -> None:
    with pytest.raises(FormatError, match="cannot be cast"):
        cast(value, "STRING", target)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("MULTISET<INT>", "STRING"),
        ("ARRAY<MULTISET<INT>>", "STRING"),
        ("TIMESTAMP(3)", "CHAR(20)"),
        ("STRING", "ARRAY<INT>"),
        ("BOOLEAN", "DATE"),
    ],
)
def test_a_cast_we_do_not_have_is_refused_with_both_types(source: str, target: str) -> None:
    with pytest.raises(UnsupportedError) as refusal:
        check_cast(parse_type(source), parse_type(target))
    assert "cast from" in str(refusal.value)
    assert source.removeprefix("ARRAY<").removesuffix(">") in str(refusal.value)


def test_equal_types_are_passed_through_whatever_their_nullability() -> None:
    column = pa.array([1], pa.int32())
    assert cast_column(column, parse_type("INT"), parse_type("INT NOT NULL")) is column
