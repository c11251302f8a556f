"""SQL text -> data type. Spec: 01, 7.2."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import TypeVar

from core.errors import InvalidRequestError, UnsupportedError
from core.types.data_types import (
    MAX_LENGTH,
    ArrayType,
    BigIntType,
    BinaryType,
    BlobType,
    BooleanType,
    CharType,
    DataField,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    GeographyType,
    GeometryType,
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
    VariantType,
    VectorType,
)

T = TypeVar("T")

MAX_DEPTH = 64  # nesting of constructed types; a guard against hostile text

_TOKEN = re.compile(r"\s*(?:'((?:[^']|'')*)'|`((?:[^`]|``)+)`|([<>(),.])|([^\s<>(),.'`]+))")

_PLAIN: dict[str, type[DataType]] = {
    "BOOLEAN": BooleanType,
    "TINYINT": TinyIntType,
    "SMALLINT": SmallIntType,
    "INT": IntType,
    "INTEGER": IntType,
    "BIGINT": BigIntType,
    "FLOAT": FloatType,
    "DOUBLE": DoubleType,
    "DATE": DateType,
    "VARIANT": VariantType,
    "BLOB": BlobType,
}
_SIZED: dict[str, Callable[[int], DataType]] = {
    "CHAR": CharType,
    "VARCHAR": VarCharType,
    "BINARY": BinaryType,
    "VARBINARY": VarBinaryType,
}
_GEOGRAPHY_ALGORITHMS = ("spherical", "vincenty", "thomas", "andoyer", "karney")
VECTOR_ELEMENTS = (
    BooleanType,
    TinyIntType,
    SmallIntType,
    IntType,
    BigIntType,
    FloatType,
    DoubleType,
)


def parse_type(text: str) -> DataType:
    """The type that `text` names; members of a ROW are numbered 0, 1, 2, ... depth first.

    Raises:
        InvalidRequestError: the text breaks the grammar or a parameter is out of range.
        UnsupportedError: a type name that we do not know.
    """
    parser = _Parser(text)
    data_type = parser.type()
    parser.expect_end()
    return data_type


class _Parser:
    """Recursive descent over tokens `(kind, text)`; kinds are word, quoted, name and the marks."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(self._tokenize(text))
        self._at = 0
        self._depth = 0
        self._ids = count()

    def type(self) -> DataType:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._error("types are nested too deeply")
        data_type = self._nullability(self._base())
        while (word := self._peek_word()) in ("ARRAY", "MULTISET"):
            self._at += 1
            suffixed = ArrayType(data_type) if word == "ARRAY" else MultisetType(data_type)
            data_type = self._nullability(suffixed)
        self._depth -= 1
        return data_type

    def expect_end(self) -> None:
        if self._at < len(self._tokens):
            raise self._error(f"unexpected {self._tokens[self._at][1]!r} after the type")

    def _base(self) -> DataType:
        name = self._word()
        if name in _PLAIN:
            if name == "DOUBLE":
                self._accept_words("PRECISION")
            return _PLAIN[name]()
        if name in _SIZED:
            return _SIZED[name](self._parameters(1, (1,), 1, MAX_LENGTH)[0])
        special = _SPECIAL.get(name)
        if special is None:
            raise UnsupportedError(f"unknown data type {name!r}", feature=f"type {name}", where=self._text)
        return special(self)

    def string(self) -> DataType:
        return VarCharType(MAX_LENGTH)

    def bytes(self) -> DataType:
        return VarBinaryType(MAX_LENGTH)

    def decimal(self) -> DataType:
        precision, scale = self._parameters(2, (10, 0), 0, 38)
        if not (1 <= precision <= 38 and scale <= precision):
            raise self._error("DECIMAL(p, s) needs 1 <= p <= 38 and 0 <= s <= p")
        return DecimalType(precision, scale)

    def time(self) -> DataType:
        precision = self._parameters(1, (0,), 0, 9)[0]
        self._accept_words("WITHOUT", "TIME", "ZONE")
        return TimeType(precision)

    def timestamp(self) -> DataType:
        precision = self._parameters(1, (6,), 0, 9)[0]
        if self._accept_words("WITH", "LOCAL", "TIME", "ZONE"):
            return LocalZonedTimestampType(precision)
        self._accept_words("WITHOUT", "TIME", "ZONE")
        return TimestampType(precision)

    def timestamp_ltz(self) -> DataType:
        return LocalZonedTimestampType(self._parameters(1, (6,), 0, 9)[0])

    def geometry(self) -> DataType:
        arguments = self._text_arguments()
        if len(arguments) > 1:
            raise self._error("GEOMETRY takes one argument")
        return GeometryType(*arguments)

    def geography(self) -> DataType:
        arguments = self._text_arguments()
        if len(arguments) > 2:
            raise self._error("GEOGRAPHY takes two arguments")
        if len(arguments) == 2:
            arguments[1] = arguments[1].lower()
            if arguments[1] not in _GEOGRAPHY_ALGORITHMS:
                raise self._error(f"unknown GEOGRAPHY algorithm {arguments[1]!r}")
        return GeographyType(*arguments)

    def array(self) -> DataType:
        return ArrayType(self._enclosed(self.type))

    def multiset(self) -> DataType:
        return MultisetType(self._enclosed(self.type))

    def map(self) -> DataType:
        def entry() -> MapType:
            key = self.type()
            self._mark(",")
            return MapType(key, self.type())

        return self._enclosed(entry)

    def vector(self) -> DataType:
        def parts() -> VectorType:
            element = self.type()
            self._mark(",")
            return checked_vector(element, self._int(1, MAX_LENGTH))

        return self._enclosed(parts)

    def row(self) -> DataType:
        def members() -> RowType:
            fields: list[DataField] = []
            while self._peek() not in (">", ")"):
                if fields:
                    self._mark(",")
                fields.append(self._field())
            return RowType(tuple(fields))

        return self._enclosed(members)

    def _field(self) -> DataField:
        kind, name = self._next()
        if kind not in ("word", "name"):
            raise self._error(f"expected a member name, found {name!r}")
        field = DataField(next(self._ids), name, self.type())
        if self._peek() == "quoted":
            field = replace(field, description=self._next()[1])
        if self._accept_words("DEFAULT"):
            field = replace(field, default_value=self._next()[1])
        return field

    def _enclosed(self, inner: Callable[[], T]) -> T:
        opening = self._next()[1]
        if opening not in ("<", "("):
            raise self._error(f"expected '<', found {opening!r}")
        value = inner()
        self._mark(">" if opening == "<" else ")")
        return value

    def _nullability(self, data_type: DataType) -> DataType:
        if self._accept_words("NOT", "NULL"):
            return data_type.with_nullability(False)
        self._accept_words("NULL")
        return data_type

    def _parameters(self, most: int, defaults: tuple[int, ...], low: int, high: int) -> tuple[int, ...]:
        """`(1, 2)` with up to `most` numbers, completed from `defaults`; none written gives the defaults."""
        if self._peek() != "(":
            return defaults
        self._at += 1
        values = [self._int(low, high)]
        while len(values) < most and self._peek() == ",":
            self._at += 1
            values.append(self._int(low, high))
        self._mark(")")
        return (*values, *defaults[len(values) :])

    def _text_arguments(self) -> list[str]:
        if self._peek() != "(":
            return []
        self._at += 1
        arguments, current = [], ""
        while (token := self._next())[0] != ")":
            if token[0] == ",":
                arguments.append(current)
                current = ""
            else:
                current += token[1]
        return [*arguments, current]

    def _int(self, low: int, high: int) -> int:
        text = self._next()[1]
        if not (text.isascii() and text.isdigit() and low <= int(text) <= high):
            raise self._error(f"expected a number from {low} to {high}, found {text!r}")
        return int(text)

    def _word(self) -> str:
        kind, text = self._next()
        if kind != "word":
            raise self._error(f"expected a type name, found {text!r}")
        return text.upper()

    def _peek(self) -> str:
        return self._tokens[self._at][0] if self._at < len(self._tokens) else "end"

    def _peek_word(self) -> str:
        return self._tokens[self._at][1].upper() if self._peek() == "word" else ""

    def _next(self) -> tuple[str, str]:
        if self._at >= len(self._tokens):
            raise self._error("the text ends too early")
        token = self._tokens[self._at]
        self._at += 1
        return token

    def _mark(self, mark: str) -> None:
        kind, text = self._next()
        if kind != mark:
            raise self._error(f"expected {mark!r}, found {text!r}")

    def _accept_words(self, *words: str) -> bool:
        ahead = self._tokens[self._at : self._at + len(words)]
        if [(k, t.upper()) for k, t in ahead] != [("word", w) for w in words]:
            return False
        self._at += len(words)
        return True

    def _tokenize(self, text: str) -> list[tuple[str, str]]:
        tokens, at, end = [], 0, len(text.rstrip())
        while at < end:
            match = _TOKEN.match(text, at)
            if match is None:
                raise self._error(f"cannot read {text[at:]!r}")
            quoted, name, mark, word = match.groups()
            if quoted is not None:
                tokens.append(("quoted", quoted.replace("''", "'")))
            elif name is not None:
                tokens.append(("name", name.replace("``", "`")))
            else:
                tokens.append((mark, mark) if mark else ("word", word))
            at = match.end()
        return tokens

    def _error(self, what: str) -> InvalidRequestError:
        return InvalidRequestError(f"not a data type: {what}", text=self._text)


_SPECIAL: dict[str, Callable[[_Parser], DataType]] = {
    "STRING": _Parser.string,
    "BYTES": _Parser.bytes,
    "DECIMAL": _Parser.decimal,
    "NUMERIC": _Parser.decimal,
    "DEC": _Parser.decimal,
    "TIME": _Parser.time,
    "TIMESTAMP": _Parser.timestamp,
    "TIMESTAMP_LTZ": _Parser.timestamp_ltz,
    "GEOMETRY": _Parser.geometry,
    "GEOGRAPHY": _Parser.geography,
    "ARRAY": _Parser.array,
    "MULTISET": _Parser.multiset,
    "MAP": _Parser.map,
    "VECTOR": _Parser.vector,
    "ROW": _Parser.row,
}


def checked_vector(element: DataType, length: int) -> VectorType:
    """A VECTOR of `length` fixed-width numbers or booleans.

    Raises:
        InvalidRequestError: another element type, or a length below 1.
    """
    if not isinstance(element, VECTOR_ELEMENTS) or length < 1:
        raise InvalidRequestError(
            "a VECTOR holds at least one number or boolean", element=element, length=length
        )
    return VectorType(element, length)
