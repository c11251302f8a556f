"""docs/system-tables.md names every system table, and says what it shows."""

from __future__ import annotations

import re
from pathlib import Path

from core.system import SYSTEM_TABLES, WAREHOUSE_TABLES, system_table_names

TEXT = (Path(__file__).parents[2] / "docs" / "system-tables.md").read_text(encoding="utf-8")
SHOWN = dict(re.findall(r"^\| `\$(\w+)` \|.*\| (\w+) \|$", TEXT, re.MULTILINE))


def test_every_system_table_is_told() -> None:
    assert set(SHOWN) == set(system_table_names())


def test_what_each_shows_is_what_the_registry_says() -> None:
    assert {name: SHOWN[name] for name in SYSTEM_TABLES} == {
        name: kind.shows.name.lower() for name, kind in SYSTEM_TABLES.items()
    }


def test_every_table_of_the_warehouse_is_told() -> None:
    assert set(re.findall(r"^\| `sys\.(\w+)` \|", TEXT, re.MULTILINE)) == set(WAREHOUSE_TABLES)
