"""Timestamps of a parquet footer get their logical type: for files that hold INT96 as well.

pyarrow writes all timestamps of a file as INT96 or none. A table with TIMESTAMP(9) and
TIMESTAMP(3) needs both, as Java Paimon reads each by its physical type. So such a file is
written with its INT64 timestamps as plain integers, and what says that they are timestamps
is put into the footer afterwards. No offset in a file points behind its footer's start,
so the footer may grow.

The footer is a Thrift struct in the compact protocol; what is needed of that is here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from core.errors import FormatError

MAGIC = b"PAR1"

# Kinds of values in the compact protocol; FileMetaData has no map.
_BOOLEANS, _BYTE, _VARINTS, _DOUBLE, _BINARY, _LISTS, _STRUCT = (1, 2), 3, (4, 5, 6), 7, 8, (9, 10), 12

_SCHEMA = 2  # field of FileMetaData: the schema's elements, depth first
_NUM_CHILDREN = 5  # field of SchemaElement: absent in a leaf
_LOGICAL_TYPE = 10  # field of SchemaElement
_TIMESTAMP = 8  # member of the union LogicalType


class TimeUnit(Enum):
    """Member of the union TimeUnit."""

    MILLIS = 1
    MICROS = 2


@dataclass(frozen=True, slots=True)
class TimestampLogicalType:
    unit: TimeUnit
    utc: bool  # an instant, not a wall clock

    def encode(self) -> bytes:
        """The value of SchemaElement.logicalType: a union of a struct of a bool and a union."""
        unit = bytes([self.unit.value << 4 | _STRUCT, 0, 0])
        timestamp = bytes([0x11 if self.utc else 0x12, 1 << 4 | _STRUCT]) + unit + b"\0"
        return bytes([_TIMESTAMP << 4 | _STRUCT]) + timestamp + b"\0"


def annotate_timestamps(tail: bytes, columns: Mapping[int, TimestampLogicalType]) -> bytes:
    """The end of a file, from its footer on or from before, with logical types put in.

    Args:
        tail: the last bytes of a file, at least its footer, footer length and magic.
        columns: the number of each leaf column that is a timestamp, counted from 0.

    Raises:
        FormatError: no footer stands there.
    """
    length = int.from_bytes(tail[-8:-4], "little")
    if tail[-4:] != MAGIC or length + 8 > len(tail):
        raise FormatError("not the end of a parquet file", expected=MAGIC, found=tail[-4:])
    footer = tail[-8 - length : -8]
    parts, start = [], 0
    for leaf, (last_field, end) in enumerate(_leaf_elements(footer)):
        if leaf in columns:
            # `end` is where the struct's stop byte stands: one more field goes before it.
            header = bytes([(_LOGICAL_TYPE - last_field) << 4 | _STRUCT])
            parts += [footer[start:end], header, columns[leaf].encode()]
            start = end
    annotated = b"".join([*parts, footer[start:]])
    return tail[: -8 - length] + annotated + len(annotated).to_bytes(4, "little") + MAGIC


def _leaf_elements(footer: bytes) -> list[tuple[int, int]]:
    """Of each leaf of the schema: its last field's id, and the position of its stop byte."""
    reader = _Compact(footer)
    while (field := reader.field()) is not None:
        if field[0] != _SCHEMA:
            reader.skip(field[1])
            continue
        leaves = []
        for _ in range(reader.list_size()):
            fields = reader.struct_fields()
            if _NUM_CHILDREN not in fields:
                leaves.append((fields[-1], reader.position - 1))
        return leaves
    raise FormatError("a parquet footer without a schema", offset=reader.position)


class _Compact:
    """A position in Thrift's compact protocol."""

    __slots__ = ("_data", "_last", "position")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._last = 0
        self.position = 0

    def _byte(self) -> int:
        if self.position >= len(self._data):
            raise FormatError("a parquet footer ends within a value", offset=self.position)
        self.position += 1
        return self._data[self.position - 1]

    def _varint(self) -> int:
        value, shift = 0, 0
        while (byte := self._byte()) & 0x80:
            value |= (byte & 0x7F) << shift
            shift += 7
        return value | byte << shift

    def field(self) -> tuple[int, int] | None:
        """Id and type of the next field; None at the struct's end."""
        head = self._byte()
        if head == 0:
            return None
        delta, kind = head >> 4, head & 0x0F
        zigzag = 0 if delta else self._varint()
        self._last = self._last + delta if delta else (zigzag >> 1) ^ -(zigzag & 1)
        return self._last, kind

    def struct_fields(self) -> list[int]:
        """Ids of the fields of the struct that starts here; it is passed over."""
        outer, self._last = self._last, 0
        ids = []
        while (field := self.field()) is not None:
            ids.append(field[0])
            self.skip(field[1])
        self._last = outer
        return ids

    def list_size(self) -> int:
        head = self._byte()
        return head >> 4 if head >> 4 != 15 else self._varint()

    def skip(self, kind: int) -> None:
        """Pass over a value."""
        if kind in _BOOLEANS:
            return
        if kind == _BYTE:
            self.position += 1
        elif kind in _VARINTS:
            self._varint()
        elif kind == _DOUBLE:
            self.position += 8
        elif kind == _BINARY:
            length = self._varint()  # moves the position too
            self.position += length
        elif kind in _LISTS:
            head = self._data[self.position]
            for _ in range(self.list_size()):
                self.position += 1 if head & 0x0F in _BOOLEANS else 0
                self.skip(head & 0x0F)
        elif kind == _STRUCT:
            self.struct_fields()
        else:
            raise FormatError(
                "a parquet footer with a value of unknown kind", offset=self.position, found=kind
            )
