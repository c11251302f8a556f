"""Types as text and JSON. Spec: 01, 7."""

from __future__ import annotations

import pytest
from hypothesis import given

from core.errors import FormatError, InvalidRequestError, UnsupportedError
from core.types import (
    MAX_LENGTH,
    ArrayType,
    DataType,
    DecimalType,
    GeometryType,
    IntType,
    LocalZonedTimestampType,
    MultisetType,
    RowType,
    TimestampType,
    TimeType,
    VarCharType,
    fields_from_json,
    parse_type,
    type_from_json,
    type_to_json,
    type_to_text,
)
from tests.strategies import data_types


class TestTextAndJson:
    @given(data_types())
    def test_parse_reverses_text(self, data_type: DataType) -> None:
        assert type_to_text(parse_type(type_to_text(data_type))) == type_to_text(data_type)

    @given(data_types())
    def test_from_json_reverses_to_json(self, data_type: DataType) -> None:
        assert type_from_json(type_to_json(data_type)) == data_type


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int", IntType()),
        ("INTEGER NOT NULL", IntType(nullable=False)),
        ("VARCHAR", VarCharType(1)),
        ("STRING", VarCharType(MAX_LENGTH)),
        ("NUMERIC(5)", DecimalType(5, 0)),
        ("DEC", DecimalType(10, 0)),
        ("TIME", TimeType(0)),
        ("TIME(3) WITHOUT TIME ZONE", TimeType(3)),
        ("TIMESTAMP", TimestampType(6)),
        ("TIMESTAMP(3) WITHOUT TIME ZONE NULL", TimestampType(3)),
        ("TIMESTAMP_LTZ(9)", LocalZonedTimestampType(9)),
        ("INT NOT NULL ARRAY MULTISET", MultisetType(ArrayType(IntType(nullable=False)))),
        ("GEOMETRY('4326')", GeometryType("4326")),
    ],
)
def test_accepted_forms(text: str, expected: DataType) -> None:
    assert parse_type(text) == expected


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("decimal(10,2)", "DECIMAL(10, 2)"),
        ("varchar(2147483647)", "STRING"),
        ("timestamp_ltz(3) not null", "TIMESTAMP(3) WITH LOCAL TIME ZONE NOT NULL"),
        ("row<`a``b` int 'it''s' default '1'>", "ROW<`a``b` INT 'it''s' DEFAULT '1'>"),
        ("map<string, int>", "MAP<STRING, INT>"),
        ("double precision", "DOUBLE"),
        ("geography", "GEOGRAPHY(OGC:CRS84, spherical)"),
        ("GEOMETRY('a b')", "GEOMETRY('a b')"),
    ],
)
def test_written_forms(text: str, written: str) -> None:
    assert type_to_text(parse_type(text)) == written


@pytest.mark.parametrize(
    "text",
    [
        "",
        "DECIMAL(39, 0)",
        "DECIMAL(5, 6)",
        "CHAR(0)",
        "TIME(10)",
        "INT INT",
        "ARRAY<INT",
        "VECTOR<STRING, 3>",
    ],
)
def test_broken_text_is_the_callers_mistake(text: str) -> None:
    with pytest.raises(InvalidRequestError):
        parse_type(text)


def test_an_unknown_type_is_named() -> None:
    with pytest.raises(UnsupportedError, match="INTERVAL"):
        parse_type("INTERVAL")


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(InvalidRequestError, match="deep"):
        parse_type("ARRAY<" * 1000 + "INT" + ">" * 1000)


def test_members_without_ids_are_numbered_depth_first() -> None:
    fields = fields_from_json(
        [
            {"name": "a", "type": "INT"},
            {"name": "r", "type": {"type": "ROW", "fields": [{"name": "x", "type": "INT"}]}},
            {"name": "b", "type": "INT"},
        ]
    )
    assert [f.id for f in fields] == [0, 1, 3]
    assert isinstance(fields[1].type, RowType)
    assert fields[1].type.fields[0].id == 2


def test_ids_on_some_fields_only_are_a_format_error() -> None:
    with pytest.raises(FormatError, match="'id'"):
        fields_from_json([{"id": 0, "name": "a", "type": "INT"}, {"name": "b", "type": "INT"}])


def test_further_keys_of_a_type_are_ignored() -> None:
    assert type_from_json({"type": "ARRAY NOT NULL", "element": "INT", "nullable": True}) == ArrayType(
        IntType(), nullable=False
    )


@pytest.mark.parametrize("value", [7, {"element": "INT"}, {"type": "ARRAY"}, {"type": "TUPLE"}, "CHAR(0)"])
def test_broken_json_is_a_format_error(value: object) -> None:
    with pytest.raises(FormatError):
        type_from_json(value)
