"""Two schemas of a table that Java Paimon wrote: the address says what is shown of their difference."""

from __future__ import annotations

import json
import re

from playwright.sync_api import expect

from tests.browser.conftest import WRITER
from tests.browser.facts import Facts
from tests.browser.screen import Screen

NAME = "evo.append_parquet"
DIFF = f"/w/{WRITER}/evo/append_parquet/schemas/diff?from=0&to=5"
TITLE = "Schema 0 → 5"


def test_a_link_to_a_field_opens_the_fold_that_hides_it(lake: Facts, screen: Screen) -> None:
    screen.open(DIFF)
    links = screen.main.get_by_role("link", name=re.compile("^Link to field"))
    drawn = set(links.all_inner_texts())
    hidden = next(f for f in lake.table(NAME).schemas.get(5).fields if str(f.id) not in drawn)
    screen.open(f"{DIFF}#f={hidden.id}")
    screen.page.wait_for_function("id => document.activeElement?.id === id", arg=f"f={hidden.id}")
    expect(screen.main.get_by_role("row", name=f"Link to field {hidden.id} ")).to_be_in_viewport()


def test_layout_and_toggles_stay_in_the_address_beside_the_field(lake: Facts, screen: Screen) -> None:
    screen.open(f"{DIFF}#f=1")
    screen.main.get_by_role("button", name="unified").click()
    screen.main.get_by_role("checkbox", name="only changes").click()
    expect(screen.page).to_have_url(re.compile(r"view=unified&f\.unchanged=shown#f=1$"))
    fields = lake.table(NAME).schemas.get(5).fields
    rows = {row["id"]: row for row in screen.grid(TITLE, "table").rows}
    assert {str(f.id) for f in fields} < rows.keys()
    assert rows["1"]["Schema 0 → Schema 5"].split() == ["name", "STRING", "full_name", "STRING"]


def test_the_difference_as_json_is_what_the_api_says(lake: Facts, screen: Screen) -> None:
    screen.open(f"{DIFF}&view=json")
    shown = json.loads(screen.main.get_by_role("region", name=TITLE).inner_text())
    assert (shown["from"], shown["to"], shown["summary"]["renamed"]) == (0, 5, 1)


def test_a_field_of_the_difference_opens_its_history(lake: Facts, screen: Screen) -> None:
    screen.open(DIFF)
    screen.tab_to(screen.main.get_by_role("button", name="full_name"))
    screen.press("Enter")
    history = screen.page.get_by_role("dialog")
    expect(history.get_by_role("listitem")).to_have_count(len(lake.table(NAME).schemas.ids()))
    assert screen.path.endswith("open=field:1")
