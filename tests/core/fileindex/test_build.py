"""Indexes built of columns are those made of single values, byte by byte. Spec: 05, 4 to 8."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import xxhash
from hypothesis import given, settings
from hypothesis import strategies as st

from core.arrow import from_python
from core.errors import InvalidRequestError, UnsupportedError
from core.fileindex import decode_file_index
from core.fileindex.bitmap import encode_bitmap_index
from core.fileindex.bloom_filter import build_bloom_filter, encode_bloom_filter
from core.fileindex.build import FileIndexBuilder, builder_of
from core.fileindex.columns import IndexedColumn, indexed_columns
from core.fileindex.hashes import column_hashes, value_hashes
from core.fileindex.key_arrays import key_array
from core.fileindex.keys import key_form
from core.fileindex.xxh64 import text_digests
from core.schema import TableSchema
from core.types import DataField, DataType, parse_type
from tests.core.fileindex.columns import KEYED, TYPES, columns, encode, nulls, rows_by_key, stored_key

HASHED = TYPES["bloom-filter"]
CASES = [(index, text) for index, texts in TYPES.items() for text in texts]


def chunked(values: list[Any], kind: DataType, cut: int) -> Any:
    parts: Any = [from_python(part, kind) for part in (values[:cut], values[cut:])]
    return pa.chunked_array(parts)


def indexed(index: str, kind: DataType, **settings: str) -> IndexedColumn:
    index_type, _, version = index.partition(" v")
    settings |= {"version": version} if version else {}
    settings |= {"items": "20"} if index_type == "bloom-filter" else {}
    settings |= {"chunk-size": "16384"} if index_type == "range-bitmap" else {}
    return IndexedColumn(DataField(0, "c", kind), index_type, None, settings)


@pytest.mark.parametrize(("index", "text"), CASES)
@settings(max_examples=settings().max_examples // 8)
@given(st.data())
def test_an_index_of_a_column_is_that_of_its_values(index: str, text: str, data: st.DataObject) -> None:
    kind = parse_type(text)
    column = data.draw(columns(kind))
    builder = builder_of(indexed(index, kind))
    builder.add(chunked(column, kind, data.draw(st.integers(0, len(column)))))
    if index == "bitmap v1":  # lists keys in the order of their rows, which a scalar writer may not
        ordered = dict(sorted(rows_by_key(column, kind).items(), key=lambda kv: kv[1].min()))
        made = encode_bitmap_index(1, len(column), ordered, nulls(column), key_form(kind))
    elif index == "bloom-filter":
        hashes = [hash_of(v, kind) for v in column if v is not None]
        made = encode_bloom_filter(build_bloom_filter(np.array(hashes, np.int64), items=20))
    else:
        made = encode(index, column, kind)
    assert builder.payload() == made


def hash_of(value: Any, kind: DataType) -> int:
    """The one hash of a stored value; a filter's zero has two."""
    hashes = value_hashes(kind, value)
    return hashes[0] if str(value).startswith("-") else hashes[-1]


@pytest.mark.parametrize("text", KEYED)
@settings(max_examples=settings().max_examples // 8)
@given(st.data())
def test_keys_of_a_column_are_those_of_its_values(text: str, data: st.DataObject) -> None:
    kind = parse_type(text)
    column = data.draw(columns(kind))
    keys = key_array(from_python(column, kind), kind).to_pylist()
    assert keys == [None if v is None else stored_key(v, kind) for v in column]


@given(st.lists(st.binary(max_size=80)))
def test_texts_hash_as_xxhash_says(texts: list[bytes]) -> None:
    expected = [np.uint64(xxhash.xxh64_intdigest(t)).astype(np.int64) for t in texts]
    assert text_digests(pa.array([b"x", *texts], pa.binary())[1:]).tolist() == expected


def test_long_texts_hash_too() -> None:
    (found,) = column_hashes(pa.array(["ab" * 9999]), parse_type("STRING"))
    assert (int(found),) == value_hashes(parse_type("STRING"), "ab" * 9999)


def table(**options: str) -> TableSchema:
    types = {"id": "INT", "s": "STRING", "b": "BYTES", "m": "MAP<STRING, INT>"}
    fields = tuple(DataField(i, n, parse_type(t)) for i, (n, t) in enumerate(types.items()))
    spelled = {f"file-index.{k.replace('__', '.')}": v for k, v in options.items()}
    return TableSchema(id=0, fields=fields, highest_field_id=9, options=spelled)


def test_columns_and_keys_of_maps_are_named_with_their_settings() -> None:
    schema = table(bitmap__columns="id, m[k],m[x]", bitmap__m__version="1")
    schema.options["file-index.bitmap.m[x].version"] = "2"  # type: ignore[index]
    found = {c.name: (c.key, dict(c.settings)) for c in indexed_columns(schema)}
    assert found == {"id": (None, {}), "m[k]": ("k", {"version": "1"}), "m[x]": ("x", {"version": "2"})}


@pytest.mark.parametrize(
    "options",
    [
        {"lucene__columns": "id"},
        {"bitmap__columns": "nope"},
        {"bitmap__columns": "m"},
        {"bitmap__columns": "s[k]"},
        {"bitmap__columns": "id", "bitmap__s__version": "1"},
    ],
)
def test_what_cannot_be_indexed_is_named(options: dict[str, str]) -> None:
    with pytest.raises(InvalidRequestError):
        indexed_columns(table(**options))


@pytest.mark.parametrize(
    ("index", "text"),
    [("bloom-filter", "BOOLEAN"), ("bitmap", "DECIMAL(9, 2)"), ("bsi", "STRING"), ("range-bitmap", "BYTES")],
)
def test_a_type_that_an_index_does_not_hold_is_refused(index: str, text: str) -> None:
    with pytest.raises(UnsupportedError, match=index):
        builder_of(indexed(index, parse_type(text)))


def test_the_values_of_a_key_of_a_map_are_indexed() -> None:
    (column,) = indexed_columns(table(bsi__columns="m[k]"))
    builder = FileIndexBuilder([column])
    maps = from_python([[("k", 1)], None, [("z", 9)], [("k", -3)]], column.field.type)
    builder.add(pa.table({"m": maps}))
    data = builder.finish()
    assert data is not None
    (slot,) = (index := decode_file_index(data)).slots
    assert slot.column == "m[k]"
    assert index.payload(slot) == encode("bsi", [1, None, None, -3], parse_type("INT"))


def test_a_value_that_an_index_cannot_hold_leaves_the_file_without_it() -> None:
    kind = parse_type("BIGINT")
    builder = FileIndexBuilder([indexed("bsi", kind), indexed("bitmap v1", kind)])
    builder.add(pa.table({"c": from_python([-(1 << 63)], kind)}))
    data = builder.finish()
    assert data is not None
    assert [slot.index_type for slot in decode_file_index(data).slots] == ["bitmap"]
