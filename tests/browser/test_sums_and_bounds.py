"""What lists sum up and show on demand: changes by bucket, bounds of columns, what may expire."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.facts import Facts
from tests.browser.screen import Screen

NAME = "sales.orders"
TABLE = "/w/demo/sales/orders"

pytestmark = pytest.mark.usefixtures("demo")


def test_changes_by_bucket_lead_to_the_files_of_one(screen: Screen, demo: Facts) -> None:
    compact = next(s for s in demo.system(NAME, "snapshots") if s["commit_kind"] == "COMPACT")
    screen.open(f"{TABLE}/snapshots/{compact['snapshot_id']}/changes")
    files = screen.grid("Changes").column("bucket")
    screen.main.get_by_role("button", name="By bucket").press("Enter")
    screen.quiet()
    groups = screen.grid("Changes by bucket").rows
    counts = {g["bucket"]: sum(int(g[f"files {w}"]) for w in ("added", "deleted", "moved")) for g in groups}
    assert counts == {bucket: files.count(bucket) for bucket in set(files)}
    screen.main.get_by_role("gridcell", name=groups[0]["bucket"], exact=True).first.click()
    screen.quiet()
    assert f"f.bucket={groups[0]['bucket']}" in screen.path
    assert set(screen.grid("Changes").column("bucket")) == {groups[0]["bucket"]}


def test_the_bounds_of_a_column_are_shown_where_they_are_asked_for(screen: Screen, demo: Facts) -> None:
    field = demo.table(NAME).schema.fields[2].name  # older files do not have the last one
    screen.open(f"{TABLE}/files")
    screen.main.get_by_label("Statistics of a column").select_option(field)
    screen.quiet()
    shown = screen.grid("Live files")
    assert {row[f"{field} · nulls"] for row in shown.rows} == {"0"}
    assert all(row[f"{field} · min"] <= row[f"{field} · max"] for row in shown.rows)
    screen.main.get_by_role("button", name=f"Hide the statistics of {field}").press("Enter")
    expect(screen.main.get_by_text(f"{field} · min")).to_have_count(0)


def test_commits_are_sorted_and_what_may_expire_is_told(screen: Screen, demo: Facts) -> None:
    screen.open(f"{TABLE}/timeline")
    expect(screen.main.get_by_text("No snapshot may expire now.")).to_be_visible()
    screen.main.get_by_role("columnheader", name="total rows").click()
    totals = [int(row.replace(",", "")) for row in screen.grid("Commits").column("total rows")]
    assert totals == sorted(totals)
    assert "sort=total_rows" in screen.path
