"""Partitions as directories and text. Spec: 01, 2; 04, B."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import FormatError, InvalidRequestError
from core.partition import (
    escape_path_name,
    parse_partition_path,
    parse_value,
    partition_name,
    partition_path,
    partition_text,
    unescape,
    value_text,
)
from core.types import DataType, Timestamp, parse_type
from tests.strategies import texts, timestamps


class TestEscaping:
    @given(texts())
    def test_unescape_reverses_escape(self, text: str) -> None:
        assert unescape(escape_path_name(text)) == text

    def test_what_a_path_reserves_is_escaped(self) -> None:
        assert escape_path_name("a:b/c=d%e f{g}") == "a%3Ab%2Fc%3Dd%25e f%7Bg%7D"
        assert escape_path_name("\x00\x1f\x7f\"#'*?\\[]^") == "%00%1F%7F%22%23%27%2A%3F%5C%5B%5D%5E"

    def test_everything_else_is_kept(self) -> None:
        assert escape_path_name("中+&<>|~`@!$(),; \x80") == "中+&<>|~`@!$(),; \x80"

    @pytest.mark.parametrize("text", ["%", "%4", "%zz", "100%!"])
    def test_a_percent_sign_without_digits_is_itself(self, text: str) -> None:
        assert unescape(text) == text


@pytest.mark.parametrize(
    ("type_text", "value", "legacy", "modern"),
    [
        ("BOOLEAN", True, "true", "true"),
        ("BIGINT", -5, "-5", "-5"),
        ("STRING", "a b", "a b", "a b"),
        ("DATE", 19857, "19857", "2024-05-14"),
        ("TIME(3)", 3723004, "3723004", "01:02:03.004"),
        ("TIME(3)", 3720000, "3720000", "01:02:00"),
        ("TIMESTAMP(3)", Timestamp(1700000000123), "2023-11-14T22:13:20.123", "2023-11-14 22:13:20.123"),
        ("TIMESTAMP(6)", Timestamp(1700000000120), "2023-11-14T22:13:20.120", "2023-11-14 22:13:20.120000"),
        ("TIMESTAMP(6)", Timestamp(1700006400000), "2023-11-15T00:00", "2023-11-15 00:00:00.000000"),
        ("DECIMAL(10, 2)", Decimal("1.50"), "1.50", "1.50"),
        ("DOUBLE", 1e20, "1.0E20", "1.0E20"),
        ("FLOAT", 1.0, "1.0", "1.0"),
    ],
)
def test_value_texts(type_text: str, value: Any, legacy: str, modern: str) -> None:
    data_type = parse_type(type_text)
    assert value_text(data_type, value) == legacy
    assert value_text(data_type, value, legacy=False) == modern
    assert parse_value(data_type, legacy) == value
    assert parse_value(data_type, modern) == value


STRING_INT = [parse_type("STRING"), parse_type("INT")]


def test_a_path_has_a_component_for_each_key() -> None:
    assert partition_path(["a=b", "n"], STRING_INT, ["x/y", 1]) == "a%3Db=x%2Fy/n=1"
    assert partition_name(["a", "n"], STRING_INT, ["x/y", None]) == "a=x/y/n=__DEFAULT_PARTITION__"
    assert partition_path([], [], []) == ""


@pytest.mark.parametrize("blank", [None, "", " ", "\t\n\u3000\u2003"])
def test_null_and_blanks_share_the_default_name(blank: str | None) -> None:
    assert partition_path(["a", "n"], STRING_INT, [blank, 1], default_name="none") == "a=none/n=1"


def test_a_no_break_space_is_no_blank_to_java() -> None:
    assert partition_path(["a", "n"], STRING_INT, ["\u00a0", 1]) == "a=\u00a0/n=1"


def test_the_row_form_shows_nulls() -> None:
    assert partition_text(STRING_INT, ["x", None]) == "{x, null}"
    assert partition_text([], []) == "{}"


def test_a_path_is_read_back() -> None:
    path = partition_path(["k", "n"], STRING_INT, ["a:b/c", None])
    assert parse_partition_path(path) == (("k", "a:b/c"), ("n", None))


@pytest.mark.parametrize("path", ["a", "a=1/b", "=1"])
def test_a_component_without_a_key_and_value_is_a_format_error(path: str) -> None:
    with pytest.raises(FormatError, match="key=value"):
        parse_partition_path(path)


@pytest.mark.parametrize(
    ("type_text", "text"),
    [
        ("INT", "x"),
        ("INT", 7),
        ("STRING", 7),
        ("TINYINT", "128"),
        ("BOOLEAN", "1"),
        ("DATE", "x"),
        ("DECIMAL(5, 2)", "x"),
        ("DECIMAL(5, 2)", "sNaN"),
        ("FLOAT", "1e39"),
    ],
)
def test_what_is_no_text_of_the_type_is_refused(type_text: str, text: Any) -> None:
    with pytest.raises(InvalidRequestError, match=type_text.split("(")[0]):
        parse_value(parse_type(type_text), text)


@given(st.integers(0, 9).flatmap(lambda p: st.tuples(st.just(parse_type(f"TIMESTAMP({p})")), timestamps(p))))
def test_timestamps_are_read_back_from_both_forms(typed: tuple[DataType, Timestamp]) -> None:
    data_type, value = typed
    for legacy in (True, False):
        assert parse_value(data_type, value_text(data_type, value, legacy=legacy)) == value
