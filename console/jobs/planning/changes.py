"""What several plans share: how a target is found, and how snapshots, files and notices of core are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from django.utils.translation import get_language

from console.api.errors import Problem
from console.api.fields import from_millis, rfc3339
from console.inspector.labels import UNPARTITIONED
from console.inspector.opening import OpenTable
from console.inspector.pinning import parse_reference, resolve_at, resolve_id
from console.jobs.notices import notice
from core.errors import InvalidRequestError, NotFoundError
from core.maintenance.notice import Notice
from core.maintenance.reach import NamedFiles
from core.maintenance.rollback_data import FileTotals, PartitionChange
from core.partition import parse_partition_path
from core.snapshot import Snapshot

T = TypeVar("T")

_TARGETS = {"tag", "branch", "snapshot", "snapshot_id"}


def planned_to(opened: OpenTable, target: dict[str, str], plan: Callable[[int | None, str | None], T]) -> T:
    """The plan to go to a target, by the id of its snapshot or the name of its tag.

    Raises:
        Problem: the target is gone, or cannot be one.
    """
    try:
        snapshot = target.get("snapshot")
        return plan(None if snapshot is None else id_in_history(opened, snapshot), target.get("tag"))
    except NotFoundError as error:
        if not _TARGETS & error.fields.keys():
            raise  # the target is there, and something that the comparison needs is not
        kind, name = next(iter(target.items()))
        raise Problem("not-found", kind=kind, name=name) from error
    except InvalidRequestError as error:
        raise refused("to", error) from error


def with_snapshot(opened: OpenTable, target: dict[str, str]) -> dict[str, str]:
    """The target with the snapshot of its time or watermark in place of that: no job is told a time.

    Raises:
        Problem: no such time, or no snapshot of it.
    """
    kind, text = next(iter(target.items()))
    if kind not in ("time", "watermark"):
        return target
    asked = text if kind == "time" else f"{kind}:{text}"
    found = resolve_at(opened, asked) if text.strip() and (kind != "time" or _is_time(text)) else None
    if found is None:
        words = f"{text} 不是时间" if (get_language() or "en").startswith("zh") else f"{text} is no time"
        told = {"pointer": f"/params/to/{kind}", "code": "invalid-target", "detail": words}
        raise Problem("validation-failed", errors=[told])
    return {"snapshot": found.reference}


def _is_time(text: str) -> bool:
    """Whether it is a time, and not one of the other things that an address may name a snapshot by."""
    return parse_reference(text) is None and not text.startswith(("tag:", "watermark:", "latest"))


def id_in_history(opened: OpenTable, text: str) -> int:
    """The id of `42~9f3c`, for a job that names snapshots by id.

    Raises:
        Problem: as `resolve_id`; `snapshot-replaced` also where a tag still holds that snapshot, as its id
            means another one by now.
    """
    found = resolve_id(opened, text)
    try:
        holder = opened.table.snapshots.get(found.id)
    except NotFoundError:
        return found.id  # a tag holds it, and no other has its id
    if holder.identity != found.identity:
        raise Problem(
            "snapshot-replaced",
            snapshot=text,
            current=holder.reference,
            extension={"current": holder.reference},
        )
    return found.id


def refused(field: str, error: InvalidRequestError) -> Problem:
    """What core refuses, with the parameter that is to blame."""
    told = {"pointer": f"/params/{field}", "code": "invalid-target", "detail": str(error)}
    return Problem("validation-failed", errors=[told])


def shown_snapshot(snapshot: Snapshot) -> dict[str, Any]:
    return {
        "id": snapshot.id,
        "ref": snapshot.reference,
        "kind": snapshot.commit_kind.value.lower(),
        "committed_at": rfc3339(from_millis(snapshot.time_millis)),
        "commit_user": snapshot.commit_user,
    }


def shown_amount(totals: FileTotals | None) -> dict[str, int | None]:
    """Null is unknown: the head cannot be read."""
    if totals is None:
        return {"count": None, "bytes": None}
    return {"count": totals.count, "bytes": totals.size}


def shown_files(files: NamedFiles) -> dict[str, Any]:
    """How many files go, how large they are, and of which kinds; null where no size is known."""
    kinds = [{"role": t.role.value, "count": t.count, "bytes": t.size or None} for t in files.totals]
    return {"count": len(files), "bytes": files.size, "roles": kinds}


def shown_partition(change: PartitionChange) -> dict[str, Any]:
    return {
        "partition": partition_label(change.partition),
        "rows_delta": change.rows_delta,
        "bytes_delta": change.size_delta,
    }


def partition_label(path: str) -> str:
    """A partition's directory as lists spell partitions."""
    if not path:
        return UNPARTITIONED
    return ",".join(f"{key}={'' if text is None else text}" for key, text in parse_partition_path(path))


def notices_of(found: Iterable[Notice]) -> list[dict[str, Any]]:
    """Notices of core as a plan keeps them."""
    return [_notice(one) for one in found]


def _notice(found: Notice) -> dict[str, Any]:
    fields: dict[str, Any] = dict(found.fields)
    if found.code == "missing-files":
        return notice(found.code, count=fields["files"], first=str(fields["path"]).rpartition("/")[2])
    return notice(_NAMES.get(found.code, found.code), **fields)


# Codes that say something else of a rollback, whose notices are the console's own.
_NAMES = {"head-damaged": "head-unreadable"}
