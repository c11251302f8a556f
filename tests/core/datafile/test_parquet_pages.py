"""Rows of a parquet file by pages: as many as must be, and the same values. Spec: 09, 8."""

from __future__ import annotations

import io
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyroaring import BitMap

from core.datafile import parquet
from core.datafile.parquet import RowFilter, iter_parquet
from core.datafile.parquet_pages import PageIndex, common_rows, pieces, ranges_of
from core.datafile.thrift import decode_struct, encode_struct
from core.errors import FormatError
from core.predicate import bind, evaluate, parse_predicate, references, split_and, to_expression
from core.types import DataField
from tests.builders import fields

ROWS = 5000
FIELDS = fields(
    k="INT",
    v="BIGINT",
    s="STRING",
    d="DECIMAL(12, 2)",
    w="DECIMAL(25, 3)",
    f="DOUBLE",
    t="TIMESTAMP(6)",
    day="DATE",
)


def columns() -> pa.Table:
    """Keys in order, so that pages have narrow ranges; other columns roughly follow them."""
    numbers = np.arange(ROWS)
    texts = [None if n % 97 == 0 else f"s{n // 10:04d}" for n in numbers.tolist()]
    arrays = [
        pa.array(numbers, pa.int32()),
        pa.array(numbers * 7 % 1000, pa.int64(), mask=(numbers > 4000) & (numbers < 4600)),
        pa.array(texts),
        pa.array([Decimal(n).scaleb(-2) for n in numbers.tolist()], pa.decimal128(12, 2)),
        pa.array([Decimal(n).scaleb(-3) for n in numbers.tolist()], pa.decimal128(25, 3)),
        pa.array(np.where(numbers % 500 == 3, np.nan, numbers / 4)),
        pa.array(numbers * 1_000_000, pa.timestamp("us")),
        pa.array(numbers.astype(np.int32), pa.int32()).cast(pa.date32()),
    ]
    return pa.table(arrays, names=[field.name for field in FIELDS])


def written(**how: Any) -> bytes:
    sink = io.BytesIO()
    options: dict[str, Any] = {"write_page_index": True, "data_page_size": 900, "write_batch_size": 64} | how
    pq.write_table(columns(), sink, row_group_size=2500, store_decimal_as_integer=True, **options)
    return sink.getvalue()


FILES = {
    "plain": written(use_dictionary=False, compression="none"),
    "dictionaries": written(use_dictionary=True, compression="zstd"),
    "second pages": written(data_page_version="2.0", compression="snappy"),
}


@pytest.fixture(autouse=True)
def _small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "_PAGED_ROWS", 100)


def read(data: bytes, where: str, wanted: BitMap | None = None) -> list[tuple[int, pa.RecordBatch]]:
    source = io.BytesIO(data)
    names = [field.name for field in FIELDS]
    return list(
        iter_parquet(
            source, names, max_rows=1000, max_bytes=1 << 20, row_filters=filters(where), wanted=wanted
        )
    )


def filters(where: str) -> list[RowFilter]:
    by_name: dict[str, DataField] = {field.name: field for field in FIELDS}
    parts = split_and(bind(parse_predicate(where), FIELDS))
    return [RowFilter(tuple(by_name[n] for n in references(p)), to_expression(p), p) for p in parts]


def check(data: bytes, where: str) -> int:
    """The rows read, none of which may be wrong and among which all that match must be."""
    whole = columns()
    matching = evaluate(bind(parse_predicate(where), FIELDS), whole.combine_chunks().to_batches()[0])
    missing = set(np.flatnonzero(matching.to_numpy(zero_copy_only=False)).tolist())
    rows = 0
    for position, batch in read(data, where):
        expected = whole.slice(position, batch.num_rows)
        assert repr(pa.table(batch).to_pydict()) == repr(expected.to_pydict())
        missing -= set(range(position, position + batch.num_rows))
        rows += batch.num_rows
    assert not missing
    return rows


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    ("where", "most"),
    [
        ("k = 1234", 300),
        ("k IN (100, 4900)", 600),
        ("s = 's0123'", 600),
        ("d = 12.34", 600),
        ("w BETWEEN 1.234 AND 1.240", 600),
        ("t = '1970-01-01 00:20:34'", 600),
        ("day = '1973-05-19'", 600),
        ("k > 4990 AND v < 1000", 300),
        ("k = 7 OR k = 4999", 600),
        ("k < 30 OR s = 's0490'", 900),
        ("f < 5", 600),
        ("k = 1234 AND s = 's0000'", 0),
    ],
)
def test_few_pages_are_read_for_few_rows(name: str, where: str, most: int) -> None:
    assert check(FILES[name], where) <= most


LEAVES = st.one_of(
    st.builds(
        "{} {} {}".format,
        st.sampled_from("kv"),
        st.sampled_from(["=", "<", ">=", "<>"]),
        st.integers(-5, 5005),
    ),
    st.builds("s {} 's{:04d}'".format, st.sampled_from(["=", "<", ">"]), st.integers(0, 505)),
    st.builds("{} IS {}NULL".format, st.sampled_from("sv"), st.sampled_from(["", "NOT "])),
)


@settings(max_examples=settings().max_examples // 5)
@given(
    st.lists(LEAVES, min_size=1, max_size=3), st.sampled_from([" AND ", " OR "]), st.sampled_from(list(FILES))
)
def test_no_matching_row_is_left_out(leaves: list[str], joint: str, name: str) -> None:
    check(FILES[name], joint.join(leaves))


def test_rows_that_are_wanted_are_read_with_their_neighbours_only() -> None:
    batches = read(FILES["plain"], "k >= 0", BitMap([17, 18, 4321]))
    assert [(position, batch.num_rows) for position, batch in batches] == [(17, 2), (4321, 1)]


def test_a_file_without_an_index_is_read_as_before() -> None:
    assert check(written(write_page_index=False), "k = 1234") == 2500


def test_a_garbage_index_is_not_used() -> None:
    data = bytearray(FILES["plain"])
    metadata = pq.ParquetFile(io.BytesIO(bytes(data))).metadata
    end = len(data) - 8 - metadata.serialized_size
    data[end - 4000 : end] = b"\xff" * 4000
    assert sum(batch.num_rows for _, batch in read(bytes(data), "k = 1234")) == 2500


def test_a_footer_is_written_again_as_it_was() -> None:
    data = FILES["dictionaries"]
    length = int.from_bytes(data[-8:-4], "little")
    footer = data[-8 - length : -8]
    assert encode_struct(decode_struct(footer)) == footer


@given(st.binary(max_size=60))
def test_bytes_that_are_no_struct_are_an_error(data: bytes) -> None:
    try:
        decode_struct(data)
    except FormatError:
        return
    assert data


RANGES = st.lists(st.tuples(st.integers(0, 60), st.integers(1, 9)), max_size=6)


def ordered(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    rows = sorted({row for start, length in pairs for row in range(start, start + length)})
    return [(row, row + 1) for row in rows]


@given(RANGES, RANGES)
def test_common_rows_are_those_in_both(left: list[tuple[int, int]], right: list[tuple[int, int]]) -> None:
    a, b = ordered(left), ordered(right)
    assert common_rows(a, b) == sorted(set(a) & set(b))


def test_ranges_are_cut_into_pieces_and_near_rows_joined() -> None:
    assert list(pieces([(0, 5), (9, 10)], 2)) == [(0, 2), (2, 4), (4, 5), (9, 10)]
    assert ranges_of(BitMap([3, 10, 9000]), 2, 20_000) == [(1, 9), (8998, 8999)]


def test_pages_of_a_column_are_all_its_rows() -> None:
    pages = PageIndex(io.BytesIO(FILES["plain"])).pages(1, "k")
    assert pages is not None
    assert pages.rows.sum() == 2500
    assert len(pages.rows) > 5


def test_bounds_of_wide_decimals_keep_every_digit() -> None:
    (field,) = fields(w="DECIMAL(38, 0)")
    rows = pa.table([pa.array([Decimal(10**33 + n) for n in range(1000)], pa.decimal128(38, 0))], names=["w"])
    sink = io.BytesIO()
    pq.write_table(rows, sink, write_page_index=True, data_page_size=900, write_batch_size=64)
    where = bind(parse_predicate(f"w = {10**33 + 500}"), [field])
    row_filters = [RowFilter((field,), to_expression(where), where)]
    read = iter_parquet(sink, ["w"], max_rows=1000, max_bytes=1 << 20, row_filters=row_filters)
    assert any(evaluate(where, batch).to_pylist().count(True) for _, batch in read)
