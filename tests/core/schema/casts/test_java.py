"""Every cast of Java Paimon 0.9.0, value by value: what running it gave. Spec: 09, 2.

The files beside this one are the output of Casts.java (there too) in two time zones: a line
has source and target type, then `value => result`, where `!` marks an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from core.arrow import arrow_type, from_python, to_python
from core.errors import FormatError
from core.schema.casts import cast_column, check_cast
from core.types import (
    BinaryType,
    BooleanType,
    CharType,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    LocalZonedTimestampType,
    Timestamp,
    TimestampType,
    TimeType,
    VarBinaryType,
    VarCharType,
    parse_type,
    type_to_text,
)
from core.types.casts import cast_kind

HERE = Path(__file__).parent
ZONES = {"UTC": "java09_utc.tsv", "America/New_York": "java09_new_york.tsv"}
Case = tuple[DataType, DataType, list[tuple[str, str]]]


def cases(file: str) -> Iterator[Case]:
    for line in (HERE / file).read_text().splitlines():
        source, target, *pairs = line.split("\t")
        yield parse_type(source), parse_type(target), [tuple(p.split(" => ")) for p in pairs]  # type: ignore[misc]


def name(case: Case) -> str:
    return f"{type_to_text(case[0])} to {type_to_text(case[1])}"


def value_of(text: str, kind: DataType) -> Any:
    """The internal value of Java's text."""
    match kind:
        case _ if text == "null":
            return None
        case BooleanType():
            return text == "true"
        case FloatType() | DoubleType():
            return float(text)
        case DecimalType():
            return Decimal(text)
        case CharType() | VarCharType():
            return text
        case BinaryType() | VarBinaryType():
            return bytes.fromhex(text[1:])
        case TimestampType() | LocalZonedTimestampType():
            millis, _, nanos = text.rpartition("+")
            return Timestamp(int(millis), int(nanos))
        case _:
            return int(text)


# Where we do otherwise, and why.
OTHERWISE = {
    ("STRING", "2024-02-03T04:05:06"): "newer Paimon takes the T",
    ("STRING", "2024-02-30"): "0.9.0 moves a day that is not there to the end of the month",
    ("STRING", "24:00:00"): "no time of a day",
    ("STRING", "2024-02-03 04:05:06.123456789Z"): "whatever stands behind a date",
    ("CHAR(6)", " 1"): "a year alone, or an hour",
    ("BYTES", "xff41"): "no text: we say so, Java puts a mark in its place",
    ("DATE", "2932897"): "0.9.0 prints four digits of a year",
    ("BIGINT", "-9223372036854775808"): "beyond the years that Arrow's nanoseconds have",
    ("BIGINT", "9223372036854775807"): "beyond the years that Arrow's nanoseconds have",
    ("FLOAT", "1.4E-45"): "two digits where one tells the number",
    ("DOUBLE", "4.9E-324"): "two digits where one tells the number",
}


def differs(source: DataType, target: DataType, text: str) -> bool:
    """Whether a case is one of `OTHERWISE`; by the years of nanoseconds too."""
    if source == target:
        return True  # nothing is cast
    if isinstance(target, TimestampType | LocalZonedTimestampType) and target.precision > 6:
        return (type_to_text(source), text) in OTHERWISE or text in ("-719528", "2932897")
    if isinstance(target, TimeType) and text.startswith("-"):
        return True  # before 1970 Java makes a time below zero of a TIMESTAMP
    if isinstance(target, BooleanType) and text == "-9223372036854775808":
        return True  # newer Paimon looks at all bits of a BIGINT
    printed = isinstance(target, CharType | VarCharType | TimestampType | LocalZonedTimestampType | TimeType)
    of_text = isinstance(source, CharType | VarCharType)
    return (printed or of_text) and (type_to_text(source), text) in OTHERWISE


@pytest.mark.parametrize("zone", ZONES)
def test_a_value_is_cast_as_java_casts_it(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", zone)
    wrong = []
    for source, target, pairs in cases(ZONES[zone]):
        for text, expected in pairs:
            if differs(source, target, text):
                continue
            got = _cast(value_of(text, source), source, target)
            want = "error" if expected.startswith("!") else value_of(expected, target)
            if repr(_single(got, target)) != repr(_single(want, target)):
                wrong.append(f"{name((source, target, []))}: {text!r} => {got!r}, Java: {want!r}")
    assert not wrong, "\n".join(wrong)


def _single(value: Any, kind: DataType) -> Any:
    """A FLOAT with the digits that it has."""
    return (
        from_python([value], kind)[0].as_py() if isinstance(kind, FloatType) and value != "error" else value
    )


def _cast(value: Any, source: DataType, target: DataType) -> Any:
    column = from_python([None, value, value], source).slice(0, 2)
    try:
        result = cast_column(column, source, target)
    except FormatError:
        return "error"
    assert result.type == arrow_type(target)
    nothing, cast = to_python(result, target)
    assert nothing is None
    return cast


def test_every_cast_of_the_matrix_is_there_and_no_other() -> None:
    listed = {(type(source), type(target)) for source, target, _ in cases(ZONES["UTC"])}
    types = {kind for pair in listed for kind in pair}
    for source, target, _ in cases(ZONES["UTC"]):
        check_cast(source, target)
        assert cast_kind(source, target) is not None, name((source, target, []))
    samples = {type(kind): kind for source, target, _ in cases(ZONES["UTC"]) for kind in (source, target)}
    for source in types:
        for target in types:
            known = cast_kind(samples[source], samples[target]) is not None
            assert known == ((source, target) in listed or samples[source] == samples[target])
