"""Expiring and cleaning remove nothing that can be read, and leave nothing that cannot.

Random histories of a table with tags and branches; what stays is told by a plain reading of every root.
"""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import PaimonError
from core.io import MAIN_BRANCH
from core.maintenance.expire import apply_expire_snapshots, plan_expire_snapshots
from core.maintenance.remove_orphans import apply_remove_orphans, plan_remove_orphans
from core.maintenance.rollback import apply_rollback
from core.maintenance.rollback_plan import plan_rollback
from core.snapshot import Snapshot, Tag
from core.table import Table
from tests.core.maintenance.tables import checked, copy, everything, files, later
from tests.tables import compact, new_table, prepare, put, remove

EMPTY = new_table({"id": "INT NOT NULL", "v": "STRING"}, ["id"])

# What may happen to a table; the number chooses the row, snapshot, tag or branch.
EVENTS: dict[str, Callable[[Table, int], object]] = {
    "put": lambda table, n: put(table, (n % 3, f"v{n}")),
    "remove": lambda table, n: remove(table, (n % 3, None)),
    "compact": lambda table, n: compact(table),
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
}
HISTORIES = st.lists(
    st.tuples(st.sampled_from(["put", "put", "tag", *EVENTS]), st.integers(0, 9)), min_size=3, max_size=12
)


def nth(names: list[str], n: int) -> str:
    return names[n % len(names)] if names else "none"


def nth_snapshot(table: Table, n: int) -> Snapshot:
    ids = table.snapshots.ids()
    return table.snapshots.get(ids[n % len(ids)] if ids else 1)


def expire(table: Table, keep: int) -> None:
    plan = plan_expire_snapshots(table, now_millis=later(table), retain_min=keep)
    assert plan.blockers == ()
    apply_expire_snapshots(table, plan)


def live_through(history: list[tuple[str, int]]) -> Table:
    """A table with a past; what cannot be done (no such tag) is left out of it."""
    table = copy(EMPTY)
    put(table, (0, "first"))
    for event, n in history:
        try:
            EVENTS[event](table, n)
        except PaimonError:
            continue
    return table


def needed(table: Table) -> set[str]:
    """Names of all that a reader of any snapshot or tag of any branch opens."""
    found: set[str] = set()
    for branch in (MAIN_BRANCH, *table.branches.names()):
        view = table.with_branch(branch)
        snapshots = [*view.snapshots.iter_all(), *(tag.snapshot for tag in view.tags.list())]
        for snapshot in snapshots:
            found |= {snapshot.base_manifest_list, snapshot.delta_manifest_list}
            found |= {meta.file_name for meta in view.manifests.manifests(snapshot)}
            found |= {entry.file.file_name for entry in view.manifests.live_entries(snapshot).entries()}
    return found


@settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow])
@given(HISTORIES)
def test_expiring_and_cleaning_leave_exactly_what_can_be_read(history: list[tuple[str, int]]) -> None:
    table = live_through(history)
    before = everything(table)
    expire(table, 2)
    plan = plan_remove_orphans(table, now_millis=later(table, 48))
    assert plan.blockers == ()
    apply_remove_orphans(table, plan)
    after = everything(table)
    assert after == {root: before[root] for root in after}
    assert {path.rpartition("/")[2] for path in files(table)} == needed(table)
    assert checked(table).findings == ()
