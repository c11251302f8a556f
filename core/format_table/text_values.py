"""Values in text files: texts <-> columns. What is no value of its type is marked, not guessed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as _pc

from core.arrow import arrow_type
from core.errors import FormatError
from core.format_table import base64_columns
from core.schema.casts import cast_column
from core.types import (
    STRING,
    BigIntType,
    BinaryType,
    BooleanType,
    CharType,
    DataType,
    DateType,
    IntType,
    SmallIntType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
)

_pa: Any = pa
pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

_INTEGERS = (TinyIntType, SmallIntType, IntType, BigIntType)
_INTEGER = "^[+-]?[0-9]+$"
_FRACTION = r"^([+-]?[0-9]+)\.[0-9]*$"
_NO_WHOLE = r"^[+-]?\.[0-9]"
_DATE = "^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}$"
_NO_BASE64 = r"[^A-Za-z0-9+/=_\-\s]"
_LONGEST_OF_HIVE = 65535


def parsed(texts: Any, kind: DataType) -> tuple[Any, Any]:
    """The values that texts spell, in canonical form, and which of them spell none; those are null."""
    if isinstance(kind, CharType | VarCharType):
        return texts, None  # of any length, as with Paimon
    if isinstance(kind, BooleanType):  # anything but `true` is false, as with Java
        return pc.equal(pc.utf8_lower(texts), "true"), None
    if isinstance(kind, BinaryType | VarBinaryType):
        return _bytes(texts)
    if isinstance(kind, _INTEGERS):
        known = pc.match_substring_regex(texts, _INTEGER)
        bad = pc.fill_null(pc.invert(known), False)
        values, worse = _cast(pc.if_else(known, texts, pa.scalar(None, pa.string())), kind)
        return values, bad if worse is None else pc.or_(bad, worse)
    return _cast(texts, kind)


def hives(texts: Any, kind: DataType) -> Any:
    """The values that Hive's `LazySimpleSerDe` reads in texts, in canonical form; null where it reads none.

    Held against Hive itself by `tests/interop/test_hive_formats.py`.
    """
    if isinstance(kind, CharType | VarCharType):
        cut = pc.utf8_slice_codeunits(texts, 0, kind.length) if kind.length <= _LONGEST_OF_HIVE else texts
        return pc.utf8_rtrim(cut, characters=" ") if isinstance(kind, CharType) else cut
    if isinstance(kind, BooleanType):
        said = pc.utf8_lower(texts)
        return pc.if_else(
            pc.is_in(said, _pa.array(["true", "false"])), pc.equal(said, "true"), _pa.scalar(None, pa.bool_())
        )
    if isinstance(kind, _INTEGERS):  # fractions are cut off
        texts = pc.replace_substring_regex(texts, _NO_WHOLE, "0.")
        texts = pc.replace_substring_regex(texts, _FRACTION, r"\1")
    if isinstance(kind, DateType):
        texts = pc.if_else(pc.match_substring_regex(texts, _DATE), texts, _pa.scalar(None, pa.string()))
    values, bad = parsed(texts, kind)
    if isinstance(kind, BinaryType | VarBinaryType):  # what is no Base64 stands for itself
        plain = pc.fill_null(pc.match_substring_regex(texts, _NO_BASE64), False)
        values = pc.if_else(plain, texts.cast(pa.binary()), values)
        return values
    return values if bad is None else pc.if_else(bad, _pa.scalar(None, values.type), values)


def _bytes(texts: Any) -> tuple[Any, Any]:
    known = pc.fill_null(pc.match_substring_regex(texts, base64_columns.PATTERN), False)
    decoded = base64_columns.decoded(pc.if_else(known, texts, ""))
    bad = pc.and_(texts.is_valid(), pc.invert(known))
    return pc.if_else(known, decoded, pa.scalar(None, pa.binary())), bad


def _cast(texts: Any, kind: DataType) -> tuple[Any, Any]:
    return _cast_or_mark(texts, lambda some: cast_column(some, STRING, kind), arrow_type(kind))


def _cast_or_mark(texts: Any, cast: Callable[[Any], Any], target: Any) -> tuple[Any, Any]:
    """All at once if there is no bad value; else halves, so that each bad one costs a few casts."""
    try:
        return cast(texts), None
    except FormatError:
        if len(texts) == 1:
            return pa.nulls(1, target), pa.array([True])
    half = len(texts) // 2
    (low, low_bad), (high, high_bad) = (
        _cast_or_mark(part, cast, target) for part in (texts[:half], texts[half:])
    )
    marks = [_marks(low_bad, half), _marks(high_bad, len(texts) - half)]
    return pa.concat_arrays([low, high]), pa.concat_arrays(marks)


def _marks(bad: Any, count: int) -> Any:
    return pa.array(np.zeros(count, np.bool_)) if bad is None else bad


def texts_of(column: Any, kind: DataType) -> Any:
    """How Paimon writes values of simple types in text files; nulls stay null."""
    if isinstance(kind, BinaryType | VarBinaryType):
        return pc.if_else(column.is_valid(), base64_columns.encoded(column), pa.scalar(None, pa.string()))
    if isinstance(kind, CharType | VarCharType):
        return column
    return cast_column(column, kind, STRING)
