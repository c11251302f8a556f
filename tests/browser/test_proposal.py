"""What merging another schema would make of a table's, asked and led on from by keyboard alone."""

from __future__ import annotations

from playwright.sync_api import expect

from core.types import type_to_text
from tests.browser.conftest import WRITER
from tests.browser.facts import Facts
from tests.browser.screen import Screen

NAME = "evo.append_parquet"
PAGE = f"/w/{WRITER}/evo/append_parquet/schemas/proposal"
NEW = "a_new_column"


def _ask(screen: Screen, text: str, *, widening: bool) -> None:
    screen.open(PAGE)
    screen.tab_to(screen.main.get_by_role("textbox", name="Schema"))
    screen.page.keyboard.type(text)
    if widening:
        screen.tab_to(screen.main.get_by_role("checkbox", name="Widen types"))
        screen.press("Space")
    screen.tab_to(screen.main.get_by_role("button", name="Show the merged schema"))
    screen.press("Enter")
    expect(screen.page.get_by_role("heading", name="Merged schema")).to_be_focused()
    screen.tab_to(screen.main.get_by_role("checkbox", name="only changes"))
    screen.press("Space")  # also what stays is shown


def test_a_pasted_schema_shows_what_it_would_change_and_writes_nothing(lake: Facts, screen: Screen) -> None:
    before = lake.table(NAME).schema
    assert type_to_text(before.field("id").type) == "INT"
    _ask(screen, f"id BIGINT, {NEW} STRING", widening=True)
    rows = {row["id"]: row for row in screen.grid("Merged schema", "table").rows}
    assert f"{NEW} STRING" in rows[str(before.highest_field_id + 1)][f"Schema {before.id + 1} (proposed)"]
    assert "added" in rows[str(before.highest_field_id + 1)]["change"]
    assert "id BIGINT" in rows["0"][f"Schema {before.id + 1} (proposed)"]
    assert "retyped" in rows["0"]["change"]
    assert lake.table(NAME).schema == before


def test_without_widening_a_wider_column_keeps_its_type(lake: Facts, screen: Screen) -> None:
    _ask(screen, f"id BIGINT, {NEW} STRING", widening=False)
    rows = {row["id"]: row["change"] for row in screen.grid("Merged schema", "table").rows}
    assert "retyped" not in rows["0"]
    assert "added" in rows[str(lake.table(NAME).schema.highest_field_id + 1)]


def test_a_proposal_leads_to_a_write_that_merges_so(lake: Facts, screen: Screen) -> None:
    _ask(screen, f"id BIGINT, {NEW} STRING", widening=True)
    screen.tab_to(screen.card("Apply").get_by_role("link"))
    screen.press("Enter")
    screen.settle()
    boxes = screen.main.get_by_role("checkbox")
    expect(boxes.first).to_be_checked()
    assert [boxes.nth(i).is_checked() for i in range(3)] == [True, True, False]


def test_what_cannot_be_read_is_told_at_the_field(lake: Facts, screen: Screen) -> None:
    screen.open(PAGE)
    screen.allow(400)
    field = screen.main.get_by_role("textbox", name="Schema")
    field.fill("id BIGGINT")
    screen.main.get_by_role("button", name="Show the merged schema").press("Enter")
    expect(field).to_have_attribute("aria-invalid", "true")
