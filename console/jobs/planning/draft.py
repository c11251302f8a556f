"""What every planner gives, and what blocks any action on a table."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from console.accounts.roles import Access
from console.inspector.opening import OpenTable
from console.inspector.pointers import pointer
from console.inspector.summary import active_job
from console.jobs.notices import notice
from core.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Draft:
    """A plan before it is stored."""

    level: int
    work: dict[str, Any]  # what the job is asked
    effects: dict[str, Any]
    job: str | None = None  # the kind in the job spec, if it is not that of the plan
    kept: list[str] = field(default_factory=list)
    undo: dict[str, Any] | None = None
    warnings: list[dict[str, Any]] = field(default_factory=list)
    blockers: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked for, by whom."""

    params: dict[str, Any]  # checked
    access: Access  # of the person
    job_id: str  # of the job to come


Planner: TypeAlias = Callable[[OpenTable, Snapshot | None, Asked], Draft]
"""From a table, its latest snapshot, and what is asked for."""


def plan_key(kind: str, opened: OpenTable, latest: Snapshot | None, params: Mapping[str, Any]) -> Hashable:
    """What makes two computations of a plan the same one."""
    asked = json.dumps(params, sort_keys=True)
    return ("plan", kind, opened.place, opened.branch, latest.reference if latest else None, asked)


def needs_lease(kind: str, level: int) -> bool:
    """Whether no other job may change the table meanwhile: all but what makes a tag or a branch."""
    return level > 0 or kind not in ("tag", "branch")


def common_blockers(opened: OpenTable, *, alone: bool = True) -> list[dict[str, Any]]:
    """What forbids every action: a job at work (where it has to be `alone`), or a head that is not certain.

    The latter is rule R23.
    """
    blockers = []
    busy = active_job(opened) if alone else None
    if busy is not None:
        blockers.append(notice("table-busy", ref=busy, job=busy))
    head = pointer(opened)
    if not head["agree"] and head["hint"] != head["listed"]:
        blockers.append(notice("pointer-disagreement", detail=head["detail"]))
    return blockers
