"""Tags: snapshots that were given a name and outlive expiration. Spec: 01, 9; 08, 8."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from core.arguments import is_a
from core.errors import AlreadyExistsError, FormatError, InvalidRequestError, NotFoundError, PaimonError
from core.io.decoding import read_decoded
from core.io.file_io import FileIO
from core.io.json_object import JsonObject
from core.io.paths import TablePaths
from core.snapshot.codec import snapshot_members, snapshot_of
from core.snapshot.snapshot import Snapshot

_PREFIX = "tag-"


@dataclass(frozen=True, slots=True)
class Tag:
    name: str
    snapshot: Snapshot
    create_time: datetime | None = None  # wall clock of the creator, no zone; only with a retention
    time_retained: timedelta | None = None

    @property
    def retained_until(self) -> datetime | None:
        """When the tag may be expired, by the clock of its creator; None: never, or beyond the calendar."""
        if self.create_time is None or self.time_retained is None:
            return None
        try:
            return self.create_time + self.time_retained
        except OverflowError:
            return None


@dataclass(frozen=True, slots=True)
class UnreadableTag:
    """A tag whose file is there and cannot be used."""

    name: str
    error: PaimonError


class TagWatch(Protocol):
    """Who is told of tags that come and go, after that; it never raises."""

    def tag_made(self, name: str) -> None: ...

    def tag_gone(self, name: str) -> None: ...


class TagStore:
    """The tag/ directory of a table or branch."""

    def __init__(self, io: FileIO, paths: TablePaths, watch: TagWatch | None = None) -> None:
        self._io = io
        self._paths = paths
        self._watch = watch

    def names(self) -> list[str]:
        """Sorted."""
        files = (status.path.rpartition("/")[2] for status in self._io.list_files(self._paths.tag_dir))
        return sorted(name.removeprefix(_PREFIX) for name in files if name.startswith(_PREFIX))

    def list(self) -> list[Tag]:
        """Every tag, by snapshot id and name."""
        return sorted(map(self.get, self.names()), key=lambda tag: (tag.snapshot.id, tag.name))

    def examine(self) -> Iterator[Tag | UnreadableTag]:
        """Every tag by name, with the error in place of one that cannot be read."""
        for name in self.names():
            try:
                yield self.get(name)
            except PaimonError as error:
                yield UnreadableTag(name, error)

    def exists(self, name: str) -> bool:
        return self._io.exists(self._paths.tag_file(_checked_name(name)))

    def get(self, name: str) -> Tag:
        """`NotFoundError` if there is no such tag, `FormatError` if its file is damaged."""
        path = self._paths.tag_file(_checked_name(name))
        try:
            return read_decoded(self._io, path, lambda data: decode_tag(name, data))
        except NotFoundError as error:
            raise NotFoundError("tag not found", tag=name, path=path) from error

    def of_snapshot(self, snapshot_id: int) -> Tag | None:
        """The first tag by name that holds the snapshot."""
        return next((tag for tag in self.list() if tag.snapshot.id == snapshot_id), None)

    def create(self, tag: Tag) -> None:
        """Write a new tag; `AlreadyExistsError` if the name is taken."""
        path = self._paths.tag_file(_checked_name(tag.name))
        try:
            self._io.create(path, encode_tag(tag))
        except AlreadyExistsError as error:
            raise AlreadyExistsError("tag exists already", tag=tag.name) from error
        if self._watch is not None:
            self._watch.tag_made(tag.name)

    def replace(self, tag: Tag) -> None:
        """Write a tag over the one of that name; what only that one kept alive is then an orphan."""
        self._io.write(self._paths.tag_file(_checked_name(tag.name)), encode_tag(tag))

    def modified_millis(self, name: str) -> int:
        """When the file was written, epoch milliseconds; `NotFoundError` if there is none."""
        return self._io.status(self._paths.tag_file(_checked_name(name))).modified_millis

    def write_success_file(self, name: str, now_millis: int) -> None:
        """Tell those who wait for the tag that it is there. Spec: 01, 9."""
        times = {"creationTime": now_millis, "modificationTime": now_millis}
        self._io.write(self._success_file(name), json.dumps(times, indent=2).encode())

    def delete_success_file(self, name: str) -> None:
        self._io.delete(self._success_file(name))

    def _success_file(self, name: str) -> str:
        return f"{self._paths.tag_dir}/tag-success-file/{_checked_name(name)}_SUCCESS"

    def delete(self, name: str) -> None:
        """Delete the file alone; what only this tag kept alive is then an orphan."""
        self._io.delete(self._paths.tag_file(_checked_name(name)))
        if self._watch is not None:
            self._watch.tag_gone(name)


def decode_tag(name: str, data: bytes) -> Tag:
    """The tag of a tag file: a snapshot, and how long it is retained."""
    value = JsonObject.parse(data)
    return Tag(
        name,
        snapshot_of(value),
        _create_time(value.members.get("tagCreateTime")),
        _retained(value.members.get("tagTimeRetained")),
    )


def encode_tag(tag: Tag) -> bytes:
    """The content of a tag file; nothing beyond the snapshot unless a retention is given."""
    lines = [
        f"  {json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}"
        for k, v in snapshot_members(tag.snapshot).items()
    ]
    if tag.time_retained is not None:
        if tag.create_time is None:
            raise InvalidRequestError("a tag with a retention needs its creation time", tag=tag.name)
        lines.append(f'  "tagCreateTime": {_create_time_array(tag.create_time)}')
        # Nine digits, which json.dumps of a float would not give.
        lines.append(f'  "tagTimeRetained": {_seconds_text(tag.time_retained)}')
    return ("{\n" + ",\n".join(lines) + "\n}").encode()


def _create_time_array(time: datetime) -> list[int]:
    parts = [time.year, time.month, time.day, time.hour, time.minute, time.second, time.microsecond * 1000]
    while len(parts) > 5 and parts[-1] == 0:  # as Java drops trailing zero nanoseconds and seconds
        parts.pop()
    return parts


def _seconds_text(duration: timedelta) -> str:
    micros = duration // timedelta(microseconds=1)
    return f"{micros // 1_000_000}.{micros % 1_000_000:06d}000"


def _create_time(value: object) -> datetime | None:
    """An array `[y, M, d, h, m, s, nanos]` with the tail left out, or ISO text."""
    try:
        if value is None:
            return None
        if isinstance(value, str):
            return datetime.fromisoformat(value)
        if isinstance(value, list) and all(isinstance(part, int) for part in value) and 3 <= len(value) <= 7:
            year, month, day, hour, minute, second, nanos = value + [0] * (7 - len(value))
            return datetime(year, month, day, hour, minute, second, nanos // 1000)
    except (ValueError, OverflowError) as error:
        raise FormatError("no date and time", member="tagCreateTime", found=value) from error
    raise FormatError("no date and time", member="tagCreateTime", found=value)


_ISO_DURATION = re.compile(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?")


def _retained(value: object) -> timedelta | None:
    """Seconds as a number, or an ISO-8601 duration."""
    if value is None:
        return None
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return timedelta(seconds=value)
        match = _ISO_DURATION.fullmatch(value) if isinstance(value, str) else None
        if match is not None:
            hours, minutes, seconds = match.groups(default="0")
            return timedelta(hours=int(hours), minutes=int(minutes), seconds=float(seconds))
    except (ValueError, OverflowError) as error:  # not a number, or more than Python's days
        raise FormatError("no duration", member="tagTimeRetained", found=value) from error
    raise FormatError("no duration", member="tagTimeRetained", found=value)


def _checked_name(name: str) -> str:
    if not is_a(name, str) or not name.strip() or "/" in name:
        raise InvalidRequestError("no name for a tag: it must not be blank or hold a slash", tag=name)
    return name
