"""Long-lived changelogs go, too. Spec: 08, 6.1."""

from __future__ import annotations

from core.maintenance.expire import (
    ExpirePlan,
    apply_expire_changelogs,
    apply_expire_snapshots,
    plan_expire_changelogs,
    plan_expire_snapshots,
)
from core.snapshot import Consumer
from core.table import Table
from tests.core.maintenance.tables import checked, corpus, everything, files, is_clean, keyed, later, tag
from tests.tables import rows_of


def plan(table: Table, **how: int) -> ExpirePlan:
    return plan_expire_changelogs(table, **{"now_millis": later(table), "retain_min": 1, **how})


def expired() -> Table:
    """Changelogs 1 to 5 of snapshots that are gone, snapshot 6; no changelog producer."""
    table = keyed(changelog__num_retained__min="100", changelog__num_retained__max="100")
    found = plan_expire_snapshots(table, now_millis=later(table), retain_min=1)
    apply_expire_snapshots(table, found)
    return table


def test_all_but_the_last_go() -> None:
    table = expired()
    before = files(table)
    found = plan(table, retain_max=50)
    assert ([s.id for s in found.expired], found.first_kept) == ([1, 2, 3, 4], 5)
    assert files(table) == before
    apply_expire_changelogs(table, found)
    assert table.changelogs.ids() == [5]
    assert table.changelogs.hint_report().is_sound
    assert is_clean(checked(table))


def test_what_a_snapshot_still_needs_stays() -> None:
    table = expired()
    before = everything(table)
    apply_expire_changelogs(table, plan(table, retain_max=50))
    assert everything(table) == before


def test_what_a_tag_still_needs_stays() -> None:
    table = keyed(changelog__num_retained__min="100", changelog__num_retained__max="100")
    tag(table, "v2", 2)
    before = rows_of(table, tag="v2")
    apply_expire_snapshots(table, plan_expire_snapshots(table, now_millis=later(table), retain_min=1))
    apply_expire_changelogs(table, plan(table, retain_max=50))
    assert rows_of(table, tag="v2") == before
    assert is_clean(checked(table))


def test_consumers_hold_changelogs() -> None:
    table = expired()
    table.consumers.put(Consumer("slow", 3))
    assert [s.id for s in plan(table, retain_max=50).expired] == [1, 2]


def test_all_go_where_that_is_asked_for() -> None:
    table = expired()
    apply_expire_changelogs(table, plan_expire_changelogs(table, now_millis=0, delete_all=True))
    assert (table.changelogs.ids(), table.changelogs.latest_id()) == ([], None)
    assert is_clean(checked(table))


def test_the_changelogs_of_real_paimon_go_with_their_files() -> None:
    table = corpus("java09/changelog.db/decoupled")
    assert checked(table).findings == ()
    before = everything(table)
    found = plan(table, older_than_millis=later(table))
    assert found.expired
    apply_expire_changelogs(table, found)
    assert everything(table) == before
    assert is_clean(checked(table))


def test_a_table_without_changelogs_has_nothing_to_expire() -> None:
    table = keyed()
    found = plan(table)
    assert found.changes_nothing
    assert len(apply_expire_changelogs(table, found)) == 0
