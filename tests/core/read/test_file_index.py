"""The index of a file decides which of its rows are read. Spec: 05, 9."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.catalog import open_catalog
from core.fileindex import encode_file_index
from core.io import MemoryFileIO
from core.predicate import bind, parse_predicate, split_and
from core.read.file_index import IndexUse, ask_file_index
from core.read.file_reader import FileReader
from core.types import DataField
from tests.builders import data_file, fields
from tests.core.fileindex.columns import encode

CORPORA = Path(__file__).parents[2] / "corpora"
FIELDS = fields(a="INT", s="STRING")
INT, STRING = FIELDS[0].type, FIELDS[1].type
COLUMN = [1, 2, None, 2, 9]
CONTAINER = encode_file_index(
    {
        "a": {"bitmap": encode("bitmap v1", COLUMN, INT), "bsi": encode("bsi", COLUMN, INT)},
        "s": {"bloom-filter": encode("bloom-filter", ["x", "y"], STRING), "lumina": b"anything"},
        "m[k]": {"bloom-filter": None},
    }
)


def asked(where: str, *, embedded: bool = True, data: bytes = CONTAINER) -> IndexUse:
    io = MemoryFileIO()
    file = data_file("data-1.parquet")
    if embedded:
        file = replace(file, embedded_index=data)
    else:
        io.write("memory://t/bucket-0/data-1.parquet.index", data)
        file = replace(file, extra_files=("data-1.parquet.index",))
    conjuncts = split_and(bind(parse_predicate(where), FIELDS))
    return ask_file_index(io, "memory://t/bucket-0/data-1.parquet", file, conjuncts, FIELDS)


@pytest.mark.parametrize("embedded", [True, False])
@pytest.mark.parametrize(
    ("where", "rows"),
    [
        ("a = 2", [1, 3]),
        ("a > 1 AND a < 9", [1, 3]),
        ("a = 2 OR a IS NULL", [1, 2, 3]),
        ("a > 1 AND s = 'absent'", []),
        ("a = 2 OR s LIKE 'x%'", None),
        ("s LIKE 'x%'", None),
    ],
)
def test_indexes_of_several_columns_and_types_work_together(
    where: str, rows: Sequence[int] | None, embedded: bool
) -> None:
    found = asked(where, embedded=embedded)
    assert (None if found.rows is None else list(found.rows)) == rows


def test_what_was_asked_and_what_is_unknown_is_named() -> None:
    found = asked("s = 'x'")
    assert found.asked == ("bloom-filter(s)",)
    assert found.unused == ("index of unknown type lumina",)


@pytest.mark.parametrize("embedded", [True, False])
def test_a_damaged_index_is_not_used_and_says_so(embedded: bool) -> None:
    for data in (b"garbage", CONTAINER[:-40], CONTAINER[:9] + b"\7" + CONTAINER[10:]):
        found = asked("a = 2 AND s = 'x'", embedded=embedded, data=data)
        assert found.rows is None
        assert "the index cannot be used" in found.unused[0]


def test_a_head_larger_than_the_first_read_is_read_on() -> None:
    many: dict[str, dict[str, bytes | None]] = {f"column_{i}": {"bloom-filter": None} for i in range(500)}
    data = encode_file_index({**many, "a": {"bitmap": encode("bitmap v2", COLUMN, INT)}})
    assert list(asked("a = 9", embedded=False, data=data).rows or ()) == [4]


def read_positions(name: str, where: str) -> tuple[int, int]:
    """Rows that are decoded with and without a filter, before they are filtered."""
    table: Any = open_catalog(str(CORPORA / name.partition("/")[0])).get_table(name.partition("/")[2])
    rows = [0, 0]
    for at, filter in enumerate((None, where)):
        for split in table.plan(filter=filter).splits:
            reader = FileReader.of(table, table.schema, split)
            bound = () if filter is None else split_and(bind(parse_predicate(filter), table.schema.fields))
            wanted: tuple[DataField, ...] = table.schema.fields
            for file in split.files:
                rows[at] += sum(batch.num_rows for batch in reader.read(file, wanted, bound))
    return rows[0], rows[1]


@pytest.mark.parametrize(
    ("name", "where", "rows"),
    [
        ("java09/idx.bitmap_embedded", "c = 'red'", (80, 20)),
        ("java09/idx.bloom_file", "s = 'absent-in-range'", (120, 0)),
        ("java09bsi/idx.bsi_file_mixed", "n >= 400 AND c = 'a'", (40, 7)),
    ],
)
def test_only_rows_that_an_index_of_java_leaves_are_read(
    name: str, where: str, rows: tuple[int, int]
) -> None:
    assert read_positions(name, where) == rows


def test_a_table_whose_index_is_garbage_is_still_filtered() -> None:
    table = open_catalog(str(CORPORA / "damaged")).get_data_table("broken.garbage_file_index")
    assert table.to_arrow(filter="s = 'str-0007'").num_rows == 1
