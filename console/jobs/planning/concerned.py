"""Who is affected by a change of a table's rows, and how one comes back. Design: 7.1."""

from __future__ import annotations

from typing import Any

from console.inspector.opening import OpenTable
from console.jobs.planning.writers import recent_writers
from core.datafile.system_fields import tracks_rows
from core.snapshot import Snapshot


def concerned(opened: OpenTable, latest: Snapshot | None) -> dict[str, list[str]]:
    """Who reads the branch as a stream, and who has just written it."""
    return {
        "consumers_affected": opened.table.consumers.ids(),
        "writers_affected": recent_writers(opened.table, latest),
    }


def way_back(opened: OpenTable, latest: Snapshot | None) -> dict[str, Any] | None:
    """The plan that brings the present rows back; None where there are none yet."""
    if latest is None:
        return None
    # Row ids are given out once, so such a table is not restored by a commit.
    kind = "rollback" if tracks_rows(opened.table.schema) else "restore"
    return {"kind": kind, "branch": None, "tag": None, "rewrites_bytes": None, "detail": latest.reference}
