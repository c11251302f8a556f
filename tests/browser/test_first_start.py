"""From the printed link to the first page, while the demo warehouse is still being made."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect

from tests.browser.conftest import ADMIN, PASSWORD, Newcomer
from tests.browser.facts import Facts
from tests.browser.running import RunningConsole
from tests.browser.screen import LONG, Screen


def test_pages_are_served_while_the_demo_is_made_and_show_how_far_it_is(
    screen: Screen, console: RunningConsole, signed_in: Any
) -> None:
    screen.open("/")
    line = screen.card("Running and recent jobs").get_by_role("listitem").filter(has_text="Demo data")
    expect(line).to_have_count(1)
    line.get_by_role("link", name="j-").click()
    screen.settle()
    progress = screen.main.get_by_text("steps", exact=False).first
    expect(progress).to_be_visible(timeout=10 * LONG)
    done, _, total = screen.fact("demo", card="Progress").partition("/")
    assert 0 <= int(done) < int(total.split()[0])
    expect(screen.main.get_by_role("progressbar")).to_be_visible()


def test_the_set_up_link_works_once(newcomer: Newcomer, console: RunningConsole, signed_in: Any) -> None:
    screen = newcomer()
    screen.allow(410)
    screen.open(console.set_up_link())
    expect(screen.main.get_by_role("heading")).to_have_text("This link was used or has expired.")
    expect(screen.main.get_by_role("textbox")).to_have_count(0)


def test_no_password_is_printed(console: RunningConsole, signed_in: Any) -> None:
    assert PASSWORD not in console.output


def test_a_wrong_password_is_refused_and_the_right_one_leads_where_the_person_wanted(
    newcomer: Newcomer, signed_in: Any
) -> None:
    screen = newcomer()
    screen.allow(400)
    screen.open("/jobs?sort=number")
    assert screen.path.startswith("/sign-in?next=")
    for password in ("not the password", PASSWORD):
        screen.page.get_by_label("User name").fill(ADMIN)
        screen.page.get_by_label("Password").fill(password)
        screen.page.get_by_role("button", name="Sign in").click()
        if password != PASSWORD:
            expect(screen.page.get_by_role("alert")).to_contain_text("do not fit together")
    screen.page.wait_for_url("**/jobs?sort=number")


def test_signing_out_leads_back_to_the_sign_in_page(
    newcomer: Newcomer, console: RunningConsole, signed_in: Any
) -> None:
    screen = newcomer()
    screen.open("/sign-in")
    screen.page.get_by_label("User name").fill(ADMIN)
    screen.page.get_by_label("Password").fill(PASSWORD)
    screen.page.get_by_role("button", name="Sign in").click()
    expect(screen.page.get_by_role("button", name="Sign out")).to_be_visible()
    screen.settle()
    screen.quiet()  # what is on its way when the session ends is answered with 401
    screen.page.get_by_role("button", name="Sign out").click()
    screen.page.wait_for_url("**/sign-in")
    screen.open("/jobs")
    assert screen.path == "/sign-in?next=/jobs"


def test_the_demo_is_finished_and_its_job_says_so(screen: Screen, demo: Facts) -> None:
    screen.open("/jobs?f.kind=demo")
    jobs = screen.grid("Jobs")
    assert jobs.column("state") == ["✓ succeeded"]
    assert {"sales.orders", "web.events"} == {
        f"{database}.{table}" for database in ("sales", "web") for table in demo.tables(database)
    }
