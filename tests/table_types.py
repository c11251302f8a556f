"""Types of tables and what can be done with each: the table of docs/catalogs.md, which tests go through."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

_TEXT = (Path(__file__).parents[1] / "docs" / "catalogs.md").read_text(encoding="utf-8")
_WORDS = {"yes": True, "no": False}


def _operations() -> dict[str, dict[str, bool]]:
    lines = _TEXT.partition("## Types of tables")[2].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    heads, table = rows[0][2:], {}
    for kind, _, *cells in rows[2:]:
        if not set(cells) <= set(_WORDS):
            break  # another table
        table[kind.strip("`")] = {head: _WORDS[cell] for head, cell in zip(heads, cells, strict=True)}
    return table


OPERATIONS: Mapping[str, Mapping[str, bool]] = _operations()
"""By type and operation, whether it is done or refused by name."""


def types(operation: str, done: bool) -> list[str]:
    """Those that an operation is done for, or not."""
    return [kind for kind, found in OPERATIONS.items() if found[operation] is done]
