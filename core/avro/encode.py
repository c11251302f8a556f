"""Arrow columns -> Avro rows, a column at a time: the counterpart of `lanes`.

Avro lays rows end to end, with no gaps, and nearly every value has a length of its own. Each type
turns a column into *parts*: bytes laid end to end, and how many of them belong to each row. A row
is the parts of its fields side by side, so all that is left is to put parts between one another,
which numpy does for all rows at once.

    nullable int column 7, null, 300    branches 02 00 02 (1, 1, 1)    numbers 0e d8 04 (1, 0, 2)
    rows                                02 0e | 00 | 02 d8 04
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from core.avro.schema import AvroType, Nullable, Plain, Record, Repeated
from core.binary.pieces import Bytes, Longs
from core.errors import InvalidRequestError

Column = Any  # a pa.Array: which one is known when it runs, not to its stubs

_VARINT = 10  # bytes that a 64-bit number can take
_DECIMAL = 16
_SHIFTS = np.arange(0, 7 * _VARINT, 7, dtype=np.uint64)


@dataclass(frozen=True, slots=True)
class Part:
    """Bytes of consecutive rows, and how many each row has of them."""

    data: Bytes
    lengths: Longs


def encode_rows(kind: Record | Nullable, columns: Sequence[Column]) -> Part:
    """The rows of some columns without a name, one for each field of the record, in its order.

    A column has Arrow's form of its field's type (`AvroType.arrow`), or a narrower integer.
    """
    record = kind.inner if isinstance(kind, Nullable) else kind
    assert isinstance(record, Record)
    rows = len(columns[0])
    branch = [_constant(rows, 2 - 2 * kind.null_branch)] if isinstance(kind, Nullable) else []
    fields = zip(record.fields, columns, strict=True)
    return interleave([*branch, *(part for (_, field), c in fields for part in _parts(field, c))])


def interleave(parts: Sequence[Part]) -> Part:
    """Row by row what the parts have of the row, in the order of the parts."""
    if len(parts) == 1:
        return parts[0]
    total: Longs = np.zeros(len(parts[0].lengths), np.int64)
    for part in parts:
        total += part.lengths
    at = np.cumsum(total) - total
    data = np.empty(int(total.sum()), np.uint8)
    for part in parts:
        _put(data, at, part)
        at += part.lengths
    return Part(data, total)


def _put(target: Bytes, at: Longs, part: Part) -> None:
    """Lay the bytes of each row down at its place."""
    lengths, source = part.lengths, part.data
    width = int(lengths[0]) if len(lengths) else 0
    if not len(source):
        return
    if width <= _DECIMAL and not np.count_nonzero(lengths != width):
        for i in range(width):
            target[at + i] = source[i::width]
        return
    begin = np.cumsum(lengths) - lengths
    places = np.repeat(at - begin, lengths)
    places += np.arange(len(source))
    target[places] = source


def _constant(count: int, value: int) -> Part:
    return Part(np.full(count, value, np.uint8), np.ones(count, np.int64))


def _parts(kind: AvroType, column: Column) -> Iterator[Part]:
    if column.null_count and not isinstance(kind, Nullable):
        raise InvalidRequestError("null in a column that must not have one", nulls=column.null_count)
    match kind:
        case Nullable():
            yield from _nullable(kind, column)
        case Record(fields=()):
            yield Part(np.empty(0, np.uint8), np.zeros(len(column), np.int64))
        case Record():
            children = zip(kind.fields, column.flatten(), strict=True)
            yield from (part for (_, field), child in children for part in _parts(field, child))
        case Repeated():
            yield _repeated(kind, column)
        case Plain(kind="int" | "long"):
            yield encode_numbers(_integers(column))
        case Plain(kind="bytes" | "string"):
            decimal = pa.types.is_decimal(kind.arrow)
            texts = _decimals(column) if decimal else _texts(column)
            yield encode_numbers(texts.lengths)
            yield texts
        case Plain(kind="boolean"):
            yield Part(column.cast(pa.uint8()).to_numpy(), np.ones(len(column), np.int64))
        case Plain(kind="float" | "double"):
            numbers = np.ascontiguousarray(column.to_numpy(zero_copy_only=False))
            yield Part(numbers.view(np.uint8), np.full(len(column), numbers.itemsize, np.int64))
        case _:
            raise AssertionError(f"Avro {kind} is read, but never written")


def _nullable(kind: Nullable, column: Column) -> Iterator[Part]:
    """The branch of each, then the values of those that have one."""
    null, value = 2 * kind.null_branch, 2 - 2 * kind.null_branch
    if not column.null_count:
        yield _constant(len(column), value)
        yield from _parts(kind.inner, column)
        return
    valid = np.asarray(column.is_valid())
    yield Part(np.where(valid, np.uint8(value), np.uint8(null)), np.ones(len(column), np.int64))
    for part in _parts(kind.inner, column.drop_null()):
        lengths = np.zeros(len(column), np.int64)
        lengths[valid] = part.lengths
        yield Part(part.data, lengths)


def _repeated(kind: Repeated, column: Column) -> Part:
    """Lists, or maps as lists of keys and values: the number of items, the items, and a 0 behind them."""
    offsets, parts = _items(kind, column)
    counts = np.diff(offsets)
    if counts.any():
        items = interleave(parts)
        ends = np.concatenate(([0], np.cumsum(items.lengths)))
        bodies = Part(items.data, ends[offsets[1:]] - ends[offsets[:-1]])
    else:
        bodies = Part(np.empty(0, np.uint8), np.zeros(len(counts), np.int64))
    heads, filled = encode_numbers(counts), counts > 0  # an empty list is only the 0
    heads = Part(heads.data[np.repeat(filled, heads.lengths)], heads.lengths * filled)
    return interleave([heads, bodies, _constant(len(counts), 0)])


def _items(kind: Repeated, column: Column) -> tuple[Longs, list[Part]]:
    """Where the items of each list begin, counted from the first one's, and the items."""
    if pa.types.is_fixed_size_list(column.type):
        size = column.type.list_size
        offsets = np.arange(0, size * len(column) + 1, max(size, 1), dtype=np.int64)[: len(column) + 1]
        return offsets, list(_parts(kind.items, column.flatten()))
    offsets = np.asarray(column.offsets).astype(np.int64)
    first, count = int(offsets[0]), int(offsets[-1] - offsets[0])
    if not kind.is_map:
        return offsets - first, list(_parts(kind.items, column.values.slice(first, count)))
    assert isinstance(kind.items, Record)
    (_, key), (_, value) = kind.items.fields
    parts = [
        *_parts(key, column.keys.slice(first, count)),
        *_parts(value, column.items.slice(first, count)),
    ]
    return offsets - first, parts


def _integers(column: Column) -> Longs:
    """Numbers as they are, days, milliseconds of the day, or ticks since the epoch."""
    if pa.types.is_date32(column.type) or pa.types.is_time32(column.type):
        column = column.cast(pa.int32())
    numbers: Longs = column.cast(pa.int64()).to_numpy(zero_copy_only=False)
    return numbers


def encode_numbers(values: Longs) -> Part:
    """Zigzag, 7 bits a byte, the lowest first; all bytes but the last have their top bit set."""
    zigzag = (values << 1 ^ values >> 63).view(np.uint64)
    largest = int(zigzag.max(initial=0))
    if largest < 128:
        return Part(zigzag.astype(np.uint8), np.ones(len(values), np.int64))
    width = -(-largest.bit_length() // 7)
    lengths = np.ones(len(values), np.int64)
    for shift in _SHIFTS[1:width]:
        lengths += zigzag >> shift != 0
    groups = (zigzag[:, None] >> _SHIFTS[:width] & np.uint64(0x7F)).astype(np.uint8)
    place = np.arange(width)
    groups |= np.where(place < lengths[:, None] - 1, np.uint8(0x80), np.uint8(0))
    return Part(groups[place < lengths[:, None]], lengths)


def _texts(column: Column) -> Part:
    _, offset_buffer, data = column.buffers()
    if not len(column) or data is None:
        return Part(np.empty(0, np.uint8), np.zeros(len(column), np.int64))
    offsets = np.frombuffer(offset_buffer, np.int32)[column.offset :][: len(column) + 1]
    texts = np.frombuffer(data, np.uint8)[offsets[0] : offsets[-1]]
    return Part(texts, np.diff(offsets).astype(np.int64))


def _decimals(column: Column) -> Part:
    """The fewest bytes of big-endian two's complement, one at least."""
    _, data = column.buffers()
    stored = np.frombuffer(data, np.uint8)[_DECIMAL * column.offset :][: _DECIMAL * len(column)]
    big = stored.reshape(-1, _DECIMAL)[:, ::-1]
    # A byte adds nothing if it repeats the sign bit of the byte behind it, as all before it do.
    sign = np.where(big[:, :1] & 0x80, np.uint8(0xFF), np.uint8(0))
    idle = (big[:, :-1] == sign) & ((big[:, 1:] ^ sign) < 0x80)
    lengths = _DECIMAL - np.logical_and.accumulate(idle, axis=1).sum(axis=1)
    return Part(big[np.arange(_DECIMAL) >= _DECIMAL - lengths[:, None]], lengths.astype(np.int64))
