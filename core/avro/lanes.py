"""Lock-step decoding: many values of one Avro type at a time, a numpy lane each.

Avro has no index into its rows: where a field begins is known only once everything before it
has been read, and a loop over rows in Python costs microseconds a field. But values that lie
apart are independent of one another, so all of them can take each step together. A node stands
for a type of the schema and has no state; it is given where a value begins in each lane:

- `skip(pos)` gives where the values end. Blocks side by side, row after row, this finds where
  every row begins (`blocks.py`).
- `read(pos)` gives the values as an Arrow column as well. By then all rows are side by side.

Bytes are not trusted: a position outside the buffer is an IndexError of numpy, which becomes a
FormatError, and a lane that does not end exactly where its block ends is one too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from core.arrow import Column
from core.avro.schema import AvroType, Nullable, Plain, Record, Repeated
from core.avro.varint import ends, numbers_and_ends
from core.binary.pieces import KEEP, Buffer, Longs, arrow_buffer, decimal_array, spread, text_array
from core.errors import FormatError

_pa: Any = pa  # its stubs have no overloads for types that are found at run time

_LONGEST_NULL_RUN = 8
_MOST_SMALL = 256  # items of an array that are looked at together
# The second branch, then a number of one byte; four times.
_SMALL_MASK, _SMALL = np.uint64(0x80FF80FF80FF80FF), np.uint64(0x0002000200020002)

Flags = np.ndarray[Any, np.dtype[np.bool_]]
Read: TypeAlias = tuple[Column, Longs]  # values, and where each ends


class Node(ABC):
    """A type of the schema. Positions are offsets into the buffer, and left as they are."""

    def __init__(self, buffer: Buffer) -> None:
        self._buffer = buffer

    @abstractmethod
    def skip(self, pos: Longs) -> Longs:
        """Where the values that begin at `pos` end."""

    @abstractmethod
    def read(self, pos: Longs) -> Read:
        """The values that begin at `pos`, in that order, and where they end."""


def node_of(kind: AvroType, buffer: Buffer) -> Node:
    match kind:
        case Plain(kind="bytes" | "string"):
            return _Text(kind, buffer)
        case Plain(kind="int" | "long"):
            return _Varint(kind, buffer)
        case Plain():
            return _Fixed(kind, buffer)
        case Nullable():
            return NullableNode(kind, buffer)
        case Record():
            return RecordNode(kind, buffer)
        case Repeated():
            return _Repeated(kind, buffer)


class _Varint(Node):
    """`int` and `long`: 7 bits a byte, zigzag."""

    def __init__(self, kind: Plain, buffer: Buffer) -> None:
        super().__init__(buffer)
        self._kind = kind

    def skip(self, pos: Longs) -> Longs:
        return ends(self._buffer, pos)

    def read(self, pos: Longs) -> Read:
        values, end = numbers_and_ends(self._buffer, pos)
        if self._kind.kind == "long":
            return pa.array(values).cast(self._kind.arrow), end
        narrow = values.astype(np.int32)
        if not np.array_equal(narrow, values):
            raise FormatError("an Avro int is beyond 32 bits")
        return pa.array(narrow).cast(self._kind.arrow), end


class _Text(Node):
    """`bytes` and `string`: a length, then as many bytes."""

    def __init__(self, kind: Plain, buffer: Buffer) -> None:
        super().__init__(buffer)
        self._kind = kind

    def skip(self, pos: Longs) -> Longs:
        length, start = self._bounds(pos)
        return start + length

    def read(self, pos: Longs) -> Read:
        length, start = self._bounds(pos)
        to_array = decimal_array if isinstance(self._kind.arrow, pa.Decimal128Type) else text_array
        return to_array(self._buffer, start, length, self._kind.arrow), start + length

    def _bounds(self, pos: Longs) -> tuple[Longs, Longs]:
        """Length and start of each."""
        length, start = numbers_and_ends(self._buffer, pos)
        if np.count_nonzero(length < 0):  # a lane that walks back might never come to an end
            raise FormatError("an Avro text has a negative length")
        return length, start


def _array(values: np.ndarray[Any, Any]) -> Column:
    column: Column = pa.array(values)
    return column


class _Fixed(Node):
    """`null`, `boolean`, `float`, `double` and `fixed`: always the same number of bytes."""

    def __init__(self, kind: Plain, buffer: Buffer) -> None:
        super().__init__(buffer)
        self._kind = kind
        self._size = kind.size or 0

    def skip(self, pos: Longs) -> Longs:
        return pos + self._size

    def read(self, pos: Longs) -> Read:
        return self._values(pos), pos + self._size

    def _values(self, pos: Longs) -> Column:
        match self._kind.kind:
            case "null":
                return pa.nulls(len(pos))
            case "boolean":
                return _array(self._buffer.bytes[pos] != 0)
            case "float":
                return _array(self._buffer.words[pos].astype("<u4").view("<f4"))
            case "double":
                return _array(self._buffer.words[pos].view("<f8"))
        if isinstance(self._kind.arrow, pa.Decimal128Type):
            return decimal_array(self._buffer, pos, np.full(len(pos), self._size), self._kind.arrow)
        pieces = self._buffer.bytes[pos[:, None] + np.arange(self._size)]
        return pa.Array.from_buffers(self._kind.arrow, len(pos), [None, arrow_buffer(pieces)])


class NullableNode(Node):
    """A union with null: one byte for the branch, then the value or nothing."""

    def __init__(self, kind: Nullable, buffer: Buffer) -> None:
        super().__init__(buffer)
        self._kind = kind
        self.null_code = 2 * kind.null_branch  # the branch as zigzag
        self.child = node_of(kind.inner, buffer)

    def skip(self, pos: Longs) -> Longs:
        valid = self._valid(pos)
        present = np.count_nonzero(valid)
        end = pos + 1
        if present == len(pos):
            return self.child.skip(end)
        if present:
            lanes = np.flatnonzero(valid)
            end[lanes] = self.child.skip(end[lanes])
        return end

    def read(self, pos: Longs) -> Read:
        valid = self._valid(pos)
        end = pos + 1
        if valid.all():
            return self.child.read(end)
        lanes = np.flatnonzero(valid)
        if not len(lanes):
            return _pa.nulls(len(pos), self._kind.arrow), end
        values, end[lanes] = self.child.read(end[lanes])
        return spread(values, valid), end

    def _valid(self, pos: Longs) -> Flags:
        branch = self._buffer.bytes.take(pos)
        if np.count_nonzero(branch & 0xFD):
            raise FormatError("an Avro union has two branches and another is named")
        valid: Flags = branch != self.null_code
        return valid


class RecordNode(Node):
    """The fields one after the other."""

    def __init__(self, kind: Record, buffer: Buffer) -> None:
        super().__init__(buffer)
        self.kind = kind
        self._fields = [(name, node_of(child, buffer)) for name, child in kind.fields]
        self._skips = _with_null_runs([node for _, node in self._fields], buffer)

    def skip(self, pos: Longs) -> Longs:
        for part in self._skips:
            pos = part.skip(pos)
        return pos

    def read(self, pos: Longs) -> Read:
        columns, end = self.read_fields(pos)
        if not columns:
            return pa.array([{}] * len(pos), pa.struct([])), end
        fields = [pa.field(name, columns[name].type) for name in self.kind.wanted]
        return pa.StructArray.from_arrays([columns[name] for name in self.kind.wanted], fields=fields), end

    def read_fields(self, pos: Longs) -> tuple[dict[str, Column], Longs]:
        """A column for each field that is wanted, and where the records end."""
        columns: dict[str, Column] = {}
        for name, node in self._fields:
            if name in self.kind.wanted:
                columns[name], pos = node.read(pos)
            else:
                pos = node.skip(pos)
        return columns, pos


def _with_null_runs(children: Sequence[Node], buffer: Buffer) -> list[Node]:
    """Neighbours that can be skipped together, put together."""
    parts: list[Node] = []
    run: list[NullableNode] = []
    for child in children:
        if isinstance(child, NullableNode) and child.null_code == 0 and len(run) < _LONGEST_NULL_RUN:
            run.append(child)
            continue
        parts += _null_run(run, buffer)
        run = []
        if isinstance(child, NullableNode) and child.null_code == 0:
            run = [child]
        else:
            parts.append(child)
    return parts + _null_run(run, buffer)


def _null_run(run: list[NullableNode], buffer: Buffer) -> list[Node]:
    return [_NullRun(run, buffer)] if len(run) > 1 else [*run]


class _NullRun(Node):
    """Neighbouring nullable fields, all null in most rows: then one look at their bytes is enough."""

    def __init__(self, children: Sequence[NullableNode], buffer: Buffer) -> None:
        super().__init__(buffer)
        self._children = list(children)
        self._mask = np.uint64((1 << 8 * len(children)) - 1)

    def skip(self, pos: Longs) -> Longs:
        if not np.count_nonzero(self._buffer.words[pos] & self._mask):
            return pos + len(self._children)
        for child in self._children:
            pos = child.skip(pos)
        return pos

    def read(self, pos: Longs) -> Read:
        raise AssertionError("fields are read one by one")


class _Repeated(Node):
    """Arrays and maps: runs of `count items`, ended by a count of 0."""

    def __init__(self, kind: Repeated, buffer: Buffer) -> None:
        super().__init__(buffer)
        self._kind = kind
        self._items = node_of(kind.items, buffer)

    def skip(self, pos: Longs) -> Longs:
        return self._walk(pos, _Places())

    def read(self, pos: Longs) -> Read:
        places = _Places()
        end = self._walk(pos, places)
        owners, starts = places.joined()
        offsets = np.concatenate(([0], np.cumsum(np.bincount(owners, minlength=len(pos)))))
        if offsets[-1] >= 1 << 31:
            raise FormatError("Avro arrays hold more items than a column can")
        # Places were noted first items first; sorted by their array, they stay in order within it.
        items, _ = self._items.read(starts[np.argsort(owners, kind="stable")])
        return self._lists(pa.array(offsets.astype(np.int32)), items), end

    def _lists(self, offsets: Column, items: Any) -> Column:
        if self._kind.is_map:
            maps: Column = _pa.MapArray.from_arrays(offsets, items.field(0), items.field(1), self._kind.arrow)
            return maps
        lists: Column = _pa.ListArray.from_arrays(offsets, items, self._kind.arrow)
        return lists

    def _walk(self, pos: Longs, places: _Places) -> Longs:
        """Where the arrays end; their items are noted in `places`."""
        if not np.count_nonzero(self._buffer.bytes.take(pos)):
            return pos + 1
        end, lanes = pos.copy(), np.arange(len(pos))
        while len(lanes):
            count, after = numbers_and_ends(self._buffer, end[lanes])
            after = self._skip_sizes(count, after)
            count = np.abs(count)
            if count.max() > self._buffer.size:
                raise FormatError("an Avro array holds more items than its block has bytes")
            end[lanes] = self._walk_items(after, count, lanes, places)
            lanes = lanes[count > 0]
        return end

    def _skip_sizes(self, count: Longs, pos: Longs) -> Longs:
        """A negative count is followed by the size in bytes of the run."""
        negative = np.flatnonzero(count < 0)
        if len(negative):
            pos = pos.copy()
            pos[negative] = ends(self._buffer, pos[negative])
        return pos

    def _walk_items(self, pos: Longs, count: Longs, owners: Longs, places: _Places) -> Longs:
        most = int(count.max())
        small = self._small(pos, most) if most and int(count.min()) == most else None
        if small is None:
            return self._walk_one_by_one(pos, count, owners, places)
        at = pos[small][:, None] + np.arange(0, 2 * most, 2)
        places.note(np.repeat(owners[small], most), at.reshape(-1))
        end = pos + 2 * most
        others = np.flatnonzero(~small)
        if len(others):
            end[others] = self._walk_one_by_one(pos[others], count[others], owners[others], places)
        return end

    def _walk_one_by_one(self, pos: Longs, count: Longs, owners: Longs, places: _Places) -> Longs:
        end = pos.copy()
        for i in range(int(count.max())):
            lanes = np.flatnonzero(count > i)
            places.note(owners[lanes], end[lanes])
            end[lanes] = self._items.skip(end[lanes])
        return end

    def _small(self, pos: Longs, count: int) -> Flags | None:
        """Lanes whose items are numbers below 64, two bytes each: null counts mostly are. None: no lane."""
        items = self._items
        if not isinstance(items, NullableNode) or items.null_code or not isinstance(items.child, _Varint):
            return None
        if count > _MOST_SMALL:
            return None
        words, odd = self._buffer.words, np.zeros(len(pos), np.uint64)
        for i in range(0, count, 4):  # a word holds four
            word = words[np.minimum(pos + 2 * i, len(words) - 1)]
            odd |= (word & _SMALL_MASK ^ _SMALL) & KEEP[2 * min(count - i, 4)]
        small: Flags = odd == 0
        return small if np.count_nonzero(small) else None


class _Places:
    """Where items of arrays begin, and the lanes of their arrays."""

    def __init__(self) -> None:
        self._owners: list[Longs] = []
        self._starts: list[Longs] = []

    def note(self, owners: Longs, starts: Longs) -> None:
        self._owners.append(owners)
        self._starts.append(starts)

    def joined(self) -> tuple[Longs, Longs]:
        nothing = np.empty(0, np.int64)
        return np.concatenate([nothing, *self._owners]), np.concatenate([nothing, *self._starts])
