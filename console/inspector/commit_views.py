"""Read-only endpoints of commits: their lists, changes, manifests, and what differs between two."""

from __future__ import annotations

from dataclasses import replace

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.errors import invalid
from console.api.listing import BYTES, NUMBER, TIME, Field, Kind, Listing, ListQuery, Page
from console.inspector import change_groups, changes, comparing, manifests, reach, snapshots
from console.inspector import serializers as s
from console.inspector.base import BRANCH, SnapshotListView, SnapshotView, TableListView, TableView


class CommitListView(TableListView):
    """The snapshots of a branch, newest first."""

    ahead = ("schema", "snapshot", "tag", "consumer")
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
        parameters=frozenset({"after", "before", "partition"}),
    )
    parameters = {
        "GET": [
            BRANCH,
            OpenApiParameter("after", str, description="Only commits at or after this RFC 3339 time."),
            OpenApiParameter("before", str, description="Only commits before this RFC 3339 time."),
            OpenApiParameter(
                "partition",
                str,
                description="Only commits that changed this partition, among the newest 2,000.",
            ),
        ]
    }

    def load(self, query: ListQuery) -> Page:
        return snapshots.page(self.opened, self.listing, query, self.request.query_params)


class CommitView(SnapshotView):
    """One commit: its file, its files and bytes, who made it."""

    responses = {"GET": s.SnapshotDetailSerializer}
    ahead = ("schema", "snapshot", "tag", "consumer")

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
        which = _one_of(self.request, "list", "delta", "changelog")
        return changes.page(self.opened, self.snapshot, which, self.listing, query)


class ChangeGroupListView(SnapshotListView):
    """What a commit did to each partition, or to each bucket, that it touched."""

    item = s.ChangeGroupSerializer
    listing = Listing(
        key="id",
        fields={
            "partition": Field(),
            "bucket": NUMBER,
            **{f"files_{word}": NUMBER for word in ("added", "deleted", "moved")},
            **{f"bytes_{word}": BYTES for word in ("added", "deleted", "moved")},
            **{f"rows_{word}": NUMBER for word in ("added", "deleted", "moved")},
        },
        default_sort="id",
        parameters=frozenset({"list", "by"}),
    )
    parameters = {
        "GET": [
            *ChangeListView.parameters["GET"],
            OpenApiParameter("by", str, enum=["partition", "bucket"], default="partition"),
        ]
    }

    def load(self, query: ListQuery) -> Page:
        which = _one_of(self.request, "list", "delta", "changelog")
        by = _one_of(self.request, "by", "partition", "bucket")
        return change_groups.page(self.opened, self.snapshot, which, by, self.listing, query)


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


def _one_of(request: Request, name: str, *words: str) -> str:
    """A query parameter that is one of these words; the first where it is not given."""
    found = request.query_params.get(name) or words[0]
    if found not in words:
        raise invalid(name, " or ".join(words))
    return found
