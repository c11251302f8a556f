"""The audit log, for administrators. Reading it is recorded in it."""

from __future__ import annotations

from datetime import date

from rest_framework.request import Request
from rest_framework.response import Response

from console.accounts.roles import Permission
from console.api.errors import Problem
from console.api.listing import Field, Kind, Listing, ListQuery, Page
from console.api.querysets import page_of_queryset
from console.api.views import ApiView, ListView
from console.audit.chain import first_break
from console.audit.models import AuditDay, AuditEvent
from console.audit.serializers import AuditDayCheckSerializer, AuditDaySerializer, AuditEventSerializer


class AuditEventListView(ListView):
    """Who did what, newest first."""

    permissions = {"GET": Permission.AUDIT_READ}
    item = AuditEventSerializer
    listing = Listing(
        key="id",
        fields={
            "id": Field(Kind.NUMBER),
            "at": Field(Kind.TIME),
            "actor": Field(),
            "action": Field(),
            "target": Field(),
            "outcome": Field(),
            "token": Field(),
            "address": Field(),
            "plan_id": Field(),
            "job_id": Field(),
            "trace_id": Field(),
        },
        default_sort="-id",
    )

    @property
    def audits_reads(self) -> bool:
        return True

    def load(self, query: ListQuery) -> Page:
        return page_of_queryset(AuditEvent.objects.all(), self.listing, query)


class AuditDayListView(ListView):
    """The days of the audit log, each with the head of its chain of hashes, newest first."""

    permissions = {"GET": Permission.AUDIT_READ}
    item = AuditDaySerializer
    listing = Listing(
        key="day",
        fields={"day": Field(filter=False), "entries": Field(Kind.NUMBER, source="count")},
        default_sort="-day",
    )

    @property
    def audits_reads(self) -> bool:
        return True

    def load(self, query: ListQuery) -> Page:
        return page_of_queryset(AuditDay.objects.all(), self.listing, query)


class AuditDayView(ApiView):
    """Whether the entries of a day are as they were written, found out now by all of its hashes."""

    permissions = {"GET": Permission.AUDIT_READ}
    responses = {"GET": AuditDayCheckSerializer}

    @property
    def audits_reads(self) -> bool:
        return True

    def get(self, request: Request, day: str) -> Response:
        row = _day(day)
        found = first_break(row)
        state = "expired" if row.expired_at else "whole" if found is None else "broken"
        check = {"row": row, "state": state, "broken_at": found and found.number}
        return Response(AuditDayCheckSerializer(check).data)


def _day(text: str) -> AuditDay:
    try:
        return AuditDay.objects.get(day=date.fromisoformat(text))
    except (ValueError, AuditDay.DoesNotExist):
        raise Problem("not-found", kind="audit day", name=text) from None
