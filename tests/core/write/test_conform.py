"""What a caller's rows must be like to become the table's. Spec: 01, 7."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from core.errors import InvalidRequestError
from core.types import DataField, parse_type
from core.write.conform import conform_rows

FLOATS = pa.list_(pa.float32())


def conformed(column: pa.Array[Any], kind: str) -> list[Any]:
    fields = [DataField(0, "c", parse_type(kind))]
    return conform_rows(pa.table({"c": column}), fields).column("c").to_pylist()


@pytest.mark.parametrize("arrow", [FLOATS, pa.list_(pa.float32(), 2), pa.list_(pa.float64())])
def test_lists_of_the_right_length_are_vectors(arrow: Any) -> None:
    assert conformed(pa.array([[1.5, 2.0], None], arrow), "VECTOR<FLOAT, 2>") == [[1.5, 2.0], None]


@pytest.mark.parametrize("arrow", [FLOATS, pa.list_(pa.float32(), 2)])
def test_a_vector_of_another_length_is_refused(arrow: Any) -> None:
    with pytest.raises(InvalidRequestError, match="column=c"):
        conformed(pa.array([[1.5, 2.0]], arrow), "VECTOR<FLOAT, 3>")


def test_the_elements_of_a_vector_are_never_null() -> None:
    with pytest.raises(InvalidRequestError, match="null in a NOT NULL member"):
        conformed(pa.array([[1.5, None]], FLOATS), "VECTOR<FLOAT, 2>")


def test_a_variant_has_both_of_its_parts() -> None:
    parts = pa.struct([("value", pa.binary()), ("metadata", pa.binary())])
    whole = {"value": b"\x00", "metadata": b"\x01\x00\x00"}
    assert conformed(pa.array([whole, None], parts), "VARIANT") == [whole, None]
    with pytest.raises(InvalidRequestError, match="metadata"):
        conformed(pa.array([{"value": b"\x00", "metadata": None}], parts), "VARIANT")
