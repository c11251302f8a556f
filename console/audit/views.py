"""The audit log, for administrators. Reading it is recorded in it."""

from __future__ import annotations

from console.accounts.roles import Permission
from console.api.listing import Field, Kind, Listing, ListQuery, Page
from console.api.querysets import page_of_queryset
from console.api.views import ListView
from console.audit.models import AuditEvent
from console.audit.serializers import AuditEventSerializer


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
