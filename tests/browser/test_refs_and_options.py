"""What keeps snapshots of tables that Java Paimon wrote, what their options were, and what vectors delete."""

from __future__ import annotations

from playwright.sync_api import expect

from core.schema.changes import SetOption
from tests.browser.conftest import WRITER
from tests.browser.facts import Facts, count
from tests.browser.screen import Screen


def test_a_branch_says_how_far_it_is_from_main_and_what_it_keeps_alone(lake: Facts, screen: Screen) -> None:
    main = lake.table("ops.branches")
    branch = main.with_branch("from_tag")
    shared = [i for i in branch.snapshots.ids() if branch.snapshots.get(i) == main.snapshots.get(i)]
    own, others = (
        {e.file.file_name for e in view.manifests.live_entries(view.snapshots.latest()).entries()}
        for view in (branch, main)
    )
    screen.open(f"/w/{WRITER}/ops/branches/refs?view=branches")
    expect(screen.main.get_by_role("row").filter(has_text="from_tag")).to_contain_text("KiB")
    row = next(row for row in screen.grid("Branches").rows if row["name"] == "from_tag")
    assert row["shared up to"] == f"#{max(shared)}"
    ahead, behind = (len(view.snapshots.ids()) - len(shared) for view in (branch, main))
    assert row["ahead / behind"] == f"+{ahead} / −{behind}"
    assert own - others


def test_an_option_shows_what_each_schema_said_of_it(lake: Facts, screen: Screen) -> None:
    lake.table("ops.tags").schemas.commit_changes(
        [SetOption("snapshot.num-retained.max", "77")], has_snapshots=True
    )
    screen.open(f"/w/{WRITER}/ops/tags/options?f.key=num-retained.max")
    row = screen.main.get_by_role("row").filter(has_text="snapshot.num-retained.max")
    row.get_by_role("gridcell").first.click()
    screen.press("Enter")
    cells = screen.page.get_by_role("dialog").get_by_role("listitem")
    expect(cells.first).to_contain_text("77 ⇄changed")
    expect(cells.last).to_contain_text("not set")


def test_deletion_vectors_are_summed_by_bucket(lake: Facts, screen: Screen) -> None:
    screen.open(f"/w/{WRITER}/dv/pk_dv/indexes?view=vectors")
    (row,) = screen.grid("By bucket").rows
    files = lake.files("dv.pk_dv")
    assert row["rows"] == count(sum(file["record_count"] for file in files))
    assert row["data files"].endswith(f" of {len(files)}")
    assert row["deleted rows"] == "12"  # as Java Paimon's own reader decoded them, tests/corpora/expected
