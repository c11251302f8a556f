"""Filters of Spark as predicates that hold for the same rows."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from pyspark.sql import datasource as S  # noqa: N812 - its filters are called as ours

from core.predicate import predicate_to_text
from core.types import DataField, parse_type
from spark_jobs.datasource.filters import joined, translated

TYPES = {
    "i": "INT",
    "f": "FLOAT",
    "s": "STRING",
    "d": "DATE",
    "ts": "TIMESTAMP(3)",
    "tz": "TIMESTAMP_LTZ(6)",
    "ns": "TIMESTAMP(9)",
    "n": "DECIMAL(5, 2)",
    "b": "BYTES",
    "a": "ARRAY<INT>",
    "blob": "BLOB",
}
FIELDS = tuple(DataField(i, name, parse_type(text)) for i, (name, text) in enumerate(TYPES.items()))
MORNING = datetime(2026, 1, 5, 8, 30, 0, 123000)


def text_of(filter: S.Filter) -> str | None:
    found = translated(filter, FIELDS)
    return None if found is None else predicate_to_text(found)


@pytest.mark.parametrize(
    ("filter", "text"),
    [
        (S.EqualTo(("i",), 7), "i = 7"),
        (S.GreaterThan(("n",), Decimal("1.5")), "n > 1.50"),
        (S.LessThanOrEqual(("s",), "it's"), "s <= 'it''s'"),
        (S.GreaterThanOrEqual(("d",), date(2026, 1, 5)), "d >= '2026-01-05'"),
        (S.LessThan(("ts",), MORNING), "ts < '2026-01-05 08:30:00.123'"),
        (S.EqualTo(("tz",), MORNING.replace(tzinfo=UTC)), "tz = '2026-01-05 08:30:00.123'"),
        (
            S.EqualTo(("tz",), MORNING.replace(tzinfo=timezone(timedelta(hours=8)))),
            "tz = '2026-01-05 00:30:00.123'",
        ),
        (S.EqualTo(("f",), 0.5), "f = 0.5"),
        (S.EqualTo(("b",), b"\x01"), "b = X'01'"),
        (S.In(("i",), (1, None, 2)), "i IN (1, 2)"),
        (S.IsNull(("a",)), "a IS NULL"),
        (S.IsNotNull(("i",)), "i IS NOT NULL"),
        (S.Not(S.EqualTo(("i",), 7)), "NOT i = 7"),
        (S.Not(S.In(("i",), (1, 2))), "NOT i IN (1, 2)"),
        (S.EqualNullSafe(("i",), None), "i IS NULL"),
        (S.EqualNullSafe(("i",), 1), "i = 1"),
        (S.Not(S.EqualNullSafe(("i",), 1)), "NOT i = 1 OR i IS NULL"),
        (S.StringStartsWith(("s",), "50%_\\"), "s LIKE '50\\%\\_\\\\%'"),
        (S.StringEndsWith(("s",), "a"), "s LIKE '%a'"),
        (S.StringContains(("s",), "a"), "s LIKE '%a%'"),
    ],
    ids=str,
)
def test_a_filter_becomes_the_predicate_that_means_the_same(filter: S.Filter, text: str) -> None:
    assert text_of(filter) == text


@pytest.mark.parametrize(
    "filter",
    [
        S.EqualTo(("a", "inner"), 1),  # a member
        S.EqualTo(("other",), 1),
        S.EqualTo(("i",), None),
        S.EqualTo(("f",), 0.1),  # no FLOAT: it would be rounded
        S.EqualTo(("ns",), MORNING),  # Spark sees its microseconds alone
        S.EqualTo(("ts",), MORNING.replace(tzinfo=UTC)),
        S.EqualTo(("ts",), MORNING + timedelta(microseconds=1)),
        S.EqualTo(("blob",), b"\x01"),
        S.EqualTo(("a",), [1]),
        S.EqualTo(("i",), 1 << 40),
        S.GreaterThan(("n",), Decimal("1.234")),
        S.Not(S.In(("i",), (1, None))),  # true of no row
        S.In(("i",), (None,)),
    ],
    ids=str,
)
def test_what_would_mean_something_else_stays_with_spark(filter: S.Filter) -> None:
    assert translated(filter, FIELDS) is None


def test_predicates_join_flat_so_that_none_is_nested_too_deeply() -> None:
    both = joined(["i = 1 AND i = 2", None, translated(S.IsNull(("s",)), FIELDS)])
    assert both is not None
    assert predicate_to_text(both) == "i = 1 AND i = 2 AND s IS NULL"
    assert joined([None]) is None
