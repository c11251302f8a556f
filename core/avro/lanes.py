"""Lock-step decoding: the blocks of Avro files side by side, a numpy lane a block.

Avro has no index into its rows: where a field begins is known only once everything before it
has been read. A loop over rows in Python costs microseconds a field; but blocks are
independent, so all of them can take each step together:

1. `step(pos)` is given where a value begins in each lane and returns where it ends. It only
   notes where things are (the position of a number, start and length of text, the branch of
   a union, the count of an array). One call handles one value of as many rows as there are lanes.
2. `finish(rows)` runs once, over all rows of all lanes, and turns the notes into Arrow arrays
   in the order asked for. All decoding of numbers and copying of text happens here.

What a node noted lies in the order of its calls. A node below a union or array is called for
fewer or more values than its parent, so `finish` maps row numbers down: through the running
count of non-null values, or through the list offsets.

Bytes are not trusted: a position outside the buffer is an IndexError of numpy, which becomes a
FormatError, and a lane that does not end exactly where its block ends is one too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from core.arrow import Column
from core.avro.records import list_array
from core.avro.schema import AvroType, Nullable, Plain, Record, Repeated
from core.avro.varint import ends, numbers, pair
from core.binary.pieces import Buffer, Bytes, Longs, arrow_buffer, decimal_array, spread, text_array
from core.errors import FormatError

_LONGEST_NULL_RUN = 8
_LONGEST_SIMPLE = 256  # items of an array that are looked at together
_SIMPLE_MASK, _SIMPLE = np.uint64(0x80FF), np.uint64(2)  # second branch, then a number of one byte

Flags = np.ndarray[Any, np.dtype[np.bool_]]


class Blocks(Buffer):
    """The unpacked blocks one after the other."""

    def __init__(self, blocks: Sequence[bytes]) -> None:
        super().__init__(*blocks)
        sizes = np.array([len(b) for b in blocks], np.int64)
        self.ends: Longs = np.cumsum(sizes)
        self.starts: Longs = self.ends - sizes


class Node(ABC):
    """A value of the schema; holds what was noted of it so far."""

    def __init__(self, buffer: Blocks) -> None:
        self._buffer = buffer

    @abstractmethod
    def step(self, pos: Longs) -> Longs:
        """Note one value in each lane and return where it ends; `pos` is left as it is."""

    @abstractmethod
    def finish(self, rows: Longs) -> Column:
        """The noted values with these numbers, in this order, as Arrow."""


def node_of(kind: AvroType, buffer: Blocks) -> Node:
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


def _joined(notes: Sequence[np.ndarray[Any, Any]], dtype: Any = np.int64) -> np.ndarray[Any, Any]:
    return np.concatenate(notes) if notes else np.empty(0, dtype)


class _Varint(Node):
    """`int` and `long`: 7 bits a byte, zigzag."""

    def __init__(self, kind: Plain, buffer: Blocks) -> None:
        super().__init__(buffer)
        self._kind = kind
        self.notes: list[Longs] = []

    def step(self, pos: Longs) -> Longs:
        self.notes.append(pos)
        return ends(self._buffer.bytes, self._buffer.words, pos)

    def finish(self, rows: Longs) -> Column:
        values = numbers(self._buffer.bytes, self._buffer.words, _joined(self.notes)[rows])
        if self._kind.kind == "long":
            return pa.array(values).cast(self._kind.arrow)
        narrow = values.astype(np.int32)
        if not np.array_equal(narrow, values):
            raise FormatError("an Avro int is beyond 32 bits")
        return pa.array(narrow).cast(self._kind.arrow)


class _Text(Node):
    """`bytes` and `string`: a length, then as many bytes."""

    def __init__(self, kind: Plain, buffer: Blocks) -> None:
        super().__init__(buffer)
        self._kind = kind
        self._starts: list[Longs] = []
        self._ends: list[Longs] = []

    def step(self, pos: Longs) -> Longs:
        length, start = pair(self._buffer.bytes, self._buffer.words, pos)
        end = start + length
        self._starts.append(start)
        self._ends.append(end)
        return end

    def finish(self, rows: Longs) -> Column:
        start, end = _joined(self._starts)[rows], _joined(self._ends)[rows]
        length = end - start
        if isinstance(self._kind.arrow, pa.Decimal128Type):
            return decimal_array(self._buffer, start, length, self._kind.arrow)
        return text_array(self._buffer, start, length, self._kind.arrow)


def _array(values: np.ndarray[Any, Any]) -> Column:
    column: Column = pa.array(values)
    return column


class _Fixed(Node):
    """`null`, `boolean`, `float`, `double` and `fixed`: always the same number of bytes."""

    def __init__(self, kind: Plain, buffer: Blocks) -> None:
        super().__init__(buffer)
        self._kind = kind
        self._size = kind.size or 0
        self.notes: list[Longs] = []

    def step(self, pos: Longs) -> Longs:
        self.notes.append(pos)
        return pos + self._size

    def finish(self, rows: Longs) -> Column:
        start = _joined(self.notes)[rows]
        match self._kind.kind:
            case "null":
                return pa.nulls(len(rows))
            case "boolean":
                return _array(self._buffer.bytes[start] != 0)
            case "float":
                return _array(self._buffer.words[start].astype("<u4").view("<f4"))
            case "double":
                return _array(self._buffer.words[start].view("<f8"))
        if isinstance(self._kind.arrow, pa.Decimal128Type):
            return decimal_array(self._buffer, start, np.full(len(start), self._size), self._kind.arrow)
        pieces = self._buffer.bytes[start[:, None] + np.arange(self._size)]
        return pa.Array.from_buffers(self._kind.arrow, len(rows), [None, arrow_buffer(pieces)])


class NullableNode(Node):
    """A union with null: one byte for the branch, then the value or nothing."""

    def __init__(self, kind: Nullable, buffer: Blocks) -> None:
        super().__init__(buffer)
        self._kind = kind
        self.null_code = 2 * kind.null_branch  # the branch as zigzag
        self.child = node_of(kind.inner, buffer)
        self.branches: list[Bytes] = []

    def step(self, pos: Longs) -> Longs:
        branch = self._buffer.bytes[pos]
        self.branches.append(branch)
        valid = branch != self.null_code
        present = np.count_nonzero(valid)
        after = pos + 1
        if present == len(pos):
            return self.child.step(after)
        if present:
            lanes = np.flatnonzero(valid)
            after[lanes] = self.child.step(after[lanes])
        return after

    def valid(self) -> Flags:
        """Which of the noted values are not null."""
        branches = _joined(self.branches, np.uint8)
        if np.count_nonzero(branches & 0xFD):
            raise FormatError("an Avro union has two branches and another is named")
        valid: Flags = branches != self.null_code
        return valid

    def finish(self, rows: Longs) -> Column:
        valid = self.valid()
        if valid.all():
            return self.child.finish(rows)
        wanted = valid[rows]
        if not wanted.any():
            return spread(pa.array([], self._kind.arrow), wanted)
        places = (np.cumsum(valid) - 1)[rows]
        if wanted.all():
            return self.child.finish(places)
        return spread(self.child.finish(places[wanted]), wanted)


class RecordNode(Node):
    """The fields one after the other; runs of nullable ones are looked at together first."""

    def __init__(self, kind: Record, buffer: Blocks) -> None:
        super().__init__(buffer)
        self.kind = kind
        self.children = [node_of(child, buffer) for _, child in kind.fields]
        self._steps = _with_null_runs(self.children, buffer)
        self._called = 0

    def step(self, pos: Longs) -> Longs:
        self._called += len(pos)
        for child in self._steps:
            pos = child.step(pos)
        return pos

    def finish(self, rows: Longs) -> Column:
        fields = [pa.field(name, child.arrow) for name, child in self.kind.fields]
        if not fields:
            return pa.array([{}] * len(rows), pa.struct(fields))
        return pa.StructArray.from_arrays(self.finish_fields(rows), fields=fields)

    def finish_fields(self, rows: Longs) -> list[Column]:
        """One array a field."""
        return [child.finish(rows) for child in self.children]


def _with_null_runs(children: Sequence[Node], buffer: Blocks) -> list[Node | _NullRun]:
    steps: list[Node | _NullRun] = []
    run: list[NullableNode] = []
    for child in (*children, None):
        if isinstance(child, NullableNode) and child.null_code == 0 and len(run) < _LONGEST_NULL_RUN:
            run.append(child)
            continue
        steps.extend([_NullRun(run, buffer)] if len(run) > 1 else run)
        run = []
        if isinstance(child, NullableNode) and child.null_code == 0:
            run = [child]
        elif child is not None:
            steps.append(child)
    return steps


class _NullRun:
    """Neighbouring nullable fields, all null in most rows: then one look at their bytes is enough."""

    def __init__(self, children: Sequence[NullableNode], buffer: Blocks) -> None:
        self._children = list(children)
        self._buffer = buffer
        self._mask = np.uint64((1 << 8 * len(children)) - 1)

    def step(self, pos: Longs) -> Longs:
        if np.count_nonzero(self._buffer.words[pos] & self._mask):
            for child in self._children:
                pos = child.step(pos)
            return pos
        nulls = np.zeros(len(pos), np.uint8)
        for child in self._children:
            child.branches.append(nulls)
        return pos + len(self._children)


class _Repeated(Node):
    """Arrays and maps: runs of `count items`, ended by a count of 0.

    Items are noted with the number of the array they belong to, in the order they are met
    (first items of all lanes, then second ones, ...); `finish` sorts them back together.
    """

    def __init__(self, kind: Repeated, buffer: Blocks) -> None:
        super().__init__(buffer)
        self._kind = kind
        self._items = node_of(kind.items, buffer)
        self._owners: list[Longs] = []
        self._called = 0
        self._look_after = 0  # calls to wait before looking for simple items again

    def step(self, pos: Longs) -> Longs:
        owners = np.arange(self._called, self._called + len(pos))
        self._called += len(pos)
        if not np.count_nonzero(self._buffer.bytes[pos]):
            return pos + 1
        end, lanes = pos.copy(), np.arange(len(pos))
        while len(lanes):
            count, after = pair(self._buffer.bytes, self._buffer.words, end[lanes])
            after = self._skip_sizes(count, after)
            count = np.abs(count)
            if count.max() > len(self._buffer.bytes):
                raise FormatError("an Avro array holds more items than its block has bytes")
            end[lanes] = self._step_items(after, count, owners[lanes])
            lanes = lanes[count > 0]
        return end

    def _skip_sizes(self, count: Longs, pos: Longs) -> Longs:
        """A negative count is followed by the size in bytes of the run."""
        negative = np.flatnonzero(count < 0)
        if len(negative):
            pos = pos.copy()
            pos[negative] = ends(self._buffer.bytes, self._buffer.words, pos[negative])
        return pos

    def _step_items(self, pos: Longs, count: Longs, owners: Longs) -> Longs:
        most = int(count.max())
        if most and int(count.min()) == most:
            return self._step_equal(pos, most, owners)
        pos = pos.copy()
        for i in range(most):
            lanes = np.flatnonzero(count > i)
            pos[lanes] = self._step_one(pos[lanes], owners[lanes])
        return pos

    def _step_equal(self, pos: Longs, count: int, owners: Longs) -> Longs:
        simple = self._simple(pos, count)
        if simple is None:
            return self._step_all(pos, count, owners)
        self._note_simple(pos[simple], count, owners[simple])
        end = pos + 2 * count
        others = np.flatnonzero(~simple)
        if len(others):
            end[others] = self._step_all(pos[others], count, owners[others])
        return end

    def _step_all(self, pos: Longs, count: int, owners: Longs) -> Longs:
        for _ in range(count):
            pos = self._step_one(pos, owners)
        return pos

    def _step_one(self, pos: Longs, owners: Longs) -> Longs:
        self._owners.append(owners)
        return self._items.step(pos)

    def _simple(self, pos: Longs, count: int) -> Flags | None:
        """Lanes whose items are numbers below 64: null counts mostly are. None: not worth a look."""
        items = self._items
        if not isinstance(items, NullableNode) or items.null_code or not isinstance(items.child, _Varint):
            return None
        if self._look_after or count > _LONGEST_SIMPLE:
            self._look_after = max(0, self._look_after - 1)
            return None
        at = pos[:, None] + np.arange(0, 2 * count, 2)
        simple: Flags = ((self._buffer.words[at] & _SIMPLE_MASK) == _SIMPLE).all(axis=1)
        if 2 * np.count_nonzero(simple) > len(pos):
            return simple
        self._look_after = 8
        return None

    def _note_simple(self, pos: Longs, count: int, owners: Longs) -> None:
        """Such items are two bytes each, branch and number: all are noted at once."""
        items = self._items
        assert isinstance(items, NullableNode)
        assert isinstance(items.child, _Varint)
        at = pos[:, None] + np.arange(1, 2 * count, 2)
        items.branches.append(np.full(at.size, 2, np.uint8))
        items.child.notes.append(at.reshape(-1))
        self._owners.append(np.repeat(owners, count))

    def finish(self, rows: Longs) -> Column:
        owners = _joined(self._owners)
        counts = np.bincount(owners, minlength=self._called)
        first = np.cumsum(counts) - counts  # where the items of an array begin once sorted
        order = np.argsort(owners, kind="stable")
        wanted = counts[rows]
        offsets = np.concatenate(([0], np.cumsum(wanted)))
        if offsets[-1] >= 1 << 31:
            raise FormatError("Avro arrays hold more items than a column can")
        within = np.arange(offsets[-1]) - np.repeat(offsets[:-1], wanted)
        items = self._items.finish(order[np.repeat(first[rows], wanted) + within])
        return list_array(pa.array(offsets.astype(np.int32)), items, self._kind, None)
