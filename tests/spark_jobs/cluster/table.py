"""The table of all tests here: its rows, and whether it is whole."""

from __future__ import annotations

import time

from core import Table, open_catalog
from core.maintenance.check import check_table
from core.maintenance.remove_orphans import apply_remove_orphans, plan_remove_orphans
from tests.tables import rows_of

KEYS = 60
FIRST = [(k, "first") for k in range(KEYS)]
OLD = [(k, f"old-{k}") for k in range(KEYS)]
NEW = [(k, f"new-{k}") for k in range(KEYS)]


def check_whole(table: Table, rows: list[tuple[int, str]]) -> int:
    """The rows are those, nothing is wrong, and orphans can be removed; how many there were."""
    table = open_catalog(table.location.rsplit("/", 2)[0]).get_data_table("db.t")
    assert sorted(rows_of(table)) == rows
    report = check_table(table)
    assert report.findings == ()
    later = int(time.time() * 1000) + 60_000
    gone = apply_remove_orphans(
        table, plan_remove_orphans(table, now_millis=later + 1, older_than_millis=later)
    )
    assert len(gone.paths) == len(report.orphans)
    assert check_table(table).orphans == ()
    assert sorted(rows_of(table)) == rows
    return len(report.orphans)
