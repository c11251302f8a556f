"""All operations that a table of ours can be in the middle of when something goes wrong."""

from __future__ import annotations

from tests.crashes import Case, compactions, maintenance, schemas, statements, writes

CASES: list[Case] = [
    *writes.CASES,
    *statements.CASES,
    *compactions.CASES,
    *maintenance.CASES,
    *schemas.CASES,
]
