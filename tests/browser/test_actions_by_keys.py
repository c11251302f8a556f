"""Actions from the menu of a table to the end of their jobs, without a mouse.

The compaction is one of `test_changing.py`, whose job is followed by keys from the home page on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser.conftest import WRITER, finished
from tests.browser.facts import Facts
from tests.browser.running import RunningConsole
from tests.browser.screen import LONG, Screen
from tests.interop.answers import live_entries

HISTORY = "pk.fixed_parquet"  # snapshots 1 to 7
CONSUMERS = "ops.consumers"
LOGS = "append.logs_unaware"
PARTS = "append.overwrites"  # of which one partition has rows


@dataclass(frozen=True, slots=True)
class Action:
    """An action of the menu, what is typed into which field, and what the table then shows."""

    item: str
    table: str
    typed: tuple[tuple[str, str], ...]
    shows: Callable[[Facts, str], Any]
    wanted: Any


def _names(system: str, column: str) -> Callable[[Facts, str], Any]:
    return lambda lake, name: [row[column] for row in lake.system(name, system)]


def _ids(lake: Facts, name: str) -> list[int]:
    return lake.table(name).snapshots.ids()


def _ids_and_files(lake: Facts, name: str) -> tuple[list[int], set[str]]:
    return _ids(lake, name), lake.file_names(name)


HELD = {entry["file"] for entry in live_entries(WRITER, HISTORY, 7)}
# Each finds the table as the one before left it. A letter chooses in a list what begins with it.
ACTIONS = [
    Action("Roll back", HISTORY, (("Target", "#6"),), _ids, [1, 2, 3, 4, 5, 6]),
    # that is undone from its guard: Java Paimon said what the table held
    Action("Restore", HISTORY, (("Target", "ArrowDown"),), _ids_and_files, ([1, 2, 3, 4, 5, 6, 7], HELD)),
    Action(
        "Change consumers",
        CONSUMERS,
        (("What", "d"), ("Consumer", "job-a")),
        _names("consumers", "consumer_id"),
        ["job_b"],
    ),
    Action("Expire snapshots", HISTORY, (("At least", "2"), ("At most", "2")), _ids, [6, 7]),
    Action(
        "Change tags",
        "ops.tags",
        (("name", "by-keys"), ("snapshot", "#4")),
        lambda lake, name: lake.table(name).tags.get("by-keys").snapshot.id,
        4,
    ),
    Action(
        "Change branches",
        "ops.branches",
        (("name", "by-keys"), ("Starts at", "#2")),
        lambda lake, name: lake.table(name).with_branch("by-keys").snapshots.ids(),
        [2],
    ),
    Action(
        "Write rows",
        LOGS,
        (("path", "{uploads}"), ("format", "j")),
        lambda lake, name: [row["user_name"] for row in lake.rows(name, filter="id >= 9000000")],
        ["by keys"],
    ),
    Action(
        "Change options",
        LOGS,
        (("Set", "snapshot.num-retained.max=50"),),
        lambda lake, name: lake.table(name).schemas.latest().options["snapshot.num-retained.max"],
        "50",
    ),
    Action(
        "Drop or mark partitions",
        PARTS,
        (("What", "d"), ("partitions", "pt=z")),
        lambda lake, name: lake.rows(name),
        [],
    ),
    Action("Merge manifests", "pk.seq_field", (), lambda lake, name: len(lake.system(name, "manifests")), 1),
]
# Of these the plan is enough: their jobs are like others. What is typed, and what the plan tells.
PLANNED = [
    ("file_index", "idx.pk_bitmap", (), "indexes made"),
    (
        "vectors",
        "dv.append_dv_bucketed",
        (("Options for this run", "target-file-size=1 mb"),),
        "deletion vectors left out",
    ),
    (
        "compact",
        "append.part_special",
        (("Condition on partitions", "city IS NOT NULL"),),
        "bytes to rewrite",
    ),
    ("analyze", LOGS, (("Columns", "id"),), "rows in files"),
]


@pytest.fixture(scope="module")
def window(chromium: Browser, console: RunningConsole, signed_in: Any) -> Iterator[Screen]:
    with chromium.new_context(
        storage_state=signed_in, viewport={"width": 1600, "height": 2400}, locale="en-US", timezone_id="UTC"
    ) as context:
        screen = Screen(context.new_page(), console.url)
        yield screen
        assert screen.complaints == []


@pytest.fixture(scope="module")
def uploads(console: RunningConsole) -> Path:
    """Where a file waits to be written."""
    folder = console.data / "uploads" / "by-keys"
    folder.mkdir(parents=True)
    (folder / "rows.json").write_text('{"id": 9000000, "user_name": "by keys"}', encoding="utf-8")
    return folder


def choose_action(window: Screen, table: str, item: str) -> None:
    database, _, name = table.partition(".")
    window.open(f"/w/{WRITER}/{database}/{name}/overview")
    window.tab_to(window.page.get_by_role("button", name="Actions"))
    window.press("Enter")
    wanted = window.page.get_by_role("menuitem", name=item)
    wanted.wait_for()
    for _ in range(20):
        if wanted.evaluate("element => element === document.activeElement"):
            break
        window.press("ArrowDown")
    window.press("Enter")
    window.page.wait_for_url("**/actions/**")
    window.settle()


def type_into(window: Screen, field: Locator, text: str) -> None:
    window.tab_to(field)
    if text == "ArrowDown":  # the first choice of a list
        return window.press(text)
    window.page.keyboard.type(text)


def plan(window: Screen) -> Locator:
    """What the form's button shows, and gives the focus to."""
    window.tab_to(window.page.get_by_role("button", name="Compute the plan"))
    window.press("Enter")
    review = window.main.get_by_role("region", name="Plan", exact=True)
    expect(review.get_by_role("heading", name="Plan", exact=True)).to_be_focused(timeout=LONG)
    return review


def confirm(window: Screen, table: str) -> str:
    """The plan, then all that it asks for; the state in which its job ends."""
    review = plan(window)
    type_into(window, review.get_by_label("Reason"), "by keys")
    name = review.get_by_label(re.compile("^Type "))
    if name.count():
        type_into(window, name, f"{WRITER}.{table}")
    for understood in review.get_by_role("checkbox").all():
        window.tab_to(understood)
        window.press("Space")
    button = review.locator("button[type=submit]")
    expect(button).to_be_enabled(timeout=LONG)
    window.tab_to(button)
    window.press("Enter")
    window.page.wait_for_url(re.compile("/jobs/j-"))
    window.settle()
    return finished(window)


def told_of_job(window: Screen) -> str:
    """What the job of the open page says of itself, and the end of its log."""
    address = window.page.url.partition("#")[0].partition("?")[0].replace("/jobs/", "/api/v1/jobs/")
    job = window.page.request.get(address).json()
    log = window.page.request.get(f"{address}/logs?offset=-4000").json()
    return f"{job['problem']}\n{job['result']}\n{log['text']}"


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.item)
def test_an_action_is_chosen_planned_confirmed_and_followed_by_keys(
    action: Action, lake: Facts, window: Screen, uploads: Path
) -> None:
    choose_action(window, action.table, action.item)
    for label, text in action.typed:
        type_into(window, window.main.get_by_label(label, exact=True).first, text.format(uploads=uploads))
    assert confirm(window, action.table) == "✓ succeeded", told_of_job(window)
    assert action.shows(lake, action.table) == action.wanted


def test_forms_are_filled_and_planned_by_keys(lake: Facts, window: Screen) -> None:
    window.open(f"/w/{WRITER}")
    for kind, table, typed, told in PLANNED:
        window.go(f"/w/{WRITER}/{table.replace('.', '/')}/actions/{kind}")
        for label, text in typed:
            type_into(window, window.main.get_by_label(label, exact=True).first, text)
        review = plan(window)
        expect(review.locator("dt").filter(has_text=told).first).to_be_visible()
        expect(review.locator("button[type=submit]")).to_be_visible()


def test_a_time_that_is_none_is_said_at_its_field(window: Screen, lake: Facts) -> None:
    window.allow(400)
    window.open(f"/w/{WRITER}/ops/tags/actions/rollback?to=time:soon")
    window.tab_to(window.page.get_by_role("button", name="Compute the plan"))
    window.press("Enter")
    field = window.main.get_by_label("Time", exact=True)
    expect(field).to_have_attribute("aria-invalid", "true")
