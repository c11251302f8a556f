"""Tables that a person watches: marks of their own, with what was last measured. Design: 5, 6.1, 6.2."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from console.accounts.roles import Access, Scope
from console.accounts.views import person
from console.api.errors import Problem, invalid
from console.api.etags import require_match
from console.api.fields import TimeField
from console.api.listing import NUMBER, TIME, Field, Listing, ListQuery, Page
from console.api.querysets import page_of_queryset
from console.api.views import ApiView, ListView
from console.inspector.serializers import TableSummarySerializer
from console.warehouses import activity, browsing, services
from console.warehouses.measured import with_permissions
from console.warehouses.models import TableStatistics, Watch

MOST_WATCHES = 200  # of a person
_LONGEST = 255  # characters of a name, as of TableStatistics


class NewWatchSerializer(serializers.Serializer[Any]):
    warehouse = serializers.CharField(source="warehouse.name", max_length=_LONGEST)
    database = serializers.CharField(max_length=_LONGEST)
    name = serializers.CharField(max_length=_LONGEST, help_text="Of the table.")


class WatchSerializer(NewWatchSerializer):
    """A table that is watched."""

    id = serializers.IntegerField()
    created_at = TimeField()
    table = TableSummarySerializer(
        allow_null=True, help_text="As last measured; null where it was not, or is gone."
    )


class WatchListView(ListView):
    """The tables that the caller watches, and may see."""

    permissions = {"GET": None, "POST": None}
    weak_tags = True
    may_go_on = True  # to watch a table, its database is listed
    audits_changes = False  # it changes nothing but what this person sees first
    item = WatchSerializer
    requests = {"POST": NewWatchSerializer}
    responses = {"POST": (201, WatchSerializer)}
    listing = Listing(
        key="id",
        fields={
            "id": NUMBER,
            "warehouse": Field(source="warehouse__name"),
            "database": Field(),
            "name": Field(),
            "created_at": TIME,
        },
        default_sort="id",
    )

    def load(self, query: ListQuery) -> Page:
        return page_of_queryset(_own(self.request), self.listing, query)

    def serialize(self, page: Page) -> list[dict[str, Any]]:
        return list(self.item(_with_tables(page.rows, self.access), many=True).data)

    def post(self, request: Request) -> Response:
        form = NewWatchSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        given = form.validated_data
        warehouse = services.visible(given["warehouse"]["name"], self.access)
        database, name = given["database"], given["name"]
        if not pc.is_in(pa.scalar(name), browsing.tables(warehouse, database, self.access)["name"]).as_py():
            raise Problem("not-found", kind="table", name=f"{warehouse.name}.{database}.{name}")
        if _own(request).count() >= MOST_WATCHES:
            raise invalid("", f"A person watches at most {MOST_WATCHES} tables.", "too-many")
        row, _ = Watch.objects.get_or_create(
            user=person(request), warehouse=warehouse, database=database, name=name
        )
        [shown] = _with_tables([row], self.access)
        reply = Response(WatchSerializer(shown).data, 201)
        reply["Location"] = f"{request.path}/{row.pk}"
        return reply


class WatchView(ApiView):
    """One of the tables that the caller watches."""

    permissions = dict.fromkeys(("GET", "DELETE"))
    weak_tags = False
    audits_changes = False
    responses = {"GET": WatchSerializer}

    def get(self, request: Request, watch: int) -> Response:
        return Response(WatchSerializer(self._watch(watch)).data)

    def delete(self, request: Request, watch: int) -> Response:
        row = self._watch(watch)
        require_match(request, WatchSerializer(row).data)
        row.delete()
        return Response(status=204)

    def _watch(self, pk: int) -> Watch:
        row: Watch | None = _own(self.request).filter(pk=pk).first()
        if row is None:
            raise Problem("not-found", kind="watch", name=pk)
        row.table = None  # type: ignore[attr-defined]  # what was measured would change its tag
        return row


def _own(request: Request) -> Any:
    return Watch.objects.filter(user=request.user.pk).select_related("warehouse")


def _with_tables(watches: Sequence[Watch], access: Access) -> Sequence[Watch]:
    """Each with what was measured of its table, where the caller may see that."""
    measured = {
        (row.warehouse_id, row.database, row.name): row
        for row in TableStatistics.objects.filter(
            warehouse__in={watch.warehouse_id for watch in watches},
            name__in={watch.name for watch in watches},
        ).select_related("warehouse")
    }
    at = now()
    for watch in watches:
        row = measured.get((watch.warehouse_id, watch.database, watch.name))
        sees = access.sees(Scope(watch.warehouse.name, watch.database, watch.name))
        tables = activity.shown(with_permissions([row.values()], access), at) if row and sees else [None]
        watch.table = tables[0]  # type: ignore[attr-defined]  # of the answer, not of the database
    return watches
