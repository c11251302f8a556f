"""Types and values <-> Arrow."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.arrow import (
    arrow_schema,
    arrow_type,
    fields_from_arrow,
    from_python,
    to_python,
    type_from_arrow,
)
from core.errors import InvalidRequestError, UnsupportedError
from core.types import DataField, DataType, parse_type, type_to_text
from tests.strategies import data_types, typed_rows, values

Typed = tuple[list[DataType], list[tuple[Any, ...]]]


@st.composite
def typed_columns(draw: st.DrawFn) -> tuple[DataType, list[Any]]:
    data_type = draw(data_types())
    return data_type, draw(st.lists(values(data_type), max_size=8))


class TestValues:
    @given(typed_columns())
    def test_to_python_reverses_from_python(self, typed: tuple[DataType, list[Any]]) -> None:
        data_type, column = typed
        array = from_python(column, data_type)
        array.validate(full=True)
        assert array.type == arrow_type(data_type)
        assert to_python(array, data_type) == column

    @given(typed_columns(), st.integers(0, 4), st.integers(0, 4))
    def test_slices_give_slices(self, typed: tuple[DataType, list[Any]], start: int, size: int) -> None:
        data_type, column = typed
        part = from_python(column, data_type).slice(min(start, len(column)), size)
        assert to_python(part, data_type) == column[start : start + size]

    @given(typed_rows(data_types(), max_columns=2))
    def test_chunks_give_one_list(self, typed: Typed) -> None:
        types, rows = typed
        array = from_python([row[0] for row in rows], types[0])
        chunks = pa.chunked_array([array, array], arrow_type(types[0]))
        assert to_python(chunks, types[0]) == [row[0] for row in rows] * 2

    @pytest.mark.parametrize(
        ("type_text", "value"), [("INT", "x"), ("TINYINT", 128), ("VECTOR<INT, 2>", [1]), ("TIMESTAMP(3)", 5)]
    )
    def test_a_value_that_does_not_fit_names_the_type(self, type_text: str, value: Any) -> None:
        data_type = parse_type(type_text)
        with pytest.raises(InvalidRequestError, match=type_text.split("(")[0]):
            from_python([value], data_type)


@pytest.mark.parametrize(
    ("type_text", "arrow"),
    [
        ("CHAR(3)", pa.string()),
        ("BINARY(3)", pa.binary()),
        ("BLOB", pa.binary()),
        ("DECIMAL(38, 10)", pa.decimal128(38, 10)),
        ("DATE", pa.date32()),
        ("TIME(9)", pa.time32("ms")),
        ("TIMESTAMP(0)", pa.timestamp("ms")),
        ("TIMESTAMP(4)", pa.timestamp("us")),
        ("TIMESTAMP(7)", pa.timestamp("ns")),
        ("TIMESTAMP_LTZ(3)", pa.timestamp("ms", "UTC")),
        ("MULTISET<STRING>", pa.map_(pa.string(), pa.field("value", pa.int32(), nullable=False))),
        ("VECTOR<FLOAT, 3>", pa.list_(pa.field("element", pa.float32()), 3)),
    ],
)
def test_canonical_forms(type_text: str, arrow: pa.DataType) -> None:
    assert arrow_type(parse_type(type_text)) == arrow


@pytest.mark.parametrize(
    ("arrow", "type_text"),
    [
        (pa.large_string(), "STRING"),
        (pa.string_view(), "STRING"),
        (pa.binary(4), "BINARY(4)"),
        (pa.date64(), "DATE"),
        (pa.time64("us"), "TIME(6)"),
        (pa.timestamp("s"), "TIMESTAMP(0)"),
        (pa.timestamp("ns", "Asia/Shanghai"), "TIMESTAMP(9) WITH LOCAL TIME ZONE"),
        (pa.decimal256(20, 2), "DECIMAL(20, 2)"),
        (pa.dictionary(pa.int8(), pa.string()), "STRING"),
        (pa.large_list(pa.int64()), "ARRAY<BIGINT>"),
        (pa.map_(pa.string(), pa.int32()), "MAP<STRING NOT NULL, INT>"),
    ],
)
def test_arrow_types_of_others_become_ours(arrow: pa.DataType, type_text: str) -> None:
    assert type_to_text(type_from_arrow(arrow)) == type_text


@pytest.mark.parametrize(
    "arrow", [pa.uint8(), pa.float16(), pa.duration("s"), pa.decimal256(50, 2), pa.null()]
)
def test_what_paimon_lacks_names_its_column(arrow: pa.DataType) -> None:
    with pytest.raises(UnsupportedError, match="where=column c"):
        fields_from_arrow(pa.schema([("c", arrow)]))


def test_fields_take_ids_depth_first() -> None:
    inner = pa.struct([("x", pa.int32()), ("y", pa.int32())])
    fields = fields_from_arrow(
        pa.schema([("a", pa.int32()), ("r", inner), pa.field("c", pa.int64(), nullable=False)])
    )
    assert [f.id for f in fields] == [0, 1, 4]
    assert type_to_text(fields[2].type) == "BIGINT NOT NULL"


@given(st.lists(data_types(variant=False), max_size=4))
def test_a_schema_keeps_names_and_nullability(types: list[DataType]) -> None:
    fields = [DataField(i, f"c{i}", t) for i, t in enumerate(types)]
    schema = arrow_schema(fields)
    assert [f.name for f in schema] == [f.name for f in fields]
    assert [f.nullable for f in schema] == [t.nullable for t in types]
