"""Modes of statistics and how bounds are cut. Spec: 03, 5.1."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidRequestError
from core.stats import StatsMode, parse_stats_mode, truncate_max, truncate_min
from tests.strategies import byte_strings, texts


class TestTruncation:
    @given(texts() | byte_strings(), st.integers(1, 20))
    def test_bounds_are_short_and_enclose_the_value(self, value: Any, length: int) -> None:
        low, high = truncate_min(value, length), truncate_max(value, length)
        assert len(low) <= length
        assert _ordered(low) <= _ordered(value)
        if high is not None:
            assert len(high) <= length
            assert _ordered(value) <= _ordered(high)

    @pytest.mark.parametrize(
        ("value", "length", "low", "high"),
        [
            ("a very long string value exceeding sixteen", 16, "a very long stri", "a very long strj"),
            ("中文字符测试", 4, "中文字符", "中文字笧"),
            ("\U0010ffff" * 2 + "z", 2, "\U0010ffff" * 2, None),
            ("a\U0010ffffz", 2, "a\U0010ffff", "b"),
            ("x" * 16, 16, "x" * 16, "x" * 16),
            (b"\x01\xff\x03", 2, b"\x01\xff", b"\x02"),
            (b"\xff\xff\xff", 2, b"\xff\xff", None),
            ("\ud7ffz", 1, "\ud7ff", "\ue000"),
            (7, 1, 7, 7),
        ],
    )
    def test_examples(self, value: Any, length: int, low: Any, high: Any) -> None:
        assert truncate_min(value, length) == low
        assert truncate_max(value, length) == high


def _ordered(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else value


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("none", StatsMode(counts_nulls=False, keeps_bounds=False)),
        ("Counts", StatsMode(counts_nulls=True, keeps_bounds=False)),
        ("FULL", StatsMode(counts_nulls=True, keeps_bounds=True)),
        ("truncate(16)", StatsMode(counts_nulls=True, keeps_bounds=True, length=16)),
    ],
)
def test_modes(text: str, mode: StatsMode) -> None:
    assert parse_stats_mode(text) == mode


@pytest.mark.parametrize("text", ["", "some", "truncate", "truncate(0)", "truncate(-1)", "truncate(x)"])
def test_what_is_no_mode_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequestError, match=r"truncate\(n\)"):
        parse_stats_mode(text)
