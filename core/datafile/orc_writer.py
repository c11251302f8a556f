"""One ORC file, written through Arrow. Spec: 04, A3 and A4.

The encoder gathers rows until they make a stripe and writes that through; it looks whether they
do at the end of each row group of its index. So a file passes its target by less than one stripe,
and what is in memory is a stripe, unpacked. TIME is stored as INT, which is all that ORC has for it;
CHAR and VARCHAR are stored as strings, which readers fill up or check themselves. There is no form for
VARIANT and VECTOR.

Arrow rounds seconds before 1970 towards zero and stores what is left as a negative number, of which
Java Paimon understands whole milliseconds only: finer times before 1970 are refused. So are times that
Arrow, which decodes all of ORC's as nanoseconds, could not read back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from pyarrow import orc

from core.arrow import arrow_type
from core.datafile.compression import Compression
from core.datafile.format_options import DEFAULT_SETTINGS, FormatOptions
from core.datafile.format_writer import FormatWriter
from core.datafile.recast import recast
from core.errors import UnsupportedError
from core.io.file_io import FileIO
from core.types import type_to_text
from core.types.data_types import (
    ArrayType,
    DataField,
    DataType,
    MapType,
    MultisetType,
    RowType,
    TimeType,
    VariantType,
    VectorType,
)

Column: TypeAlias = Any  # a pa.Array: which one is known when it runs, not to its stubs

_INDEX_ROWS = 10_000  # as Java writes
_DISTINCT_SHARE = 0.8  # texts with fewer distinct ones get a dictionary, as Java writes


class OrcFileWriter(FormatWriter):
    """Rows reach the store stripe by stripe."""

    _writer: orc.ORCWriter | None = None

    def __init__(
        self,
        io: FileIO,
        path: str,
        fields: Sequence[DataField],
        compression: Compression,
        *,
        stripe_bytes: int,
        group_rows: int,
        settings: FormatOptions = DEFAULT_SETTINGS,
    ) -> None:
        """`stripe_bytes` are of memory; a stripe that has them is closed after `group_rows` rows.

        Raises `UnsupportedError` for a type that ORC files do not hold, before there is a file.
        """
        self._schema: pa.Schema = orc_schema(fields)
        super().__init__(io, path)
        codec: Any = "uncompressed" if compression.codec == "none" else compression.codec
        sink: Any = self._sink
        with self._or_given_up():
            self._writer = orc.ORCWriter(
                sink,
                compression=codec,
                # The encoder knows two strengths: level 1, and one that takes more time.
                compression_strategy="SPEED" if compression.zstd_level <= 1 else "COMPRESSION",
                stripe_size=stripe_bytes,
                row_index_stride=max(1, min(group_rows, settings.index_rows or _INDEX_ROWS)),
                dictionary_key_size_threshold=(
                    _DISTINCT_SHARE if settings.distinct_share is None else settings.distinct_share
                ),
            )

    def _write(self, rows: pa.Table) -> None:
        assert self._writer is not None
        columns = [recast(rows.column(field.name), field.type) for field in self._schema]
        for field, column in zip(self._schema, columns, strict=True):
            for leaf in (leaf for chunk in column.chunks for leaf in _leaves(chunk)):
                if pa.types.is_timestamp(leaf.type):
                    _check_times(leaf, field.name)
        self._writer.write(pa.Table.from_arrays(columns, schema=self._schema))

    def _finish(self) -> None:
        assert self._writer is not None
        self._writer.close()

    def _silence(self) -> None:
        if self._writer is not None:
            self._writer.is_open = False  # or its finalizer would write a footer


def orc_schema(fields: Sequence[DataField]) -> pa.Schema:
    """The Arrow schema from which the encoder makes that of a file with these columns.

    Raises:
        UnsupportedError: a type that ORC files do not hold.
    """
    return pa.schema([pa.field(f.name, orc_type(f.type)) for f in fields])


def orc_type(kind: DataType) -> pa.DataType:
    """The Arrow type from which the encoder makes the ORC type of Paimon's; raises as `orc_schema`."""
    match kind:
        case VariantType() | VectorType():
            feature = f"{type_to_text(kind)} in ORC files"
            raise UnsupportedError("ORC files do not hold this type", feature=feature)
        case TimeType():
            return pa.int32()
        case ArrayType(element):
            return pa.list_(orc_type(element))
        case MapType(key, value):
            return _map(orc_type(key), orc_type(value))
        case MultisetType(element):
            return _map(orc_type(element), pa.int32())
        case RowType(fields):
            return pa.struct([pa.field(f.name, orc_type(f.type)) for f in fields])
    return arrow_type(kind)


def _map(key: pa.DataType, value: pa.DataType) -> pa.DataType:
    kind: pa.DataType = pa.map_(key, value)
    return kind


_TICKS = {"ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}  # of a second
_SECONDS = (1 << 63) // 1_000_000_000  # before and after 1970 that nanoseconds can count


def _leaves(column: Column) -> Iterator[Column]:
    """The parts without parts of their own."""
    kind = column.type
    if pa.types.is_struct(kind):
        for child in column.flatten():
            yield from _leaves(child)
    elif pa.types.is_map(kind):
        entries = slice(column.offsets[0].as_py(), column.offsets[-1].as_py())
        yield from _leaves(column.keys[entries])
        yield from _leaves(column.items[entries])
    elif pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind):
        yield from _leaves(column.flatten())
    else:
        yield column


def _check_times(column: Column, name: str) -> None:
    """`UnsupportedError` for times that would not be read as they are."""
    ticks = _TICKS[column.type.unit]
    times: Any = column.drop_null().cast(pa.int64()).to_numpy()
    if np.any(times[times < 0] % max(1, ticks // 1_000)):
        raise UnsupportedError(
            "Java Paimon would read these times wrongly",
            feature="times before 1970 with parts of a millisecond in ORC files",
            column=name,
        )
    seconds = times // ticks
    if np.any((seconds < -_SECONDS) | (seconds >= _SECONDS)):
        raise UnsupportedError(
            "Arrow would not read these times back",
            feature="times before 1677 or after 2262 in ORC files",
            column=name,
        )
