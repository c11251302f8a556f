"""Read-only endpoints of one table as a whole: summary, storage, schemas, options, refs."""

from __future__ import annotations

from dataclasses import replace

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.listing import BYTES, FLAG, NUMBER, TIME, Field, Listing, ListQuery, Page, page_of_rows
from console.inspector import held, refs, retention, schemas, storage, summary, table_options
from console.inspector import serializers as s
from console.inspector.base import BRANCH, PinnedView, TableListView, TableView
from console.inspector.pinning import schema_id_of
from console.inspector.remembering import LATEST


class TableOverviewView(PinnedView):
    """A table at one snapshot: shape, freshness, read cost."""

    any_type = True
    responses = {"GET": s.TableSerializer}
    ahead = ("schema", "snapshot", "tag", "consumer", "branch")

    def get(self, request: Request, **path: str) -> Response:
        view = summary.describe_table(
            self.opened, lambda: self.pinned, permissions=self.access.permissions(self.scope)
        )
        return Response(s.TableSerializer(view).data)


class StorageView(TableView):
    """What the data files of a branch are kept for: live, old snapshots, tags and other branches."""

    ahead = ("schema", "snapshot", "tag", "branch")
    responses = {"GET": s.StorageSerializer}

    def get(self, request: Request, **path: str) -> Response:
        return Response(s.StorageSerializer(storage.of_table(self.opened)).data)


class RetentionView(TableView):
    """Which snapshots of a branch its own rules keep now, and which the next expirations let go."""

    ahead = ("schema", "snapshot", "consumer")
    responses = {"GET": s.RetentionSerializer}

    def get(self, request: Request, **path: str) -> Response:
        return Response(s.RetentionSerializer(retention.of_table(self.opened)).data)


class SchemaListView(TableListView):
    """The schemas of a branch."""

    any_type = True
    ahead = ("schema", LATEST)
    item = s.SchemaSummarySerializer
    listing = Listing(
        key="id",
        fields={"id": NUMBER, "created_at": TIME, "live_bytes": BYTES},
        default_sort="-id",
    )

    def load(self, query: ListQuery) -> Page:
        rows, damages = schemas.summaries(self.opened)
        page = page_of_rows(rows, self.listing, query)
        return replace(page, extra={"damages": [damage.shown() for damage in damages]})


class SchemaView(TableView):
    """One schema."""

    any_type = True
    responses = {"GET": s.SchemaSerializer}

    @property
    def is_immutable(self) -> bool:
        return False  # a dropped and re-created table uses the ids again

    def get(self, request: Request, schema: int, **path: str) -> Response:
        return Response(s.SchemaSerializer(schemas.detail(self.opened, schema)).data)


class FieldHistoryView(TableView):
    """One field, by its id, across all schemas."""

    any_type = True
    ahead = ("schema", "snapshot")
    responses = {"GET": s.FieldHistorySerializer}

    def get(self, request: Request, field: int, **path: str) -> Response:
        return Response(s.FieldHistorySerializer(schemas.history(self.opened, field)).data)


class SchemaDiffView(TableView):
    """What leads from one schema to another, field by field."""

    any_type = True
    ahead = ("schema", LATEST)
    responses = {"GET": s.SchemaDiffSerializer}
    parameters = {
        "GET": [
            OpenApiParameter("from", int, required=True),
            OpenApiParameter("to", int, required=True),
            BRANCH,
        ]
    }

    def get(self, request: Request, **path: str) -> Response:
        given = request.query_params
        base, to = schema_id_of(given.get("from"), "from"), schema_id_of(given.get("to"), "to")
        return Response(s.SchemaDiffSerializer(schemas.diff(self.opened, base, to)).data)


class OptionListView(TableListView):
    """Effective options: value, default, and where it was set."""

    any_type = True
    item = s.OptionSerializer
    listing = Listing(
        key="key",
        fields={"key": Field(), "is_default": FLAG, "group": Field(), "schema_id": NUMBER},
        default_sort="key",
    )

    def load(self, query: ListQuery) -> Page:
        return page_of_rows(table_options.listed(self.opened), self.listing, query)


class OptionHistoryView(TableView):
    """One option across all schemas: which set it, changed it and took it away."""

    any_type = True
    responses = {"GET": s.OptionHistorySerializer}

    def get(self, request: Request, option: str, **path: str) -> Response:
        return Response(s.OptionHistorySerializer(table_options.history(self.opened, option)).data)


class HeldView(TableView):
    """What each tag of the branch, and each branch, keeps alone, and how far branches are from main."""

    responses = {"GET": s.HeldSerializer}

    def get(self, request: Request, **path: str) -> Response:
        return Response(s.HeldSerializer(held.of_table(self.opened)).data)


class TagListView(TableListView):
    """Tags."""

    item = s.TagSerializer
    listing = Listing(
        key="name",
        fields={
            "name": Field(),
            "snapshot_id": NUMBER,
            "committed_at": TIME,
            "created_at": TIME,
            "retained_until": TIME,
        },
        default_sort="name",
    )

    def load(self, query: ListQuery) -> Page:
        return page_of_rows(refs.tags(self.opened), self.listing, query)


class BranchListView(TableListView):
    """Branches, main first."""

    item = s.BranchSerializer
    listing = Listing(
        key="name", fields={"name": Field(), "created_at": TIME, "latest_at": TIME}, default_sort="name"
    )

    def load(self, query: ListQuery) -> Page:
        return page_of_rows(refs.branches(self.opened), self.listing, query)


class ConsumerListView(TableListView):
    """Consumers and how far behind they are."""

    item = s.ConsumerSerializer
    listing = Listing(
        key="id", fields={"id": Field(), "next_snapshot": NUMBER, "lag": NUMBER}, default_sort="id"
    )

    def load(self, query: ListQuery) -> Page:
        return page_of_rows(refs.consumers(self.opened), self.listing, query)
