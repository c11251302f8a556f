"""System tables of what we wrote: ours say what real Paimon says of the same tables, column by column."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from core.catalog import open_catalog
from core.system import open_system_table
from core.types import type_to_text
from tests.core.system.test_corpora import parsed
from tests.interop.cases import CASES
from tests.interop.features import UNREADABLE
from tests.interop.normalise import NEWEST, TableFacts, normalised
from tests.interop.values import json_rows, same_rows

pytestmark = pytest.mark.interop

WRITERS = {"java": "java09", "pypaimon": "pypaimon21"}
BOUNDS = ("min_value_stats", "max_value_stats")
STATS = ("null_value_counts", *BOUNDS)
KEYS = ("min_key", "max_key")
TYPED = [name for name, case in CASES.items() if "BYTES" in dict(case.columns).values()]
SPARSE = ["pk_statistics_none", "pk_statistics_of_a_column", "pk_statistics_first_columns"]
# By peer, case and system table: columns that are no evidence, and why.
NO_EVIDENCE: dict[tuple[str, str, str], tuple[tuple[str, ...], str]] = {
    **{("java", n, "files"): (BOUNDS, "Java prints the address of a byte array") for n in TYPED},
    **{
        ("java", n, "files"): (STATS, "0.9.0 takes statistics of some columns for those of the first")
        for n in SPARSE
    },
    ("java", "pk_schema_merged", "files"): (STATS, "0.9.0 leaves out columns that came after a file"),
    ("java", "pk_keys", "partitions"): (("last_update_time",), "the time of a file that is gone counts too"),
    **{("pypaimon", n, "files"): (BOUNDS, "pypaimon prints values as Python does") for n in TYPED},
    **{("pypaimon", "pk_keys", s): (KEYS, "pypaimon prints JSON") for s in ("files", "file_key_ranges")},
    **{
        ("pypaimon", n, "files"): (STATS[:1], "of a column that a file does not hold Java shows its rows")
        for n in ("columns_changed", "columns_marked")
    },
    ("pypaimon", "pk_formats_by_level", "files"): (
        (*BOUNDS, "file_format"),
        "the table's option, and the same",
    ),
    ("pypaimon", "pk_formats_by_level", "file_key_ranges"): (("file_format",), "the table's option"),
    ("pypaimon", "changed_append_buckets_vectors", "table_indexes"): (
        ("dv_ranges",),
        "pypaimon shows no vectors as null",
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("peer", WRITERS)
def test_system_tables_say_what_a_peer_says(
    peer: str, name: str, our_warehouse: Path, request: pytest.FixtureRequest
) -> None:
    if (peer, name) in UNREADABLE:
        pytest.skip(UNREADABLE[peer, name])
    dump = request.getfixturevalue(f"{peer}_dump")[f"ours.{name}"]
    dump = {"path": f"ours.db/{name}", **dump}  # pypaimon does not say it
    facts = TableFacts.of(dump, our_warehouse)
    compared = {
        system: unlike(peer, name, system, normalised(WRITERS[peer], system, answer, facts), our_warehouse)
        for system, answer in dump["system"].items()
        if system in NEWEST and "error" not in answer
    }
    assert compared
    assert {system: found for system, found in compared.items() if found} == {}


def unlike(peer: str, name: str, system: str, wanted: dict[str, Any], warehouse: Path) -> Any:
    """Our rows and theirs where they differ; nothing else."""
    dropped, _ = NO_EVIDENCE.get((peer, name, system), ((), ""))
    columns = [column for column in wanted["columns"] if column not in dropped]
    places = [wanted["columns"].index(column) for column in columns]
    theirs = [[row[i] for i in places] for row in wanted["rows"]]
    shown, rows = system_rows(warehouse, name, system)
    ours = [[row[shown.index(column)] for column in columns] for row in rows]
    ours, theirs = parsed(system, columns, ours), parsed(system, columns, theirs)
    if peer == "java":
        ours, theirs = without_unknown(columns, ours), without_unknown(columns, theirs)
    if same_rows(ours, theirs):
        return None
    return {
        "columns": columns,
        "ours": [row for row in ours if row not in theirs],
        "theirs": [row for row in theirs if row not in ours],
    }


def without_unknown(columns: list[str], rows: list[Any]) -> list[Any]:
    """Rows whose counts name what is known alone: 0.9.0 leaves out a last column without one."""
    counts = STATS[0]
    return [
        [
            re.sub(r"[^ {]+=null(, )?", "", v).replace(", }", "}") if c == counts else v
            for c, v in zip(columns, row, strict=True)
        ]
        for row in rows
    ]


@cache
def system_rows(warehouse: Path, name: str, system: str) -> tuple[list[str], list[list[Any]]]:
    """Columns and rows of our system table, with the warehouse's path as the peers write it."""
    source = open_system_table(open_catalog(str(warehouse)).get_data_table(f"ours.{name}"), system)
    types = {field.name: type_to_text(field.type) for field in source.schema.fields}
    read = source.to_arrow()
    rows = json_rows(read, types)
    return read.column_names, [
        [v.replace(str(warehouse), "${WAREHOUSE}") if isinstance(v, str) else v for v in row] for row in rows
    ]
