"""Read-only endpoints of data files and of indexes."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.errors import invalid
from console.api.listing import BYTES, FLAG, NUMBER, TIME, Field, Listing, ListQuery, Page
from console.inspector import files, footers, index_files, indexes, lineage
from console.inspector import serializers as s
from console.inspector.base import AT, BRANCH, PinnedListView, PinnedView
from console.inspector.pinning import count_of, flag_of

MOST_COLUMNS = 20  # whose statistics a list of files shows


class FileListView(PinnedListView):
    """The live files at a snapshot."""

    item = s.FileSerializer
    listing = Listing(
        key="name",
        fields={
            "name": Field(),
            "partition": Field(),
            "bucket": NUMBER,
            "level": NUMBER,
            "bytes": BYTES,
            "rows": NUMBER,
            "deletes": NUMBER,
            "schema_id": NUMBER,
            "source": Field(),
            "created_at": TIME,
            "format": Field(),
            "index": Field(sort=False),
            "dv": FLAG,
            "min_sequence_number": NUMBER,
            "max_sequence_number": NUMBER,
        },
        default_sort="partition,bucket,level,name",
        parameters=frozenset({"born", "stats"}),
    )
    parameters = {
        "GET": [
            AT,
            BRANCH,
            OpenApiParameter("born", bool, description="Also which commit each file came with."),
            OpenApiParameter(
                "stats", str, description="Ids of fields: also what is known of these columns, as `3,7`."
            ),
        ]
    }

    def load(self, query: ListQuery) -> Page:
        born = flag_of(self.request.query_params.get("born"), "born")
        wanted = _ids(self.request.query_params.get("stats"))
        return files.page(self.opened, self.pin(query), self.listing, query, born=born, statistics=wanted)


def _ids(text: str | None) -> list[int]:
    """The ids of fields that a list names, each once."""
    if not text:
        return []
    parts = text.split(",")
    if len(parts) > MOST_COLUMNS:
        raise invalid("stats", f"at most {MOST_COLUMNS} fields, and {len(parts)} are named")
    return list(dict.fromkeys(count_of(part.strip() or "-", "stats") or 0 for part in parts))


class FileView(PinnedView):
    """One live file, with its column statistics."""

    responses = {"GET": s.FileDetailSerializer}

    def get(self, request: Request, file: str, **path: str) -> Response:
        return Response(s.FileDetailSerializer(files.detail(self.opened, self.pinned, file)).data)


class FileLineageView(PinnedView):
    """When a file came, what it was made from, and what still needs it."""

    responses = {"GET": s.LineageSerializer}

    def get(self, request: Request, file: str, **path: str) -> Response:
        return Response(s.LineageSerializer(lineage.trace(self.opened, file)).data)

    @property
    def is_immutable(self) -> bool:
        return False


class FileIndexesView(PinnedView):
    """The file indexes of one file, from their headers."""

    responses = {"GET": s.FileIndexesSerializer}

    def get(self, request: Request, file: str, **path: str) -> Response:
        return Response(s.FileIndexesSerializer(indexes.of_file(self.opened, self.pinned, file)).data)


class FileFooterView(PinnedView):
    """What one file says of itself: row groups, columns, encodings, sizes, statistics."""

    responses = {"GET": s.FileFooterSerializer}
    parameters = {
        "GET": [
            AT,
            BRANCH,
            OpenApiParameter("row_group", int, description="Columns of this one alone; default: of all."),
        ]
    }

    def get(self, request: Request, file: str, **path: str) -> Response:
        group = count_of(request.query_params.get("row_group"), "row_group")
        return Response(s.FileFooterSerializer(footers.of_file(self.opened, self.pinned, file, group)).data)


class IndexesView(PinnedView):
    """All indexes of a table at a snapshot."""

    responses = {"GET": s.IndexesSerializer}

    def get(self, request: Request, **path: str) -> Response:
        return Response(s.IndexesSerializer(indexes.of_table(self.opened, self.pinned)).data)


class IndexFileView(PinnedView):
    """One index file of the table: each deletion vector in it."""

    responses = {"GET": s.TableIndexDetailSerializer}

    def get(self, request: Request, index: str, **path: str) -> Response:
        return Response(
            s.TableIndexDetailSerializer(index_files.of_name(self.opened, self.pinned, index)).data
        )
