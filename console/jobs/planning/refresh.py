"""Refresh: how a materialized table would become the answer of its definition, and what that replaces."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow.compute as _pc
from django.conf import settings

from console.inspector.live import live_files
from console.inspector.opening import OpenTable
from console.jobs.notices import notice
from console.jobs.planning.draft import Asked, Draft
from console.jobs.planning.writers import recent_writers
from console.jobs.reading import SPARK, bounds_of, digests_of, views_of
from console.warehouses.models import Warehouse
from core.identifier import Identifier
from core.schema.materialized import definition_of
from core.snapshot import Snapshot

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

FULL, CONTINUOUS = "full", "continuous"


def plan_refresh(opened: OpenTable, latest: Snapshot | None, asked: Asked) -> Draft:
    """What a refresh would replace or add.

    Raises:
        InvalidRequestError: the table is no materialized one.
    """
    definition = definition_of(opened.table.schema)
    is_continuous = definition.mode == "CONTINUOUS"
    adds = is_continuous and not asked.params.get("full")
    query = definition.query or ""
    views = views_of(opened.warehouse, query, opened.database)
    work: dict[str, Any] = {
        "full": bool(asked.params.get("full")),
        "query": definition.query,
        "looked_at": digests_of(views),
        **bounds_of(opened.warehouse, asked.access, views),
    }
    if is_continuous:
        name = str(Identifier(opened.database, opened.name).with_branch(opened.branch))
        work["checkpoint"] = str(checkpoint_of(opened.warehouse, *name.split(".", 1)))
    files = None if adds else live_files(opened, latest).table
    writers = recent_writers(opened.table, latest)
    refused = definition.refused
    now_millis = time.time_ns() // 1_000_000
    return Draft(
        level=0 if adds else 1,
        work=work,
        effects={
            "kind": "refresh",
            "mode": CONTINUOUS if adds else FULL,
            "query": query,
            "freshness": definition.freshness_text,
            "last_commit_at": None if latest is None else _moment(latest.time_millis),
            "is_stale": definition.is_due(latest.time_millis if latest else None, now_millis),
            "files_removed": 0 if files is None else len(files),
            "bytes_removed": 0 if files is None else pc.sum(files.column("bytes")).as_py() or 0,
            "rows_removed": 0 if files is None else pc.sum(files.column("rows")).as_py() or 0,
            "consumers_affected": opened.table.consumers.ids(),
            "writers_affected": writers,
            "views": [{"name": str(v), "query": views[v].query_for(SPARK)} for v in sorted(views, key=str)],
        },
        kept=["rows", "history", "tags", "options"] if adds else ["history", "tags", "options"],
        undo=None
        if latest is None
        else {
            "kind": "restore",
            "branch": None,
            "tag": None,
            "rewrites_bytes": None,
            "detail": latest.reference,
        },
        warnings=[
            notice("definition-unread"),
            *([notice("refresh-may-be-whole")] if adds else []),
            *(notice("writer-clashes", ref=user) for user in writers if not adds),
        ],
        blockers=[] if refused is None else [notice("refresh-refused", reason=refused)],
    )


def is_same_look(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether two works of refreshes are of one definition, over views that say the same."""
    return all(before.get(name) == after.get(name) for name in ("query", "looked_at"))


def checkpoint_of(warehouse: Warehouse, database: str, table: str) -> Path:
    """Where refreshes of the table keep how far they have come."""
    place = (str(warehouse.pk), *(quote(name, safe="").replace(".", "%2E") for name in (database, table)))
    return settings.DATA_FOLDER.joinpath("refreshes", *place)


def _moment(millis: int) -> str:
    return datetime.fromtimestamp(millis / 1000, UTC).isoformat().replace("+00:00", "Z")
