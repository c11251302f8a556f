"""Which snapshot a read asks for. Spec: 09, 6."""

from __future__ import annotations

import re
from datetime import datetime

from core.errors import InvalidRequestError, NotFoundError
from core.snapshot.snapshot import Snapshot
from core.snapshot.store import SnapshotStore
from core.snapshot.tags import TagStore

_WATERMARK_VERSION = re.compile(r"watermark-(-?[0-9]{1,19})")


def resolve(
    snapshots: SnapshotStore,
    tags: TagStore,
    *,
    snapshot_id: int | None = None,
    tag: str | None = None,
    timestamp_millis: int | None = None,
    watermark: int | None = None,
) -> Snapshot | None:
    """The snapshot asked for, in at most one way; the latest without any.

    None only where the latest is asked for and nothing was ever committed.

    Raises:
        NotFoundError: no such snapshot or tag, every snapshot is later than the time, or none
            has reached the watermark.
        InvalidRequestError: more than one way was given, or a value of another type.
    """
    given = {
        "snapshot_id": snapshot_id,
        "tag": tag,
        "timestamp_millis": timestamp_millis,
        "watermark": watermark,
    }
    asked = {name: value for name, value in given.items() if value is not None}
    if len(asked) > 1:
        raise InvalidRequestError("give one of snapshot_id, tag, timestamp_millis and watermark", **asked)
    for name, value in asked.items():
        if type(value) is not (str if name == "tag" else int):
            raise InvalidRequestError(
                "time travel is by whole numbers or the name of a tag", **{name: repr(value)}
            )
    if snapshot_id is not None:
        return snapshot_or_tagged(snapshots, tags, snapshot_id)
    if tag is not None:
        return tags.get(tag).snapshot
    if timestamp_millis is not None:
        return _by_time(snapshots, timestamp_millis)
    if watermark is not None:
        return _by_watermark(snapshots, watermark)
    return snapshots.latest()


def resolve_version(snapshots: SnapshotStore, tags: TagStore, version: str) -> Snapshot:
    """The snapshot of a version: a tag of that name, `watermark-<n>`, or the id of a snapshot.

    Raises:
        NotFoundError: none of these is there.
    """
    if tags.exists(version):
        return tags.get(version).snapshot
    watermark = _WATERMARK_VERSION.fullmatch(version)
    if watermark is not None:
        return _by_watermark(snapshots, int(watermark.group(1)))
    if version.isascii() and version.isdigit():
        return snapshot_or_tagged(snapshots, tags, int(version))
    raise NotFoundError("a version is a tag, watermark-<number> or the id of a snapshot", version=version)


def snapshot_or_tagged(snapshots: SnapshotStore, tags: TagStore, snapshot_id: int) -> Snapshot:
    """The snapshot of that id, even one that has expired and lives on in a tag.

    Raises:
        NotFoundError: neither; the fields say which snapshots there are.
    """
    try:
        return snapshots.get(snapshot_id)
    except NotFoundError as error:
        tag = tags.of_snapshot(snapshot_id)
        if tag is not None:
            return tag.snapshot
        raise NotFoundError(
            error.what, **error.fields, earliest=snapshots.earliest_id(), latest=snapshots.latest_id()
        ) from error


def millis_of_time(text: str) -> int:
    """Epoch milliseconds of `2024-01-31 12:00:00.123`; without a zone it is the local one's time.

    Raises:
        InvalidRequestError: not a time.
    """
    try:
        return round(datetime.fromisoformat(text.strip()).timestamp() * 1000)
    except (ValueError, OverflowError) as error:
        raise InvalidRequestError(
            "not a time", found=repr(text), expected="yyyy-MM-dd HH:mm:ss.SSS"
        ) from error


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


def _by_watermark(snapshots: SnapshotStore, watermark: int) -> Snapshot:
    snapshot = snapshots.by_watermark(watermark)
    if snapshot is None:
        raise NotFoundError("no snapshot has reached the watermark", watermark=watermark)
    return snapshot
