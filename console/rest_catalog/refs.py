"""Tags, branches and consumers of a table."""

from __future__ import annotations

import re
import time
from datetime import timedelta
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from console.accounts.roles import Permission
from console.rest_catalog import services
from console.rest_catalog.base import MOST_OBJECTS, CatalogView
from core.catalog.rest.objects import snapshot_to_wire
from core.catalog.rest.requests import CreateBranch, CreateTag, ResetConsumer
from core.errors import AlreadyExistsError, InvalidRequestError, NotFoundError
from core.maintenance import branches, consumers, tags
from core.options import parse_duration
from core.snapshot import Tag

_READ_AND_MAKE: dict[str, Permission | None] = {
    "GET": Permission.DATA_READ,
    "POST": Permission.TABLE_OPERATE,
}
_ISO_DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?", re.ASCII)


class TagListView(CatalogView):
    permissions = _READ_AND_MAKE

    def get(self, request: Request, **path: str) -> Response:
        prefix = self.parameter("tagNamePrefix") or ""
        return self.page("tags", [name for name in self.table.tags.names() if name.startswith(prefix)])

    def post(self, request: Request, **path: str) -> Response:
        asked = self.body(CreateTag.from_wire)
        retained = None if asked.time_retained is None else duration_of(asked.time_retained)
        with services.locked(services.served_table(self.warehouse, self.table)):
            if self.table.tags.exists(asked.name):
                raise AlreadyExistsError("tag exists already", tag=asked.name)
            plan = tags.plan_create_tag(
                self.table,
                asked.name,
                now_millis=_now(),
                snapshot_id=asked.snapshot_id,
                time_retained=retained,
            )
            tags.apply_create_tag(self.table, plan)
        return Response({})

    def audited(self) -> dict[str, Any]:
        return dict(self.body(CreateTag.from_wire).to_wire())


class TagView(CatalogView):
    permissions = {"GET": Permission.DATA_READ, "DELETE": Permission.TABLE_OPERATE}

    def get(self, request: Request, **path: str) -> Response:
        tag: Tag = self.table.tags.get(self.kwargs["tag"])
        created = tag.create_time
        # One without a time of its own was made when its file was written.
        millis = round(created.timestamp() * 1000) if created else self.table.tags.modified_millis(tag.name)
        return Response(
            {
                "tagName": tag.name,
                "snapshot": snapshot_to_wire(tag.snapshot),
                "tagCreateTime": millis,
                "tagTimeRetained": None if tag.time_retained is None else iso_duration(tag.time_retained),
            }
        )

    def delete(self, request: Request, **path: str) -> Response:
        name = self.kwargs["tag"]
        services.refuse_under_a_job(self.table)
        with services.locked(services.served_table(self.warehouse, self.table)):
            self.table.tags.get(name)
            tags.apply_delete_tags(self.table, tags.plan_delete_tags(self.table, [name]))
        return Response({})


class BranchListView(CatalogView):
    permissions = _READ_AND_MAKE

    def get(self, request: Request, **path: str) -> Response:
        return Response({"branches": self.table.branches.names()})

    def post(self, request: Request, **path: str) -> Response:
        asked = self.body(CreateBranch.from_wire)
        with services.locked(services.served_table(self.warehouse, self.table)):
            if self.table.branches.exists(asked.branch):
                raise AlreadyExistsError("branch exists already", branch=asked.branch)
            plan = branches.plan_create_branch(self.table, asked.branch, tag=asked.from_tag)
            branches.apply_create_branch(self.table, plan)
        return Response({})

    def audited(self) -> dict[str, Any]:
        return dict(self.body(CreateBranch.from_wire).to_wire())


class BranchView(CatalogView):
    permissions = {"DELETE": Permission.TABLE_OPERATE}

    def delete(self, request: Request, **path: str) -> Response:
        services.refuse_under_a_job(self.table)
        with services.locked(services.served_table(self.warehouse, self.table)):
            plan = branches.plan_delete_branch(self.table, self.kwargs["branch"])
            branches.apply_delete_branch(self.table, plan)
        return Response({})


class BranchForwardView(CatalogView):
    """Make the head of a branch that of main."""

    permissions = {"POST": Permission.TABLE_DESTROY}

    def post(self, request: Request, **path: str) -> Response:
        name = self.kwargs["branch"]
        services.refuse_under_a_job(self.table)
        with services.locked(services.served_table(self.warehouse, self.table)):
            if not self.table.branches.exists(name):
                raise NotFoundError("branch not found", branch=name)
            plan = branches.plan_fast_forward(self.table, name, now_millis=_now())
            branches.apply_fast_forward(self.table, plan)
        return Response({})


class BranchRenameView(CatalogView):
    permissions = {"POST": Permission.TABLE_OPERATE}

    def post(self, request: Request, **path: str) -> Response:
        new_name = self.body(lambda value: value.text("toBranch"))
        services.refuse_under_a_job(self.table)
        with services.locked(services.served_table(self.warehouse, self.table)):
            if self.table.branches.exists(new_name):
                raise AlreadyExistsError("branch exists already", branch=new_name)
            plan = branches.plan_rename_branch(self.table, self.kwargs["branch"], new_name)
            branches.apply_rename_branch(self.table, plan)
        return Response({})

    def audited(self) -> dict[str, Any]:
        return {"to": self.body(lambda value: value.text("toBranch"))}


class ConsumerListView(CatalogView):
    permissions = {"GET": Permission.DATA_READ}

    def get(self, request: Request, **path: str) -> Response:
        return self.page("consumers", self.table.consumers.ids(), show=self._shown, most=MOST_OBJECTS)

    def _shown(self, ids: tuple[str, ...]) -> list[Any]:
        found = (self.table.consumers.get(consumer) for consumer in ids)
        return [{"consumerId": one.id, "nextSnapshot": one.next_snapshot} for one in found]


class ConsumerResetView(CatalogView):
    permissions = {"POST": Permission.TABLE_OPERATE}

    def post(self, request: Request, **path: str) -> Response:
        asked = self.body(ResetConsumer.from_wire)
        if asked.next_snapshot is not None and not self.table.snapshots.exists(asked.next_snapshot):
            raise NotFoundError("snapshot not found", snapshot_id=asked.next_snapshot)
        plan = consumers.plan_reset_consumer(self.table, asked.consumer, asked.next_snapshot)
        consumers.apply_reset_consumer(self.table, plan)
        return Response({})

    def audited(self) -> dict[str, Any]:
        return dict(self.body(ResetConsumer.from_wire).to_wire())


def duration_of(text: str) -> timedelta:
    """Of `P1DT2H` or, as options write it, `1 d`.

    Raises:
        InvalidRequestError: neither.
    """
    match = _ISO_DURATION.fullmatch(text)
    if match is None or not any(match.groups()):
        return parse_duration(text)
    days, hours, minutes, seconds = match.groups(default="0")
    try:
        return timedelta(int(days), float(seconds), hours=int(hours), minutes=int(minutes))
    except OverflowError as error:
        raise InvalidRequestError("not a duration", found=text) from error


def iso_duration(duration: timedelta) -> str:
    """`PT26H3M4.5S`, as Java writes it."""
    seconds, micros = divmod(duration // timedelta(microseconds=1), 1_000_000)
    hours, minutes, seconds = seconds // 3600, seconds // 60 % 60, seconds % 60
    fraction = f".{micros:06d}".rstrip("0") if micros else ""
    parts = [f"{hours}H" if hours else "", f"{minutes}M" if minutes else ""]
    parts.append(f"{seconds}{fraction}S" if seconds or fraction or not any(parts) else "")
    return "PT" + "".join(parts)


def _now() -> int:
    return time.time_ns() // 1_000_000
