"""The Avro schema of a table's columns, as Paimon writes it. Spec: 04, A3."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from core.errors import UnsupportedError
from core.types import (
    ArrayType,
    BigIntType,
    BinaryType,
    BooleanType,
    CharType,
    DataField,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    MapType,
    MultisetType,
    RowType,
    SmallIntType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
    VectorType,
    type_to_text,
)

_ROOT = "record"
_NAMESPACE = "org.apache.paimon.avro.generated"
_PLAIN: dict[type[DataType], Any] = {
    BooleanType: "boolean",
    TinyIntType: "int",
    SmallIntType: "int",
    IntType: "int",
    BigIntType: "long",
    FloatType: "float",
    DoubleType: "double",
    CharType: "string",
    VarCharType: "string",
    BinaryType: "bytes",
    VarBinaryType: "bytes",
    DateType: {"type": "int", "logicalType": "date"},
    TimeType: {"type": "int", "logicalType": "time-millis"},
}
_MOST_TIME_DIGITS = 3
_MOST_DIGITS = 6
_TEXTS = (CharType, VarCharType)


def avro_schema(fields: Sequence[DataField]) -> Any:
    """The schema of a file with these columns: a row may be null to its readers, though none ever is.

    Raises:
        UnsupportedError: a type that Avro files do not hold.
    """
    return ["null", {**_record(fields, _ROOT), "namespace": _NAMESPACE}]


def _record(fields: Iterable[DataField], name: str) -> dict[str, Any]:
    return {
        "type": "record",
        "name": name,
        "fields": [_member(f.name, f.type, f"{name}_{f.name}") for f in fields],
    }


def _member(name: str, kind: DataType, path: str) -> dict[str, Any]:
    """`path` names the records inside: each needs a name of its own."""
    field: dict[str, Any] = {"name": name, "type": _type(kind, path)}
    return {**field, "default": None} if kind.nullable else field


def _type(kind: DataType, path: str) -> Any:
    stored = _stored(kind, path)
    return ["null", stored] if kind.nullable else stored


def _stored(kind: DataType, path: str) -> Any:
    if isinstance(kind, TimeType) and kind.precision > _MOST_TIME_DIGITS:
        raise _not_held(kind)
    plain = _PLAIN.get(type(kind))
    return _built(kind, path) if plain is None else plain


def _built(kind: DataType, path: str) -> Any:
    match kind:
        case DecimalType(precision=precision, scale=scale):
            return {"type": "bytes", "logicalType": "decimal", "precision": precision, "scale": scale}
        case TimestampType(precision=precision) if precision <= _MOST_DIGITS:
            return {"type": "long", "logicalType": f"timestamp-{_unit(precision)}"}
        case LocalZonedTimestampType(precision=precision) if precision <= _MOST_DIGITS:
            # What Avro calls local is what has no zone; Paimon has always used the two the other way round.
            return {"type": "long", "logicalType": f"local-timestamp-{_unit(precision)}"}
        case ArrayType(element) | VectorType(element):
            return {"type": "array", "items": _type(element, path)}
        case MapType(key, value):
            return _map(key, value, path)
        case MultisetType(element):
            return _map(element, IntType(), path)
        case RowType(fields):
            return _record(fields, path)
    raise _not_held(kind)


def _unit(precision: int) -> str:
    return "millis" if precision <= 3 else "micros"


def _map(key: DataType, value: DataType, path: str) -> Any:
    """Avro's maps have texts for keys; others are arrays of pairs."""
    if isinstance(key, _TEXTS):
        return {"type": "map", "values": _type(value, path)}
    pair = {
        "type": "record",
        "name": path,
        "fields": [
            {"name": "key", "type": _type(key, f"{path}_key")},
            _member("value", value, f"{path}_value"),
        ],
    }
    return {"type": "array", "items": pair, "logicalType": "map"}


def _not_held(kind: DataType) -> UnsupportedError:
    return UnsupportedError("Avro files do not hold this type", feature=f"{type_to_text(kind)} in Avro files")
