"""Statistics that ANALYZE computed for a snapshot: `statistics/stat-<uuid>-<n>`. Spec: 01, 11."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from core.errors import FormatError
from core.io.decoding import read_decoded
from core.io.file_io import FileIO
from core.io.json_object import JsonObject
from core.io.paths import TablePaths


@dataclass(frozen=True, slots=True)
class ColumnStatistics:
    """What was found of one column; None where it was not looked for."""

    column_id: int
    distinct_count: int | None = None
    minimum: str | None = None  # canonical text of the value
    maximum: str | None = None
    null_count: int | None = None
    average_length: int | None = None
    max_length: int | None = None


@dataclass(frozen=True, slots=True)
class TableStatistics:
    snapshot_id: int  # that they were computed for
    schema_id: int
    merged_record_count: int | None  # rows after merging
    merged_record_size: int | None  # bytes after merging
    columns: Mapping[str, ColumnStatistics]


# Disk name and attribute, in the order in which Java writes them.
_MEMBERS = {
    "colId": "column_id",
    "distinctCount": "distinct_count",
    "min": "minimum",
    "max": "maximum",
    "nullCount": "null_count",
    "avgLen": "average_length",
    "maxLen": "max_length",
}


def read_table_statistics(io: FileIO, paths: TablePaths, name: str) -> TableStatistics:
    """The statistics in the file that a snapshot names.

    Raises:
        NotFoundError: there is no such file. FormatError: it is damaged.
    """
    return read_decoded(io, paths.statistics_file(name), decode_table_statistics)


def decode_table_statistics(data: bytes) -> TableStatistics:
    """Raises `FormatError` for what is no statistics file."""
    whole = JsonObject.parse(data)
    columns = JsonObject.of(whole.members.get("colStats") or {})
    return TableStatistics(
        snapshot_id=whole.integer("snapshotId"),
        schema_id=whole.integer("schemaId"),
        merged_record_count=whole.integer_or_none("mergedRecordCount"),
        merged_record_size=whole.integer_or_none("mergedRecordSize"),
        columns={name: _column(name, value) for name, value in columns.members.items()},
    )


def _column(name: str, value: object) -> ColumnStatistics:
    try:
        found = JsonObject.of(value)
        return ColumnStatistics(
            found.integer("colId"),
            found.integer_or_none("distinctCount"),
            found.text_or_none("min"),
            found.text_or_none("max"),
            found.integer_or_none("nullCount"),
            found.integer_or_none("avgLen"),
            found.integer_or_none("maxLen"),
        )
    except FormatError as error:
        raise FormatError(error.what, column=name, **error.fields) from error


def encode_table_statistics(statistics: TableStatistics) -> bytes:
    """The file, laid out as Java prints it: what is not known is left out."""
    counts = {
        "snapshotId": statistics.snapshot_id,
        "schemaId": statistics.schema_id,
        "mergedRecordCount": statistics.merged_record_count,
        "mergedRecordSize": statistics.merged_record_size,
    }
    known = {name: count for name, count in counts.items() if count is not None}
    return _text({**known, "colStats": _columns(statistics)}).encode()


def column_statistics_text(statistics: TableStatistics) -> str:
    """The columns as JSON, laid out as Java prints it: what is not known is left out."""
    return _text(_columns(statistics))


def _text(value: object) -> str:
    text = json.dumps(value, indent=2, ensure_ascii=False, separators=(",", " : "))
    return re.sub(r"\{\}(?=\n\}|$)", "{ }", text)  # an empty object, at the end of the text or of its parent


def _columns(statistics: TableStatistics) -> dict[str, object]:
    return {name: _members(column) for name, column in statistics.columns.items()}


def _members(column: ColumnStatistics) -> dict[str, object]:
    values = ((name, getattr(column, attribute)) for name, attribute in _MEMBERS.items())
    return {name: value for name, value in values if value is not None}
