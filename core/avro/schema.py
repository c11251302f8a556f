"""Avro writer schemas as trees that the decoders walk, and the Arrow types they give.

Supported is what Paimon and its peers write: primitives, records, arrays, maps, fixed, and
unions of null and one other type. Arrow types follow the file: timestamps have no zone here
(which of Avro's two timestamp kinds means UTC is the table schema's business), and every field is
nullable, so that files that differ in it can be put together.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from core.errors import FormatError, UnsupportedError


@dataclass(frozen=True, slots=True)
class Plain:
    """A value without parts. `size` is the bytes of a fixed one, None for the other kinds."""

    kind: str  # null boolean int long float double bytes string fixed
    arrow: pa.DataType
    size: int | None = None

    @property
    def is_varint(self) -> bool:
        return self.kind in ("int", "long")


@dataclass(frozen=True, slots=True)
class Nullable:
    """A union of null and `inner`; `null_branch` is the place of null in it, 0 or 1."""

    inner: AvroType
    null_branch: int

    @property
    def arrow(self) -> pa.DataType:
        return self.inner.arrow


@dataclass(frozen=True, slots=True)
class Record:
    """Fields in the file's order. Of those `wanted` are read, in that order; others are passed over."""

    fields: tuple[tuple[str, AvroType], ...]
    wanted: tuple[str, ...]

    @property
    def wanted_fields(self) -> tuple[tuple[str, AvroType], ...]:
        kinds = dict(self.fields)
        return tuple((name, kinds[name]) for name in self.wanted)

    @property
    def arrow(self) -> pa.DataType:
        return pa.struct([pa.field(name, kind.arrow) for name, kind in self.wanted_fields])


@dataclass(frozen=True, slots=True)
class Repeated:
    """An array, or a map: then `items` is a record of key and value."""

    items: AvroType
    is_map: bool = False  # Avro's map, or an array with the logical type `map`
    keys_are_text: bool = False  # Avro's map

    @property
    def arrow(self) -> pa.DataType:
        if isinstance(self.items, Record) and self.is_map:
            (_, key), (_, value) = self.items.fields
            return pa.map_(key.arrow, value.arrow)
        return pa.list_(pa.field("element", self.items.arrow))


AvroType = Plain | Nullable | Record | Repeated


def parse_root(schema: Any) -> Record | Nullable:
    """The record of a file, or its union with null (Paimon's data files, rust's manifests).

    Raises:
        FormatError: not an Avro schema. UnsupportedError: legal Avro that Paimon never writes.
    """
    root = _Parser().parse(schema)
    record = root.inner if isinstance(root, Nullable) else root
    if not isinstance(record, Record) or not isinstance(root, (Record, Nullable)):
        raise UnsupportedError("an Avro file whose rows are not records", feature=str(schema)[:200])
    return root


def record_of(root: Record | Nullable) -> Record:
    """The record below an optional top-level union."""
    record = root.inner if isinstance(root, Nullable) else root
    assert isinstance(record, Record)
    return record


def pruned(record: Record, paths: Collection[str]) -> Record:
    """The record, wanting only members at these dotted paths, in that order; unknown ones are left out."""
    below: dict[str, list[str]] = {}
    for path in paths:
        name, _, rest = path.partition(".")
        below.setdefault(name, []).extend([rest] if rest else [])
    fields = tuple((name, _pruned(kind, below.get(name, []))) for name, kind in record.fields)
    known = {name for name, _ in fields}
    return Record(fields, tuple(name for name in below if name in known))


def cut(record: Record, path: Sequence[str]) -> tuple[Record, Record] | None:
    """The fields before the one at `path`, and the others; None if no such field is in the record.

    Read one behind the other they are the record.
    """
    names = [name for name, _ in record.fields]
    if not path or path[0] not in names:
        return None
    at = names.index(path[0])
    before, (name, kind), behind = record.fields[:at], record.fields[at], record.fields[at + 1 :]
    if len(path) == 1:
        return _record(*before), _record((name, kind), *behind)
    inner = cut(kind, path[1:]) if isinstance(kind, Record) else None
    if inner is None:
        return None
    return _record(*before, (name, inner[0])), _record((name, inner[1]), *behind)


def has(record: Record, path: str) -> bool:
    """Whether the record has a member at a dotted path."""
    first, _, rest = path.partition(".")
    kind = dict(record.fields).get(first)
    if isinstance(kind, Nullable):
        kind = kind.inner
    return kind is not None and (not rest or (isinstance(kind, Record) and has(kind, rest)))


def _pruned(kind: AvroType, paths: Collection[str]) -> AvroType:
    if not paths:
        return kind
    if isinstance(kind, Nullable):
        return replace(kind, inner=_pruned(kind.inner, paths))
    return pruned(kind, paths) if isinstance(kind, Record) else kind


def _record(*fields: tuple[str, AvroType]) -> Record:
    names = tuple(name for name, _ in fields)
    if len(set(names)) < len(names):
        raise FormatError("an Avro record has two members of one name", found=", ".join(names)[:200])
    return Record(fields, names)


_PLAIN_ARROW: Mapping[str, pa.DataType] = {
    "null": pa.null(),
    "boolean": pa.bool_(),
    "int": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "bytes": pa.binary(),
    "string": pa.string(),
}
_SIZES = {"null": 0, "boolean": 1, "float": 4, "double": 8}
_LOGICAL: Mapping[tuple[str, str], pa.DataType] = {
    ("int", "date"): pa.date32(),
    ("int", "time-millis"): pa.time32("ms"),
    ("long", "time-micros"): pa.time64("us"),
    ("long", "timestamp-millis"): pa.timestamp("ms"),
    ("long", "timestamp-micros"): pa.timestamp("us"),
    ("long", "timestamp-nanos"): pa.timestamp("ns"),
    ("long", "local-timestamp-millis"): pa.timestamp("ms"),
    ("long", "local-timestamp-micros"): pa.timestamp("us"),
    ("long", "local-timestamp-nanos"): pa.timestamp("ns"),
}


class _Parser:
    """Remembers named types; a second use of a name refers to the first definition."""

    def __init__(self) -> None:
        self._named: dict[str, AvroType | None] = {}

    def parse(self, schema: Any) -> AvroType:
        if isinstance(schema, str):
            return self._reference(schema)
        if isinstance(schema, list):
            return self._union(schema)
        if not isinstance(schema, dict) or "type" not in schema:
            raise FormatError("not an Avro schema", found=repr(schema)[:200])
        kind = schema["type"]
        if not isinstance(kind, str):
            return self.parse(kind)
        match kind:
            case "record" | "error":
                return self._record(schema)
            case "array":
                return self._array(schema)
            case "map":
                value = self.parse(_member(schema, "values"))
                key = Plain("string", pa.string())
                return Repeated(_record(("key", key), ("value", value)), is_map=True, keys_are_text=True)
            case "fixed":
                return self._remember(schema, self._fixed(schema))
            case _:
                return _logical(kind, schema) or self._reference(kind)

    def _reference(self, name: str) -> AvroType:
        if name in _PLAIN_ARROW:
            return Plain(name, _PLAIN_ARROW[name], _SIZES.get(name))
        known = self._named.get(name.rpartition(".")[2])
        if known is None:
            raise UnsupportedError("an Avro type that Paimon never writes", feature=f"Avro {name}")
        return known

    def _union(self, branches: list[Any]) -> AvroType:
        if len(branches) != 2 or "null" not in branches:
            raise UnsupportedError("an Avro union that is not null and one type", feature=str(branches)[:200])
        null_branch = branches.index("null")
        inner = self.parse(branches[1 - null_branch])
        if isinstance(inner, Nullable) or (isinstance(inner, Plain) and inner.kind == "null"):
            raise FormatError("an Avro union directly holds null twice", found=str(branches)[:200])
        return Nullable(inner, null_branch)

    def _record(self, schema: dict[str, Any]) -> AvroType:
        self._named[str(schema.get("name", "")).rpartition(".")[2]] = None  # no recursion
        fields = _member(schema, "fields")
        if not isinstance(fields, list):
            raise FormatError("the fields of an Avro record are not a list", found=repr(fields)[:200])
        record = _record(*((str(_member(f, "name")), self.parse(_member(f, "type"))) for f in fields))
        return self._remember(schema, record)

    def _array(self, schema: dict[str, Any]) -> AvroType:
        items = self.parse(_member(schema, "items"))
        is_map = schema.get("logicalType") == "map"
        if is_map and not (isinstance(items, Record) and len(items.fields) == 2):
            raise FormatError("an Avro map does not hold keys and values", found=str(schema)[:200])
        return Repeated(items, is_map)

    def _fixed(self, schema: dict[str, Any]) -> Plain:
        size = _member(schema, "size")
        if not isinstance(size, int) or size < 0:
            raise FormatError("a fixed Avro type has no size", found=repr(size))
        arrow = _decimal(schema) or pa.binary(size)
        return Plain("fixed", arrow, size)

    def _remember(self, schema: dict[str, Any], kind: AvroType) -> AvroType:
        self._named[str(schema.get("name", "")).rpartition(".")[2]] = kind
        return kind


def _logical(kind: str, schema: dict[str, Any]) -> Plain | None:
    """The type of a primitive with a logical type; unknown ones are the primitive, as Avro rules."""
    if kind not in _PLAIN_ARROW:
        return None
    arrow = _LOGICAL.get((kind, str(schema.get("logicalType"))))
    if kind == "bytes":
        arrow = _decimal(schema)
    return Plain(kind, arrow or _PLAIN_ARROW[kind], _SIZES.get(kind))


def _decimal(schema: dict[str, Any]) -> pa.DataType | None:
    if schema.get("logicalType") != "decimal":
        return None
    precision, scale = schema.get("precision"), schema.get("scale", 0)
    if not isinstance(precision, int) or not isinstance(scale, int) or not 1 <= precision <= 38:
        raise UnsupportedError("a decimal beyond 38 digits", feature=str(schema)[:200])
    return pa.decimal128(precision, scale)


def _member(schema: Any, name: str) -> Any:
    if not isinstance(schema, dict) or name not in schema:
        raise FormatError(f"an Avro schema lacks {name!r}", found=repr(schema)[:200])
    return schema[name]
