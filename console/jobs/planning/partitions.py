"""Partitions: dropped, expired, and marked as done. Design: 7.6."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

from console.inspector.opening import OpenTable
from console.jobs.notices import notice
from console.jobs.planning.changes import notices_of, partition_label, refused
from console.jobs.planning.concerned import concerned, way_back
from console.jobs.planning.draft import Asked, Draft
from core.binary import BinaryRow
from core.errors import InvalidRequestError
from core.maintenance.partitions import (
    LivePartition,
    plan_drop_partitions,
    plan_expire_partitions,
    plan_mark_done,
)
from core.maintenance.partitions.drop import live_partitions
from core.options import (
    PARTITION_EXPIRATION_STRATEGY,
    PARTITION_EXPIRATION_TIME,
    PartitionExpireStrategy,
    parse_duration,
)
from core.snapshot import Snapshot
from core.write.partition_spec import PartitionSpec, partition_test

Params = dict[str, Any]
Planned = Callable[[OpenTable, Snapshot | None, Params], Draft]

LEVEL_OF_A_LOSS = 2
LEVEL_OF_A_MARK = 1
MOST_SHOWN = 1000  # partitions


def plan_partitions(opened: OpenTable, latest: Snapshot | None, asked: Asked) -> Draft:
    """What would become of some partitions.

    Raises:
        Problem: a partition that is none, or a table that has none; an age that is none.
        UnsupportedError: partitions whose time this release cannot tell.
    """
    return _PLANS[asked.params["action"]](opened, latest, asked.params)


def asks_for_values(opened: OpenTable, params: Params) -> bool:
    """Whether the plan would tell what time partitions have in their values: it is told by a few ages."""
    strategy = opened.table.options.get(PARTITION_EXPIRATION_STRATEGY)
    return params["action"] == "expire" and strategy is not PartitionExpireStrategy.UPDATE_TIME


def _drop(opened: OpenTable, latest: Snapshot | None, params: Params) -> Draft:
    specs = _specs(opened, params)
    try:
        found = plan_drop_partitions(opened.table, specs).partitions
    except InvalidRequestError as error:
        raise refused("partitions", error) from error
    work = {"partitions": _named(found), **({} if latest is None else {"base": latest.reference})}
    return _loss(opened, latest, params, found, job="drop-partitions", work=work)


def _expire(opened: OpenTable, latest: Snapshot | None, params: Params) -> Draft:
    given = params.get("age") or None
    try:
        age = None if given is None else parse_duration(given)
        plan = plan_expire_partitions(opened.table, now=datetime.now(), expiration_time=age)
    except (InvalidRequestError, OverflowError) as error:
        wrong = (
            error if isinstance(error, InvalidRequestError) else InvalidRequestError("too long", found=given)
        )
        raise refused("age", wrong) from error
    # What was seen goes, and nothing whose time comes until the job runs.
    work: Params = {"only": _named(plan.partitions)} | ({} if given is None else {"age": given})
    options = opened.table.options
    effective: timedelta | None = options.get(PARTITION_EXPIRATION_TIME) if age is None else age
    rule = {
        "age_seconds": None if effective is None else round(effective.total_seconds()),
        "strategy": options.get(PARTITION_EXPIRATION_STRATEGY).value,
    }
    draft = _loss(opened, latest, params, plan.partitions, job="expire-partitions", work=work, rule=rule)
    draft.warnings.extend(notices_of(plan.warnings))
    return draft


def _loss(
    opened: OpenTable,
    latest: Snapshot | None,
    params: Params,
    found: Sequence[LivePartition],
    *,
    job: str,
    work: Params,
    rule: Params | None = None,
) -> Draft:
    affected = concerned(opened, latest)
    nameless = [p for p in found if not partition_test(opened.table.schema, [dict(p.spec)])(p.row)]
    return Draft(
        level=LEVEL_OF_A_LOSS,
        job=job,
        work=work,
        effects=_effects(opened, params, found, rule) | affected,
        kept=["other_partitions", "history", "tags", "options"],
        undo=way_back(opened, latest) if found else None,
        warnings=[notice("writer-of-partitions", ref=user) for user in affected["writers_affected"]],
        blockers=[
            *([] if found else [notice("no-such-partitions")]),
            *(notice("partition-nameless", ref=partition_label(p.name)) for p in nameless),
        ],
    )


def _mark_done(opened: OpenTable, latest: Snapshot | None, params: Params) -> Draft:
    specs = _specs(opened, params)
    try:
        plan = plan_mark_done(opened.table, specs)
    except InvalidRequestError as error:
        raise refused("partitions", error) from error
    live = live_partitions(opened.table)
    holding = {i: [p for p in live if test(p.row)] for i, test in enumerate(_tests(opened, specs))}
    empty = [label for i, label in enumerate(params["partitions"]) if not holding[i]]
    found = [partition for partitions in holding.values() for partition in partitions]
    return Draft(
        level=LEVEL_OF_A_MARK,
        job="mark-partitions-done",
        work={"partitions": [dict(spec) for spec in specs]},
        effects=_effects(opened, params, found) | concerned(opened, latest),
        kept=["rows", "history", "tags", "options"],
        warnings=[notice("partition-empty", ref=label) for label in empty],
        blockers=notices_of(plan.blockers),
    )


_PLANS: Mapping[str, Planned] = MappingProxyType({"drop": _drop, "expire": _expire, "mark_done": _mark_done})
PARTITION_ACTIONS = tuple(_PLANS)


def _specs(opened: OpenTable, params: Params) -> list[dict[str, str | None]]:
    return [opened.labels.partition_values(label) for label in params.get("partitions") or ()]


def _named(found: Sequence[LivePartition]) -> list[dict[str, str | None]]:
    return [dict(partition.spec) for partition in found]


def _tests(opened: OpenTable, specs: Sequence[PartitionSpec]) -> list[Callable[[BinaryRow], bool]]:
    return [partition_test(opened.table.schema, [spec]) for spec in specs]


def _effects(
    opened: OpenTable, params: Params, found: Sequence[LivePartition], rule: Params | None = None
) -> dict[str, Any]:
    return {
        "kind": "partitions",
        "action": params["action"],
        "partitions": [_row(partition) for partition in found[:MOST_SHOWN]],
        "count": len(found),
        "files": sum(partition.files.count for partition in found),
        "bytes": sum(partition.files.size for partition in found),
        "rows": sum(partition.files.rows for partition in found),
        "others": len(live_partitions(opened.table)) - len(found),
        "rule": rule,
    }


def _row(partition: LivePartition) -> dict[str, Any]:
    return {
        "partition": partition_label(partition.name),
        "files": partition.files.count,
        "bytes": partition.files.size,
        "rows": partition.files.rows,
        "updated": partition.updated.isoformat(timespec="seconds"),
    }
