"""Jobs that commit nothing end as the table's tags, branches and snapshots show."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from console.jobs.models import Job, Lease
from console.jobs.states import State
from console.jobs.verifying import look
from core import Table
from core.jobs import commit_user
from core.maintenance import branches, consumers, expire, partitions, tags
from core.maintenance.restore import apply_restore, plan_restore
from core.schema.changes import SetOption
from core.snapshot import Consumer
from tests.console.jobs.steps import failed
from tests.tables import put

pytestmark = pytest.mark.django_db
NOW = int(time.time() * 1000)

Act = Callable[[Table], object]


def made_branch(table: Table) -> None:
    table.branches.create("dev", from_tag="v2")
    put(table.with_branch("dev"), ("2026-11-20", 1, 1, "on dev"))


def consumed(table: Table) -> None:
    table.consumers.put(Consumer("reader", 4))


def marked_long_ago(table: Table) -> None:
    plan = partitions.plan_mark_done(table, [{"dt": "2026-11-20"}])
    partitions.apply_mark_done(table, plan, now_millis=1)


def nothing(table: Table) -> None:
    """No preparation."""


CASES: list[Any] = [
    ("tag", {"action": "create", "name": "n", "snapshot": "4"}, nothing,
     lambda t: tags.apply_create_tag(t, tags.plan_create_tag(t, "n", now_millis=NOW, snapshot_id=4))),
    ("tag", {"action": "replace", "name": "v2", "snapshot": "4"}, nothing,
     lambda t: tags.apply_replace_tag(t, tags.plan_replace_tag(t, "v2", now_millis=NOW, snapshot_id=4))),
    ("tag", {"action": "rename", "name": "v2", "new_name": "n"}, nothing,
     lambda t: tags.apply_rename_tag(t, tags.plan_rename_tag(t, "v2", "n"))),
    ("tag", {"action": "delete", "name": "v2"}, nothing,
     lambda t: tags.apply_delete_tags(t, tags.plan_delete_tags(t, ["v2"]))),
    ("branch", {"action": "create", "name": "dev", "start": {"tag": "v2"}}, nothing,
     lambda t: branches.apply_create_branch(t, branches.plan_create_branch(t, "dev", tag="v2"))),
    ("branch", {"action": "create", "name": "dev"}, nothing,
     lambda t: branches.apply_create_branch(t, branches.plan_create_branch(t, "dev"))),
    ("branch", {"action": "rename", "name": "dev", "new_name": "qa"}, made_branch,
     lambda t: branches.apply_rename_branch(t, branches.plan_rename_branch(t, "dev", "qa"))),
    ("branch", {"action": "delete", "name": "dev"}, made_branch,
     lambda t: branches.apply_delete_branch(t, branches.plan_delete_branch(t, "dev"))),
    ("branch", {"action": "fast_forward", "name": "dev"}, made_branch,
     lambda t: branches.apply_fast_forward(t, branches.plan_fast_forward(t, "dev"))),
    ("expire", {"retain_min": 1, "retain_max": 2}, nothing,
     lambda t: expire.apply_expire_snapshots(
         t, expire.plan_expire_snapshots(t, now_millis=NOW, retain_min=1, retain_max=2))),
    ("consumer", {"action": "reset", "name": "reader", "snapshot": "2"}, consumed,
     lambda t: consumers.apply_reset_consumer(t, consumers.plan_reset_consumer(t, "reader", 2))),
    ("consumer", {"action": "delete", "name": "reader"}, consumed,
     lambda t: consumers.apply_reset_consumer(t, consumers.plan_reset_consumer(t, "reader"))),
    ("options", {"set": {"target-file-size": "9 mb"}}, nothing,
     lambda t: t.alter([SetOption("target-file-size", "9 mb")])),
    ("partitions", {"action": "mark_done", "partitions": ["dt=2026-11-20"]}, marked_long_ago,
     lambda t: partitions.apply_mark_done(
         t, partitions.plan_mark_done(t, [{"dt": "2026-11-20"}]), now_millis=NOW + 3_600_000)),
]  # fmt: skip
NAMES = [f"{kind} {params.get('action', '')}".strip() for kind, params, _, _ in CASES]


@pytest.mark.parametrize(("kind", "params", "prepare", "act"), CASES, ids=NAMES)
def test_a_job_ends_as_the_table_shows_it(
    kind: str, params: dict[str, Any], prepare: Act, act: Act, submit: Callable[..., Job], table: Table
) -> None:
    prepare(table)
    untouched = failed(submit(kind, **params))
    assert (untouched.state, Lease.objects.count()) == (State.FAILED, 0)
    late = submit(kind, **params)
    act(table)  # and then it dies
    assert failed(late).state == State.FAILED_COMMITTED


@pytest.mark.parametrize(("to", "reader_at", "moved"), [("2", 3, True), ("2", 5, False), ("6", 5, False)])
def test_a_reader_that_goes_on_from_where_it_was_put_has_been_moved(
    to: str, reader_at: int, moved: bool, submit: Callable[..., Job], table: Table
) -> None:
    consumed(table)
    job = submit("consumer", action="reset", name="reader", snapshot=to)
    table.consumers.put(Consumer("reader", reader_at))
    assert look(job).complete is moved


def test_a_rename_that_stopped_half_way_has_both_names(submit: Callable[..., Job], table: Table) -> None:
    job = submit("tag", action="rename", name="v2", new_name="n")
    table.tags.create(tags.plan_create_tag(table, "n", now_millis=NOW, snapshot_id=2).tag)
    assert failed(job).state == State.FAILED_COMMITTED


def test_an_expiration_that_stopped_half_way_says_what_is_left(
    submit: Callable[..., Job], table: Table
) -> None:
    job = submit("expire", retain_min=1, retain_max=2)
    table.snapshots.delete(1)
    ended = failed(job)
    assert ended.result is not None
    assert (ended.state, ended.result["detail"]["values"]) == (
        State.FAILED_COMMITTED,
        {"gone": "1", "left": "3"},
    )


def test_a_restoration_is_found_by_its_commit(submit: Callable[..., Job], table: Table) -> None:
    job = submit("restore", to={"snapshot": "2"})
    made = apply_restore(table, plan_restore(table, 2, now_millis=NOW), commit_user(job.public_id))
    ended = failed(job)
    assert ended.result is not None
    assert (ended.state, ended.result["snapshots"]) == (State.FAILED_COMMITTED, [made.reference])
