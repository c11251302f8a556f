"""Saved views: filters and sort of a list, kept by a person under a name. Design: 8."""

from __future__ import annotations

from typing import Any

from django.db import IntegrityError, transaction
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from console.accounts.models import SavedView
from console.accounts.views import person
from console.api.errors import Problem, invalid
from console.api.etags import require_match
from console.api.fields import TimeField, choice, string_map
from console.api.listing import Field, Kind, Listing, ListQuery, Page
from console.api.querysets import page_of_queryset
from console.api.views import ApiView, ListView

PAGES = ("jobs", "table_jobs", "tables", "files", "timeline")
MOST_VIEWS = 100  # of a person
_MOST_PARTS = 30
_LONGEST = 500  # characters of a part


class SavedViewSerializer(serializers.Serializer[Any]):
    """The query string of a list under a name."""

    id = serializers.IntegerField(read_only=True)
    page = choice(*PAGES)
    name = serializers.CharField(max_length=100)
    search = string_map(help_text="Members of the address's query string.")
    created_at = TimeField(read_only=True)

    def validate_search(self, value: dict[str, str]) -> dict[str, str]:
        too_long = any(len(name) > _LONGEST or len(text) > _LONGEST for name, text in value.items())
        if len(value) > _MOST_PARTS or too_long:
            raise serializers.ValidationError(f"At most {_MOST_PARTS} members of {_LONGEST} characters.")
        return value


class SavedViewListView(ListView):
    """The caller's own saved views."""

    permissions = {"GET": None, "POST": None}
    item = SavedViewSerializer
    requests = {"POST": SavedViewSerializer}
    responses = {"POST": (201, SavedViewSerializer)}
    listing = Listing(
        key="id",
        fields={"id": Field(Kind.NUMBER), "page": Field(), "name": Field(), "created_at": Field(Kind.TIME)},
        default_sort="name",
    )

    def load(self, query: ListQuery) -> Page:
        return page_of_queryset(_own(self.request), self.listing, query)

    def post(self, request: Request) -> Response:
        form = SavedViewSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        if _own(request).count() >= MOST_VIEWS:
            raise invalid("", f"A person keeps at most {MOST_VIEWS} views.", "too-many")
        try:
            with transaction.atomic():
                row = SavedView.objects.create(user=person(request), **form.validated_data)
        except IntegrityError:
            raise invalid("name", "There is a view of this name already.", "taken") from None
        reply = Response(SavedViewSerializer(row).data, 201)
        reply["Location"] = f"{request.path}/{row.pk}"
        return reply


class SavedViewView(ApiView):
    """One of the caller's saved views."""

    permissions = dict.fromkeys(("GET", "DELETE"))
    responses = {"GET": SavedViewSerializer}

    def get(self, request: Request, view: int) -> Response:
        return Response(SavedViewSerializer(self._view(view)).data)

    def delete(self, request: Request, view: int) -> Response:
        row = self._view(view)
        require_match(request, SavedViewSerializer(row).data)
        row.delete()
        return Response(status=204)

    def _view(self, pk: int) -> SavedView:
        row: SavedView | None = _own(self.request).filter(pk=pk).first()
        if row is None:
            raise Problem("not-found", kind="saved view", name=pk)
        return row


def _own(request: Request) -> Any:
    return SavedView.objects.filter(user=request.user.pk)
