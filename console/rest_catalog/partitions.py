"""Partitions of a table, and what else stands below one."""

from __future__ import annotations

import time
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from console.accounts.roles import Permission
from console.inspector.cache import loaded
from console.rest_catalog.base import CatalogView, UnsupportedView
from core.catalog.facts import Partition
from core.catalog.partitions import partitions_of
from core.catalog.rest.objects import partition_to_wire
from core.catalog.rest.requests import specs_from_wire
from core.maintenance.partitions import apply_mark_done, plan_mark_done
from core.table import Table


def _partitions(table: Table) -> dict[str, Partition]:
    """Those of the latest snapshot, by name; kept as long as it is the latest."""
    latest = table.snapshots.latest()
    if latest is None:
        return {}
    key = ("catalog-partitions", table.location, table.branch, latest.reference)
    found = loaded(key, lambda: partitions_of(table), size=lambda all_: 1000 * (1 + len(all_)))
    return {partition.name: partition for partition in found}


class PartitionListView(UnsupportedView):
    permissions = {"GET": Permission.DATA_READ, "POST": Permission.TABLE_OPERATE}
    feature = "create partitions"
    what = "the partitions of a table are those that it has files in: write to it"

    def get(self, request: Request, **path: str) -> Response:
        found = _partitions(self.table)
        return self.page(
            "partitions",
            list(found),
            "partitionNamePattern",
            show=lambda names: [partition_to_wire(found[name]) for name in names],
        )


class PartitionDropView(UnsupportedView):
    permissions = {"POST": Permission.TABLE_OPERATE}
    feature = "drop partitions"
    what = "partitions are dropped by a commit of the client, such as Spark's ALTER TABLE ... DROP PARTITION"


class PartitionFilterView(UnsupportedView):
    permissions = {"POST": Permission.DATA_READ}
    feature = "list partitions by a filter"
    what = "this server lists partitions by name: give a partitionNamePattern, or names"


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
        wanted, found = self.body(specs_from_wire), _partitions(self.table).values()
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


class ReplaceView(UnsupportedView):
    permissions = {"POST": Permission.TABLE_DESTROY}
    feature = "replace a table"
    what = "drop the table and make it anew"


class RollbackSchemaView(UnsupportedView):
    permissions = {"POST": Permission.TABLE_DESTROY}
    feature = "roll a schema back"
    what = "change the schema back by the changes that undo it: files of the newer one stay readable then"
