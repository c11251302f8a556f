"""`$file_key_ranges`: the smallest and largest key of each live data file. Spec: 04, B."""

from __future__ import annotations

from core.snapshot import Snapshot
from core.system.columns import Columns, Shows, SystemTableKind, fields_of, required
from core.system.files import live_file_columns
from core.table import Table
from core.types import STRING, BigIntType, IntType

FIELDS = fields_of(
    partition=STRING,
    bucket=required(IntType()),
    file_path=required(STRING),
    file_format=required(STRING),
    schema_id=required(BigIntType()),
    level=required(IntType()),
    record_count=required(BigIntType()),
    file_size_in_bytes=required(BigIntType()),
    min_key=STRING,
    max_key=STRING,
    first_row_id=BigIntType(),
)


def _read(table: Table, at: Snapshot | None) -> Columns:
    columns = live_file_columns(table, at)
    return {field.name: columns[field.name] for field in FIELDS}


FILE_KEY_RANGES = SystemTableKind("file_key_ranges", FIELDS, _read, shows=Shows.SNAPSHOT)
