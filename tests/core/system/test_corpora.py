"""System tables of every reference table say what real Paimon says, column by column.

What a writer prints otherwise than the newest Paimon is brought to its form by
`tests.interop.normalise`; where a writer is plainly wrong, or hides rows, it is named here.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.catalog import open_catalog
from core.system import SYSTEM_TABLES, open_system_table
from core.table import Table
from core.types import type_to_text
from tests.interop.answers import (
    CORPORA,
    LEVEL_0_LEFT_OUT,
    WAITING,
    NoAnswerError,
    answer_of,
    expected_of,
    reference_tables,
)
from tests.interop.normalise import NOT_KEPT, Answer
from tests.interop.values import json_rows, same_rows

STATS = ("null_value_counts", "min_value_stats", "max_value_stats")

# Answers that are no evidence: the columns, and why.
NO_EVIDENCE: dict[tuple[str, str, str], tuple[tuple[str, ...], str]] = {
    ("java09", "pk.composite_key", "files"): (
        ("min_key", "max_key"),
        "Java prints the address of a byte array",
    ),
    ("pypaimon21", "py.blob", "files"): (
        ("file_format", "null_value_counts"),
        "pypaimon shows the table's option, not the file's name, and null for columns that a file lacks",
    ),
    ("pypaimon21", "py.data_evolution", "files"): (("null_value_counts",), "null for columns it lacks"),
    ("pypaimon21", "py.data_evolution_updates", "files"): (("null_value_counts",), "the same"),
    ("pypaimon21", "py.pk_postpone", "files"): (("file_format",), "the table's option"),
    ("pypaimon21", "py.blob", "file_key_ranges"): (("file_format",), "the table's option"),
    ("pypaimon21", "py.pk_postpone", "file_key_ranges"): (("file_format",), "the same"),
    ("rust04", "rs.evolving", "files"): (
        STATS,
        "rust reads the statistics of some columns as those of the first",
    ),
    ("rust04", "rs.plain", "files"): (STATS[1:], "rust prints timestamps as SQL does, Paimon as Java does"),
}
TABLES = [
    (warehouse, name, system)
    for warehouse, name in reference_tables()
    for system in SYSTEM_TABLES
    if system in expected_of(warehouse, name)["system"]
]


@pytest.mark.parametrize(("warehouse", "name", "system"), TABLES)
def test_a_system_table_has_the_rows_of_real_paimon(warehouse: str, name: str, system: str) -> None:
    wanted = their_answer(warehouse, name, system)
    dropped, _ = NO_EVIDENCE.get((warehouse, name, system), ((), ""))
    columns = [column for column in wanted["columns"] if column not in dropped]
    places = [wanted["columns"].index(column) for column in columns]
    theirs = [[row[i] for i in places] for row in wanted["rows"]]
    table = open_catalog(str(CORPORA / warehouse)).get_table(name)
    ours = read(CORPORA / warehouse, table, system, columns)
    if system == "files" and name in LEVEL_0_LEFT_OUT:
        ours = [row for row in ours if row[columns.index("level")] > 0]
    if system == "manifests" and warehouse == "pypaimon21":
        ours = without_changelog(table, columns, ours)
    if name == WAITING and system in ("files", "file_key_ranges", "partitions"):
        theirs = []
    assert same_rows(parsed(system, columns, ours), parsed(system, columns, theirs)), (ours, theirs)


@pytest.mark.parametrize("warehouse", ["java09", "pypaimon21", "rust04"])
def test_what_a_copy_cannot_keep_is_named(warehouse: str) -> None:
    assert "branches.create_time" in NOT_KEPT[warehouse]


def their_answer(warehouse: str, name: str, system: str) -> Answer:
    try:
        return answer_of(warehouse, name, system)
    except NoAnswerError as error:
        pytest.skip(f"no answer to compare with, that reader fails: {str(error)[:60]}")


def read(warehouse: Path, table: Table, system: str, columns: list[str]) -> list[Any]:
    """Rows of our system table as JSON, with the warehouse's path as the corpora write it."""
    source = open_system_table(table, system)
    types = {field.name: type_to_text(field.type) for field in source.schema.fields}
    text = json.dumps(json_rows(source.to_arrow(columns), types), ensure_ascii=False)
    rows: list[Any] = json.loads(text.replace(str(warehouse), "${WAREHOUSE}"))
    return rows


def without_changelog(table: Table, columns: list[str], rows: list[Any]) -> list[Any]:
    """pypaimon lists the manifests of base and delta; Java those of the changelog too."""
    latest = table.snapshots.latest()
    names = {meta.file_name for meta in table.manifests.changelog_manifests(latest)} if latest else set()
    return [row for row in rows if row[columns.index("file_name")] not in names]


def parsed(system: str, columns: list[str], rows: list[Any]) -> list[Any]:
    """JSON inside of `$schemas` as values: the order of options and pypaimon's `nullable` mean nothing."""
    if system != "schemas":
        return rows
    inner = ("fields", "partition_keys", "primary_keys", "options")
    return [
        [known(json.loads(v)) if c in inner else v for c, v in zip(columns, row, strict=True)] for row in rows
    ]


def known(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: known(member) for key, member in value.items() if key != "nullable"}
    return [known(member) for member in value] if isinstance(value, list) else value
