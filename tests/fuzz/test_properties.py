"""How many rounds of the property tests are run."""

from __future__ import annotations

import pytest

from tests.fuzz import properties


@pytest.fixture
def rounds(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """What each round that was run ends with; it takes four minutes."""
    ends: list[int] = []
    clock = [0.0]

    def one() -> int:
        clock[0] += 240
        ends.append(0)
        return ends[-1]

    monkeypatch.setattr(properties, "monotonic", lambda: clock[0])
    monkeypatch.setattr(properties, "_round", one)
    return ends


@pytest.mark.parametrize(("minutes", "count"), [("20", 5), ("19", 4), ("1", 1)])
def test_no_round_begins_that_would_not_end_in_time_but_the_first(
    rounds: list[int], minutes: str, count: int
) -> None:
    assert properties.main([minutes]) == 0
    assert len(rounds) == count


def test_a_round_that_fails_is_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(properties, "_round", lambda: 1)
    assert properties.main(["20"]) == 1
