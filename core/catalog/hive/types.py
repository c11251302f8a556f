"""Types of columns in Hive's words, and back. Spec: 04, C3."""

from __future__ import annotations

import re

from core.errors import FormatError, UnsupportedError
from core.types import (
    BYTES,
    STRING,
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
    parse_type,
)

_LONGEST_CHAR, _LONGEST_VARCHAR = 255, 65535  # Hive's; what is longer is a string there


def hive_type(type: DataType) -> str:
    """The type as Hive calls it; raises `UnsupportedError` where Hive has none."""
    match type:
        case BooleanType():
            return "boolean"
        case TinyIntType():
            return "tinyint"
        case SmallIntType():
            return "smallint"
        case IntType():
            return "int"
        case BigIntType():
            return "bigint"
        case FloatType():
            return "float"
        case DoubleType():
            return "double"
        case DecimalType():
            return f"decimal({type.precision},{type.scale})"
        case CharType():
            return f"char({type.length})" if type.length <= _LONGEST_CHAR else "string"
        case VarCharType():
            return f"varchar({type.length})" if type.length <= _LONGEST_VARCHAR else "string"
        case TimeType():
            return "string"
        case BinaryType() | VarBinaryType():
            return "binary"
        case DateType():
            return "date"
        case TimestampType() | LocalZonedTimestampType():
            return "timestamp"
        case ArrayType():
            return f"array<{hive_type(type.element)}>"
        case MultisetType():
            return f"map<{hive_type(type.element)},int>"
        case MapType():
            return f"map<{hive_type(type.key)},{hive_type(type.value)}>"
        case RowType():
            return f"struct<{','.join(f'{f.name}:{hive_type(f.type)}' for f in type.fields)}>"
    raise UnsupportedError("Hive has no such type", feature=str(type), where="a hive catalog")


def type_of(hive: str) -> DataType:
    """The type that Hive calls so.

    Raises:
        FormatError: it is no type of Hive's. UnsupportedError: one that we have none for.
    """
    found, rest = _read(hive.strip().lower() if "<" not in hive else hive.strip())
    if rest:
        raise FormatError("not a type of Hive's", found=hive)
    return found


_SIMPLE: dict[str, DataType] = {
    "string": STRING,
    "binary": BYTES,
    "timestamp": TimestampType(precision=6),  # as Paimon tells it
    "timestamp with local time zone": LocalZonedTimestampType(precision=6),
}
_WORD = re.compile(r"[a-z ]+(\(\s*\d+\s*(,\s*\d+\s*)?\))?", re.IGNORECASE)


def _read(text: str) -> tuple[DataType, str]:
    """The type that a text begins with, and the rest of the text."""
    word = _WORD.match(text)
    if word is None:
        raise FormatError("not a type of Hive's", found=text)
    name, rest = word.group().strip().lower(), text[word.end() :]
    if name in ("array", "map", "struct") and rest.startswith("<"):
        return _nested(name, rest[1:])
    if name in _SIMPLE:
        return _SIMPLE[name], rest
    if name == "void" or name.startswith("uniontype"):
        raise UnsupportedError("no type for one of Hive's", feature=name, where="a hive catalog")
    return parse_type(name.upper()), rest


def _nested(name: str, rest: str) -> tuple[DataType, str]:
    parts: list[tuple[str, DataType]] = []
    while not rest.startswith(">"):
        rest = rest.removeprefix(",")
        label = ""
        if name == "struct":
            label, colon, rest = rest.partition(":")
            if not colon:
                raise FormatError("a member of a struct has a name", found=rest)
        part, rest = _read(rest)
        parts.append((label, part))
        if not rest.startswith((",", ">")):
            raise FormatError("not a type of Hive's", found=rest)
    types = [part for _, part in parts]
    match name, len(types):
        case "array", 1:
            return ArrayType(element=types[0]), rest[1:]
        case "map", 2:
            return MapType(key=types[0], value=types[1]), rest[1:]
        case "struct", _:
            members = tuple(DataField(i, label, part) for i, (label, part) in enumerate(parts))
            return RowType(fields=members), rest[1:]
    raise FormatError("not a type of Hive's", found=name)
