"""Values as text, by column: the same value always prints the same.

Integers and decimals are exact, dates and times ISO 8601, bytes base64, numbers that JSON
cannot hold (NaN, Infinity) strings. A map is an array of pairs, as its keys may be anything.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as _pc

from core.arrow import arrow_type
from core.errors import UnsupportedError
from core.types import VariantType
from core.types.variant import variant_to_json

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

Column: TypeAlias = Any  # an Arrow array of any type
Texts: TypeAlias = list[str | None]

_VARIANT = arrow_type(VariantType())


def plain_texts(values: Column) -> Texts:
    """What a person or a CSV file sees: strings as they are, None for null, nested values as JSON."""
    kind = values.type
    if pa.types.is_string(kind):
        return list(values.to_pylist())
    texts = json_texts(values)
    return [None if text == "null" else text.strip('"') if _is_quoted(kind) else text for text in texts]


def json_texts(values: Column) -> list[str]:
    """Each value as JSON text."""
    for is_kind, texts_of in _BY_KIND:
        if is_kind(values.type):
            return texts_of(values)
    raise UnsupportedError("a column of this type cannot be printed", feature=str(values.type))


def _is_quoted(kind: pa.DataType) -> bool:
    """Whether the JSON text is a string that holds nothing to be escaped."""
    return not (pa.types.is_nested(kind) or pa.types.is_string(kind))


def _cast(values: Column) -> list[str]:
    return list(pc.fill_null(values.cast(pa.string()), "null").to_pylist())


def _quoted(texts: Column) -> list[str]:
    return list(pc.fill_null(pc.binary_join_element_wise('"', texts, '"', ""), "null").to_pylist())


def _floats(values: Column) -> list[str]:
    is_single = pa.types.is_float32(values.type)
    return ["null" if v is None else _float(v.as_py(), is_single) for v in _scalars(values)]


def _scalars(values: Column) -> Sequence[Any]:
    return [scalar if scalar.is_valid else None for scalar in values]


def _float(value: float, is_single: bool) -> str:
    if value != value:
        return '"NaN"'
    if value in (float("inf"), float("-inf")):
        return '"Infinity"' if value > 0 else '"-Infinity"'
    # A single has 24 bits: nine digits tell any two apart, the shortest that do are shown.
    return _shortest_single(value) if is_single else repr(value)


def _shortest_single(value: float) -> str:
    return repr(float(str(np.float32(value))))


def _decimals(values: Column) -> list[str]:
    return ["null" if value is None else f'"{value:f}"' for value in values.to_pylist()]


def _strings(values: Column) -> list[str]:
    return [
        "null" if value is None else json.dumps(value, ensure_ascii=False) for value in values.to_pylist()
    ]


def _binaries(values: Column) -> list[str]:
    return ["null" if v is None else f'"{base64.b64encode(v).decode()}"' for v in values.to_pylist()]


def _dates(values: Column) -> list[str]:
    return _quoted(values.cast(pa.string()))


def _timestamps(values: Column) -> list[str]:
    wall_clock = values.cast(pa.timestamp(values.type.unit))
    texts = pc.replace_substring(wall_clock.cast(pa.string()), " ", "T", max_replacements=1)
    return _quoted(pc.binary_join_element_wise(texts, "Z", "") if values.type.tz else texts)


def _lists(values: Column) -> list[str]:
    members = json_texts(values.flatten())
    return _sliced(values, members, "[", "]")


def _maps(values: Column) -> list[str]:
    whole = values.cast(pa.map_(values.type.key_type, values.type.item_type))
    start, end = whole.offsets[0].as_py(), whole.offsets[-1].as_py()
    keys = json_texts(whole.keys[start:end])
    items = json_texts(whole.items[start:end])
    return _sliced(whole, [f"[{k}, {v}]" for k, v in zip(keys, items, strict=True)], "[", "]")


def _variants(values: Column) -> list[str]:
    return [
        "null" if value is None else variant_to_json(value["value"], value["metadata"])
        for value in values.to_pylist()
    ]


def _is_variant(kind: pa.DataType) -> bool:
    return kind == _VARIANT


def _structs(values: Column) -> list[str]:
    names = [json.dumps(field.name, ensure_ascii=False) for field in values.type]
    members = [json_texts(values.field(index)) for index in range(len(names))]
    rows = zip(*members, strict=True) if members else iter([()] * len(values))
    valid = values.is_valid().to_pylist()
    return [
        "{" + ", ".join(f"{n}: {v}" for n, v in zip(names, row, strict=True)) + "}" if is_valid else "null"
        for row, is_valid in zip(rows, valid, strict=True)
    ]


def _sliced(values: Column, members: list[str], opening: str, closing: str) -> list[str]:
    """The texts of members, put together by the lengths of the lists that they are in."""
    texts, position = [], 0
    lengths = _lengths(values)
    for length in lengths:
        if length is None:
            texts.append("null")
            continue
        texts.append(opening + ", ".join(members[position : position + length]) + closing)
        position += length
    return texts


def _lengths(values: Column) -> list[int | None]:
    if pa.types.is_map(values.type):
        offsets = values.offsets.to_pylist()
        valid = values.is_valid().to_pylist()
        spans = zip(offsets[:-1], offsets[1:], valid, strict=True)
        return [end - start if is_valid else None for start, end, is_valid in spans]
    return list(pc.list_value_length(values).to_pylist())


_BY_KIND: tuple[tuple[Callable[[pa.DataType], bool], Callable[[Column], list[str]]], ...] = (
    (pa.types.is_boolean, _cast),
    (pa.types.is_integer, _cast),
    (pa.types.is_floating, _floats),
    (pa.types.is_decimal, _decimals),
    (pa.types.is_string, _strings),
    (pa.types.is_binary, _binaries),
    (pa.types.is_date, _dates),
    (pa.types.is_time, _dates),
    (pa.types.is_timestamp, _timestamps),
    (pa.types.is_map, _maps),
    (_is_variant, _variants),
    (pa.types.is_struct, _structs),
    (pa.types.is_list, _lists),
    (pa.types.is_fixed_size_list, _lists),
    (pa.types.is_null, _cast),
)
