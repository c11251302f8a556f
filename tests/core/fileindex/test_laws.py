"""Laws of all indexes: no answer leaves out a row that satisfies the filter; most are exact. Spec: 05, 9."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyroaring import BitMap

from core.arrow import from_python
from core.fileindex import IndexSlot, ask_indexes
from core.predicate import Comparison, In, IsNull, Not, Operator, Or, Predicate, bind, evaluate
from core.types import DataField, DataType, parse_type
from tests.core.fileindex.columns import TYPES, columns, encode
from tests.strategies import values

EXACT = ("bsi", "range-bitmap")
ORDERED = [Operator.LESS, Operator.LESS_OR_EQUAL, Operator.GREATER, Operator.GREATER_OR_EQUAL]


@st.composite
def filters(draw: st.DrawFn, column: list[Any], data_type: DataType) -> Predicate:
    known = [value for value in column if value is not None]
    literal = values(data_type, nulls=False) | (st.sampled_from(known) if known else st.nothing())
    leaf: st.SearchStrategy[Predicate] = (
        st.builds(Comparison, st.just("c"), st.sampled_from(Operator), literal)
        | st.builds(
            In, st.just("c"), st.lists(literal, min_size=1, max_size=3).map(tuple), negated=st.booleans()
        )
        | st.builds(IsNull, st.just("c"), st.booleans())
    )
    tree = leaf | st.tuples(leaf, leaf).map(Or) | leaf.map(Not)
    return bind(draw(tree), [DataField(0, "c", data_type)])


def answered(index: str, payload: bytes, predicate: Predicate, data_type: DataType) -> BitMap | None:
    slot = IndexSlot("c", index.partition(" ")[0], 0, len(payload))
    return ask_indexes([predicate], [slot], lambda _: payload, {"c": data_type}).rows


def matching(predicate: Predicate, column: list[Any], data_type: DataType) -> BitMap:
    batch = pa.record_batch([from_python(column, data_type)], names=["c"])
    kept = evaluate(predicate, batch).to_pylist()
    return BitMap([row for row, keep in enumerate(kept) if keep])


@pytest.mark.parametrize("index", TYPES)
@settings(max_examples=settings().max_examples // 3)
@given(data=st.data(), small=st.booleans())
def test_no_matching_row_is_left_out(index: str, data: st.DataObject, small: bool) -> None:
    data_type = parse_type(data.draw(st.sampled_from(TYPES[index])))
    column = data.draw(columns(data_type))
    predicate = data.draw(filters(column, data_type))
    rows = answered(index, encode(index, column, data_type, small), predicate, data_type)
    expected = matching(predicate, column, data_type)
    if index in EXACT:
        assert rows == expected
    else:
        assert rows is None or rows >= expected


@pytest.mark.parametrize("index", ["bitmap v1", "bitmap v2"])
@given(data=st.data(), small=st.booleans())
def test_bitmaps_find_equal_and_missing_values_exactly(index: str, data: st.DataObject, small: bool) -> None:
    data_type = parse_type("STRING")
    column = data.draw(columns(data_type))
    literal = data.draw(st.sampled_from([*(v for v in column if v is not None), "another"]))
    asked = data.draw(st.sampled_from([In("c", (literal, "x")), In("c", (literal,), True), IsNull("c")]))
    predicate = bind(asked, [DataField(0, "c", data_type)])
    payload = encode(index, column, data_type, small)
    assert answered(index, payload, predicate, data_type) == matching(predicate, column, data_type)


@pytest.mark.parametrize("operator", ORDERED)
@pytest.mark.parametrize("index", ["bsi", "range-bitmap"])
def test_digits_that_an_index_does_not_keep_are_never_compared(index: str, operator: Operator) -> None:
    stored, data_type = parse_type("TIMESTAMP(6)"), parse_type("TIMESTAMP(9)")
    field = DataField(0, "c", data_type)
    asked = bind(Comparison("c", operator, "1970-01-01 00:00:00.000001001"), [field])
    payload = encode(index, [], stored)
    assert answered(index, payload, asked, data_type) is None
