"""Cases of whole tables put into other files: sorted, in other buckets, with other indexes, with ids kept."""

from __future__ import annotations

from tests.interop.case import Case, Statement
from tests.interop.case_columns import COLUMNS, DT_ID_V, ID_V, TYPED_ROWS
from tests.interop.describe import delete, insert, update

ROWS = [insert(i * 37 % 200, f"v{i % 7}") for i in range(200)]
DAYS = [insert(f"d{i % 3}", i, f"v{i}") for i in range(60)]
DELETED = Statement(lambda t: t.plan_delete("v = 'v3'"), [row[1:] for row in ROWS if row[2] != "v3"])
UNORDERED = {"bucket": "-1"}

REWRITE_CASES: dict[str, Case] = {
    "append_sorted": Case(ID_V, [ROWS, ROWS[:50], "sort order v,id"], options=UNORDERED),
    "append_zordered": Case(
        COLUMNS, [TYPED_ROWS, TYPED_ROWS, "sort zorder id,st,db,d38,da"], options=UNORDERED
    ),
    "append_hilbert": Case(ID_V, [ROWS, "sort hilbert id,v", ROWS[:3]], options=UNORDERED),
    "append_sorted_vectors": Case(
        ID_V,
        [ROWS, DELETED, "sort order v"],
        options={**UNORDERED, "deletion-vectors.enabled": "true"},
    ),
    "append_clustered": Case(
        ID_V,
        [ROWS[:99], ROWS[99:], "compact", ROWS[:3]],
        options={**UNORDERED, "clustering.incremental": "true", "clustering.columns": "v,id"},
    ),
    "append_ids_packed": Case(
        ID_V,
        [ROWS[:50], ROWS[50:99], "compact", ROWS[99:]],
        options={**UNORDERED, "row-tracking.enabled": "true"},
    ),
    "append_ids_sorted": Case(
        ID_V, [ROWS[:99], ROWS[99:], "sort order v"], options={**UNORDERED, "row-tracking.enabled": "true"}
    ),
    "append_rescaled": Case(
        ID_V, [ROWS, ROWS[:9], "rescale 3", ROWS[9:12]], options={"bucket": "2", "bucket-key": "id"}
    ),
    "pk_rescaled": Case(
        ID_V,
        [ROWS, [update(5, "u"), delete(6, "v")], "rescale 5", [update(7, "after"), delete(8, None)]],
        primary_key=("id",),
        options={"bucket": "2"},
    ),
    "pk_rescaled_parts": Case(
        DT_ID_V,
        [DAYS, DAYS[:5], "rescale 1", DAYS[:2], "rescale 4", DAYS[5:7], "compact"],
        primary_key=("dt", "id"),
        partition_keys=("dt",),
        options={"bucket": "2"},
    ),
    "pk_rescaled_vectors": Case(
        ID_V,
        [ROWS, [update(5, "u"), delete(6, "v")], "rescale 3", [update(7, "after")]],
        primary_key=("id",),
        options={"bucket": "2", "deletion-vectors.enabled": "true"},
    ),
    "append_indexed_later": Case(
        ID_V,
        [ROWS, "index bitmap v", "index bloom-filter id", ROWS[:3], "index bsi id"],
        options={**UNORDERED, "file-index.in-manifest-threshold": "0 B"},
    ),
    "pk_indexed_later": Case(
        ID_V,
        [ROWS, [update(5, "u"), delete(6, "v")], "index bitmap v", "compact", "index bsi id"],
        primary_key=("id",),
        options={"bucket": "1"},
    ),
}
