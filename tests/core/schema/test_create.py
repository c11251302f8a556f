from __future__ import annotations

import pytest

from core.errors import InvalidRequestError
from core.schema import initial_schema
from core.types import parse_type
from core.types.data_types import ArrayType, DataField, DataType, MapType, RowType
from tests.builders import fields, schema


def ids(data_type: DataType) -> list[object]:
    """Field ids of a type, nested as the type is."""
    match data_type:
        case RowType():
            return [f.id if not ids(f.type) else (f.id, ids(f.type)) for f in data_type.fields]
        case ArrayType():
            return ids(data_type.element)
        case MapType():
            return ids(data_type.key) + ids(data_type.value)
    return []


def test_ids_are_given_depth_first() -> None:
    made = schema({"a": "INT", "r": "ROW<x INT, y ROW<z INT>>", "m": "MAP<INT, ROW<p INT>>", "b": "INT"})
    assert [f.id for f in made.fields] == [0, 1, 5, 7]
    assert [ids(f.type) for f in made.fields] == [[], [2, (3, [4])], [6], []]
    assert made.highest_field_id == 7


def test_ids_that_were_given_are_not_taken() -> None:
    made = initial_schema([DataField(17, "a", parse_type("INT"))], time_millis=0)
    assert made.fields[0].id == made.highest_field_id == 0


def test_primary_keys_become_not_null() -> None:
    made = schema({"k": "INT", "v": "INT"}, primary_keys=["k"])
    assert [f.type.nullable for f in made.fields] == [False, True]


def test_keys_may_come_as_options_and_leave_them() -> None:
    made = schema(options={"primary-key": "k, v", "partition": "v", "bucket": "1"})
    assert (made.primary_keys, made.partition_keys) == (("k", "v"), ("v",))
    assert made.options == {"bucket": "1"}


def test_keys_are_given_once() -> None:
    with pytest.raises(InvalidRequestError, match="twice"):
        initial_schema(fields(k="INT"), primary_keys=["k"], options={"primary-key": "k"}, time_millis=0)
