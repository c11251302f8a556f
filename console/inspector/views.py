"""Read-only endpoints of one table."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from console.accounts.roles import Permission
from console.api.columns import page_of_columns
from console.api.errors import invalid
from console.api.listing import Field, Kind, Listing, ListQuery, Page, page_of_rows
from console.inspector import (
    buckets,
    changes,
    comparing,
    manifests,
    reach,
    refs,
    schemas,
    snapshots,
    storage,
    summary,
)
from console.inspector import serializers as s
from console.inspector.base import (
    AT,
    BRANCH,
    PinnedListView,
    PinnedView,
    SnapshotListView,
    SnapshotView,
    TableListView,
    TableView,
)
from console.inspector.pinning import resolve_at, schema_id_of
from core.errors import InvalidRequestError
from core.snapshot import Snapshot

NUMBER, BYTES, TIME, FLAG = Field(Kind.NUMBER), Field(Kind.BYTES), Field(Kind.TIME), Field(Kind.FLAG)


class TableOverviewView(PinnedView):
    """A table at one snapshot: shape, freshness, read cost."""

    responses = {"GET": s.TableSerializer}

    def get(self, request: Request, **path: str) -> Response:
        view = summary.describe_table(
            self.opened, lambda: self.pinned, permissions=self.access.permissions(self.scope)
        )
        return Response(s.TableSerializer(view).data)


class StorageView(TableView):
    """What the data files of a branch are kept for: live, old snapshots, tags and other branches."""

    responses = {"GET": s.StorageSerializer}

    def get(self, request: Request, **path: str) -> Response:
        return Response(s.StorageSerializer(storage.of_table(self.opened)).data)


class CommitListView(TableListView):
    """The snapshots of a branch, newest first."""

    item = s.SnapshotSerializer
    listing = Listing(
        key="id",
        fields={
            "id": NUMBER,
            "kind": Field(),
            "user": Field(source="commit_user", sort=False),
            "operation": Field(sort=False),
            "schema": Field(Kind.NUMBER, source="schema_id", sort=False),
            "committed_at": TIME,
            "delta_rows": NUMBER,
            "total_rows": NUMBER,
        },
        default_sort="-id",
        parameters=frozenset({"after", "before"}),
    )
    parameters = {
        "GET": [
            BRANCH,
            OpenApiParameter("after", str, description="Only commits at or after this RFC 3339 time."),
            OpenApiParameter("before", str, description="Only commits before this RFC 3339 time."),
        ]
    }

    def load(self, query: ListQuery) -> Page:
        return snapshots.page(self.opened, self.listing, query, self.request.query_params)


class CommitView(SnapshotView):
    """One commit: its file, its files and bytes, who made it."""

    responses = {"GET": s.SnapshotDetailSerializer}

    @property
    def is_immutable(self) -> bool:
        return False  # its neighbours, tags and consumers change

    def get(self, request: Request, **path: str) -> Response:
        return Response(s.SnapshotDetailSerializer(snapshots.detail(self.opened, self.snapshot)).data)


class ChangeListView(SnapshotListView):
    """The files that a commit added and deleted."""

    item = s.FileChangeSerializer
    listing = Listing(
        key="file",
        fields={
            "change": Field(),
            "partition": Field(),
            "bucket": NUMBER,
            "level": NUMBER,
            "file": Field(),
            "bytes": BYTES,
            "rows": NUMBER,
            "deletes": NUMBER,
            "source": Field(),
            "schema_id": NUMBER,
            "created_at": TIME,
        },
        default_sort="partition,bucket,level,file",
        parameters=frozenset({"list"}),
    )
    parameters = {
        "GET": [BRANCH, OpenApiParameter("list", str, enum=["delta", "changelog"], default="delta")]
    }

    def load(self, query: ListQuery) -> Page:
        which = self.request.query_params.get("list", "delta")
        if which not in ("delta", "changelog"):
            raise invalid("list", "delta or changelog")
        return changes.page(self.opened, self.snapshot, which, self.listing, query)


class IndexChangeListView(SnapshotListView):
    """The index files that a commit added and removed."""

    item = s.IndexChangeSerializer
    listing = Listing(
        key="name",
        fields={
            "change": Field(),
            "kind": Field(),
            "partition": Field(),
            "bucket": NUMBER,
            "name": Field(),
            "bytes": BYTES,
            "rows": NUMBER,
        },
        default_sort="partition,bucket,kind,change,name",
    )

    def load(self, query: ListQuery) -> Page:
        return changes.index_page(self.opened, self.snapshot, self.listing, query)


class ManifestTreeView(SnapshotView):
    """The manifest lists of a snapshot, and the manifests they name."""

    responses = {"GET": s.ManifestTreeSerializer}

    def get(self, request: Request, **path: str) -> Response:
        return Response(s.ManifestTreeSerializer(manifests.tree(self.opened, self.snapshot)).data)


class ManifestReachView(SnapshotView):
    """From where the manifests and index files of a snapshot are reached, branch by branch."""

    responses = {"GET": s.ManifestReachSerializer}

    @property
    def is_immutable(self) -> bool:
        return False  # snapshots, tags and branches come and go

    def get(self, request: Request, **path: str) -> Response:
        return Response(s.ManifestReachSerializer(reach.of_manifests(self.opened, self.snapshot)).data)


class SnapshotStatsView(SnapshotView):
    """What ANALYZE recorded for a snapshot."""

    responses = {"GET": s.SnapshotStatsSerializer}

    def get(self, request: Request, **path: str) -> Response:
        return Response(s.SnapshotStatsSerializer(snapshots.statistics(self.opened, self.snapshot)).data)


class ManifestEntryListView(TableListView):
    """The entries of one manifest, as they stand or as far as they are live at a snapshot."""

    item = s.FileChangeSerializer
    listing = replace(ChangeListView.listing, parameters=frozenset({"live_at"}))
    parameters = {
        "GET": [
            BRANCH,
            OpenApiParameter(
                "live_at", str, description="Only what is live at this snapshot: an id, or id~identity."
            ),
        ]
    }

    @property
    def is_immutable(self) -> bool:
        # manifests are never rewritten under their name, but a bare id is used again
        live_at = self.request.query_params.get("live_at")
        return not live_at or "~" in live_at

    def load(self, query: ListQuery) -> Page:
        live_at = self.request.query_params.get("live_at")
        return changes.page_of_manifest(self.opened, self.kwargs["manifest"], live_at, self.listing, query)


class CompareView(TableView):
    """The net difference between two snapshots."""

    responses = {"GET": s.CompareSerializer}
    parameters = {
        "GET": [
            OpenApiParameter("from", str, required=True, description="The base: as `at`."),
            OpenApiParameter("at", str, description="Default: the latest."),
            BRANCH,
        ]
    }

    @property
    def is_immutable(self) -> bool:
        given = self.request.query_params
        return "~" in given.get("from", "") and "~" in given.get("at", "")

    def get(self, request: Request, **path: str) -> Response:
        base, at = request.query_params.get("from"), request.query_params.get("at")
        if not base:
            raise invalid("from", "This is needed: the snapshot to compare with.", "required")
        return Response(s.CompareSerializer(comparing.compare(self.opened, base, at)).data)


class PartitionListView(PinnedListView):
    """The partitions at a snapshot."""

    item = s.PartitionSerializer
    listing = Listing(
        key="partition",
        fields={
            "partition": Field(),
            "rows": NUMBER,
            "bytes": BYTES,
            "files": NUMBER,
            "buckets": NUMBER,
            "runs_max": NUMBER,
            "max_bucket_bytes": BYTES,
            "last_update_at": TIME,
        },
        default_sort="-partition",
    )

    def load(self, query: ListQuery) -> Page:
        snapshot = self.pin(query)
        return _page(buckets.partitions(self.opened, snapshot), self.listing, query, snapshot)


class BucketListView(PinnedListView):
    """The buckets at a snapshot."""

    item = s.BucketSerializer
    listing = Listing(
        key="id",
        fields={
            "partition": Field(),
            "bucket": NUMBER,
            "files": NUMBER,
            "bytes": BYTES,
            "rows": NUMBER,
            "runs": NUMBER,
            "levels": NUMBER,
            "l0_files": NUMBER,
            "pressure": NUMBER,
            "last_update_at": TIME,
        },
        default_sort="-pressure",
    )

    def load(self, query: ListQuery) -> Page:
        snapshot = self.pin(query)
        page = _page(buckets.buckets(self.opened, snapshot), self.listing, query, snapshot)
        return replace(page, rows=buckets.with_key_ranges(self.opened, snapshot, page.rows))


class LsmView(PinnedView):
    """The levels of one bucket over its key space."""

    responses = {"GET": s.LsmSerializer}
    parameters = {
        "GET": [
            AT,
            BRANCH,
            OpenApiParameter("since", str, description="As `at`: also what came and went from then on."),
        ]
    }

    @property
    def is_immutable(self) -> bool:
        since = self.request.query_params.get("since")
        return super().is_immutable and (not since or "~" in since)

    def get(self, request: Request, partition: str, bucket: int, **path: str) -> Response:
        given = request.query_params.get("since")
        since = resolve_at(self.opened, given) if given else None
        found = buckets.lsm(self.opened, self.pinned, partition, bucket, since)
        return Response(s.LsmSerializer(found).data)


class BucketCommitsView(TableView):
    """The commits that changed a bucket, among the newest ones."""

    responses = {"GET": s.BucketCommitsSerializer}

    def get(self, request: Request, partition: str, bucket: int, **path: str) -> Response:
        found = buckets.commits(self.opened, partition, bucket)
        return Response(s.BucketCommitsSerializer(found).data)


class KeyProbeView(TableView):
    """Which files of a bucket a reader of one key would open. A search for a key shows data."""

    permissions = {"POST": Permission.DATA_READ}
    requests = {"POST": s.KeyProbeQuerySerializer}
    responses = {"POST": s.KeyProbeSerializer}
    parameters = {}
    may_go_on = False

    @property
    def branch(self) -> str:
        asked = self.request.data
        return str(asked.get("branch") or "main") if isinstance(asked, dict) else "main"

    def post(self, request: Request, partition: str, bucket: int, **path: str) -> Response:
        form = s.KeyProbeQuerySerializer(data=request.data)
        form.is_valid(raise_exception=True)
        asked = form.validated_data
        at = resolve_at(self.opened, asked.get("at"))
        try:
            found = buckets.probe(self.opened, at, partition, bucket, asked["key"])
        except InvalidRequestError as error:
            raise invalid("/key", str(error)) from error
        return Response(s.KeyProbeSerializer(found).data)


class SchemaListView(TableListView):
    """The schemas of a branch."""

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

    responses = {"GET": s.SchemaSerializer}

    @property
    def is_immutable(self) -> bool:
        return False  # a dropped and re-created table uses the ids again

    def get(self, request: Request, schema: int, **path: str) -> Response:
        return Response(s.SchemaSerializer(schemas.detail(self.opened, schema)).data)


class FieldHistoryView(TableView):
    """One field, by its id, across all schemas."""

    responses = {"GET": s.FieldHistorySerializer}

    def get(self, request: Request, field: int, **path: str) -> Response:
        return Response(s.FieldHistorySerializer(schemas.history(self.opened, field)).data)


class SchemaDiffView(TableView):
    """What leads from one schema to another, field by field."""

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

    item = s.OptionSerializer
    listing = Listing(
        key="key",
        fields={"key": Field(), "is_default": FLAG, "group": Field(), "schema_id": NUMBER},
        default_sort="key",
    )

    def load(self, query: ListQuery) -> Page:
        return page_of_rows(schemas.options(self.opened), self.listing, query)


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


def _page(table: pa.Table, listing: Listing, query: ListQuery, snapshot: Snapshot | None) -> Page:
    """A page of columns, its rows made for it alone."""
    rows, page = page_of_columns(table, listing, query, snapshot.reference if snapshot else "")
    return replace(page, rows=rows.to_pylist(), as_of=page.as_of or None)
