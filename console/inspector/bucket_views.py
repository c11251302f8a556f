"""Read-only endpoints of partitions and buckets, and of the levels of one bucket."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from console.accounts.roles import Permission
from console.api.columns import page_of_columns
from console.api.errors import invalid
from console.api.listing import BYTES, NUMBER, TIME, Field, Listing, ListQuery, Page
from console.api.permissions import forbidden
from console.inspector import buckets, partition_history
from console.inspector import serializers as s
from console.inspector.base import AT, BRANCH, PinnedListView, PinnedView, TableView
from console.inspector.pinning import flag_of, names_identity, resolve_at
from core.errors import InvalidRequestError
from core.snapshot import Snapshot

_NOT_ASKED_FOR: dict[str, Any] = {"done": None, "done_at": None, "done_by": [], "history": None}


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
        parameters=frozenset({"done", "history"}),
    )
    parameters = {
        "GET": [
            AT,
            BRANCH,
            OpenApiParameter("done", bool, description="Also whether each is marked as done."),
            OpenApiParameter("history", bool, description="Also the bytes of each over the newest commits."),
        ]
    }

    @property
    def is_immutable(self) -> bool:
        given = self.request.query_params  # marks come, and commits before expire
        return super().is_immutable and not (given.get("done") or given.get("history"))

    def load(self, query: ListQuery) -> Page:
        snapshot = self.pin(query)
        page = _page(buckets.partitions(self.opened, snapshot), self.listing, query, snapshot)
        rows = [{**row, **_NOT_ASKED_FOR} for row in page.rows]
        if snapshot is not None and flag_of(self.request.query_params.get("done"), "done"):
            marks = partition_history.done_marks(self.opened, snapshot, rows)
            rows = [row | mark for row, mark in zip(rows, marks, strict=True)]
        if snapshot is not None and flag_of(self.request.query_params.get("history"), "history"):
            past = partition_history.histories(self.opened, snapshot, rows)
            rows = [row | {"history": bytes_} for row, bytes_ in zip(rows, past, strict=True)]
        return replace(page, rows=rows)


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


class HeatmapView(PinnedView):
    """All buckets at a snapshot in columns: what a picture of them needs, in one answer."""

    responses = {"GET": s.HeatmapSerializer}
    parameters = {
        "GET": [
            AT,
            BRANCH,
            OpenApiParameter("partition[prefix]", str, description="As of the list of buckets."),
        ]
    }

    def get(self, request: Request, **path: str) -> Response:
        prefix = request.query_params.get("partition[prefix]", "")
        return Response(s.HeatmapSerializer(buckets.heatmap(self.opened, self.pinned, prefix)).data)


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
        return super().is_immutable and (not since or names_identity(since))

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
        if not buckets.tells_keys(self.opened):  # which files may hold a key tells what keys there are
            raise forbidden(self.opened.sight.needed, self.scope)
        try:
            found = buckets.probe(self.opened, at, partition, bucket, asked["key"])
        except InvalidRequestError as error:
            raise invalid("/key", str(error)) from error
        return Response(s.KeyProbeSerializer(found).data)


def _page(table: pa.Table, listing: Listing, query: ListQuery, snapshot: Snapshot | None) -> Page:
    """A page of columns, its rows made for it alone."""
    rows, page = page_of_columns(table, listing, query, snapshot.reference if snapshot else "")
    return replace(page, rows=rows.to_pylist(), as_of=page.as_of or None)
