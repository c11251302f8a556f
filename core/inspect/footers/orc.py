"""The end of an ORC file and the footers of its stripes; our own reader, which believes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import IO, Any

from core.datafile.orc_stats import zigzag
from core.datafile.orc_tail import Message, OrcTail, Stripe, read_at, read_streams, read_tail
from core.errors import FormatError, UnsupportedError
from core.inspect.footers.footer import MOST_GROUPS, FileFooter, FooterColumn, RowGroup, chosen

_CODECS = ("uncompressed", "zlib", "snappy", "lzo", "lz4", "zstd", "brotli")  # CompressionKind
_KINDS = (
    "BOOLEAN", "BYTE", "SHORT", "INT", "LONG", "FLOAT", "DOUBLE", "STRING", "BINARY", "TIMESTAMP", "LIST",
    "MAP", "STRUCT", "UNION", "DECIMAL", "DATE", "VARCHAR", "CHAR", "TIMESTAMP_INSTANT",
)  # fmt: skip
_ENCODINGS = ("DIRECT", "DICTIONARY", "DIRECT_V2", "DICTIONARY_V2")
_WRITERS = ("ORC Java", "ORC C++", "Presto", "Scritchley Go", "Trino", "CUDF")
_VALUES, _NUMBERS, _DOUBLES, _TEXTS, _DECIMALS, _DATES, _TIMES, _HAS_NULL = 1, 2, 3, 4, 6, 7, 9, 10
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def read_orc(source: IO[bytes], group: int | None) -> FileFooter:
    """As `read_footer`."""
    tail = read_tail(source)
    if tail is None:
        raise UnsupportedError("ORC files packed with LZO are not looked into", feature="ORC codec lzo")
    asked = [tail.stripes[i] for i in chosen(len(tail.stripes), group)]
    stored = _Stored.of(source, tail, asked)
    statistics = _of_file(tail) if group is None else _of_stripe(source, tail, group)
    rows = sum(stripe.rows for stripe in (tail.stripes if group is None else asked))
    codec = _name(_CODECS, tail.chunks.kind)
    return FileFooter(
        format="orc",
        writer=_writer(tail.footer),
        version=None,
        rows=sum(stripe.rows for stripe in tail.stripes),
        codec=codec,
        footer_size=tail.size - tail.statistics_offset,
        group_count=len(tail.stripes),
        groups=tuple(
            RowGroup(s.rows, s.offset, s.end + s.footer_length - s.offset, None)
            for s in tail.stripes[:MOST_GROUPS]
        ),
        columns=tuple(
            _column(tail, name, types, stored, statistics, rows, codec)
            for name, types in tail.columns.items()
        ),
    )


@dataclass(frozen=True, slots=True)
class _Stored:
    """Of each type: the bytes of its streams, and how it is encoded, over some stripes."""

    sizes: Mapping[int, int]
    encodings: Mapping[int, frozenset[int]]

    @staticmethod
    def of(source: IO[bytes], tail: OrcTail, stripes: Sequence[Stripe]) -> _Stored:
        sizes: dict[int, int] = {}
        encodings: dict[int, set[int]] = {}
        for stripe in stripes:
            streams, kinds = read_streams(source, tail, stripe)
            for stream in streams:
                sizes[stream.column] = sizes.get(stream.column, 0) + stream.length
            for number, kind in enumerate(kinds):
                encodings.setdefault(number, set()).add(kind)
        return _Stored(sizes, {number: frozenset(kinds) for number, kinds in encodings.items()})


def _column(
    tail: OrcTail,
    name: str,
    types: range,
    stored: _Stored,
    statistics: Sequence[bytes],
    rows: int,
    codec: str,
) -> FooterColumn:
    known = Message.of(statistics[types.start]) if types.start < len(statistics) else Message({})
    values = known.number(_VALUES) if _VALUES in known.members else None
    low, high = _bounds(known)
    encodings = {e for number in types for e in stored.encodings.get(number, ())}
    return FooterColumn(
        name=name,
        type=_type(tail.types[types.start]),
        codec=codec,
        encodings=tuple(_name(_ENCODINGS, e) for e in sorted(encodings)),
        size=sum(stored.sizes.get(number, 0) for number in types),
        nulls=None if values is None else rows - values,
        low=low,
        high=high,
    )


def _of_file(tail: OrcTail) -> Sequence[bytes]:
    return tail.footer.all(7)


def _of_stripe(source: IO[bytes], tail: OrcTail, stripe: int) -> Sequence[bytes]:
    packed = read_at(source, tail.statistics_offset, tail.statistics_length)
    stripes = Message.of(tail.chunks.unpack(packed)).all(1)
    return Message.of(stripes[stripe]).all(1) if stripe < len(stripes) else ()


def _bounds(statistics: Message) -> tuple[Any, Any]:
    for member, decode in _DECODERS.items():
        if found := statistics.all(member):
            bounds = Message.of(found[-1])
            ends = (3, 4) if member == _TIMES and 3 in bounds.members else (1, 2)
            low, high = (decode(bounds, end) if end in bounds.members else None for end in ends)
            return low, high
    return None, None


def _day(message: Message, member: int) -> Any:
    try:
        return date(1970, 1, 1) + timedelta(days=zigzag(message.number(member)))
    except OverflowError:
        return None  # no calendar reaches that far


def _time(message: Message, member: int) -> Any:
    try:
        return (_EPOCH + timedelta(milliseconds=zigzag(message.number(member)))).replace(tzinfo=None)
    except OverflowError:
        return None


def _text(message: Message, member: int) -> str:
    return message.all(member)[-1].decode(errors="replace")


_DECODERS: Mapping[int, Callable[[Message, int], Any]] = {
    _NUMBERS: lambda message, member: zigzag(message.number(member)),
    _DOUBLES: lambda message, member: message.double(member),
    _TEXTS: _text,
    _DECIMALS: _text,
    _DATES: _day,
    _TIMES: _time,
}


def _type(message: Message) -> str:
    kind = _name(_KINDS, message.number(1))
    if kind == "DECIMAL":
        return f"DECIMAL({message.number(5)}, {message.number(6)})"
    return f"{kind}({message.number(4)})" if kind in ("VARCHAR", "CHAR") else kind


def _writer(footer: Message) -> str | None:
    if 9 not in footer.members:
        return None
    version = footer.all(12)
    name = _name(_WRITERS, footer.number(9))
    return f"{name} {version[-1].decode(errors='replace')}" if version else name


def _name(names: Sequence[str], number: int) -> str:
    if not 0 <= number < len(names):
        raise FormatError("an ORC file names something unknown", found=number, expected=", ".join(names))
    return names[number]
