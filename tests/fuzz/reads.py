"""A data file as input: a table reads it through a filter, and explains what of it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from io import BytesIO
from unittest import mock
from zlib import crc32

import pyarrow.parquet as pq

from core.datafile import parquet
from core.io import MemoryFileIO
from core.read import explain_plan, read_plan
from core.scan.plan import Plan
from core.table import Table
from tests.tables import data_paths, new_table, put

_COLUMNS = {"id": "BIGINT", "name": "STRING", "price": "DECIMAL(9, 2)", "tags": "ARRAY<STRING>"}
_FILTERS = (
    "id BETWEEN 700 AND 720",
    "name LIKE 'n7%' AND id > 3",
    "price > 3.5 OR name IS NULL",
    "NOT (id < 900 AND name <> 'n1')",
)
_ROWS = 2000


def filtered(file_format: str) -> Callable[[bytes], object]:
    """The target of a format."""

    def target(data: bytes) -> int:
        table, path, _, plans = _table(file_format)
        table.io.write(path, data)
        with mock.patch.object(parquet, "_PAGED_ROWS", 100):  # small row groups are not looked into
            plan = plans[crc32(data) % len(plans)]  # one of them: four times as many inputs
            explain_plan(table, plan)
            return sum(batch.num_rows for batch in read_plan(table, plan))

    return target


def written(file_format: str) -> Callable[[], Iterator[bytes]]:
    """The file as our writer makes it."""

    return lambda: iter([_table(file_format)[2]])


@cache
def _table(file_format: str) -> tuple[Table, str, bytes, list[Plan]]:
    """A table of one file, the file's path and bytes, and reads of it."""
    options = {"file__format": file_format, "file__block_size": "8 kb"}
    table = new_table(_COLUMNS, io=MemoryFileIO(), bucket="-1", **options)
    put(table, *((i, None if i % 9 == 0 else f"n{i % 50}", i * 7, ["x", None]) for i in range(_ROWS)))
    (path,) = data_paths(table)
    data = table.io.read(path)
    data = _in_pages(data) if file_format == "parquet" else data
    return table, path, data, [table.plan(filter=text) for text in _FILTERS]


def _in_pages(data: bytes) -> bytes:
    """A Parquet file as one row group of many pages, which their index tells apart."""
    sink = BytesIO()
    rows = pq.read_table(BytesIO(data))
    pq.write_table(rows, sink, write_page_index=True, data_page_size=900, write_batch_size=64)
    return sink.getvalue()
