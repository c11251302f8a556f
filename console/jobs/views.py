"""Plans and jobs."""

from __future__ import annotations

from typing import Any

from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from console.accounts.authentication import token_name
from console.accounts.roles import Permission
from console.accounts.views import person
from console.api.errors import invalid
from console.api.idempotency import idempotent
from console.api.listing import Field, Kind, Listing, ListQuery, Page
from console.api.negotiation import PassThrough
from console.api.querysets import page_of_queryset
from console.api.views import ApiView, ListView
from console.inspector.base import TableView
from console.inspector.veils import Known
from console.jobs import durations, events, logs, presentation, services, visibility
from console.jobs.models import Job, JobEvent
from console.jobs.serializers import (
    JobEventSerializer,
    JobLogSerializer,
    JobSerializer,
    NewJobSerializer,
    NewPlanSerializer,
    PlanPreviewQuerySerializer,
    PlanPreviewSerializer,
    PlanSerializer,
    RetrySerializer,
)

TIME = Field(Kind.TIME)


class TablePlanListView(TableView):
    """Compute a plan for a table."""

    permissions = {"POST": Permission.PLAN_CREATE}
    requests = {"POST": NewPlanSerializer}
    responses = {"POST": (201, PlanSerializer)}
    parameters = {}

    @property
    def any_type(self) -> bool:  # type: ignore[override]
        """Rows are written to tables of plain files, too."""
        asked = self.request.data
        return isinstance(asked, dict) and asked.get("kind") == "write"

    @property
    def branch(self) -> str:
        asked = self.request.data
        return str(asked.get("branch") or "main") if isinstance(asked, dict) else "main"

    @idempotent
    def post(self, request: Request, **path: str) -> Response:
        form = NewPlanSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        asked = form.validated_data
        plan = services.make_plan(
            opened=self.opened,
            kind=asked["kind"],
            params=asked["params"],
            user=person(request),
            access=self.access,
        )
        reply = Response(presentation.plan(plan, self.access), 201)
        reply["Location"] = f"/api/v1/plans/{plan.public_id}"
        return reply


class PlanPreviewView(TableView):
    """What a plan of an expiry would say, while its limits are being chosen; nothing is kept."""

    permissions = {"POST": Permission.PLAN_CREATE}
    requests = {"POST": PlanPreviewQuerySerializer}
    responses = {"POST": PlanPreviewSerializer}
    parameters = {}

    @property
    def branch(self) -> str:
        asked = self.request.data
        return str(asked.get("branch") or "main") if isinstance(asked, dict) else "main"

    def post(self, request: Request, **path: str) -> Response:
        form = PlanPreviewQuerySerializer(data=request.data)
        form.is_valid(raise_exception=True)
        asked = form.validated_data
        view = services.preview_plan(
            opened=self.opened, kind=asked["kind"], params=asked["params"], access=self.access
        )
        return Response(PlanPreviewSerializer(view).data)


class PlanView(ApiView):
    """One plan."""

    permissions = {"GET": None}
    responses = {"GET": PlanSerializer}

    def get(self, request: Request, plan: str) -> Response:
        return Response(presentation.plan(visibility.visible_plan(plan, self.access), self.access))


class JobListView(ListView):
    """Jobs on the tables that the caller sees, newest first."""

    permissions = {"GET": None, "POST": None}
    item = JobSerializer
    requests = {"POST": NewJobSerializer}
    responses = {"POST": (201, JobSerializer)}
    listing = Listing(
        key="number",
        fields={
            "number": Field(Kind.NUMBER, source="id", filter=False),
            "id": Field(source="public_id", sort=False),
            "state": Field(),
            "kind": Field(),
            "warehouse": Field(source="warehouse__name"),
            "database": Field(),
            "table": Field(),
            "branch": Field(),
            "user": Field(source="requested_by__username"),
            "token": Field(),
            "scheduled": Field(Kind.FLAG),
            durations.FIELD: Field(Kind.NUMBER, sort=False),
            "plan_id": Field(source="plan__public_id"),
            "created_at": TIME,
            "started_at": TIME,
            "ended_at": TIME,
        },
        default_sort="-number",
    )

    def load(self, query: ListQuery) -> Page:
        jobs = durations.timed(visibility.visible_jobs(self.access, person(self.request)))
        return page_of_queryset(jobs, self.listing, durations.by_times(query))

    def serialize(self, page: Page) -> list[dict[str, Any]]:
        known: Known = {}
        return [presentation.job(job, self.access, self.request.user, known) for job in page.rows]

    @idempotent
    def post(self, request: Request) -> Response:
        form = NewJobSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        job = services.submit_job(
            access=self.access, user=person(request), token=token_name(request), **form.validated_data
        )
        reply = Response(presentation.job(job, self.access, request.user), 201)
        reply["Location"] = f"{request.path}/{job.public_id}"
        return reply


class JobBase(ApiView):
    """A resource of one job, which the caller sees if its table."""

    permissions = {"GET": None, "POST": None}

    @property
    def job(self) -> Job:
        return visibility.visible_job(self.kwargs["job"], self.access, person(self.request))


class JobView(JobBase):
    """One job."""

    responses = {"GET": JobSerializer}

    def get(self, request: Request, job: str) -> Response:
        return Response(presentation.job(self.job, self.access, request.user))


class JobCancelView(JobBase):
    """Ask a job to stop."""

    responses = {"POST": (202, JobSerializer)}

    def post(self, request: Request, job: str) -> Response:
        stopped = services.cancel_job(job=self.job, access=self.access, user=person(request))
        return Response(presentation.job(stopped, self.access, request.user), 202)


class JobRetryView(JobBase):
    """Plan an ended job anew, and run the new plan if it needs no confirmation."""

    requests = {"POST": RetrySerializer}
    responses = {"POST": (201, JobSerializer)}

    @idempotent
    def post(self, request: Request, job: str) -> Response:
        form = RetrySerializer(data=request.data)
        form.is_valid(raise_exception=True)
        again = services.retry_job(
            job=self.job,
            access=self.access,
            user=person(request),
            token=token_name(request),
            **form.validated_data,
        )
        reply = Response(presentation.job(again, self.access, request.user), 201)
        reply["Location"] = f"/api/v1/jobs/{again.public_id}"
        return reply


class ServerSentEvents(PassThrough):
    media_type = "text/event-stream"
    format = "sse"


STREAM = (
    "With `Accept: text/event-stream` a stream: each event of the list has its `type` as the event, its "
    "`seq` as the id and itself as JSON in `data`. Two more have no id: `now`, whose `data` is "
    "`{state, progress, log_size}` of the job when one of them changes and every ten seconds besides, and "
    "`end`, after which no event can follow. A stream ends with the job, or after 55 seconds: then ask again "
    "with the last id as `Last-Event-ID`. `429 rate-limited` where all streams are taken: the list can be "
    "asked every two seconds then."
)


class JobEventListView(JobBase, ListView):
    """A job's events: a page as JSON, or a live stream as text/event-stream."""

    renderer_classes = [JSONRenderer, ServerSentEvents]
    item = JobEventSerializer
    listing = Listing(
        key="seq",
        fields={"seq": Field(Kind.NUMBER), "type": Field(), "at": TIME},
        default_sort="seq",
        parameters=frozenset({"after"}),
    )
    parameters = {
        "GET": [
            OpenApiParameter("after", int, description="Only events after this seq."),
            OpenApiParameter(
                "Last-Event-ID",
                int,
                OpenApiParameter.HEADER,
                description="Of a stream: where the one before ended. Goes before `after`.",
            ),
        ]
    }
    descriptions = {"GET": STREAM}

    @property
    def is_event_stream(self) -> bool:
        return bool(self.request.accepted_renderer.format == ServerSentEvents.format)

    def load(self, query: ListQuery) -> Page:
        after = self.request.query_params.get("after")
        rows = JobEvent.objects.filter(job=self.job, seq__gt=_seq(after) if after else 0)
        page = page_of_queryset(rows, self.listing, query)
        told = presentation.events_of(self.job, self.access, person(self.request))
        for event in page.rows:
            event.data = told(event.type, event.data)
        return page

    def get(self, request: Request, **path: str) -> HttpResponseBase:
        if not self.is_event_stream:
            return super().get(request, **path)
        after = request.headers.get("Last-Event-ID") or request.query_params.get("after") or "0"
        return StreamingHttpResponse(
            events.EventStream(
                self.job,
                after=_seq(after),
                person=person(request).pk,
                told=presentation.events_of(self.job, self.access, person(request)),
            ),
            content_type="text/event-stream",
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )


def _seq(text: str) -> int:
    if not text.isdecimal() or len(text) > 18:
        raise invalid("after", f"{text!r} is not the seq of an event")
    return int(text)


class PlainText(PassThrough):
    media_type = "text/plain"
    format = "txt"


class JobLogView(JobBase):
    """A job's log by byte offset; all of it as text/plain."""

    renderer_classes = [JSONRenderer, PlainText]
    responses = {"GET": JobLogSerializer}
    parameters = {
        "GET": [
            OpenApiParameter(
                "offset", int, description="First byte. Default 0; negative counts from the end."
            ),
            OpenApiParameter("limit", int, description=f"Bytes, at most {logs.MOST_BYTES}."),
        ]
    }

    def get(self, request: Request, job: str) -> HttpResponseBase:
        presentation.check_log(self.job, self.access, person(request))
        if request.accepted_renderer.format == PlainText.format:
            return StreamingHttpResponse(logs.whole(self.job), content_type="text/plain; charset=utf-8")
        given = request.query_params
        part = logs.read(
            self.job, offset=_whole(given, "offset", 0), limit=_whole(given, "limit", logs.MOST_BYTES)
        )
        return Response(JobLogSerializer(part).data)


def _whole(given: Any, name: str, default: int) -> int:
    text = given.get(name)
    if text is None:
        return default
    digits = text.removeprefix("-")
    if not digits.isdecimal() or len(digits) > 15:
        raise invalid(name, f"{text!r} is not a whole number")
    return int(text)
