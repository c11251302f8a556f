"""Snapshots of a table: shown, committed, rolled back."""

from __future__ import annotations

import time
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from console.accounts.roles import Permission
from console.rest_catalog import services
from console.rest_catalog.base import MOST_OBJECTS, CatalogView
from core.catalog.errors import TableNotFoundError
from core.catalog.rest.commit import check_commit, commit_snapshot
from core.catalog.rest.objects import SnapshotInstant, TagInstant, snapshot_to_wire
from core.catalog.rest.requests import CommitTable, RollbackTable
from core.errors import InvalidRequestError, NotFoundError
from core.maintenance import apply_rollback, plan_rollback
from core.snapshot import Snapshot
from core.snapshot.time_travel import resolve_version

READ: dict[str, Permission | None] = {"GET": Permission.DATA_READ}


class LatestSnapshotView(CatalogView):
    permissions = READ

    def get(self, request: Request, **path: str) -> Response:
        latest = self.table.snapshots.latest()
        if latest is None:
            raise NotFoundError("the table has no snapshot", snapshot_id="LATEST")
        return Response({"snapshot": services.with_sums(self.table, latest).to_wire()})


class SnapshotListView(CatalogView):
    permissions = READ

    def get(self, request: Request, **path: str) -> Response:
        ids = [f"{i:019d}" for i in self.table.snapshots.ids()]  # so that they sort as numbers
        return self.page("snapshots", ids, show=self._shown, most=MOST_OBJECTS)

    def _shown(self, ids: tuple[str, ...]) -> list[Any]:
        shown = []
        for text in ids:
            try:
                shown.append(snapshot_to_wire(self.table.snapshots.get(int(text))))
            except NotFoundError:
                if self.table.snapshots.exists(int(text)):
                    raise
        return shown


class SnapshotView(CatalogView):
    """By `EARLIEST`, `LATEST`, an id, or the name of a tag."""

    permissions = READ

    def get(self, request: Request, **path: str) -> Response:
        version = self.kwargs["version"]
        found = self._find(version)
        if found is None:
            raise NotFoundError("the table has no snapshot", snapshot_id=version)
        return Response({"snapshot": snapshot_to_wire(found)})

    def _find(self, version: str) -> Snapshot | None:
        if version == "EARLIEST":
            return self.table.snapshots.earliest()
        if version == "LATEST":
            return self.table.snapshots.latest()
        return resolve_version(self.table.snapshots, self.table.tags, version)


class CommitView(CatalogView):
    """Make a snapshot visible that a client has prepared. Which of two was first is decided here."""

    permissions = {"POST": Permission.TABLE_OPERATE}

    def post(self, request: Request, **path: str) -> Response:
        asked = self.body(CommitTable.from_wire)
        row = services.served_table(self.warehouse, self.table)
        if asked.table_id not in (None, str(row.uuid)):
            raise TableNotFoundError(
                "the table was dropped, and another made under its name",
                table=str(self.identifier.base),
                asked=asked.table_id,
                found=row.uuid,
            )
        check_commit(self.table, asked)
        with services.locked(row):
            success = commit_snapshot(self.table, asked)
        return Response({"success": success})

    def audited(self) -> dict[str, Any]:
        snapshot = self.body(CommitTable.from_wire).snapshot
        kind, by = snapshot.commit_kind.value, snapshot.commit_user
        return {"snapshot": snapshot.reference, "kind": kind, "commit_user": by}


class RollbackView(CatalogView):
    permissions = {"POST": Permission.TABLE_DESTROY}

    def post(self, request: Request, **path: str) -> Response:
        asked = self.body(RollbackTable.from_wire)
        services.refuse_under_a_job(self.table)
        with services.locked(services.served_table(self.warehouse, self.table)):
            apply_rollback(self.table, self._plan(asked))
        return Response({})

    def _plan(self, asked: RollbackTable) -> Any:
        latest = self.table.snapshots.latest()
        instant, now = asked.instant, time.time_ns() // 1_000_000
        if asked.from_snapshot is not None and asked.from_snapshot != (latest.id if latest else None):
            raise InvalidRequestError(
                "the latest snapshot is another one than the rollback starts from",
                from_snapshot=asked.from_snapshot,
                latest=latest.id if latest else None,
            )
        match instant:
            case TagInstant():
                return plan_rollback(self.table, tag=instant.tag, now_millis=now)
            case SnapshotInstant() if latest is None:
                raise NotFoundError("snapshot not found", snapshot_id=instant.snapshot_id)
            case SnapshotInstant():
                return plan_rollback(self.table, instant.snapshot_id, now_millis=now)

    def audited(self) -> dict[str, Any]:
        return dict(self.body(RollbackTable.from_wire).to_wire())
