"""The page index of a parquet file: which pages may hold matching rows, and reading just those.

pyarrow decodes whole row groups. Java writes one a file, of a million rows and more, with an
index of the smallest and largest value of each page; a look-up of one key needs one page a
column. So the index is read here, and a range of rows is decoded by giving pyarrow a file
made of the pages that hold it, with a footer that speaks of them alone: one such file a
column, as the pages of different columns begin at different rows.

Only flat columns are read so; of nested ones a page does not tell how many values it has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
from pyroaring import BitMap

from core.arrow import arrow_type
from core.binary.decode import decimal_value
from core.datafile.thrift import BINARY, I32, I64, LIST, STRUCT, Struct, decode_struct, encode_struct
from core.errors import FormatError
from core.predicate import ColumnStats, Predicate, may_match, references
from core.types import DataField

MAGIC = b"PAR1"
_MOST_CHUNKS = 512  # column chunks of a file; with more, its row groups are small and do as well
_NEAR_ROWS = 4096  # ranges of rows that are not farther apart are read as one

# Fields of FileMetaData, RowGroup, ColumnChunk, ColumnMetaData, OffsetIndex, PageLocation, ColumnIndex.
_SCHEMA, _ROW_GROUPS, _CREATED_BY = 2, 4, 6
_COLUMNS, _GROUP_BYTES, _GROUP_ROWS = 1, 2, 3
_CHUNK_OFFSET, _CHUNK_META = 2, 3
_OFFSET_INDEX_AT, _OFFSET_INDEX_LENGTH, _COLUMN_INDEX_AT, _COLUMN_INDEX_LENGTH = 4, 5, 6, 7
_META_TYPE, _META_ENCODINGS, _META_PATH, _META_CODEC = 1, 2, 3, 4
_META_VALUES, _META_RAW_SIZE, _META_SIZE, _META_DATA_PAGE, _META_DICTIONARY = 5, 6, 7, 9, 11
_KEPT_OF_META = (_META_TYPE, _META_ENCODINGS, _META_PATH, _META_CODEC, _META_RAW_SIZE)
_INT32, _INT64, _FLOAT, _DOUBLE, _BYTE_ARRAY, _FIXED = 1, 2, 4, 5, 6, 7
_NUMBERS = {_INT32: "<i4", _INT64: "<i8", _FLOAT: "<f4", _DOUBLE: "<f8"}

Numbers = npt.NDArray[np.int64]
Range = tuple[int, int]  # rows of a row group, the end not included


@dataclass(frozen=True, slots=True)
class Pages:
    """The pages of a column in a row group."""

    first_rows: Numbers
    offsets: Numbers
    sizes: Numbers  # bytes, compressed, with the page's head
    row_count: int  # of the row group

    @property
    def rows(self) -> Numbers:
        """How many rows each page has."""
        return np.diff(self.first_rows, append=self.row_count)


class PageIndex:
    """The footer of an open file, decoded once, and what it points to."""

    def __init__(self, source: IO[bytes]) -> None:
        self._source = source

    @cached_property
    def _footer(self) -> Struct:
        size = self._source.seek(0, 2)
        tail = self._read(size - 8, 8)
        length = int.from_bytes(tail[:4], "little")
        if tail[4:] != MAGIC or length + 8 > size:
            raise FormatError("not the end of a parquet file", expected=MAGIC, found=tail[4:])
        return decode_struct(self._read(size - 8 - length, length))

    def matching_ranges(
        self, group: int, predicates: Sequence[tuple[Predicate, Sequence[DataField]]]
    ) -> list[Range]:
        """Rows of a row group whose pages may satisfy all predicates, as ranges in order.

        Raises:
            FormatError: the footer or the index is damaged.
        """
        try:
            row_count = self._group(group)[_GROUP_ROWS][1]
            keep = [(0, row_count)]
            for predicate, fields in predicates:
                keep = common_rows(keep, self._may_match(group, predicate, fields, row_count))
            return keep
        except (KeyError, IndexError, TypeError, AttributeError) as error:
            raise FormatError("a page index that lacks something", found=repr(error)) from error

    def _may_match(
        self, group: int, predicate: Predicate, fields: Sequence[DataField], row_count: int
    ) -> list[Range]:
        """Pages of different columns begin at different rows: each piece between two beginnings is asked."""
        named = [field for field in fields if field.name in references(predicate)]
        found = {field.name: self._bounds(group, field) for field in named}
        known = {name: bounds for name, bounds in found.items() if bounds is not None}
        if len(known) < len(named) or not known:
            return [(0, row_count)]
        cuts = np.unique(np.concatenate([pages.first_rows for pages, _ in known.values()]))
        stats = {
            name: bounds.take(pa.array(np.searchsorted(pages.first_rows, cuts, "right") - 1))
            for name, (pages, bounds) in known.items()
        }
        # Null counts are those of whole pages: of a piece of one it is only known that it has some.
        counts = np.diff(cuts, append=row_count)
        if len(known) > 1:
            unknown = pa.nulls(len(cuts), pa.int64())
            stats = {name: ColumnStats(s.minimum, s.maximum, unknown) for name, s in stats.items()}
        mask = may_match(predicate, stats, pa.array(counts, pa.int64())).to_numpy(zero_copy_only=False)
        ends = [*cuts[1:].tolist(), row_count]
        return _merged([(a, b) for a, b, keep in zip(cuts.tolist(), ends, mask, strict=True) if keep], 0)

    def _bounds(self, group: int, field: DataField) -> tuple[Pages, ColumnStats] | None:
        """The pages of a column with their statistics; None where there is no index of them."""
        pages, chunk = self.pages(group, field.name), self._chunk(group, field.name)
        if pages is None or chunk is None or _COLUMN_INDEX_AT not in chunk:
            return None
        index = decode_struct(self._read(chunk[_COLUMN_INDEX_AT][1], chunk[_COLUMN_INDEX_LENGTH][1]))
        empty, lows, highs = (index[i][1][1] for i in (1, 2, 3))
        nulls = index[5][1][1] if 5 in index else [None] * len(empty)
        if not len(empty) == len(lows) == len(highs) == len(nulls) == len(pages.first_rows):
            raise FormatError("a page index of another number of pages", column=field.name)
        physical = chunk[_CHUNK_META][1][_META_TYPE][1]
        minimum, maximum = (_values(physical, field, v, empty) for v in (lows, highs))
        if minimum is None or maximum is None:
            return None
        rows = pages.rows.tolist()
        counts = [
            count if is_empty is False else rows[i]
            for i, (count, is_empty) in enumerate(zip(nulls, empty, strict=True))
        ]
        return pages, ColumnStats(minimum, maximum, pa.array(counts, pa.int64()))

    def pages(self, group: int, column: str) -> Pages | None:
        """The pages of a flat column; None where the file has no index of them."""
        chunk = self._chunk(group, column)
        if chunk is None or _OFFSET_INDEX_AT not in chunk:
            return None
        index = decode_struct(self._read(chunk[_OFFSET_INDEX_AT][1], chunk[_OFFSET_INDEX_LENGTH][1]))
        places = [(p[1][1], p[2][1], p[3][1]) for p in index[1][1][1]]
        offsets, sizes, firsts = np.array(places, dtype=np.int64).reshape(-1, 3).T
        return Pages(firsts, offsets, sizes, self._group(group)[_GROUP_ROWS][1])

    def read_column(self, group: int, column: str, rows: Range) -> pa.ChunkedArray[Any]:
        """The values of a flat column in a range of rows, decoded from the pages that hold them."""
        pages, chunk = self.pages(group, column), self._chunk(group, column)
        assert pages is not None
        assert chunk is not None
        first = int(np.searchsorted(pages.first_rows, rows[0], "right")) - 1
        end = int(np.searchsorted(pages.first_rows, rows[1], "left"))
        data = self._read(
            int(pages.offsets[first]),
            int(pages.offsets[end - 1] + pages.sizes[end - 1] - pages.offsets[first]),
        )
        count = int(pages.rows[first:end].sum())
        file = pa.BufferReader(self._file_of(chunk, column, self._dictionary(chunk, pages), data, count))
        # A few pages are no work for threads.
        table = pq.ParquetFile(file, pre_buffer=False).read(use_threads=False)
        return table.column(0).slice(rows[0] - int(pages.first_rows[first]), rows[1] - rows[0])

    def _dictionary(self, chunk: Struct, pages: Pages) -> bytes:
        """The dictionary page of a column chunk, which stands before its data pages; empty if it has none."""
        meta = chunk[_CHUNK_META][1]
        start, first = meta.get(_META_DICTIONARY, (0, 0))[1], int(pages.offsets[0])
        return self._read(start, first - start) if 0 < start < first else b""

    def _file_of(self, chunk: Struct, column: str, dictionary: bytes, data: bytes, rows: int) -> bytes:
        """A parquet file of one column that has these pages and no others."""
        meta: Struct = {i: v for i, v in chunk[_CHUNK_META][1].items() if i in _KEPT_OF_META}
        at = len(MAGIC) + len(dictionary)
        meta |= {
            _META_VALUES: (I64, rows),
            _META_SIZE: (I64, len(dictionary) + len(data)),
            _META_DATA_PAGE: (I64, at),
        }
        if dictionary:
            meta[_META_DICTIONARY] = (I64, len(MAGIC))
        of_chunk: Struct = {_CHUNK_OFFSET: (I64, at), _CHUNK_META: (STRUCT, meta)}
        group: Struct = {
            _COLUMNS: (LIST, (STRUCT, [of_chunk])),
            _GROUP_BYTES: (I64, len(data)),
            _GROUP_ROWS: (I64, rows),
        }
        root: Struct = {4: (BINARY, b"schema"), 5: (I32, 1)}
        footer: Struct = {
            1: (I32, 2),
            _SCHEMA: (LIST, (STRUCT, [root, self._leaves[column]])),
            3: (I64, rows),
            _ROW_GROUPS: (LIST, (STRUCT, [group])),
        }
        if _CREATED_BY in self._footer:
            footer[_CREATED_BY] = self._footer[_CREATED_BY]
        raw = encode_struct(footer)
        return MAGIC + dictionary + data + raw + len(raw).to_bytes(4, "little") + MAGIC

    @cached_property
    def _leaves(self) -> dict[str, Struct]:
        """The schema's elements that are flat columns, by name."""
        elements = self._footer[_SCHEMA][1][1]
        leaves, skip = {}, 0
        for element in elements[1:]:
            children = element.get(5, (I32, 0))[1]
            if skip:
                skip += children - 1
            elif children:
                skip = children
            elif element.get(3, (I32, 0))[1] != 2:  # not repeated
                leaves[element[4][1].decode("utf-8", "replace")] = element
        return leaves

    def is_flat(self, columns: Iterable[str]) -> bool:
        """Whether the file has all of the columns, as flat ones."""
        return all(column in self._leaves for column in columns)

    def _group(self, group: int) -> Struct:
        found: Struct = self._footer[_ROW_GROUPS][1][1][group]
        return found

    def _chunk(self, group: int, column: str) -> Struct | None:
        path = (BINARY, [column.encode()])
        chunks: list[Struct] = self._group(group)[_COLUMNS][1][1]
        return next((c for c in chunks if c[_CHUNK_META][1][_META_PATH][1] == path), None)

    def _read(self, offset: int, length: int) -> bytes:
        self._source.seek(max(offset, 0))
        data = self._source.read(max(length, 0))
        if offset < 0 or len(data) != length:
            raise FormatError(
                "a parquet file ends too early", offset=offset, expected=length, found=len(data)
            )
        return data


def _values(physical: int, field: DataField, raw: Sequence[bytes], empty: Sequence[bool]) -> Any:
    """Bounds of pages as an array of the column's canonical type; None where they cannot be compared."""
    kind = arrow_type(field.type)
    stored = [None if is_empty else value for value, is_empty in zip(raw, empty, strict=True)]
    try:
        if pa.types.is_decimal(kind) and physical in (_INT32, _INT64, _FIXED):
            order = "big" if physical == _FIXED else "little"
            unscaled = [v if v is None else int.from_bytes(v, order, signed=True) for v in stored]  # type: ignore[arg-type]
            return pa.array([v if v is None else decimal_value(v, kind.scale) for v in unscaled], kind)
        if physical == _BYTE_ARRAY and (pa.types.is_string(kind) or pa.types.is_binary(kind)):
            return pa.array(stored, pa.binary()).cast(kind)
        if physical in _NUMBERS and pa.types.is_primitive(kind) and not pa.types.is_boolean(kind):
            numbers = [None if v is None else np.frombuffer(v, _NUMBERS[physical])[0] for v in stored]
            plain = pa.array(numbers, pa.from_numpy_dtype(np.dtype(_NUMBERS[physical])))
            return plain.cast(kind) if pa.types.is_integer(kind) else plain.view(kind)
    except (pa.ArrowInvalid, ValueError):
        return None
    return None


def is_worth_while(file: pq.ParquetFile, group: int, least_rows: int) -> bool:
    """Whether a row group is large enough to look into, in a file whose footer is small enough to."""
    metadata = file.metadata
    chunks = metadata.num_row_groups * metadata.num_columns
    return chunks <= _MOST_CHUNKS and metadata.row_group(group).num_rows >= least_rows


def ranges_of(rows: BitMap, start: int, end: int) -> list[Range]:
    """The rows between two positions as ranges counted from the first; near ones are joined."""
    inside = np.array((rows & BitMap(range(start, end))).to_array(), dtype=np.int64) - start
    if not len(inside):
        return []
    breaks = np.flatnonzero(np.diff(inside) > _NEAR_ROWS)
    firsts, lasts = inside[np.append(0, breaks + 1)], inside[np.append(breaks, len(inside) - 1)]
    return list(zip(firsts.tolist(), (lasts + 1).tolist(), strict=True))


def near_joined(ranges: Sequence[Range]) -> list[Range]:
    """Ranges in order, those joined that are near."""
    return _merged(ranges, _NEAR_ROWS)


def pieces(ranges: Sequence[Range], max_rows: int) -> Iterator[Range]:
    """The ranges in pieces of at most `max_rows`."""
    for start, end in ranges:
        yield from pairwise([*range(start, end, max_rows), end])


def _merged(ranges: Sequence[Range], gap: int) -> list[Range]:
    merged: list[Range] = []
    for start, end in ranges:
        if merged and start - merged[-1][1] <= gap:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged


def common_rows(left: Sequence[Range], right: Sequence[Range]) -> list[Range]:
    """The rows in both of two lists of ranges in order."""
    found: list[Range] = []
    i = j = 0
    while i < len(left) and j < len(right):
        start, end = max(left[i][0], right[j][0]), min(left[i][1], right[j][1])
        if start < end:
            found.append((start, end))
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1
    return found
