"""Which snapshots or changelogs are old enough to go. Pure. Spec: 08, 6."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from core.errors import InvalidRequestError
from core.options import (
    CHANGELOG_NUM_RETAINED_MAX,
    CHANGELOG_NUM_RETAINED_MIN,
    CHANGELOG_TIME_RETAINED,
    SNAPSHOT_EXPIRE_LIMIT,
    SNAPSHOT_NUM_RETAINED_MAX,
    SNAPSHOT_NUM_RETAINED_MIN,
    SNAPSHOT_TIME_RETAINED,
    TableOptions,
)

TimeOf = Callable[[int], int | None]
"""The commit time of an id, epoch milliseconds; None if there is no such file."""


@dataclass(frozen=True, slots=True)
class Retention:
    """How many are kept, and how long."""

    minimum: int  # kept whatever their age
    maximum: int  # what is above goes whatever its age
    time: timedelta
    limit: int  # how many go at once

    def __post_init__(self) -> None:
        if self.minimum < 1:
            raise InvalidRequestError("at least one snapshot is kept", minimum=self.minimum)
        if self.maximum < self.minimum:
            raise InvalidRequestError(
                "at most as many are kept as at least", minimum=self.minimum, maximum=self.maximum
            )
        if self.limit < 1:
            raise InvalidRequestError("at least one is expired at once", limit=self.limit)

    def changed(
        self,
        *,
        now_millis: int,
        minimum: int | None,
        maximum: int | None,
        older_than_millis: int | None,
        limit: int | None,
    ) -> Retention:
        """The same but for what is given; what is older than a time may go."""
        age = None if older_than_millis is None else timedelta(milliseconds=now_millis - older_than_millis)
        return Retention(
            self.minimum if minimum is None else minimum,
            self.maximum if maximum is None else maximum,
            self.time if age is None else age,
            self.limit if limit is None else limit,
        )

    def since(self, now_millis: int) -> int:
        """The time from which on all are young, epoch milliseconds."""
        return now_millis - self.time // timedelta(milliseconds=1)


def snapshot_retention(options: TableOptions) -> Retention:
    return Retention(
        options.get(SNAPSHOT_NUM_RETAINED_MIN),
        options.get(SNAPSHOT_NUM_RETAINED_MAX),
        options.get(SNAPSHOT_TIME_RETAINED),
        options.get(SNAPSHOT_EXPIRE_LIMIT),
    )


def changelog_retention(options: TableOptions) -> Retention:
    """What is not said for changelogs is as for snapshots."""
    snapshots = snapshot_retention(options)
    minimum, maximum = options.get(CHANGELOG_NUM_RETAINED_MIN), options.get(CHANGELOG_NUM_RETAINED_MAX)
    time = options.get(CHANGELOG_TIME_RETAINED)
    return Retention(
        snapshots.minimum if minimum is None else minimum,
        snapshots.maximum if maximum is None else maximum,
        snapshots.time if time is None else time,
        snapshots.limit,
    )


def outlives_snapshots(changelogs: Retention, snapshots: Retention) -> bool:
    """Whether an expiring snapshot becomes a long-lived changelog. Spec: 08, 6.1."""
    return (
        changelogs.minimum > snapshots.minimum
        or changelogs.maximum > snapshots.maximum
        or changelogs.time > snapshots.time
    )


def first_kept_snapshot(
    ids: Sequence[int], time_of: TimeOf, retention: Retention, now_millis: int, held_from: int | None
) -> int:
    """The first snapshot that stays: all before it go.

    Args:
        ids: of all snapshots, ascending; at least one.
        time_of: asked only where age decides.
        retention: what is kept.
        now_millis: epoch milliseconds.
        held_from: the first snapshot that a consumer still reads.
    """
    earliest, latest = ids[0], ids[-1]
    end = min(latest - retention.minimum + 1, earliest + retention.limit)
    if held_from is not None:
        end = min(end, held_from)
    young = retention.since(now_millis)
    for snapshot_id in range(max(latest - retention.maximum + 1, earliest), end):
        # A snapshot is what the table was until its successor came.
        time = time_of(snapshot_id + 1)
        if time is not None and time >= young:
            return snapshot_id
    return max(end, earliest)


def first_kept_changelog(
    ids: Sequence[int],
    latest_snapshot: int,
    time_of: TimeOf,
    retention: Retention,
    now_millis: int,
    held_from: int | None,
) -> int:
    """The first changelog that stays; the last one always does.

    How many are kept is counted from the latest snapshot. The arguments are as above.
    """
    earliest = ids[0]
    end = min(latest_snapshot - retention.minimum + 1, earliest + retention.limit, ids[-1])
    if held_from is not None:
        end = min(end, held_from)
    young = retention.since(now_millis)
    for changelog_id in range(max(latest_snapshot - retention.maximum + 1, earliest), end):
        time = time_of(changelog_id)
        if time is not None and time >= young:
            return changelog_id
    return max(end, earliest)
