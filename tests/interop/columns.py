"""The columns of a history's table: their types, their values, and what they may become."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from core.errors import UnsupportedError
from core.schema.casts import check_cast
from core.types import parse_type

Json = Any
_TEXTS = st.text(st.sampled_from("abcÄ語 '%,"), max_size=12)
_MOMENTS = st.sampled_from(["2024-02-29T23:59:59", "1999-12-31T00:00:01", "2038-01-19T03:14:08"])


def is_cast(source: str, target: str) -> bool:
    """Whether Paimon reads the one as the other: tests/core/schema/casts holds our casts against Java's."""
    try:
        check_cast(parse_type(source), parse_type(target))
    except UnsupportedError:
        return False
    return True


@dataclass(frozen=True)
class Kind:
    """A column's type: its text or JSON form, its values, and what it may become."""

    sql: Json
    values: st.SearchStrategy[Json]
    becomes: tuple[str, ...] = ()  # names of kinds whose casts take every value
    formats: tuple[str, ...] = ("parquet", "orc", "avro")
    overflows: tuple[str, ...] = ()  # kinds whose casts make null of some values


def _digits(count: int) -> st.SearchStrategy[str]:
    return _MOMENTS.flatmap(
        lambda moment: st.integers(0, 10**count - 1).map(lambda part: f"{moment}.{part:0{count}d}")
    )


def _numbers(bits: int) -> st.SearchStrategy[int]:
    return st.integers(-20, 20) | st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def _decimals(digits: int, scale: int) -> st.SearchStrategy[str]:
    return st.integers(-(10**digits) + 1, 10**digits - 1).map(lambda n: _with_point(n, scale))


def _with_point(unscaled: int, scale: int) -> str:
    whole, part = divmod(abs(unscaled), 10**scale)
    return f"{'-' if unscaled < 0 else ''}{whole}.{part:0{scale}d}"


KINDS: Mapping[str, Kind] = {
    "boolean": Kind("BOOLEAN", st.booleans(), ("int", "text")),
    "tiny": Kind("TINYINT", _numbers(8), ("int", "double", "decimal", "text")),
    "small": Kind("SMALLINT", _numbers(16), ("int", "tiny", "text")),
    "int": Kind("INT", _numbers(32), ("big", "double", "text", "boolean", "tiny"), overflows=("decimal",)),
    "big": Kind("BIGINT", _numbers(64), ("int", "text", "wide")),
    "float": Kind("FLOAT", st.sampled_from([0.0, 1.5, -2.25, 1e10, 0.001]), ("double", "int", "text")),
    "double": Kind(
        "DOUBLE", st.sampled_from([0.0, 1.5, -2.25, 1e20, 1e-5, 123.456]), ("float", "big", "text")
    ),
    "decimal": Kind("DECIMAL(9, 2)", _decimals(9, 2), ("wide", "double", "text", "int")),
    "wide": Kind("DECIMAL(25, 5)", _decimals(25, 5), ("text",), overflows=("decimal",)),
    "text": Kind("STRING", _TEXTS, ("chars", "bytes")),
    "chars": Kind("VARCHAR(6)", st.text("abÄ語", max_size=6), ("text",)),
    "bytes": Kind("BYTES", st.binary(max_size=9).map(lambda data: b64encode(data).decode())),
    "date": Kind("DATE", st.sampled_from(["2024-02-29", "1970-01-01", "1999-12-31"]), ("millis", "text")),
    "time": Kind("TIME(3)", st.integers(0, 999).map(lambda n: f"01:02:03.{n:03d}")),
    "millis": Kind("TIMESTAMP(3)", _digits(3), ("micros", "date", "text", "big")),
    "micros": Kind("TIMESTAMP(6)", _digits(6), ("millis", "text")),
    "nanos": Kind("TIMESTAMP(9)", _digits(9), ("micros", "text"), ("parquet", "orc")),
    "instant": Kind("TIMESTAMP(6) WITH LOCAL TIME ZONE", _digits(6).map(lambda t: f"{t}Z"), ("micros",)),
    "array": Kind({"type": "ARRAY", "element": "INT"}, st.lists(st.none() | _numbers(32), max_size=3)),
    "map": Kind(
        {"type": "MAP", "key": "STRING", "value": "BIGINT"},
        st.dictionaries(st.sampled_from("abc"), st.none() | _numbers(64), max_size=3).map(
            lambda pairs: [list(pair) for pair in pairs.items()]
        ),
    ),
    "row": Kind(
        {
            "type": "ROW",
            "fields": [{"id": 0, "name": "x", "type": "INT"}, {"id": 1, "name": "y", "type": "STRING"}],
        },
        st.fixed_dictionaries({"x": _numbers(32), "y": st.none() | _TEXTS}),
    ),
}
# Java casts these to STRING alone, we to VARCHAR(n) too.
_NEVER_CUT = {"date", "millis", "micros", "nanos", "instant"}
# Few of each, so that keys come again. They have names of their own, which nothing else gets.
KEYS: Mapping[str, st.SearchStrategy[Json]] = {"k": st.integers(0, 8), "p": st.sampled_from(["x", "y z"])}


@dataclass(frozen=True)
class Column:
    """A column of a history's table."""

    name: str
    kind: str
    fixed: bool = False  # keys, and columns that options name
    values: st.SearchStrategy[Json] | None = None  # in place of those of its kind
    was: tuple[str, ...] = ()  # kinds, of which there may still be files

    def become(self, kind: str) -> Column:
        return replace(self, kind=kind, was=(*self.was, self.kind))

    def may_become(self, kind: str) -> bool:
        """Whether Java reads its older files so: each change is legal by itself, all of them may not be."""
        if kind == "chars" and not _NEVER_CUT.isdisjoint(self.was):
            return False
        return all(is_cast(KINDS[old].sql, KINDS[kind].sql) for old in self.was)

    def value(self) -> st.SearchStrategy[Json]:
        if self.name in KEYS:
            return KEYS[self.name]
        return self.values if self.values is not None else st.none() | KINDS[self.kind].values
