"""Parquet data files, streamed: no more than a batch and one page a column are in memory."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyroaring import BitMap

from core.arrow import arrow_type
from core.datafile.int96 import check_nanoseconds_fit, int96_columns
from core.datafile.parquet_pages import (
    PageIndex,
    Range,
    common_rows,
    is_worth_while,
    near_joined,
    pieces,
    ranges_of,
)
from core.datafile.system_fields import VALUE_KIND
from core.errors import FormatError
from core.predicate import Predicate
from core.types import DataField, RowKind

_READ_BUFFER = 256 * 1024  # bytes a column chunk is read ahead; whole chunks can be 128 MB
_PROBED_ROWS = 256
# A row group is looked into by pages from this size on: below, decoding it costs no more than its index.
_PAGED_ROWS = 256 * 1024
_PAGED_SHARE = 0.5  # and decoded by pages where no more of its rows are left
_LARGEST_DICTIONARY = 64 * 1024  # bytes, compressed: each batch gets a copy
_MOST_INDEX_BYTES = 3  # a value's in pages that have indexes into a dictionary alone


@dataclass(frozen=True, slots=True)
class RowFilter:
    """A condition over columns of a file, in canonical types."""

    fields: tuple[DataField, ...]
    expression: pc.Expression
    predicate: Predicate  # the same

    def fits(self, schema: pa.Schema) -> bool:
        """Whether the file has the columns in just these types; otherwise the condition does not apply."""
        return all(
            field.name in schema.names and schema.field(field.name).type == arrow_type(field.type)
            for field in self.fields
        )


def iter_parquet(
    source: IO[bytes],
    columns: Sequence[str] | Callable[[pa.Schema], Sequence[str]],
    *,
    max_rows: int,
    max_bytes: int,
    row_filters: Sequence[RowFilter] = (),
    wanted: BitMap | None = None,
) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Batches of the columns that the file has of `columns`, in file order.

    Each stands beside the position of its first row in the file.

    Args:
        source: an open file.
        columns: top-level names, or what tells them from the file's own schema; ones that the file lacks are
            ignored.
        max_rows: the most rows of a batch.
        max_bytes: about the most bytes of a batch; wide rows come in smaller ones.
        row_filters: row groups and pages whose statistics rule one out are skipped; rows are not filtered.
        wanted: positions of rows; row groups and pages without any of them are skipped.
    """
    with _open(source) as file:
        groups = _matching_row_groups(source, file, row_filters)
        columns = columns(file.schema_arrow) if callable(columns) else columns
        present = [name for name in columns if name in file.schema_arrow.names]
        rows = [file.metadata.row_group(g).num_rows for g in range(file.metadata.num_row_groups)]
        starts = [0, *accumulate(rows)]
        if wanted is not None:
            groups = [g for g in groups if wanted.range_cardinality(starts[g], starts[g + 1])]
        if not groups:
            return
        if not present:  # the rows are there all the same
            for group in groups:
                yield starts[group], pa.record_batch({"": pa.nulls(rows[group])})
            return
        decoder = _with_dictionaries(source, file, groups, present)
        size = _BatchSize(max_rows, max_bytes, _first_width(decoder, groups[0], present))
        int96 = [name for name in present if name in int96_columns(file)]
        pages = PageIndex(source)
        for group in groups:
            ranges = _ranges(file, pages, group, row_filters, wanted, starts[group])
            if ranges is not None and not int96 and pages.is_flat(present):
                for position, batch in _from_pages(file, pages, group, present, pieces(ranges, size.rows)):
                    yield starts[group] + position, batch
                continue
            batches = decoder.iter_batches(size.rows, [group], present)
            if int96:
                batches = _checked(source, batches, size.rows, group, int96)
            position = starts[group]
            for batch in batches:
                size.learn(batch)
                yield position, batch
                position += batch.num_rows


def _ranges(
    file: pq.ParquetFile,
    pages: PageIndex,
    group: int,
    row_filters: Sequence[RowFilter],
    wanted: BitMap | None,
    start: int,
) -> list[Range] | None:
    """The rows of a row group to decode; None where it is decoded as a whole."""
    row_count = file.metadata.row_group(group).num_rows
    asked = [(f.predicate, f.fields) for f in row_filters if f.fits(file.schema_arrow)]
    if not (asked or wanted is not None) or not is_worth_while(file, group, _PAGED_ROWS):
        return None
    if not file.metadata.row_group(group).column(0).has_offset_index:
        return None
    ranges = [(0, row_count)] if wanted is None else ranges_of(wanted, start, start + row_count)
    try:
        ranges = near_joined(common_rows(ranges, pages.matching_ranges(group, asked)))
    except FormatError:
        return None  # an index only speeds reads up
    left = sum(end - begin for begin, end in ranges)
    return ranges if left <= _PAGED_SHARE * row_count else None


@dataclass(frozen=True, slots=True)
class ParquetParts:
    """How much of a file filters leave to decode."""

    groups: int  # row groups of the file
    kept_groups: int
    group_rows: int  # in those that are kept
    page_rows: int  # of these, in pages that are decoded


def parts_to_read(
    source: IO[bytes], row_filters: Sequence[RowFilter], wanted: BitMap | None = None
) -> ParquetParts:
    """What `iter_parquet` would decode of an open file for flat columns."""
    with _open(source) as file:
        count = file.metadata.num_row_groups
        rows = [file.metadata.row_group(g).num_rows for g in range(count)]
        starts = [0, *accumulate(rows)]
        groups = _matching_row_groups(source, file, row_filters)
        if wanted is not None:
            groups = [g for g in groups if wanted.range_cardinality(starts[g], starts[g + 1])]
        pages, paged = PageIndex(source), 0
        for group in groups:
            ranges = _ranges(file, pages, group, row_filters, wanted, starts[group])
            paged += rows[group] if ranges is None else sum(end - begin for begin, end in ranges)
        return ParquetParts(count, len(groups), sum(rows[g] for g in groups), paged)


def _from_pages(
    file: pq.ParquetFile,
    pages: PageIndex,
    group: int,
    columns: Sequence[str],
    ranges: Iterator[Range],
) -> Iterator[tuple[int, pa.RecordBatch]]:
    """The rows of some ranges, each beside the position of its first row in the row group."""
    for rows in ranges:
        read = [pages.read_column(group, column, rows) for column in columns]
        table = pa.table(
            [column.cast(file.schema_arrow.field(n).type) for n, column in zip(columns, read, strict=True)],
            names=list(columns),
        )
        for batch in table.combine_chunks().to_batches():
            yield rows[0], batch


@dataclass(slots=True)
class _BatchSize:
    """How many rows make a batch of `max_bytes`, going by the widest ones decoded so far.

    The footer does not tell: a dictionary of a few long texts is small there and large here.
    """

    max_rows: int
    max_bytes: int
    width: int  # bytes of a row

    @property
    def rows(self) -> int:
        return max(1, min(self.max_rows, self.max_bytes // max(self.width, 1)))

    def learn(self, batch: pa.RecordBatch) -> None:
        self.width = max(self.width, _row_width(batch))


def _first_width(file: pq.ParquetFile, group: int, columns: Sequence[str]) -> int:
    """Bytes of a row: the types say it, or else the first rows of columns without a fixed width."""
    types = {name: file.schema_arrow.field(name).type for name in columns}
    varying = [name for name, kind in types.items() if not pa.types.is_primitive(kind)]
    bits: int = sum(kind.bit_width for name, kind in types.items() if name not in varying)
    first = next(file.iter_batches(_PROBED_ROWS, [group], varying), None) if varying else None
    return bits // 8 + 1 + (_row_width(first) if first is not None else 0)


def _row_width(batch: pa.RecordBatch) -> int:
    """Bytes of a row; of a dictionary it is the longest text that counts, as it may be every row's."""
    columns: list[Any] = batch.columns
    plain: int = sum(c.nbytes for c in columns if not pa.types.is_dictionary(c.type)) // batch.num_rows
    texts = (c.dictionary for c in columns if pa.types.is_dictionary(c.type))
    return plain + sum(4 + (pc.max(pc.binary_length(text)).as_py() or 0) for text in texts)


def _with_dictionaries(
    source: IO[bytes], file: pq.ParquetFile, groups: Sequence[int], columns: Sequence[str]
) -> pq.ParquetFile:
    """The file, opened so that columns of few different texts are decoded as dictionaries.

    That takes a fifth of the time; making texts of them all takes less than the rest of it.
    """
    names = {
        chunk.path_in_schema
        for chunk in map(file.metadata.row_group(groups[0]).column, range(file.metadata.num_columns))
        if chunk.path_in_schema in columns and chunk.physical_type == "BYTE_ARRAY"
    }
    for group in groups:
        for chunk in map(file.metadata.row_group(group).column, range(file.metadata.num_columns)):
            if chunk.path_in_schema in names and not _has_few_values(chunk):
                names.remove(chunk.path_in_schema)
        if not names:
            return file
    return _open(source, dictionaries=sorted(names), metadata=file.metadata)


def _has_few_values(chunk: pq.ColumnChunkMetaData) -> bool:
    """Whether a small dictionary holds all values of a column chunk: others would be put into one, slowly."""
    start, end = chunk.dictionary_page_offset, chunk.data_page_offset
    if not start or not 0 < end - start <= _LARGEST_DICTIONARY:
        return False
    plain_too = {"PLAIN", "PLAIN_DICTIONARY"} <= set(chunk.encodings)
    return not plain_too and chunk.total_uncompressed_size <= _MOST_INDEX_BYTES * chunk.num_values


def _checked(
    source: IO[bytes], batches: Iterator[pa.RecordBatch], size: int, group: int, int96: list[str]
) -> Iterator[pa.RecordBatch]:
    """The batches, once their INT96 columns are known to fit."""
    with _open(source, "ms") as coarse:
        for batch, millis in zip(batches, coarse.iter_batches(size, [group], int96), strict=True):
            check_nanoseconds_fit(millis)
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


def _open(
    source: IO[bytes],
    int96_unit: str = "ns",
    dictionaries: Sequence[str] = (),
    metadata: pq.FileMetaData | None = None,
) -> pq.ParquetFile:
    return pq.ParquetFile(
        source,
        metadata=metadata,
        read_dictionary=list(dictionaries),
        buffer_size=_READ_BUFFER,
        pre_buffer=False,
        coerce_int96_timestamp_unit=int96_unit,
    )


def _matching_row_groups(
    source: IO[bytes], file: pq.ParquetFile, row_filters: Sequence[RowFilter]
) -> list[int]:
    groups = list(range(file.metadata.num_row_groups))
    usable = [f.expression for f in row_filters if f.fits(file.schema_arrow)]
    if not usable or not groups:
        return groups
    import pyarrow.dataset as ds  # here, as it imports pandas where that is installed

    fragment: Any = ds.ParquetFileFormat().make_fragment(source)
    subset = fragment.subset(reduce(operator.and_, usable), schema=file.schema_arrow)
    return [info.id for info in subset.row_groups]
