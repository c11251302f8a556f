"""What data files say of themselves, beside what other readers of the formats say of the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.compute as _pc
import pytest
from pyarrow import orc
from pyarrow import parquet as pq

from core.errors import FormatError, InvalidRequestError, UnsupportedError
from core.inspect.footers import FooterColumn, read_footer
from core.io import LocalFileIO

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time
CORPORA = Path(__file__).parents[2] / "corpora"
IO = LocalFileIO()


def files(extension: str, warehouse: str = "java09") -> list[Path]:
    """Some data files that real Paimon wrote."""
    found = sorted((CORPORA / warehouse).glob(f"*.db/*/**/data-*.{extension}"))
    assert found
    return found[:: max(1, len(found) // 12)]


def bounds(column: pa.ChunkedArray[Any]) -> tuple[Any, Any]:
    found = pc.min_max(column).as_py()
    return found["min"], found["max"]


def comparable(columns: tuple[FooterColumn, ...], table: pa.Table) -> Iterator[tuple[FooterColumn, Any]]:
    """The columns of the top that are told of with bounds, each with its values."""
    for column in columns:
        if column.low is not None and "." not in column.name:
            yield column, table.column(column.name)


@pytest.mark.parametrize("path", files("parquet"), ids=lambda path: path.parts[-3])
def test_a_parquet_footer_tells_rows_nulls_and_bounds_of_the_file(path: Path) -> None:
    footer, table = read_footer(IO, str(path)), pq.read_table(path)
    assert (footer.rows, sum(g.rows for g in footer.groups)) == (table.num_rows, table.num_rows)
    assert sum(c.size or 0 for c in footer.columns) == sum(g.size for g in footer.groups)
    for column, values in comparable(footer.columns, table):
        if pa.types.is_integer(values.type):
            assert (column.low, column.high) == bounds(values)
        assert column.nulls == values.null_count


@pytest.mark.parametrize("path", files("orc"), ids=lambda path: path.parts[-3])
def test_an_orc_tail_tells_rows_nulls_and_bounds_of_the_file(path: Path) -> None:
    footer, file = read_footer(IO, str(path)), orc.ORCFile(path)
    table = file.read()
    assert (footer.rows, footer.group_count) == (file.nrows, file.nstripes)
    assert footer.codec == file.compression.lower()
    assert [c.name for c in footer.columns] == table.column_names
    assert [c.nulls for c in footer.columns] == [values.null_count for values in table.columns]
    told = list(comparable(footer.columns, table))
    assert told
    for column, values in told:
        if not pa.types.is_timestamp(values.type) and column.type[:4] not in ("CHAR", "DECI", "FLOA"):
            assert (column.low, column.high) == bounds(values), column


@pytest.mark.parametrize("path", files("avro"), ids=lambda path: path.parts[-3])
def test_the_blocks_of_an_avro_file_are_counted_without_being_read(path: Path) -> None:
    footer = read_footer(IO, str(path))
    with path.open("rb") as file:
        blocks = list(fastavro.block_reader(file))
    assert [g.rows for g in footer.groups] == [block.num_records for block in blocks]
    assert footer.codec == blocks[0].codec
    assert [(c.nulls, c.low) for c in footer.columns] == [(None, None)] * len(footer.columns)


def test_one_row_group_is_told_apart_from_all(tmp_path: Path) -> None:
    path = tmp_path / "data-1.parquet"
    pq.write_table(pa.table({"id": range(100)}), path, row_group_size=40)
    assert [(g.rows, g.offset > 0) for g in read_footer(IO, str(path)).groups] == [
        (40, True),
        (40, True),
        (20, True),
    ]
    ends = [(c.low, c.high) for group in (None, 1, 2) for c in read_footer(IO, str(path), group).columns]
    assert ends == [(0, 99), (40, 79), (80, 99)]
    with pytest.raises(InvalidRequestError, match="no such row group"):
        read_footer(IO, str(path), 3)


def test_one_stripe_is_told_apart_from_all(tmp_path: Path) -> None:
    path = tmp_path / "data-1.orc"
    table = pa.table({"id": pa.array(range(200_000), pa.int64()), "x": [i / 2 for i in range(200_000)]})
    orc.write_table(table, path, stripe_size=1 << 16)
    count = orc.ORCFile(path).nstripes
    assert count > 1
    second = orc.ORCFile(path).read_stripe(1)
    found = {c.name: (c.low, c.high) for c in read_footer(IO, str(path), 1).columns}
    assert found == {name: bounds(pa.chunked_array([second.column(name)])) for name in ("id", "x")}


@pytest.mark.parametrize("extension", ["parquet", "orc", "avro"])
def test_a_file_that_is_cut_is_damaged(extension: str, tmp_path: Path) -> None:
    path = tmp_path / f"data-1.{extension}"
    path.write_bytes(files(extension)[0].read_bytes()[:-7])
    with pytest.raises(FormatError):
        read_footer(IO, str(path))


def test_what_has_no_footer_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedError, match="footer of blob files"):
        read_footer(IO, "data-1.blob")
