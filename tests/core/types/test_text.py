"""Values as text. Spec: 01, 2; 04, B; 09, 2."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.types import DateType, Timestamp, cast_text, parse_type, plain_text


@pytest.mark.parametrize(
    ("type_text", "value", "plain", "cast"),
    [
        ("BOOLEAN", True, "true", "true"),
        ("INT", None, "null", "null"),
        ("DATE", 19857, "19857", "2024-05-14"),
        ("TIME(3)", 3723004, "3723004", "01:02:03.004"),
        ("TIMESTAMP(3)", Timestamp(1700000000123), "2023-11-14T22:13:20.123", "2023-11-14 22:13:20.123"),
        ("TIMESTAMP(6)", Timestamp(1700006400000), "2023-11-15T00:00", "2023-11-15 00:00:00.000000"),
        ("TIMESTAMP(0)", Timestamp(-1000), "1969-12-31T23:59:59", "1969-12-31 23:59:59"),
        ("TIMESTAMP(9)", Timestamp(0, 1), "1970-01-01T00:00:00.000000001", "1970-01-01 00:00:00.000000001"),
        ("DECIMAL(10, 2)", Decimal("1.50"), "1.50", "1.50"),
        ("DECIMAL(38, 20)", Decimal("1E-20"), "0.00000000000000000001", "0.00000000000000000001"),
        ("FLOAT", 0.10000000149011612, "0.1", "0.1"),
        ("FLOAT", 1e-45, "1.4E-45", "1.4E-45"),
        ("DOUBLE", 5e-324, "4.9E-324", "4.9E-324"),
        ("DOUBLE", 1e20, "1.0E20", "1.0E20"),
        ("DOUBLE", 1e10, "1.0E10", "1.0E10"),
        ("DOUBLE", 1234567.0, "1234567.0", "1234567.0"),
        ("DOUBLE", -1.5e-5, "-1.5E-5", "-1.5E-5"),
        ("DOUBLE", float("nan"), "NaN", "NaN"),
        ("DOUBLE", -0.0, "-0.0", "-0.0"),
        ("ARRAY<INT>", [1, None], "[1, null]", "[1, null]"),
        ("MAP<STRING, INT>", [("a", 1)], "{a -> 1}", "{a -> 1}"),
        ("ROW<a INT, b DATE>", (1, 0), "{1, 0}", "{1, 1970-01-01}"),
    ],
)
def test_values_as_text(type_text: str, value: Any, plain: str, cast: str) -> None:
    data_type = parse_type(type_text)
    assert plain_text(data_type, value) == plain
    assert cast_text(data_type, value) == cast


def test_local_zoned_timestamps_are_shown_in_the_zone() -> None:
    data_type = parse_type("TIMESTAMP_LTZ(0)")
    assert cast_text(data_type, Timestamp(0), ZoneInfo("Asia/Shanghai")) == "1970-01-01 08:00:00"


@given(st.dates())
def test_dates_are_those_of_the_calendar(day: date) -> None:
    assert cast_text(DateType(), day.toordinal() - 719_163) == day.isoformat()
