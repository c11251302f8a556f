"""The oldest that go. Spec: 08, 6."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core.errors import InvalidRequestError
from core.maintenance.expire.window import (
    Retention,
    changelog_retention,
    first_kept_changelog,
    first_kept_snapshot,
    outlives_snapshots,
    snapshot_retention,
)
from core.options import TableOptions

IDS = list(range(1, 21))
NOW = 1000


def kept(
    minimum: int = 1,
    maximum: int = 100,
    age: int = 0,
    limit: int = 50,
    held: int | None = None,
    ids: list[int] | None = None,
) -> int:
    """Snapshot n is of time 10 n."""
    retention = Retention(minimum, maximum, timedelta(milliseconds=age), limit)
    return first_kept_snapshot(ids or IDS, lambda i: 10 * i, retention, NOW, held)


@pytest.mark.parametrize(
    ("how", "first"),
    [
        ({}, 20),
        ({"minimum": 5}, 16),
        ({"minimum": 30}, 1),
        ({"limit": 4}, 5),
        ({"held": 7}, 7),
        ({"held": 40}, 20),
        ({"age": 900}, 9),  # snapshot 10 is not older than that: 9 was the table until then
        ({"age": 10_000}, 1),
        ({"age": 10_000, "maximum": 3}, 18),
        ({"age": 10_000, "maximum": 3, "limit": 5}, 6),
    ],
)
def test_number_age_limit_and_consumers_decide_together(how: dict[str, int], first: int) -> None:
    assert kept(**how) == first


def test_ids_that_have_been_expired_before_do_not_count() -> None:
    assert kept(ids=list(range(11, 21)), limit=3) == 14


def test_a_consumer_behind_the_earliest_keeps_all() -> None:
    assert kept(ids=list(range(11, 21)), held=2) == 11


@pytest.mark.parametrize(
    "how", [(0, 5, 1), (6, 5, 1), (1, 5, 0)], ids=["none kept", "more at least than at most", "no limit"]
)
def test_what_makes_no_sense_is_refused(how: tuple[int, int, int]) -> None:
    minimum, maximum, limit = how
    with pytest.raises(InvalidRequestError):
        Retention(minimum, maximum, timedelta(), limit)


def changelogs(ids: list[int], age: int = 0, held: int | None = None, **how: int) -> int:
    retention = Retention(how.get("minimum", 1), how.get("maximum", 100), timedelta(milliseconds=age), 50)
    return first_kept_changelog(ids, 20, lambda i: 10 * i, retention, NOW, held)


def test_the_last_changelog_always_stays() -> None:
    assert changelogs([3, 4, 5, 6]) == 6


def test_changelogs_count_from_the_latest_snapshot() -> None:
    assert changelogs([3, 4, 5, 6], minimum=16) == 5
    assert changelogs([3, 4, 5, 6], age=10_000, maximum=16) == 5


def test_a_changelog_goes_by_its_own_age() -> None:
    assert changelogs([3, 4, 5, 6], age=950) == 5


def test_changelogs_are_kept_as_snapshots_unless_told() -> None:
    plain = TableOptions({"snapshot.num-retained.min": "3"})
    longer = TableOptions({"changelog.time-retained": "2 h"})
    assert changelog_retention(plain) == snapshot_retention(plain)
    assert not outlives_snapshots(changelog_retention(plain), snapshot_retention(plain))
    assert outlives_snapshots(changelog_retention(longer), snapshot_retention(longer))
