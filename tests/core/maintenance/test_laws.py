"""Expiring and cleaning remove nothing that can be read, and leave nothing that cannot.

Random histories of a table with tags and branches; what stays is told by a plain reading of every root.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from core.commit import TableCommit
from core.errors import PaimonError
from core.io import MAIN_BRANCH
from core.maintenance.analyze import apply_analyze, plan_analyze
from core.maintenance.expire import (
    apply_expire_changelogs,
    apply_expire_snapshots,
    plan_expire_changelogs,
    plan_expire_snapshots,
)
from core.maintenance.remove_orphans import apply_remove_orphans, plan_remove_orphans
from core.maintenance.rollback import apply_rollback
from core.maintenance.rollback_plan import plan_rollback
from core.snapshot import CommitKind, Snapshot, Tag
from core.table import Table
from tests.core.maintenance.tables import checked, copy, everything, files, later
from tests.tables import compact, new_table, prepare, put, remove

OUTSIDE = "memory://elsewhere"
LONGER = {"changelog__num_retained__min": "50", "changelog__num_retained__max": "50"}
KINDS: dict[str, Callable[[], Table]] = {
    "keyed": lambda: made(("id",)),
    "changelogs": lambda: made(("id",), changelog_producer="input", **LONGER),
    "deltas as changelogs": lambda: made(("id",), **LONGER),
    "hash indexes": lambda: made(("id",), bucket="-1"),
    "deletion vectors": lambda: made((), bucket="-1", deletion_vectors__enabled="true"),
    "external paths": lambda: made(
        ("id",),
        data_file__external_paths=OUTSIDE,
        data_file__external_paths__strategy="round-robin",
    ),
}


@cache
def made(keys: tuple[str, ...], **options: str) -> Table:
    return new_table({"id": "INT NOT NULL", "v": "STRING"}, keys, **options)


# What may happen to a table; the number chooses the row, snapshot, tag or branch.
EVENTS: dict[str, Callable[[Table, int], object]] = {
    "put": lambda table, n: put(table, (n % 3, f"v{n}")),
    "remove": lambda table, n: delete(table, n % 3),
    "compact": lambda table, n: compact(table),
    "analyze": lambda table, n: apply_analyze(table, plan_analyze(table), "analyst"),
    "lose": lambda table, n: prepare(table, [(n, "lost")]),
    "tag": lambda table, n: table.tags.create(Tag(f"t{n}", nth_snapshot(table, n))),
    "untag": lambda table, n: table.tags.delete(nth(table.tags.names(), n)),
    "branch": lambda table, n: table.branches.create(f"b{n}", from_tag=nth(table.tags.names(), n)),
    "put to branch": lambda table, n: put(
        table.with_branch(nth(table.branches.names(), n)), (n % 3, f"b{n}")
    ),
    "drop branch": lambda table, n: table.branches.delete(nth(table.branches.names(), n)),
    "roll back": lambda table, n: apply_rollback(table, plan_rollback(table, nth_snapshot(table, n).id)),
    "expire": lambda table, n: expire(table, 1 + n % 3),
    "expire changelogs": lambda table, n: expire_changelogs(table, 1 + n % 3),
}
HISTORIES = st.lists(
    st.tuples(st.sampled_from(["put", "put", "tag", *EVENTS]), st.integers(0, 9)), min_size=3, max_size=12
)


EVENTFUL = [
    *(("put", 1), ("put", 2), ("tag", 1), ("put", 1), ("compact", 0), ("analyze", 0), ("remove", 1)),
    *(("branch", 0), ("put to branch", 4), ("put", 5), ("lose", 3), ("put", 2), ("expire", 2), ("put", 7)),
]


def nth(names: list[str], n: int) -> str:
    return names[n % len(names)] if names else "none"


def nth_snapshot(table: Table, n: int) -> Snapshot:
    ids = table.snapshots.ids()
    return table.snapshots.get(ids[n % len(ids)] if ids else 1)


def expire(table: Table, keep: int) -> None:
    plan = plan_expire_snapshots(table, now_millis=later(table), retain_min=keep)
    assert plan.blockers == ()
    apply_expire_snapshots(table, plan)


def expire_changelogs(table: Table, keep: int) -> None:
    plan = plan_expire_changelogs(table, now_millis=later(table), retain_min=keep, retain_max=keep)
    assert plan.blockers == ()
    apply_expire_changelogs(table, plan)


def delete(table: Table, row: int) -> None:
    if table.schema.primary_keys:
        remove(table, (row, None))
    else:
        change = table.apply_changes(table.plan_delete(f"id = {row}"))
        TableCommit(table, "deleter").commit(change)


def live_through(kind: str, history: list[tuple[str, int]]) -> Table:
    """A table with a past; what cannot be done (no such tag) is left out of it."""
    table = copy(KINDS[kind]())
    put(table, (0, "first"))
    for event, n in history:
        try:
            EVENTS[event](table, n)
        except PaimonError:
            continue
    return table


def needed(table: Table) -> set[str]:
    """Names of all that a reader of any snapshot, tag or changelog of any branch opens."""
    found: set[str | None] = set()
    for branch in (MAIN_BRANCH, *table.branches.names()):
        view = table.with_branch(branch)
        for snapshot in view.snapshots.iter_all():
            found |= state_of(view, snapshot) | changelog_of(view, snapshot)
        for tag in view.tags.list():
            found |= state_of(view, tag.snapshot)
        for changelog in view.changelogs.iter_all():
            if changelog.changelog_manifest_list:
                found |= changelog_of(view, changelog)
            elif changelog.commit_kind not in (CommitKind.COMPACT, CommitKind.ANALYZE):
                found |= added_by(view, changelog.delta_manifest_list)
    return {name for name in found if name}


def state_of(table: Table, snapshot: Snapshot) -> set[str | None]:
    lists = {snapshot.base_manifest_list, snapshot.delta_manifest_list}
    manifests = {meta.file_name for meta in table.manifests.manifests(snapshot)}
    data = {entry.file.file_name for entry in table.manifests.live_entries(snapshot).entries()}
    indexes = {entry.file_name for entry in table.manifests.index_entries(snapshot)}
    return lists | manifests | data | indexes | {snapshot.index_manifest, snapshot.statistics}


def changelog_of(table: Table, snapshot: Snapshot) -> set[str | None]:
    return added_by(table, snapshot.changelog_manifest_list)


def added_by(table: Table, name: str | None) -> set[str | None]:
    """A list, its manifests, and the files that they add."""
    metas = table.manifests.read_list(name) if name else []
    added = table.manifests.open_entries(metas).adds().entries() if metas else []
    return {name, *(meta.file_name for meta in metas), *(entry.file.file_name for entry in added)}


def names_of_files(table: Table) -> set[str]:
    outside = {status.path for status in table.io.iter_tree(OUTSIDE)}
    return {path.rpartition("/")[2] for path in files(table) | outside}


@settings(
    max_examples=max(settings.default.max_examples // 30, 2), suppress_health_check=[HealthCheck.too_slow]
)
@pytest.mark.slow
@given(st.sampled_from(sorted(KINDS)), HISTORIES)
@example("changelogs", EVENTFUL)
@example("deltas as changelogs", EVENTFUL)
@example("hash indexes", EVENTFUL)
@example("deletion vectors", EVENTFUL)
@example("external paths", EVENTFUL)
def test_expiring_and_cleaning_leave_exactly_what_can_be_read(
    kind: str, history: list[tuple[str, int]]
) -> None:
    table = live_through(kind, history)
    before = everything(table)
    expire(table, 2)
    expire_changelogs(table, 3)
    plan = plan_remove_orphans(table, now_millis=later(table, 48), external_paths=True)
    assert plan.blockers == ()
    apply_remove_orphans(table, plan)
    after = everything(table)
    assert after == {root: before[root] for root in after}
    assert names_of_files(table) == needed(table)
    assert checked(table).findings == ()
