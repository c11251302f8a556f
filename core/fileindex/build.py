"""Builds the file indexes of one data file while its rows are written. Spec: 05, 4 to 8.

A bloom filter holds its bits. The other types need all rows of the file at their end: until then a row
takes 4 bytes and the distinct values of each batch of rows are kept, for each column and type. An
index is left out of a file that it cannot hold (a value that is larger than a block, the smallest
BIGINT in a bit-sliced index): without it nothing is read wrongly, only slower.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as _pc
from pyroaring import BitMap

from core.arrow import arrow_type
from core.errors import InvalidRequestError, UnsupportedError
from core.fileindex.bitmap import DEFAULT_BLOCK_SIZE, encode_bitmap_index
from core.fileindex.bloom_filter import (
    DEFAULT_FALSE_POSITIVES,
    DEFAULT_ITEMS,
    BloomFilterBuilder,
    encode_bloom_filter,
)
from core.fileindex.bsi import encode_bsi
from core.fileindex.columns import IndexedColumn
from core.fileindex.container import encode_file_index
from core.fileindex.hashes import column_hashes
from core.fileindex.key_arrays import key_array
from core.fileindex.keys import Key, key_form
from core.fileindex.range_bitmap import DEFAULT_CHUNK_SIZE, encode_range_bitmap
from core.fileindex.roaring import bitmap_of
from core.options import parse_size
from core.types import (
    BooleanType,
    CharType,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    LocalZonedTimestampType,
    SmallIntType,
    TimestampType,
    TinyIntType,
    VarCharType,
)

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

_BITMAP_VERSION = "2"  # what the newest Paimon writes; 0.9 only reads 1


IndexName: TypeAlias = tuple[str, str]
"""The column, or `map[key]`, and the type of an index."""


class IndexBuilder(Protocol):
    """Makes the index of one column."""

    def add(self, column: pa.ChunkedArray[Any]) -> None:
        """Take the values of the next rows, in canonical form."""
        ...

    def payload(self) -> bytes:
        """The index of all rows. Raises `InvalidRequestError` if it cannot hold them."""
        ...


class FileIndexBuilder:
    """Makes all indexes of one data file."""

    def __init__(self, columns: Sequence[IndexedColumn]) -> None:
        self._builders = [(column, builder_of(column)) for column in columns]

    def add(self, rows: pa.Table) -> None:
        """Take the next rows of the file."""
        for column, builder in self._builders:
            values = rows.column(column.field.name)
            if column.key is not None:
                values = pc.map_lookup(values, pa.scalar(column.key), "last")
            builder.add(values)

    def finish(self) -> bytes | None:
        """The container of all indexes; None if there is none."""
        return container_of(self.payloads())

    def payloads(self) -> dict[IndexName, bytes | None]:
        """The bytes of each index, by column and type; those that the file cannot have are not there."""
        found: dict[IndexName, bytes | None] = {}
        for column, builder in self._builders:
            try:
                found[column.name, column.index_type] = builder.payload()
            except InvalidRequestError:
                continue  # the file goes without, see above
        return found


def container_of(payloads: Mapping[IndexName, bytes | None]) -> bytes | None:
    """The container of some indexes, by column and type; None if there is none."""
    columns: dict[str, dict[str, bytes | None]] = {}
    for (column, index_type), payload in payloads.items():
        columns.setdefault(column, {})[index_type] = payload
    return encode_file_index(columns) if columns else None


def builder_of(column: IndexedColumn) -> IndexBuilder:
    """An empty index.

    Raises:
        UnsupportedError: the type of index does not hold values of the column's type.
        InvalidRequestError: a setting is not legal.
    """
    try:
        return _BUILDERS[column.index_type](column)
    except UnsupportedError as error:
        feature = f"file index {column.index_type} of column {column.name}"
        raise UnsupportedError("the index does not hold values of this type", feature=feature) from error
    except ValueError as error:
        raise InvalidRequestError(
            f"a bad setting of a file index: {error}", column=column.name, index=column.index_type
        ) from error


class _Bloom:
    def __init__(self, column: IndexedColumn) -> None:
        self._type = column.type
        column_hashes(pa.array([], arrow_type(column.type)), column.type)  # refuses types without a hash
        self._builder = BloomFilterBuilder(
            int(column.settings.get("items", DEFAULT_ITEMS)),
            float(column.settings.get("fpp", DEFAULT_FALSE_POSITIVES)),
        )

    def add(self, column: pa.ChunkedArray[Any]) -> None:
        for chunk in column.chunks:
            self._builder.add(column_hashes(chunk.drop_null(), self._type))

    def payload(self) -> bytes:
        return encode_bloom_filter(self._builder.filter)


class _Keyed:
    """Remembers the key of each row as a code into the distinct keys."""

    def __init__(self, column: IndexedColumn) -> None:
        _refuse_unless(_holds(column.index_type, column.type))
        self._type = column.type
        self._settings = column.settings
        self._form = key_form(column.type)
        self._chunks: list[Any] = []
        self._rows = 0

    def add(self, column: pa.ChunkedArray[Any]) -> None:
        for chunk in column.chunks:
            self._chunks.append(key_array(chunk, self._type).dictionary_encode())
            self._rows += len(chunk)

    def _codes(self) -> tuple[Any, Any, Any]:
        """The distinct keys as an Arrow array, the rows that have one, and the place of each one's key."""
        if not self._chunks:
            return pa.array([], pa.int64()), np.empty(0, np.int64), np.empty(0, np.int64)
        chunks: list[Any] = pa.chunked_array(self._chunks).unify_dictionaries().chunks
        indices = pa.concat_arrays([chunk.indices for chunk in chunks])
        rows = np.flatnonzero(np.asarray(indices.is_valid()))
        return chunks[0].dictionary, rows, indices.drop_null().to_numpy().astype(np.int64)

    def _rows_by_key(self) -> dict[Key, BitMap]:
        keys, rows, codes = self._codes()
        order = np.argsort(codes, kind="stable")
        ends = np.cumsum(np.bincount(codes, minlength=len(keys)))
        parts = np.split(rows[order], ends[:-1]) if len(keys) else []
        pairs = zip(keys.to_pylist(), parts, strict=True)  # one a distinct value, as the index has it
        return {key: bitmap_of(part) for key, part in pairs if len(part)}


class _Bitmap(_Keyed):
    def __init__(self, column: IndexedColumn) -> None:
        super().__init__(column)
        self._version = int(column.settings.get("version", _BITMAP_VERSION))
        if self._version not in (1, 2):
            raise ValueError(f"version {self._version}; expected 1 or 2")
        self._block_size = _size(column.settings, "index-block-size", DEFAULT_BLOCK_SIZE)

    def payload(self) -> bytes:
        _, rows, _ = self._codes()
        is_null = np.ones(self._rows, np.bool_)
        is_null[rows] = False
        # Made of row numbers as all others are: a bitmap that is made of ranges is stored in another way.
        nulls = bitmap_of(np.flatnonzero(is_null))
        by_key = self._rows_by_key()
        return encode_bitmap_index(self._version, self._rows, by_key, nulls, self._form, self._block_size)


class _Bsi(_Keyed):
    def payload(self) -> bytes:
        keys, rows, codes = self._codes()
        return encode_bsi(self._rows, rows, keys.to_numpy()[codes])


class _RangeBitmap(_Keyed):
    def __init__(self, column: IndexedColumn) -> None:
        super().__init__(column)
        default = 0 if isinstance(column.type, _SMALL) else DEFAULT_CHUNK_SIZE
        self._chunk_size = _size(column.settings, "chunk-size", default)

    def payload(self) -> bytes:
        return encode_range_bitmap(self._rows, self._rows_by_key(), self._form, self._chunk_size)


_SMALL = (BooleanType, TinyIntType, SmallIntType)  # whose keys take a chunk each
_BUILDERS: Mapping[str, Callable[[IndexedColumn], IndexBuilder]] = {
    "bloom-filter": _Bloom,
    "bitmap": _Bitmap,
    "bsi": _Bsi,
    "range-bitmap": _RangeBitmap,
}


def _holds(index_type: str, kind: DataType) -> bool:
    """Whether an index that has keys for a type takes it."""
    if index_type == "bitmap":
        return not isinstance(kind, DecimalType)
    if index_type == "bsi":
        return not isinstance(kind, (BooleanType, FloatType, DoubleType, CharType, VarCharType))
    return not (isinstance(kind, (TimestampType, LocalZonedTimestampType)) and kind.precision > 6)


def _refuse_unless(held: bool) -> None:
    if not held:
        raise UnsupportedError("the index does not hold values of this type", feature="file index")


def _size(settings: Mapping[str, str], name: str, default: int) -> int:
    return parse_size(settings[name]) if name in settings else default
