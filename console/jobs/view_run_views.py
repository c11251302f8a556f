"""Running a view, and its rows."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from console.accounts.roles import Permission, Scope
from console.accounts.views import person
from console.api.idempotency import idempotent
from console.api.views import ApiView
from console.jobs import presentation, view_runs
from console.jobs.serializers.job import (
    JobSerializer,
    LatestViewRunSerializer,
    NewViewRunSerializer,
    ViewRowsSerializer,
)
from console.warehouses.models import Warehouse
from console.warehouses.services import visible
from core.identifier import Identifier


class ViewRunBase(ApiView):
    """A resource of one view."""

    permissions = {"GET": Permission.DATA_READ, "POST": Permission.DATA_READ}

    @property
    def scope(self) -> Scope:
        return Scope(self.kwargs["warehouse"], self.kwargs["database"], self.kwargs["view"])

    @property
    def named(self) -> dict[str, Any]:
        """The warehouse and the view of the path."""
        found: Warehouse = visible(self.kwargs["warehouse"], self.access)
        return {"warehouse": found, "name": Identifier(self.kwargs["database"], self.kwargs["view"])}


class ViewRunListView(ViewRunBase):
    """Run a view: a job reads its first rows. The caller's last run of it."""

    requests = {"POST": NewViewRunSerializer}
    responses = {"GET": LatestViewRunSerializer, "POST": (201, JobSerializer)}

    def get(self, request: Request, **path: str) -> Response:
        run = view_runs.latest_run(**self.named, user=person(request))
        shown = None if run is None else presentation.job(run, self.access, request.user)
        return Response({"run": shown})

    @idempotent
    def post(self, request: Request, **path: str) -> Response:
        form = NewViewRunSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        job = view_runs.start_run(
            **self.named, limit=form.validated_data["limit"], access=self.access, user=person(request)
        )
        reply = Response(presentation.job(job, self.access, request.user), 201)
        reply["Location"] = f"/api/v1/jobs/{job.public_id}"
        return reply


class ViewRowsView(ViewRunBase):
    """The rows of a run, for who asked for it."""

    permissions = {"GET": Permission.DATA_READ}
    responses = {"GET": ViewRowsSerializer}

    @property
    def audits_reads(self) -> bool:
        return True

    def get(self, request: Request, **path: str) -> Response:
        rows = view_runs.rows_of(**self.named, job=path["job"], access=self.access, user=person(request))
        return Response(ViewRowsSerializer(rows).data)
