"""Writes batches to standard output, one format a function, none of them holding all rows."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from unicodedata import combining, east_asian_width

import pyarrow as pa
import pyarrow.compute as _pc

from core.cli.values import json_texts, plain_texts
from core.errors import InvalidRequestError

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time
Batches = Iterator[pa.RecordBatch]
_CHUNK_ROWS = 1000  # rows that are turned into text at once


def write(batches: Batches, schema: pa.Schema, form: str) -> None:
    """The batches on standard output, in the format `form`."""
    FORMATS[form](_small(batches), schema)


def limited(batches: Batches, limit: int | None) -> Batches:
    """The first `limit` rows, all where it is None; nothing behind them is read."""
    left = limit
    for batch in batches:
        if left is None:
            yield batch
            continue
        if left <= 0:
            return
        yield batch.slice(0, left)
        left -= batch.num_rows
        if left <= 0:
            return


def _small(batches: Batches) -> Batches:
    for batch in batches:
        for start in range(0, batch.num_rows, _CHUNK_ROWS):
            yield batch.slice(start, _CHUNK_ROWS)


def _table(batches: Batches, schema: pa.Schema) -> None:
    """Aligned columns; widths are those of the first thousand rows, longer values push the line out."""
    widths: list[int] = []
    right = [
        pa.types.is_integer(f.type) or pa.types.is_floating(f.type) or pa.types.is_decimal(f.type)
        for f in schema
    ]
    for batch in batches:
        columns = [_shown(plain_texts(column)) for column in batch.columns]
        if not widths:
            widths = _widths(schema.names, columns)
            _print_head(schema.names, widths, right)
        for row in zip(*columns, strict=True):
            sys.stdout.write(_line(row, widths, right))
    if not widths:
        _print_head(schema.names, [len(name) for name in schema.names], right)


def _shown(texts: Sequence[str | None]) -> list[str]:
    """One line a value: null spelled out, control characters escaped."""
    return ["null" if t is None else t if t.isprintable() else _escaped(t) for t in texts]


def _escaped(text: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _widths(names: Sequence[str], columns: Sequence[Sequence[str]]) -> list[int]:
    pairs = zip(names, columns, strict=True)
    return [max(map(_width, (name, *texts))) for name, texts in pairs]


def _print_head(names: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> None:
    sys.stdout.write(_line(names, widths, right))
    sys.stdout.write("  ".join("-" * width for width in widths) + "\n")


def _line(texts: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    cells = zip(texts, widths, right, strict=True)
    padded = ((text, " " * (width - _width(text)), is_right) for text, width, is_right in cells)
    return "  ".join(pad + text if is_right else text + pad for text, pad, is_right in padded).rstrip() + "\n"


def _width(text: str) -> int:
    """Columns of a terminal: two for a wide character, none for one that joins the one before."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def _json(batches: Batches, schema: pa.Schema) -> None:
    """One object a line."""
    keys = json_texts(pa.array(schema.names, pa.string()))
    for batch in batches:
        columns = [json_texts(column) for column in batch.columns]
        for row in zip(*columns, strict=True):
            sys.stdout.write("{" + ", ".join(f"{k}: {v}" for k, v in zip(keys, row, strict=True)) + "}\n")


def _csv(batches: Batches, schema: pa.Schema) -> None:
    """RFC 4180 with a head; null is nothing, an empty string is a pair of quotes."""
    sys.stdout.write(",".join(_cells(pa.array(schema.names, pa.string())).to_pylist()) + "\n")
    for batch in batches:
        cells = [_cells(pa.array(plain_texts(column), pa.string())) for column in batch.columns]
        lines = pc.binary_join_element_wise(*cells, ",")
        sys.stdout.write("".join(f"{line}\n" for line in lines.to_pylist()))


def _cells(texts: Any) -> Any:
    """The texts, those in quotes that would not be one cell without."""
    inner = pc.replace_substring(texts, '"', '""')
    quoted = pc.binary_join_element_wise('"', inner, '"', "")
    must = pc.or_(pc.match_substring_regex(texts, '[",\r\n]'), pc.equal(texts, ""))
    return pc.fill_null(pc.if_else(must, quoted, texts), "")


def _arrow(batches: Batches, schema: pa.Schema) -> None:
    """An Arrow IPC stream."""
    if sys.stdout.isatty():
        raise InvalidRequestError("an Arrow stream is binary: send it to a file or a pipe")
    sink: Any = sys.stdout.buffer
    with pa.ipc.new_stream(sink, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)


FORMATS: dict[str, Callable[[Batches, pa.Schema], None]] = {
    "table": _table,
    "json": _json,
    "csv": _csv,
    "arrow": _arrow,
}
