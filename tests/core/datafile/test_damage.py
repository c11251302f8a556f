"""Damaged data files give errors of ours, with the path, and nothing else. Spec: 04, A3."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from io import BytesIO

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import orc

from core.arrow import arrow_schema, from_python
from core.avro import encode_container
from core.datafile.read import read_data_file
from core.errors import FormatError, NotFoundError, PaimonError, UnsupportedError
from core.io import MemoryFileIO
from core.types import DataField, parse_type

FORMATS = ["parquet", "orc", "avro"]
FEWER = settings(max_examples=settings().max_examples // 5)  # of each format
FIELDS = tuple(
    DataField(i, name, parse_type(text))
    for i, (name, text) in enumerate([("id", "BIGINT"), ("name", "STRING"), ("tags", "ARRAY<STRING>")])
)
ROWS = [(i, None if i % 7 == 0 else f"name {i % 5}", [f"t{i}", "x"]) for i in range(50)]


@cache
def file_of(file_format: str) -> bytes:
    columns = [from_python([row[i] for row in ROWS], f.type) for i, f in enumerate(FIELDS)]
    table = pa.Table.from_arrays(columns, schema=arrow_schema(FIELDS))
    sink = BytesIO()
    match file_format:
        case "parquet":
            pq.write_table(table, sink, row_group_size=20, compression="zstd")
        case "orc":
            orc.write_table(table, sink, compression="zstd")
        case _:
            tags = {"type": "array", "items": ["null", "string"]}
            members = [("id", "long"), ("name", "string"), ("tags", tags)]
            schema = {
                "type": "record",
                "name": "record",
                "fields": [{"name": name, "type": ["null", kind]} for name, kind in members],
            }
            return encode_container(schema, table.to_pylist())
    return sink.getvalue()


def read(file_format: str, data: bytes) -> int:
    """How many rows are read of a file with these bytes."""
    io = MemoryFileIO()
    path = f"memory://t/bucket-0/data-1.{file_format}"
    io.write(path, data)
    try:
        return sum(batch.num_rows for batch in read_data_file(io, path, FIELDS))
    except PaimonError as error:
        if error.fields.get("path") != path:
            raise AssertionError("the error does not say which file it is about") from error
        raise


@pytest.mark.parametrize("file_format", FORMATS)
def test_the_file_itself_is_read(file_format: str) -> None:
    assert read(file_format, file_of(file_format)) == len(ROWS)


@pytest.mark.parametrize("file_format", FORMATS)
@FEWER
@given(data=st.data())
def test_a_cut_file_is_refused(file_format: str, data: st.DataObject) -> None:
    whole = file_of(file_format)
    end = data.draw(st.integers(0, len(whole) - 1))
    if file_format == "avro":  # a file may end between two blocks
        with suppress(FormatError, UnsupportedError):
            assert read(file_format, whole[:end]) < len(ROWS)
        return
    with pytest.raises((FormatError, UnsupportedError)):
        read(file_format, whole[:end])


@pytest.mark.parametrize("file_format", FORMATS)
@FEWER
@given(data=st.data())
def test_changed_bytes_give_rows_or_an_error_of_ours(file_format: str, data: st.DataObject) -> None:
    damaged = bytearray(file_of(file_format))
    places = st.tuples(st.integers(0, len(damaged) - 1), st.integers(0, 255))
    for place, value in data.draw(st.lists(places, min_size=1, max_size=4)):
        damaged[place] = value
    with suppress(FormatError, UnsupportedError):
        read(file_format, bytes(damaged))


@pytest.mark.parametrize("file_format", FORMATS)
@FEWER
@given(data=st.binary(max_size=200))
def test_anything_else_is_no_data_file(file_format: str, data: bytes) -> None:
    with pytest.raises((FormatError, UnsupportedError)):
        read(file_format, data)


@pytest.mark.parametrize("file_format", FORMATS)
def test_a_file_that_is_not_there_is_told_with_its_path(file_format: str) -> None:
    with pytest.raises(NotFoundError) as error:
        list(read_data_file(MemoryFileIO(), f"memory://t/data-1.{file_format}", FIELDS))
    assert str(error.value.fields["path"]).endswith(f"data-1.{file_format}")
