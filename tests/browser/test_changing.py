"""A compaction, a write and a rollback, each from its plan to what it left in the table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import ADMIN, PASSWORD, finished
from tests.browser.facts import Facts, count
from tests.browser.running import RunningConsole
from tests.browser.screen import LONG, Screen

NAME = "sales.orders"
TABLE = "/w/demo/sales/orders"
NEW_ORDERS = 7


@dataclass(frozen=True, slots=True)
class Done:
    """A job that was started in the browser, and the table before it."""

    job: str
    state: str
    latest_before: int
    rows_before: pa.Table
    files_before: int
    plan: dict[str, str]
    phases: list[str]
    was_reloaded: bool


@pytest.fixture(scope="module")
def window(chromium: Browser, console: RunningConsole, signed_in: Any, demo: Facts) -> Iterator[Screen]:
    """One window for the whole story, signed in by keys."""
    with chromium.new_context(
        viewport={"width": 1600, "height": 2400}, locale="en-US", reduced_motion="reduce"
    ) as context:
        screen = Screen(context.new_page(), console.url)
        screen.open("/sign-in")
        for label, text in (("User name", ADMIN), ("Password", PASSWORD)):
            screen.tab_to(screen.page.get_by_label(label))
            screen.page.keyboard.type(text)
        screen.press("Enter")
        screen.page.wait_for_url(f"{console.url}/")
        screen.settle()
        yield screen
        assert screen.complaints == []


def _run(window: Screen, demo: Facts, plan: dict[str, str], start: Callable[[], None]) -> Done:
    """Start the planned job, and watch its page until it has ended."""
    latest, rows, files = _latest(demo), _rows(demo), len(demo.files(NAME))
    start()
    window.page.wait_for_url(re.compile(r"/jobs/j-"))
    window.page.evaluate("window.sameDocument = true")
    window.settle()
    state = finished(window)
    return Done(
        job=window.path.rpartition("/")[2],
        state=state,
        latest_before=latest,
        rows_before=rows,
        files_before=files,
        plan=plan,
        phases=[text.split()[0] for text in window.main.locator("ol li").all_inner_texts()],
        was_reloaded=window.page.evaluate("window.sameDocument !== true"),
    )


def _latest(demo: Facts) -> int:
    found = demo.table(NAME).snapshots.latest_id()
    assert found is not None
    return found


def _rows(demo: Facts, snapshot: int | None = None) -> pa.Table:
    read = demo.table(NAME).to_arrow(snapshot_id=snapshot)
    return read.sort_by("order_id")


def _plan(window: Screen, *names: str) -> dict[str, str]:
    expect(window.main.get_by_role("heading", name="Plan", exact=True)).to_be_visible(timeout=LONG)
    window.picture(f"{window.path.partition('?')[0].rpartition('/')[2]}-plan-light-en")
    return {name: window.fact(name) for name in names}


# --- compaction ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def compaction(window: Screen, demo: Facts) -> Done:
    """From the home page to the end of the job without a mouse."""
    _open_by_keys(window)
    window.press("g", "t")
    window.page.wait_for_url(f"**{TABLE}/timeline*")
    window.settle()
    window.tab_to(window.page.get_by_role("button", name="Actions"))
    window.press("Enter", "ArrowDown", "Enter")
    window.page.wait_for_url("**/actions/compact")
    window.settle()
    window.tab_to(window.page.get_by_label("Buckets"))
    window.page.keyboard.type("2, 3")
    window.press("Enter")
    plan = _plan(window, "files", "buckets", "bytes to rewrite")
    plan["before"] = str(sum(1 for file in demo.files(NAME) if file["bucket"] in (2, 3)))

    def start() -> None:
        window.tab_to(window.main.get_by_role("button", name="Compact", exact=True))
        window.press("Enter")

    return _run(window, demo, plan, start)


def _open_by_keys(window: Screen) -> None:
    """The demo's orders, found by the search palette."""
    window.press("Control+k")
    window.page.get_by_role("combobox", name="Search").wait_for()
    window.page.keyboard.type("orders")
    window.choose(window.page.get_by_role("option", name=re.compile(rf"{re.escape(NAME)}\s*demo")))
    window.page.wait_for_url(f"**{TABLE}/overview")
    window.settle()


def test_the_plan_of_a_compaction_counts_the_files_of_its_buckets(compaction: Done) -> None:
    assert compaction.plan["files"].split(" → ")[0] == compaction.plan["before"]
    assert compaction.plan["buckets"] == "2 of 2 in scope"


def test_the_job_page_follows_a_compaction_live_to_its_end(compaction: Done) -> None:
    assert compaction.state == "✓ succeeded"
    assert not compaction.was_reloaded
    assert compaction.phases == ["queued", "starting", "running", "verifying", "succeeded"]


def test_a_compaction_keeps_the_rows_and_lessens_the_files(compaction: Done, demo: Facts) -> None:
    made = demo.table(NAME).snapshots.get(compaction.latest_before + 1)
    assert made.commit_kind.value == "COMPACT"
    assert _rows(demo, made.id).equals(compaction.rows_before)
    assert len(demo.files(NAME, snapshot_id=made.id)) < compaction.files_before


def test_the_timeline_links_the_compaction_to_its_job(compaction: Done, screen: Screen) -> None:
    screen.open(f"{TABLE}/timeline")
    made = f"#{compaction.latest_before + 1}"
    [row] = [row for row in screen.grid("Commits").rows if row["snapshot"] == made]
    assert row["kind"] == "◆ compact"
    screen.page.get_by_role("grid", name="Commits").get_by_role("link", name=compaction.job).click()
    screen.settle()
    assert screen.path == f"/jobs/{compaction.job}"


def test_the_job_page_names_the_snapshot_and_keeps_the_log(compaction: Done, screen: Screen) -> None:
    screen.open(f"/jobs/{compaction.job}")
    assert screen.fact("snapshots made", card="Effect") == f"#{compaction.latest_before + 1}"
    assert screen.fact("requested by", card="Context") == "ada"
    screen.main.get_by_role("tab", name=re.compile("^Events")).click()
    expect(screen.main.get_by_role("tabpanel")).to_contain_text("commit")


def test_the_log_wraps_and_can_be_taken_away(compaction: Done, screen: Screen) -> None:
    screen.open(f"/jobs/{compaction.job}")
    line = screen.main.get_by_role("log").locator("[data-index]").first
    expect(line).to_have_css("white-space", "pre")
    screen.main.get_by_label("wrap lines").check()
    expect(line).to_have_css("white-space", "pre-wrap")
    with screen.page.expect_download() as saved:
        screen.main.get_by_role("button", name="Download").click()
    lines = saved.value.path().read_text(encoding="utf-8").splitlines()
    expect(screen.main.get_by_text(f"{count(len(lines))} lines", exact=True)).to_be_visible()
    assert saved.value.suggested_filename == f"{compaction.job}.log"


def test_a_rollback_is_planned_by_keys_alone(compaction: Done, window: Screen) -> None:
    _open_by_keys(window)
    window.tab_to(window.page.get_by_role("button", name="Actions"))
    window.press("Enter")
    wanted = window.page.get_by_role("menuitem", name="Roll back")
    wanted.wait_for()
    window.page.keyboard.type("Roll")
    expect(wanted).to_be_focused()
    window.press("Enter")
    window.page.wait_for_url("**/actions/rollback*")
    window.settle()
    window.tab_to(window.page.get_by_label("Target"))
    window.press("ArrowDown")
    window.tab_to(window.page.get_by_role("button", name="Compute the plan"))
    window.press("Enter")
    assert int(_plan(window, "snapshots")["snapshots"]) >= 1
    window.tab_to(window.page.get_by_label("Reason"))


# --- write ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def write(window: Screen, demo: Facts, compaction: Done, console: RunningConsole) -> Done:
    folder: Path = console.data / "uploads" / "new-orders"
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["order_id,customer_id,status,product,quantity"]
    lines += [f"{9_000_000 + number},{number},placed,kettle,{number}" for number in range(NEW_ORDERS)]
    (folder / "orders.csv").write_text("\n".join(lines), encoding="utf-8")
    window.open(f"{TABLE}/actions/write")
    window.page.get_by_label("path").fill(str(folder))
    window.page.get_by_label("format").select_option("csv")
    window.page.get_by_label("Read options").fill("header=true\ninferSchema=true")
    window.page.get_by_role("button", name="Compute the plan").click()
    plan = _plan(window, "Mode", "source files")
    plan |= {row["column"]: row["fit"] for row in window.grid("fit").rows}
    button = window.page.get_by_role("button", name="Write rows", exact=True)
    return _run(window, demo, plan, button.click)


def test_the_plan_of_a_write_says_how_each_column_fits(write: Done, demo: Facts) -> None:
    assert write.plan["source files"] == "1"
    columns = set(demo.table(NAME).schema.field_names)
    fits = {name: fit for name, fit in write.plan.items() if name in columns}
    assert set(fits) == columns
    assert fits["order_id"] in ("✓ fits", "⇄ is cast")
    assert fits["sales_channel"] == "∅ missing: NULL"


def test_the_rows_of_the_csv_are_in_the_table(write: Done, demo: Facts) -> None:
    assert write.state == "✓ succeeded"
    added = demo.rows(NAME, snapshot_id=write.latest_before + 1, filter="order_id >= 9000000")
    assert [(row["order_id"], row["quantity"]) for row in added] == [
        (9_000_000 + number, number) for number in range(NEW_ORDERS)
    ]


# --- rollback ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def rollback(window: Screen, demo: Facts, write: Done, console: RunningConsole) -> Done:
    """Back to the snapshot before the write: a wrong name typed first, cancelled once, and tried again."""
    window.open(f"{TABLE}/snapshots/{write.latest_before}")
    window.follow("Roll back", exact=False)
    window.page.get_by_role("button", name="Compute the plan").click()
    plan = _plan(window, "snapshots", "rows", "next snapshot id")
    window.page.get_by_label("Reason").fill("bad load")
    name = window.page.get_by_label(re.compile("^Type "))
    button = window.page.get_by_role("button", name="Roll back", exact=True)
    name.fill("sales.orders")
    plan["wrong name"] = window.main.get_by_text("This is not the name.").inner_text()
    plan["armed by a wrong name"] = str(button.is_enabled())
    name.fill("demo.sales.orders")
    expect(button).to_be_enabled(timeout=LONG)
    with console.worker_halted():
        button.click()
        window.page.wait_for_url(re.compile(r"/jobs/j-"))
        window.settle()
        window.page.get_by_role("button", name="Cancel").click()
        plan["state when cancelled"] = finished(window)
        plan["cancelled job"] = window.path.rpartition("/")[2]

    def retry() -> None:
        window.page.get_by_role("button", name="Retry").click()
        dialog = window.page.get_by_role("dialog")
        dialog.get_by_label("Reason").fill("bad load, this time in earnest")
        dialog.get_by_label(re.compile("^Type ")).fill("demo.sales.orders")
        window.picture("rollback-retry-light-en")
        dialog.get_by_role("button", name="Retry").click()
        window.page.wait_for_url(lambda url: plan["cancelled job"] not in url)

    return _run(window, demo, plan, retry)


def test_the_plan_of_a_rollback_shows_what_is_lost(rollback: Done, write: Done) -> None:
    assert rollback.plan["snapshots"] == "1"
    assert rollback.plan["rows"] == f"−{NEW_ORDERS}"
    assert rollback.plan["next snapshot id"] == f"#{write.latest_before + 1}"


def test_a_wrong_name_does_not_arm_the_rollback(rollback: Done) -> None:
    assert rollback.plan["wrong name"] == "This is not the name."
    assert rollback.plan["armed by a wrong name"] == "False"


def test_a_rollback_cancelled_in_the_queue_is_retried_with_a_confirmation_of_its_own(
    rollback: Done, screen: Screen
) -> None:
    assert rollback.plan["state when cancelled"] == "⊘ cancelled"
    screen.open(f"/jobs/{rollback.job}")
    assert screen.fact("retry of", card="Context") == rollback.plan["cancelled job"]
    assert screen.fact("reason", card="Context") == "bad load, this time in earnest"


def test_after_a_rollback_the_table_has_the_rows_of_its_target(
    rollback: Done, write: Done, demo: Facts
) -> None:
    assert rollback.state == "✓ succeeded"
    assert _latest(demo) == write.latest_before
    assert _rows(demo).equals(write.rows_before)


def test_the_pages_show_the_table_as_it_stands_after_the_rollback(
    rollback: Done, write: Done, screen: Screen, demo: Facts
) -> None:
    screen.open(f"{TABLE}/overview")
    expect(screen.page.get_by_role("button", name="as of")).to_contain_text(f"#{write.latest_before}")
    assert screen.fact("files", card="Shape") == count(len(demo.files(NAME)))


def test_the_guard_of_a_rollback_stands_among_the_refs(rollback: Done, screen: Screen, demo: Facts) -> None:
    screen.open(f"{TABLE}/refs")
    tags = {f"⚑ {tag['tag_name']}" for tag in demo.system(NAME, "tags")}
    assert len(tags) > 1
    assert set(screen.grid("Tags").column("name")) == tags


def test_the_audit_log_has_every_job_with_its_person(
    rollback: Done, write: Done, compaction: Done, screen: Screen
) -> None:
    screen.open("/admin/audit")
    entries = screen.grid("Audit log")
    for done in (compaction, write, rollback):
        people = {row["who"] for row in entries.rows if row["job"] == done.job}
        assert "ada" in people
    screen.main.get_by_text("Days", exact=True).click()
    days = screen.main.get_by_role("grid", name="Days")
    days.get_by_role("button", name="Check").last.click()
    expect(days.get_by_role("gridcell", name="whole").last).to_be_visible()
