"""From what a URL says to one snapshot: an id, `42~9f3c`, `tag:v2`, `watermark:…`, a time, or the latest."""

from __future__ import annotations

import re
from typing import NamedTuple

from console.api.errors import Problem, invalid
from console.api.listing import parse_time
from console.inspector.opening import OpenTable
from console.inspector.taken_away import by_job
from core.errors import InvalidRequestError, NotFoundError
from core.snapshot import Snapshot

_REFERENCE = re.compile(r"(\d{1,19})(?:~([0-9a-f]{4,64}))?")


class Reference(NamedTuple):
    id: int
    identity: str | None


def parse_reference(text: str) -> Reference | None:
    """The id, and the identity if there is one; None if the text is no reference."""
    match = _REFERENCE.fullmatch(text)
    return Reference(int(match[1]), match[2]) if match else None


def names_identity(text: str | None) -> bool:
    """Whether `at` says which snapshot it means for good: `42~9f3c`, and not a tag of such a name."""
    reference = parse_reference(text or "")
    return reference is not None and reference.identity is not None


def resolve_at(opened: OpenTable, at: str | None) -> Snapshot | None:
    """The snapshot that `at` names; the latest without one, None where nothing was committed.

    Raises:
        Problem: `not-found` (tag), `snapshot-expired`, `snapshot-replaced`, `validation-failed`.
    """
    if not at or at == "latest":
        return opened.table.snapshots.latest()
    if at.startswith("tag:"):
        return _by_tag(opened, at.removeprefix("tag:"))
    if at.startswith("watermark:"):
        return _by_watermark(opened, at.removeprefix("watermark:"))
    if parse_reference(at):
        return resolve_id(opened, at)
    return _by_time(opened, at)


def resolve_id(opened: OpenTable, text: str) -> Snapshot:
    """The snapshot of `42` or `42~9f3c`.

    Raises:
        Problem: `validation-failed`, `snapshot-expired`, `snapshot-replaced` with the present holder.
    """
    reference = parse_reference(text)
    if reference is None:
        raise invalid("snapshot", f"{text!r} is neither id nor id~identity")
    try:
        snapshot = opened.table.snapshot_at(snapshot_id=reference.id)
    except NotFoundError as error:
        raise _expired(opened, text) from error
    if snapshot is None:
        raise _expired(opened, text)
    if reference.identity and not snapshot.identity.startswith(reference.identity):
        return _holder_in_tags(opened, reference, text, snapshot)
    return snapshot


def _holder_in_tags(opened: OpenTable, reference: Reference, text: str, holder: Snapshot) -> Snapshot:
    """The snapshot of that identity if a tag still holds it, though its id was used again."""
    for tag in opened.table.tags.list():
        snapshot = tag.snapshot
        if snapshot.id == reference.id and snapshot.identity.startswith(reference.identity or ""):
            return snapshot
    extension = {"current": holder.reference, "removed_by": by_job(opened, text)}
    raise Problem("snapshot-replaced", snapshot=text, current=holder.reference, extension=extension)


def _by_tag(opened: OpenTable, name: str) -> Snapshot:
    try:
        return opened.table.tags.get(name).snapshot
    except (NotFoundError, InvalidRequestError) as error:
        raise Problem("not-found", kind="tag", name=name) from error


def _by_watermark(opened: OpenTable, text: str) -> Snapshot:
    """The first snapshot that has reached a watermark: epoch milliseconds, or an RFC 3339 time."""
    number = re.fullmatch(r"-?\d{1,19}", text)
    millis = int(text) if number else int(parse_time(text, "at").timestamp() * 1000)
    found = opened.table.snapshots.by_watermark(millis)
    if found is None:
        raise Problem("not-found", kind="watermark", name=text)
    return found


def _by_time(opened: OpenTable, text: str) -> Snapshot | None:
    moment = parse_time(text, "at")
    try:
        return opened.table.snapshot_at(timestamp_millis=int(moment.timestamp() * 1000))
    except NotFoundError as error:
        raise _expired(opened, text) from error


def _expired(opened: OpenTable, text: str) -> Problem:
    """The snapshot is gone: with the nearest that are kept."""
    ids = opened.table.snapshots.ids()
    reference = parse_reference(text)
    wanted = reference.id if reference else (ids[0] if ids else 0)
    neighbours = {
        "previous": max((i for i in ids if i < wanted), default=None),
        "next": min((i for i in ids if i > wanted), default=None),
    }
    kept = {"earliest": ids[0] if ids else None, "latest": ids[-1] if ids else None}
    return Problem(
        "snapshot-expired",
        snapshot=text,
        earliest=ids[0] if ids else "-",
        latest=ids[-1] if ids else "-",
        extension={
            "neighbours": neighbours,
            **kept,
            "removed_by": by_job(opened, text) if reference else None,
        },
    )


def schema_id_of(text: str | None, pointer: str) -> int:
    """A schema id of a query parameter.

    Raises:
        Problem: `validation-failed`.
    """
    if text is None or not text.isascii() or not text.isdecimal() or len(text) > 18:
        raise invalid(pointer, "This has to be the id of a schema.")
    return int(text)


def count_of(text: str | None, pointer: str) -> int | None:
    """A number of a query parameter; None where it is not given.

    Raises:
        Problem: `validation-failed`.
    """
    if not text:
        return None
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise invalid(pointer, "This has to be a number from 0 on.")
    return int(text)


def flag_of(text: str | None, pointer: str) -> bool:
    """`true` or `false` of a query parameter; false where it is not given.

    Raises:
        Problem: `validation-failed`.
    """
    if text not in (None, "", "true", "false"):
        raise invalid(pointer, "true or false")
    return text == "true"
