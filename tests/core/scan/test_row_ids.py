"""Filters on row ids leave out manifests and files of other rows. Spec: 04, A6; 02, 2."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.catalog import open_catalog
from core.manifest import EntryColumns
from core.predicate import bind, parse_predicate
from core.scan.pruning import Pruner
from core.table import Table
from core.types import BigIntType, DataField
from tests.builders import add, manifest, schema, stats

CORPORA = Path(__file__).parents[2] / "corpora"
TRACKED = schema({"v": "INT"}, options={"row-tracking.enabled": "true"})
FIELDS = (*TRACKED.fields, DataField(2147483642, "_ROW_ID", BigIntType()))


def pruner(where: str) -> Pruner:
    class Schemas:
        def get(self, schema_id: int) -> Any:
            return TRACKED

    return Pruner(Schemas(), TRACKED, bind(parse_predicate(where), FIELDS))  # type: ignore[arg-type]


def opened(name: str) -> Table:
    return open_catalog(str(CORPORA / "pypaimon21")).get_data_table(name)


def test_manifests_of_other_rows_are_not_opened() -> None:
    manifests = [
        manifest("a", min_row_id=0, max_row_id=9),
        manifest("b", min_row_id=10, max_row_id=19),
        manifest("c"),
    ]
    kept = pruner("_ROW_ID = 12").manifests(manifests)
    assert [m.file_name for m in kept] == ["b", "c"]


def test_files_of_other_rows_are_left_out_unless_their_rows_have_ids_of_their_own() -> None:
    files = [add("a", first_row_id=0), add("b", first_row_id=10), add("c", write_cols=("v", "_ROW_ID"))]
    kept = pruner("_ROW_ID >= 10").statistics(EntryColumns.of(files))
    assert kept.column("file_name").to_pylist() == ["b", "c"]


def test_statistics_count_the_columns_that_rows_carry_along() -> None:
    carried = ("v", "_ROW_ID", "_SEQUENCE_NUMBER")
    files = [
        add(name, write_cols=carried, value_stats=stats((low, 1, 7), (low + 9, 1, 7), (0, 0, 0)))
        for name, low in (("a", 0), ("b", 10))
    ]
    kept = pruner("v = 12").statistics(EntryColumns.of(files))
    assert kept.column("file_name").to_pylist() == ["b"]


@pytest.mark.parametrize(
    "where", ["_ROW_ID = 7", "_ROW_ID < 3 OR _ROW_ID = 9", "_ROW_ID > 100", "NOT _ROW_ID > 4"]
)
@pytest.mark.parametrize(
    "name", ["py.row_tracking", "py.data_evolution_updates", "py.data_evolution_deletes"]
)
def test_no_row_is_lost(name: str, where: str) -> None:
    table = opened(name)
    columns = [*table.schema.field_names, "_ROW_ID"]
    whole = table.to_arrow(columns).to_pylist()
    holds = {
        "_ROW_ID = 7": lambda i: i == 7,
        "_ROW_ID > 100": lambda i: i > 100,
        "NOT _ROW_ID > 4": lambda i: i <= 4,
    }
    holds.setdefault(where, lambda i: i < 3 or i == 9)
    expected = [row for row in whole if holds[where](row["_ROW_ID"])]
    found = table.to_arrow(columns, where).to_pylist()
    assert sorted(map(repr, found)) == sorted(map(repr, expected))


def test_a_row_is_looked_up_in_its_file() -> None:
    table = opened("py.row_tracking")
    assert len(table.plan(filter="_ROW_ID = 7").entries) == 1 < len(table.plan().entries)
