from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.catalog.names import fits


@pytest.mark.parametrize(
    ("pattern", "name", "does"),
    [
        ("", "sales", True),
        ("sa%", "sales", True),
        ("%es", "sales", True),
        ("s%l%s", "sales", True),
        ("s_les", "sales", True),
        ("%", "", True),
        ("s", "sales", False),
        ("s.les", "sales", False),
        (r"s\_les", "sales", False),
        (r"100\%", "100%", True),
        ("a%a", "a", False),
        ("%ab%", "aab", True),
        ("%aab", "aaab", True),
    ],
)
def test_a_name_is_like_a_pattern_of_sql(pattern: str, name: str, does: bool) -> None:
    assert fits(name, pattern) is does


def test_a_pattern_of_many_percents_takes_no_more_time() -> None:
    assert not fits("a" * 255, "%a" * 100 + "%b")


@given(st.text("ab", max_size=8), st.text("ab_%", max_size=6))
def test_patterns_fit_as_they_do_letter_by_letter(name: str, pattern: str) -> None:
    assert fits(name, pattern) is (not pattern or slowly(name, pattern))


def slowly(name: str, pattern: str) -> bool:
    if not pattern:
        return not name
    if pattern[0] == "%":
        return any(slowly(name[i:], pattern[1:]) for i in range(len(name) + 1))
    return bool(name) and pattern[0] in ("_", name[0]) and slowly(name[1:], pattern[1:])
