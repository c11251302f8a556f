"""Read-only endpoints of data files and of indexes."""

from __future__ import annotations

from functools import cached_property
from typing import Any

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
_TOLD = ("min", "max", "null_count", "truncated")


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
        return files.page(
            self.opened, self.pin(query), self.listing, query, born=born, statistics=list(self._wanted)
        )

    def sheet_columns(self, columns: list[str]) -> list[str]:
        """What is known of each of the table's columns in cells of their own."""
        told = [f"{name}.{part}" for name in self._wanted.values() for part in _TOLD]
        return [cell for name in columns for cell in (told if name == "statistics" and told else [name])]

    def sheet_row(self, item: dict[str, Any]) -> dict[str, Any]:
        told = {column["id"]: column for column in item.get("statistics") or ()}
        cells = {
            f"{name}.{part}": told.get(i, {}).get(part) for i, name in self._wanted.items() for part in _TOLD
        }
        return item | cells

    @cached_property
    def _wanted(self) -> dict[int, str]:
        """The fields whose statistics are asked for, by id, with their present names."""
        now = {field.id: field.name for field in self.opened.table.schema.fields}
        return {i: now.get(i, f"#{i}") for i in _ids(self.request.query_params.get("stats"))}


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
