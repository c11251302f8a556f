"""The Access page by keys: a policy over a column is set, shown and taken away."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect

from tests.browser.conftest import Newcomer
from tests.browser.screen import Screen
from tests.browser.test_every_page import AXE, AXE_RUN, NARROW, RULES, SIDEWAYS

SCOPE = "elsewhere.sales.o*"  # no warehouse of that name: nobody else's test meets the policy


def _open_form(screen: Screen, add: str) -> None:
    screen.tab_to(screen.main.get_by_role("button", name=add))
    screen.press("Enter")
    expect(screen.page.get_by_role("dialog")).to_be_visible()


def test_a_column_is_masked_and_unmasked_by_keys(screen: Screen) -> None:
    screen.open("/admin/access")
    _open_form(screen, "Mask a column")
    form = screen.page.get_by_role("dialog", name="Mask a column")
    for label, text in (("Scope", SCOPE), ("Column", "home.zip")):
        screen.tab_to(form.get_by_label(label))
        screen.page.keyboard.type(text)
    screen.tab_to(form.get_by_label("How it is told"))
    screen.page.keyboard.type("last")
    screen.tab_to(form.get_by_label("Characters that stay"))
    screen.press("ControlOrMeta+a", "2")
    screen.tab_to(form.get_by_role("button", name="Mask a column"))
    screen.press("Enter")
    expect(form).to_have_count(0)
    screen.settle()
    policies = screen.card("Masking policies")
    expect(policies.get_by_text("last 2 characters")).to_be_visible()
    screen.tab_to(policies.get_by_role("button", name="Remove").last)
    screen.press("Enter")
    asked = screen.page.get_by_role("dialog", name="Remove the policy?")
    expect(asked).to_contain_text(f"Who may read rows of {SCOPE} then sees the values of home.zip")
    screen.tab_to(asked.get_by_role("button", name="Remove"))
    screen.press("Enter")
    expect(asked).to_have_count(0)
    expect(policies).to_contain_text("No column is masked")


def test_the_form_of_a_policy_is_whole_in_a_narrow_dark_window_in_chinese(
    newcomer: Newcomer, signed_in: Any
) -> None:
    screen = newcomer(signed_in, locale="zh-CN", color_scheme="dark")
    screen.page.set_viewport_size(NARROW)
    screen.open("/admin/access")
    _open_form(screen, "脱敏一列")
    screen.page.get_by_label("呈现方式").select_option("partial")
    screen.quiet()
    screen.picture("masking-form-dark-zh-narrow")
    assert screen.page.evaluate(SIDEWAYS) == []
    screen.page.evaluate(AXE.read_text(encoding="utf-8"))
    assert screen.page.evaluate(AXE_RUN, [RULES, []]) == []
