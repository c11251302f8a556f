"""Whole lists as lines: all pages of a list, streamed as NDJSON or CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rest_framework.utils.encoders import JSONEncoder

from console.api.negotiation import PassThrough


class NdjsonRenderer(PassThrough):
    media_type = "application/x-ndjson"
    format = "ndjson"


class CsvRenderer(PassThrough):
    media_type = "text/csv"
    format = "csv"


EXPORTS = {NdjsonRenderer.format, CsvRenderer.format}


def stream(rows: Iterable[Mapping[str, Any]], columns: list[str], format_: str) -> Iterator[str]:
    """The rows as text, a chunk a row."""
    return _csv(rows, columns) if format_ == CsvRenderer.format else _ndjson(rows)


def _ndjson(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    encoder = JSONEncoder(ensure_ascii=False, separators=(",", ":"))
    for row in rows:
        yield encoder.encode(row) + "\n"


def _csv(rows: Iterable[Mapping[str, Any]], columns: list[str]) -> Iterator[str]:
    line = io.StringIO()
    writer = csv.writer(line)
    writer.writerow(columns)
    for row in rows:
        yield _drained(line)
        writer.writerow([_cell(row.get(column)) for column in columns])
    yield _drained(line)


def _drained(line: io.StringIO) -> str:
    text = line.getvalue()
    line.seek(0)
    line.truncate()
    return text


def _cell(value: Any) -> Any:
    if isinstance(value, (dict, list)):
        return json.dumps(value, cls=JSONEncoder, ensure_ascii=False)
    text = "" if value is None else str(value)
    # A spreadsheet would run these as formulas.
    return (
        f"'{text}"
        if text[:1] in ("=", "+", "@", "\t", "\r") or (text[:1] == "-" and not _number(text))
        else text
    )


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
