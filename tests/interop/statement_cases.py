"""Cases of DELETE, UPDATE and MERGE INTO on rows that have ids, and on merge engines besides deduplicate."""

from __future__ import annotations

from core.dml import Literal
from tests.interop.case import Case, Statement
from tests.interop.case_columns import ID_V
from tests.interop.describe import insert

ROWS = [insert(i, f"v{i}") for i in range(5)]
LEFT = [[i, f"v{i}"] for i in (0, 2, 3, 4)]
UPDATED = [[0, "v0"], [2, "new"], [3, "v3"], [4, "v4"]]
DELETE = Statement(lambda t: t.plan_delete("id = 1"), LEFT)
UPDATE = Statement(lambda t: t.plan_update("id = 2", {"v": Literal("new")}), UPDATED)

EVOLVING = {"bucket": "-1", "row-tracking.enabled": "true", "data-evolution.enabled": "true"}
MARKED = {**EVOLVING, "deletion-vectors.enabled": "true"}
WIDE = (*ID_V, ("w", "BIGINT"))
WIDE_ROWS = [insert(i, f"v{i}", i) for i in range(5)]
NEW_V = Statement(
    lambda t: t.plan_update("id = 2", {"v": Literal("new")}),
    [[i, "new" if i == 2 else f"v{i}", i] for i in range(5)],
)
BOTH = Statement(
    lambda t: t.plan_update("id >= 2", {"v": Literal("newer"), "w": Literal(None)}),
    [[i, f"v{i}", i] if i < 2 else [i, "newer", None] for i in range(5)],
)
WITHOUT_1 = Statement(lambda t: t.plan_delete("id = 1"), [row for row in BOTH.rows if row[0] != 1])

STATEMENT_CASES: dict[str, Case] = {
    "columns_changed": Case(WIDE, [WIDE_ROWS[:3], WIDE_ROWS[3:], NEW_V, BOTH], options=EVOLVING),
    "columns_marked": Case(
        WIDE, [WIDE_ROWS, NEW_V, BOTH, WITHOUT_1, [insert(9, "later", 9)]], options=MARKED
    ),
    "columns_joined": Case(
        WIDE, [WIDE_ROWS[:3], WIDE_ROWS[3:], NEW_V, BOTH, WITHOUT_1, "compact"], options=MARKED
    ),
    "append_ids_changed": Case(
        ID_V,
        [ROWS, DELETE, UPDATE, [insert(9, "later")]],
        options={"bucket": "-1", "row-tracking.enabled": "true"},
    ),
    "append_ids_marked": Case(
        ID_V,
        [ROWS, DELETE, UPDATE, [insert(9, "later")]],
        options={"bucket": "-1", "row-tracking.enabled": "true", "deletion-vectors.enabled": "true"},
    ),
    "partial_changed": Case(
        ID_V,
        [ROWS, "compact", DELETE, UPDATE],
        primary_key=("id",),
        options={"bucket": "1", "merge-engine": "partial-update"},
    ),
    "first_row_deleted": Case(
        ID_V,
        [ROWS, "compact", DELETE],
        primary_key=("id",),
        options={"bucket": "1", "merge-engine": "first-row"},
    ),
}
