"""The schedule by which a materialized table is refreshed."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from console.accounts.roles import Permission
from console.accounts.views import person
from console.api.etags import require_match
from console.api.permissions import require
from console.inspector.base import TableView
from console.jobs import notices, presentation, schedules
from console.jobs.models import RefreshSchedule
from console.jobs.serializers.job import ScheduleSerializer
from console.jobs.serializers.refresh import ScheduleChangeSerializer

AS_PERSON = (Permission.TABLE_OPERATE, Permission.DATA_READ)
MAY_CHANGE = Permission.WAREHOUSE_MANAGE  # of the table's scope: an administrator of it, or of more


class RefreshScheduleView(TableView):
    """Whether a materialized table is refreshed by a schedule, and how that went last."""

    permissions = {"GET": Permission.META_READ, "PATCH": MAY_CHANGE}
    requests = {"PATCH": ScheduleChangeSerializer}
    responses = {"GET": ScheduleSerializer, "PATCH": ScheduleSerializer}
    parameters = {}
    weak_tags = False
    may_go_on = False

    def get(self, request: Request, **path: str) -> Response:
        return Response(self._shown(schedules.schedule_of(self.opened)))

    def patch(self, request: Request, **path: str) -> Response:
        require_match(request, self._shown(schedules.schedule_of(self.opened)))
        form = ScheduleChangeSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        enabled: bool = form.validated_data["enabled"]
        # Its jobs run as the person: no token goes beyond itself.
        for permission in AS_PERSON if enabled else ():
            require(request, permission, self.scope)
        row = schedules.set_schedule(opened=self.opened, enabled=enabled, user=person(request))
        return Response(self._shown(row))

    def _shown(self, row: RefreshSchedule | None) -> dict[str, Any]:
        job = None if row is None else row.last_job
        shown = {
            "enabled": row is not None,
            "enabled_by": row.enabled_by.username if row else None,
            "enabled_at": row.enabled_at if row else None,
            "next_due": row.next_due if row else None,
            "problem": notices.shown(row.problem) if row and row.problem else None,
            "views": [
                name
                for name in sorted(row.looked_at if row else ())
                if presentation.may_browse(self.opened.warehouse.name, name, self.access)
            ],
            "permitted": self.access.allows(MAY_CHANGE, self.scope),
        }
        found = ScheduleSerializer(shown | {"last_job": None}).data
        last = None if job is None else presentation.job(job, self.access, self.request.user)
        return {**found, "last_job": last}
