"""Parquet data files, streamed: no more than a batch and one page a column are in memory."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from core.arrow import arrow_type
from core.datafile.system_fields import VALUE_KIND
from core.errors import UnsupportedError
from core.types import DataField, RowKind

_READ_BUFFER = 256 * 1024  # bytes a column chunk is read ahead; whole chunks can be 128 MB
_BATCH_BYTES = 16 * 1024 * 1024
_MIN_BATCH_ROWS = 64
_NANOS_REACH = 2**63 // 1_000_000  # milliseconds from 1970 that 64 bits of nanoseconds cover


@dataclass(frozen=True, slots=True)
class RowFilter:
    """A condition over columns of a file, in canonical types."""

    fields: tuple[DataField, ...]
    expression: pc.Expression

    def fits(self, schema: pa.Schema) -> bool:
        """Whether the file has the columns in just these types; otherwise the condition does not apply."""
        return all(
            field.name in schema.names and schema.field(field.name).type == arrow_type(field.type)
            for field in self.fields
        )


def iter_parquet(
    source: IO[bytes], columns: Sequence[str], *, max_rows: int, row_filters: Sequence[RowFilter] = ()
) -> Iterator[pa.RecordBatch]:
    """Batches of the columns that the file has of `columns`, in file order.

    Args:
        source: an open file.
        columns: top-level names; ones that the file lacks are ignored.
        max_rows: largest size of a batch; wide rows come in smaller ones.
        row_filters: row groups whose statistics rule one out are skipped; rows are not filtered.
    """
    with _open(source) as file:
        groups = _matching_row_groups(source, file, row_filters)
        if not groups:
            return
        present = [name for name in columns if name in file.schema_arrow.names]
        size = _batch_rows(file.metadata, max_rows)
        batches = file.iter_batches(size, row_groups=groups, columns=present)
        int96 = [name for name in present if name in _int96_columns(file)]
        if not int96:
            yield from batches
            return
        with _open(source, "ms") as coarse:
            for batch, millis in zip(batches, coarse.iter_batches(size, groups, int96), strict=True):
                _check_nanoseconds_fit(millis)
                yield batch


def proves_no_retracts(source: IO[bytes]) -> bool:
    """Whether the footer shows that every row is +I, or every row is +U.

    False where statistics are missing, or leave room for a retract between the two kinds.
    """
    with _open(source) as file:
        metadata = file.metadata
        index = file.schema_arrow.get_field_index(VALUE_KIND.name)
        if index < 0:
            return False
        column = metadata.schema.names.index(VALUE_KIND.name)
        ranges = [_kind_range(metadata.row_group(g).column(column)) for g in range(metadata.num_row_groups)]
    return all(low == high and low in (RowKind.INSERT, RowKind.UPDATE_AFTER) for low, high in ranges)


def _kind_range(chunk: pq.ColumnChunkMetaData) -> tuple[int | None, int | None]:
    statistics = chunk.statistics
    if statistics is None or not statistics.has_min_max or statistics.null_count:
        return None, None
    return statistics.min, statistics.max


def _open(source: IO[bytes], int96_unit: str = "ns") -> pq.ParquetFile:
    return pq.ParquetFile(
        source, buffer_size=_READ_BUFFER, pre_buffer=False, coerce_int96_timestamp_unit=int96_unit
    )


def _int96_columns(file: pq.ParquetFile) -> set[str]:
    """Top-level columns with an INT96 in them."""
    leaves = (file.schema.column(i) for i in range(len(file.schema)))
    return {leaf.path.partition(".")[0] for leaf in leaves if leaf.physical_type == "INT96"}


def _check_nanoseconds_fit(millis: pa.RecordBatch) -> None:
    """INT96 holds any date, but Arrow's decoder wraps around without a word outside 1677 to 2262.

    Java Paimon gives instants before 1970 a negative time of day, which Arrow takes as unsigned:
    in milliseconds they look 2^64 nanoseconds too late, and are right in nanoseconds. So dates
    from 2262 to 2846 cannot be told from them.
    """
    for name, column in zip(millis.schema.names, millis.columns, strict=True):
        for leaf in _leaves(column):
            bounds: Any = pc.min_max(leaf.cast(pa.int64())).as_py()
            if bounds["min"] is None:
                continue
            if bounds["min"] < -_NANOS_REACH or bounds["max"] - 2 * _NANOS_REACH > _NANOS_REACH:
                raise UnsupportedError(
                    "a timestamp is outside of what nanoseconds since 1970 can hold",
                    feature="TIMESTAMP(9) before 1677 or after 2262",
                    column=name,
                )


def _leaves(column: Any) -> Iterator[Any]:
    """The timestamp arrays in a column."""
    if pa.types.is_timestamp(column.type):
        yield column
    elif pa.types.is_struct(column.type):
        for child in column.flatten():
            yield from _leaves(child)
    elif pa.types.is_map(column.type):
        yield from _leaves(column.keys)
        yield from _leaves(column.items)
    elif pa.types.is_list(column.type):
        yield from _leaves(column.values)


def _matching_row_groups(
    source: IO[bytes], file: pq.ParquetFile, row_filters: Sequence[RowFilter]
) -> list[int]:
    groups = list(range(file.metadata.num_row_groups))
    usable = [f.expression for f in row_filters if f.fits(file.schema_arrow)]
    if not usable or not groups:
        return groups
    fragment: Any = ds.ParquetFileFormat().make_fragment(source)
    subset = fragment.subset(reduce(operator.and_, usable), schema=file.schema_arrow)
    return [info.id for info in subset.row_groups]


def _batch_rows(metadata: pq.FileMetaData, max_rows: int) -> int:
    """Rows of about `_BATCH_BYTES`, going by what the footer says of the decoded size."""
    groups = [metadata.row_group(g) for g in range(metadata.num_row_groups)]
    width = max((g.total_byte_size // max(g.num_rows, 1) for g in groups), default=0)
    return max(_MIN_BATCH_ROWS, min(max_rows, _BATCH_BYTES // max(width, 1)))
