"""What is done to the history of tables that Java Paimon wrote, from a button of a page to the table."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import WRITER, Api, finished
from tests.browser.facts import Facts
from tests.browser.running import RunningConsole
from tests.browser.screen import Screen
from tests.interop.answers import answer_of, rows_of


@pytest.fixture(scope="module")
def window(chromium: Browser, console: RunningConsole, signed_in: Any) -> Iterator[Screen]:
    with chromium.new_context(
        storage_state=signed_in, viewport={"width": 1600, "height": 2400}, locale="en-US", timezone_id="UTC"
    ) as context:
        screen = Screen(context.new_page(), console.url)
        yield screen
        assert screen.complaints == []


def _open(window: Screen, name: str, rest: str) -> None:
    database, _, table = name.partition(".")
    window.open(f"/w/{WRITER}/{database}/{table}/{rest}")


def _carry_out(window: Screen, name: str) -> None:
    """Plan what the form says, confirm it as the page asks, and wait for the end of its job."""
    _start(window, name)
    assert finished(window) == "✓ succeeded"


def _start(window: Screen, name: str) -> None:
    window.page.get_by_role("button", name="Compute the plan").click()
    review = window.main.get_by_role("region", name="Plan", exact=True)
    expect(review.get_by_role("heading", name="Plan", exact=True)).to_be_visible()
    review.get_by_label("Reason").fill("by a test")
    typed = review.get_by_label(re.compile("^Type "))
    if typed.count():
        typed.fill(f"{WRITER}.{name}")
    for understood in review.get_by_role("checkbox").all():
        understood.check()
    review.locator("button[type=submit]").click()
    window.page.wait_for_url(re.compile("/jobs/j-"))
    window.settle()


def test_a_system_table_shows_the_rows_that_paimon_gives(lake: Facts, window: Screen) -> None:
    _open(window, "ops.tags", "system?view=tags")
    said = {(t["tag_name"], str(t["snapshot_id"])) for t in rows_of(answer_of(WRITER, "ops.tags", "tags"))}
    grid = window.grid("$tags")
    tag, snapshot = (
        next(h for h in grid.headers if h.startswith(f"{n} ·")) for n in ("tag_name", "snapshot_id")
    )
    assert {(row[tag], row[snapshot]) for row in grid.rows} == said


def test_snapshots_are_expired_but_for_the_last(lake: Facts, window: Screen) -> None:
    name = "pk.fixed_parquet"
    rows, latest = lake.rows(name), lake.table(name).snapshots.latest_id()
    _open(window, name, "actions/expire")
    for label in ("At least", "At most"):
        window.page.get_by_label(label).fill("1")
    _carry_out(window, name)
    assert lake.table(name).snapshots.ids() == [latest]
    assert lake.rows(name) == rows
    _open(window, name, "timeline")
    assert window.grid("Commits").column("snapshot") == [f"#{latest}"]


def test_a_tag_is_renamed_and_another_deleted(lake: Facts, window: Screen) -> None:
    name = "ops.tags"
    before = {tag["tag_name"]: tag["snapshot_id"] for tag in lake.system(name, "tags")}
    for tag, link in (("v1", "rename"), ("same-b", "delete")):
        _open(window, name, "refs")
        row = window.page.get_by_role("grid", name="Tags").get_by_role("row").filter(has_text=f"⚑ {tag}")
        row.get_by_role("link", name=link).click()
        window.settle()
        if link == "rename":
            window.page.get_by_label("New name").fill("release-1")
        _carry_out(window, name)
    before["release-1"] = before.pop("v1")
    del before["same-b"]
    assert {tag["tag_name"]: tag["snapshot_id"] for tag in lake.system(name, "tags")} == before


def test_a_branch_is_renamed_and_deleted(lake: Facts, window: Screen) -> None:
    name = "ops.branches"
    rows = lake.rows(f"{name}$branch_from_tag")
    for branch, link in (("from_tag", "rename"), ("empty_one", "delete")):
        _open(window, name, "refs?view=branches")
        row = window.page.get_by_role("grid", name="Branches").get_by_role("row").filter(has_text=branch)
        row.get_by_role("link", name=link).click()
        window.settle()
        if link == "rename":
            window.page.get_by_label("New name").fill("kept")
        _carry_out(window, name)
    assert [branch["branch_name"] for branch in lake.system(name, "branches")] == ["kept"]
    assert lake.rows(f"{name}$branch_kept") == rows


def test_an_old_state_is_committed_again_though_the_web_server_dies_meanwhile(
    lake: Facts, window: Screen, console: RunningConsole, api: Api
) -> None:
    name = "pk.seq_field"
    streams: list[str] = []
    window.page.on("request", lambda r: streams.append(r.url) if r.resource_type == "eventsource" else None)
    old, latest = lake.rows(name, snapshot_id=2), lake.table(name).snapshots.latest_id()
    assert latest is not None
    assert lake.rows(name) != old
    _open(window, name, "actions/restore?to=2")
    with console.worker_halted():  # the page is open before anything happens
        _start(window, name)
        window.page.route("**/api/v1/jobs/**", lambda route: route.abort())
        for process, command in console.children().items():
            if " gunicorn" in command or "/gunicorn" in command:
                os.kill(process, signal.SIGKILL)
        expect(window.main.get_by_text("The console does not answer; trying again.")).to_be_visible()
        window.page.unroute("**/api/v1/jobs/**")
    assert finished(window) == "✓ succeeded"
    window.main.get_by_role("tab", name=re.compile("^Events")).click()
    told = window.main.get_by_role("tabpanel").inner_text()
    assert all(state in told for state in ("starting", "running", "verifying", "succeeded", "commit"))
    events = api.get(f"/jobs/{window.path.rpartition('/')[2]}/events?limit=1000")["items"]
    expect(window.main.get_by_role("tabpanel").get_by_role("listitem")).to_have_count(len(events))
    assert streams, "the page asked again and again"
    assert lake.table(name).snapshots.latest_id() == latest + 1
    assert lake.rows(name) == old
