"""Files of text: one column, a line a row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as _pc

from core.errors import UnsupportedError
from core.format_table.csv_files import joined_lines
from core.format_table.lines import line_blocks, lines_of
from core.types import CharType, DataField, VarCharType

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time


def check_text(fields: Sequence[DataField]) -> None:
    """`UnsupportedError` if these are not one column of text."""
    if len(fields) != 1 or not isinstance(fields[0].type, CharType | VarCharType):
        raise UnsupportedError(
            "files of text hold one column of text",
            feature="columns of file.format = text",
            columns=", ".join(field.name for field in fields),
        )


def iter_text(source: IO[bytes], field: DataField) -> Iterator[pa.RecordBatch]:
    """Batches of the lines; an empty line is an empty text."""
    for block in line_blocks(source):
        yield pa.RecordBatch.from_arrays([lines_of(block).cast(pa.string())], [field.name])


def write_text(rows: pa.Table, field: DataField, line_end: str) -> Iterator[bytes]:
    """The lines of some rows, in pieces; null is an empty line."""
    for batch in rows.to_batches():
        yield joined_lines(pc.fill_null(batch.column(field.name), ""), line_end)
