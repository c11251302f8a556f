"""Parquet data files, streamed: no more than a batch and one page a column are in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from core.datafile.system_fields import VALUE_KIND
from core.types.row_kind import RowKind

_READ_BUFFER = 256 * 1024  # bytes a column chunk is read ahead; whole chunks can be 128 MB
_BATCH_BYTES = 16 * 1024 * 1024
_MIN_BATCH_ROWS = 64


def iter_parquet(
    source: IO[bytes], columns: Sequence[str], *, max_rows: int, row_filter: pc.Expression | None = None
) -> Iterator[pa.RecordBatch]:
    """Batches of the columns that the file has of `columns`, in file order.

    Args:
        source: an open file.
        columns: top-level names; ones that the file lacks are ignored.
        max_rows: largest size of a batch; wide rows come in smaller ones.
        row_filter: row groups whose statistics rule it out are skipped; rows are not filtered.
    """
    with _open(source) as file:
        groups = _matching_row_groups(source, file, row_filter)
        if groups:
            yield from file.iter_batches(
                batch_size=_batch_rows(file.metadata, max_rows),
                row_groups=groups,
                columns=[name for name in columns if name in file.schema_arrow.names],
            )


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


def _open(source: IO[bytes]) -> pq.ParquetFile:
    # INT96 comes as nanoseconds; field ids and foreign Arrow schemas play no part (names do).
    return pq.ParquetFile(
        source, buffer_size=_READ_BUFFER, pre_buffer=False, coerce_int96_timestamp_unit="ns"
    )


def _matching_row_groups(
    source: IO[bytes], file: pq.ParquetFile, row_filter: pc.Expression | None
) -> list[int]:
    groups = list(range(file.metadata.num_row_groups))
    if row_filter is None or len(groups) == 0:
        return groups
    fragment: Any = ds.ParquetFileFormat().make_fragment(source)
    return [info.id for info in fragment.subset(row_filter, schema=file.schema_arrow).row_groups]


def _batch_rows(metadata: pq.FileMetaData, max_rows: int) -> int:
    """Rows of about `_BATCH_BYTES`, going by what the footer says of the decoded size."""
    groups = [metadata.row_group(g) for g in range(metadata.num_row_groups)]
    width = max((g.total_byte_size // max(g.num_rows, 1) for g in groups), default=0)
    return max(_MIN_BATCH_ROWS, min(max_rows, _BATCH_BYTES // max(width, 1)))
