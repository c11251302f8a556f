"""Rows that compactions leave out because their time has passed. Spec: 07, 8. Reads do not look at it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pyarrow as pa
import pyarrow.compute as _pc

from core.arrow import arrow_type, from_python
from core.binary import decode_row
from core.errors import InvalidRequestError
from core.manifest.file_meta import DataFileMeta
from core.options import RECORD_LEVEL_EXPIRE_TIME, RECORD_LEVEL_TIME_FIELD
from core.schema.table_schema import TableSchema
from core.types.data_types import DataField
from core.write.target import WriteTarget

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

_FIRST_MILLIS = 10**12  # a BIGINT from here on counts milliseconds, one below it seconds
_TO_SECONDS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


@dataclass(frozen=True, slots=True)
class RowExpiry:
    """What `record-level.expire-time` and `record-level.time-field` say at a time."""

    field: DataField
    oldest: int  # epoch seconds; rows of before are past their time

    @staticmethod
    def of(table: WriteTarget, now_seconds: int | None = None) -> RowExpiry | None:
        """None if rows of the table stay.

        Raises:
            InvalidRequestError: the column of the times is not named, or no such.
        """
        kept = table.options.get(RECORD_LEVEL_EXPIRE_TIME)
        if kept is None or not table.schema.primary_keys:
            return None
        name = table.options.get(RECORD_LEVEL_TIME_FIELD)
        if name is None or name not in table.schema.field_names:
            raise InvalidRequestError(
                "rows expire by a column that is not there", option=RECORD_LEVEL_TIME_FIELD.key, found=name
            )
        now = int(time.time()) if now_seconds is None else now_seconds
        return RowExpiry(table.schema.field(name), now - kept // timedelta(seconds=1))

    def kept(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        """The rows whose time has not passed, or is not known."""
        alive = pc.fill_null(pc.greater_equal(_seconds(rows.column(self.field.name)), self.oldest), True)
        return rows if pc.all(alive).as_py() else rows.filter(alive)

    def touches(self, file: DataFileMeta, schema: TableSchema) -> bool:
        """Whether the statistics of a file, written with `schema`, say that a row of it is past its time."""
        names = file.value_stats_cols if file.value_stats_cols is not None else schema.field_names
        stored = {field.id: field for field in schema.fields_of(names)}
        field = stored.get(self.field.id)
        if field is None or type(field.type) is not type(self.field.type):
            return False
        types = [f.type.with_nullability(True) for f in stored.values()]
        at = list(stored).index(self.field.id)
        smallest = decode_row(types, file.value_stats.min_values)[at]
        if smallest is None:
            return False
        seconds = _seconds(from_python([smallest], field.type).cast(arrow_type(field.type)))
        return bool(seconds[0].as_py() < self.oldest)


def expired_files(table: WriteTarget, now_seconds: int | None = None) -> Callable[[DataFileMeta], bool]:
    """A test of files: whether a full compaction rewrites them for the rows that are past their time."""
    expiry = RowExpiry.of(table, now_seconds)
    if expiry is None:
        return lambda file: False

    def is_expired(file: DataFileMeta) -> bool:
        own = file.schema_id == table.schema.id
        return expiry.touches(file, table.schema if own else table.schemas.get(file.schema_id))

    return is_expired


def _seconds(column: Any) -> Any:
    """Whole epoch seconds of a column of times."""
    if pa.types.is_timestamp(column.type):
        whole = pc.floor_temporal(column, unit="second")  # division would round times before 1970 up
        return pc.divide(whole.cast(pa.int64()), _TO_SECONDS[column.type.unit])
    numbers = column.cast(pa.int64())
    return pc.if_else(pc.greater_equal(numbers, _FIRST_MILLIS), pc.divide(numbers, 1000), numbers)
