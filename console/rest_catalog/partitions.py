"""Partitions of a table, and what else stands below one."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from console.accounts.roles import Permission
from console.inspector.cache import loaded
from console.rest_catalog.base import CatalogView, UnsupportedView
from core.catalog import Catalog
from core.catalog.facts import Partition
from core.catalog.names import fits
from core.catalog.partitions import partitions_of
from core.catalog.rest.objects import Spec, partition_to_wire
from core.catalog.rest.requests import PartitionChange, PartitionFilter, specs_from_wire
from core.catalog.table_types import is_plain
from core.errors import AlreadyExistsError, NotFoundError, UnsupportedError
from core.maintenance.partitions import apply_mark_done, plan_mark_done
from core.table import Table


def _partitions(catalog: Catalog, table: Table) -> dict[str, Partition]:
    """Those of the latest snapshot, by name; kept as long as it is the latest.

    Of a format table they are its directories.
    """
    if is_plain(table):
        return {partition.name: partition for partition in catalog.list_partitions(table.identifier)}
    latest = table.snapshots.latest()
    if latest is None:
        return {}
    key = ("catalog-partitions", table.location, table.branch, latest.reference)
    found = loaded(key, lambda: partitions_of(table), size=lambda all_: 1000 * (1 + len(all_)))
    return {partition.name: partition for partition in found}


class PartitionListView(CatalogView):
    permissions = {"GET": Permission.DATA_READ, "POST": Permission.TABLE_OPERATE}

    def get(self, request: Request, **path: str) -> Response:
        return self.shown(self.parameter("partitionNamePattern"))

    def shown(self, pattern: str | None, given: Mapping[str, str] | None = None) -> Response:
        found = _partitions(self.catalog, self.any_table)
        return self.page(
            "partitions",
            [name for name in found if fits(name, pattern)],
            show=lambda names: [partition_to_wire(found[name]) for name in names],
            given=given,
        )

    def post(self, request: Request, **path: str) -> Response:
        """Those with files are there; a client that has just committed to one may say so once more."""
        asked = self.body(PartitionChange.created)
        there, missing = self.sorted_out(asked.specs)
        if there and not asked.is_forgiving:
            raise AlreadyExistsError("partition exists already", partition=_name(there[0]))
        if missing:
            raise UnsupportedError(
                "the partitions of a table are those that it has files in: write to it",
                feature="create a partition without files",
                found=_name(missing[0]),
            )
        return Response({"created": [], "existed": there})

    def sorted_out(self, specs: Sequence[Spec]) -> tuple[list[Spec], list[Spec]]:
        """Those that have files, and the others."""
        found = [dict(p.spec) for p in _partitions(self.catalog, self.any_table).values()]
        return [s for s in specs if dict(s) in found], [s for s in specs if dict(s) not in found]

    def audited(self) -> dict[str, Any]:
        return {"specs": [dict(spec) for spec in self.body(PartitionChange.created).specs]}


class PartitionDropView(PartitionListView):
    http_method_names = ["post"]
    permissions = {"POST": Permission.TABLE_OPERATE}

    def post(self, request: Request, **path: str) -> Response:
        """What a client has emptied is gone; the server itself deletes no file, as it never does here."""
        asked = self.body(PartitionChange.dropped)
        there, missing = self.sorted_out(asked.specs)
        if missing and not asked.is_forgiving:
            raise NotFoundError("partition not found", partition=_name(missing[0]))
        if there:
            raise UnsupportedError(
                "partitions are dropped by a commit of the client, such as Spark's ALTER TABLE ... DROP "
                "PARTITION",
                feature="drop a partition with files",
                found=_name(there[0]),
            )
        return Response({"dropped": [], "missing": missing})

    def audited(self) -> dict[str, Any]:
        return {"specs": [dict(spec) for spec in self.body(PartitionChange.dropped).specs]}


class PartitionFilterView(PartitionListView):
    """Those that a predicate may match: clients look again, so all that the pattern leaves are an answer."""

    http_method_names = ["post"]
    permissions = {"POST": Permission.DATA_READ}

    def post(self, request: Request, **path: str) -> Response:
        asked = self.body(PartitionFilter.from_wire)
        given = {"maxResults": asked.max_results, "pageToken": asked.page_token}
        return self.shown(asked.pattern, {name: text for name, text in given.items() if text})

    def audited(self) -> dict[str, Any]:
        return {}


def _name(spec: Spec) -> str:
    return "/".join(f"{key}={value}" for key, value in spec.items())


class PartitionMarkView(CatalogView):
    """Write the success files of partitions."""

    permissions = {"POST": Permission.TABLE_OPERATE}

    def post(self, request: Request, **path: str) -> Response:
        plan = plan_mark_done(self.table, self.body(specs_from_wire))
        apply_mark_done(self.table, plan, now_millis=time.time_ns() // 1_000_000)
        return Response({})

    def audited(self) -> dict[str, Any]:
        return {"specs": [dict(spec) for spec in self.body(specs_from_wire)]}


class PartitionNameView(CatalogView):
    """Those of some names that are there."""

    permissions = {"POST": Permission.DATA_READ}

    def post(self, request: Request, **path: str) -> Response:
        wanted, found = self.body(specs_from_wire), _partitions(self.catalog, self.any_table).values()
        there = [partition_to_wire(p) for p in found if dict(p.spec) in [dict(spec) for spec in wanted]]
        return Response({"partitions": there, "nextPageToken": None})


class AuthView(CatalogView):
    """Who may open the table may read all of it: no row is filtered, no column masked."""

    permissions = {"POST": Permission.DATA_READ}

    def post(self, request: Request, **path: str) -> Response:
        self.catalog.get_data_table(self.identifier)
        return Response({"filter": [], "columnMasking": {}})


class TokenView(UnsupportedView):
    permissions = {"GET": Permission.DATA_READ}
    feature = "data-token.enabled"
    what = "this server hands out no credentials of a store: clients bring their own"
