"""Why a job lost its commit: which of the two conflicts it met, against whom, and what helps.

The one is over the id of the snapshot: other commits were faster each time. The other is over files: a
commit since the job's base took away, or put down, what the job was to replace. Spec: 08, 2 and 3.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as _pc

from console.jobs.models import Job
from console.jobs.notices import notice
from console.jobs.seen import newest_first
from core.errors import PaimonError
from core.jobs import job_of_commit_user
from core.snapshot import Snapshot
from core.table import Table

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

MOST_LOOKED_AT = 500  # commits since the job's base
_ID_TAKEN = "retries"  # the check of core that says so


def conflict_of(job: Job, table: Table, problem: dict[str, Any] | None) -> dict[str, Any] | None:
    """What is known of the conflict; None where the job ended by something else."""
    fields = (problem or {}).get("fields", {})
    if problem is None or problem["code"] != "conflict" or "check" not in fields:
        return None
    base = job.plan.base if job.plan else None
    if fields["check"] == _ID_TAKEN:
        return _conflict("snapshot_id", base, tries=int(fields["tries"]))
    file = fields.get("file") or fields.get("other_file")
    winner = _winner(table, base, fields)
    return _conflict("files", base, file=file, winner=winner)


def _conflict(
    kind: str,
    base: str | None,
    *,
    tries: int | None = None,
    file: str | None = None,
    winner: Snapshot | None = None,
) -> dict[str, Any]:
    return {
        "kind": kind,
        "tries": tries,
        "base": base,
        "winner": winner.reference if winner else None,
        "winner_kind": winner.commit_kind.value.lower() if winner else None,
        "winner_user": winner.commit_user if winner else None,
        "winner_job": job_of_commit_user(winner.commit_user) if winner else None,
        "file": file,
        "detail": _told(kind, base, tries, file, winner),
        "advice": notice(f"conflict-advice-{kind}"),
    }


def _told(
    kind: str, base: str | None, tries: int | None, file: str | None, winner: Snapshot | None
) -> dict[str, Any]:
    if kind == "snapshot_id":
        return notice("conflict-snapshot-id", tries=tries)
    known = {"base": base or "-", "file": file or "-"}
    if winner is None:
        return notice("conflict-files-unknown", **known)
    return notice("conflict-files", winner=winner.reference, user=winner.commit_user, **known)


def _winner(table: Table, base: str | None, fields: dict[str, str]) -> Snapshot | None:
    """The first commit since the base that changed the file that the job clashed over."""
    first = int(base.partition("~")[0]) + 1 if base else 1
    names = [fields[name] for name in ("file", "other_file") if name in fields]
    since = newest_first(table, first)[::-1][:MOST_LOOKED_AT]
    return next((snapshot for snapshot in since if names and _touches(table, snapshot, names)), None)


def _touches(table: Table, snapshot: Snapshot, names: list[str]) -> bool:
    """Whether the commit took one of the files away, or put it down."""
    try:
        entries = table.manifests.read_entries(table.manifests.delta_manifests(snapshot))
    except PaimonError:
        return False  # it may be this one, but nobody can say
    found = pc.is_in(entries.column("file_name"), value_set=pa.array(names))
    return bool(pc.any(found).as_py())
