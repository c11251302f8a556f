"""What the pages of the project name exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "adr").glob("*.md")]
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)]*)?\)")
PATH = re.compile(r"`((?:core|console|spark_jobs|frontend|tests|docs|bench|packaging)/[\w./-]*)`")


def page_id(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    assert [link for link in LINK.findall(page.read_text()) if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_every_path_that_a_page_names_exists(page: Path) -> None:
    assert [path for path in PATH.findall(page.read_text()) if not (ROOT / path).exists()] == []


def test_every_decision_is_in_the_list_of_decisions() -> None:
    listed = set(LINK.findall((ROOT / "docs" / "adr" / "README.md").read_text()))
    assert listed == {path.name for path in (ROOT / "docs" / "adr").glob("0*.md")}


def test_make_prints_each_of_its_targets() -> None:
    makefile = (ROOT / "Makefile").read_text()
    (targets,) = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert set(targets.split()) == set(re.findall(r"^([\w-]+):.* ## ", makefile, re.MULTILINE))


def test_no_lock_names_a_host() -> None:
    for lock in ROOT.glob("requirements*.lock"):
        assert "://" not in lock.read_text(), lock.name
