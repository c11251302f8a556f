"""Which snapshot a read asks for."""

from __future__ import annotations

from core.errors import InvalidRequestError, NotFoundError
from core.snapshot.snapshot import Snapshot
from core.snapshot.store import SnapshotStore
from core.snapshot.tags import TagStore


def resolve(
    snapshots: SnapshotStore,
    tags: TagStore,
    *,
    snapshot_id: int | None = None,
    tag: str | None = None,
    timestamp_millis: int | None = None,
) -> Snapshot | None:
    """The snapshot asked for, by at most one of the three; the latest without any.

    None only where the latest is asked for and nothing was ever committed.

    Raises:
        NotFoundError: no such snapshot or tag, or every snapshot is later than the time.
        InvalidRequestError: more than one way was given, or a value of another type.
    """
    given = {"snapshot_id": snapshot_id, "tag": tag, "timestamp_millis": timestamp_millis}
    asked = {name: value for name, value in given.items() if value is not None}
    if len(asked) > 1:
        raise InvalidRequestError("give one of snapshot_id, tag and timestamp_millis", **asked)
    for name, value in asked.items():
        if type(value) is not (str if name == "tag" else int):
            raise InvalidRequestError(
                "time travel is by whole numbers or the name of a tag", **{name: repr(value)}
            )
    if snapshot_id is not None:
        return _by_id(snapshots, tags, snapshot_id)
    if tag is not None:
        return tags.get(tag).snapshot
    if timestamp_millis is not None:
        return _by_time(snapshots, timestamp_millis)
    return snapshots.latest()


def _by_id(snapshots: SnapshotStore, tags: TagStore, snapshot_id: int) -> Snapshot:
    """A snapshot file, or else a tag that still holds the expired snapshot."""
    try:
        return snapshots.get(snapshot_id)
    except NotFoundError:
        tag = tags.of_snapshot(snapshot_id)
        if tag is None:
            raise
        return tag.snapshot


def _by_time(snapshots: SnapshotStore, millis: int) -> Snapshot:
    snapshot = snapshots.by_time(millis)
    if snapshot is None:
        earliest = snapshots.earliest()
        raise NotFoundError(
            "no snapshot is that old",
            timestamp_millis=millis,
            earliest_millis=earliest.time_millis if earliest else None,
        )
    return snapshot
