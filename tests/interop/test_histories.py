"""Tables that real Paimon made in histories that nobody chose, as it reads them and as we do.

`make interop` draws more of them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from core.catalog import open_catalog
from core.errors import PaimonError
from core.table import Table
from core.types import type_to_text
from tests.interop import describe
from tests.interop.histories import histories
from tests.interop.peers import JavaPaimon
from tests.interop.values import differences

pytestmark = pytest.mark.interop

TABLES = 10  # of one warehouse
BATCHES = max(settings().max_examples // 200, 1)  # the long profile has 2000 examples
OLDER = 2  # snapshots of a table that are read beside the latest

Description = dict[str, Any]
Read = tuple[Description, dict[str, Any]]  # of a table, at which snapshot


FEW = settings(
    max_examples=BATCHES,
    phases=[Phase.generate],  # to shrink a batch takes minutes
    suppress_health_check=list(HealthCheck),
)


@given(st.tuples(*(histories(f"t{i}") for i in range(TABLES))))
@FEW
def test_a_history_is_read_as_java_reads_it(java: JavaPaimon, tables: tuple[Description, ...]) -> None:
    _check(java, tables)


@pytest.mark.newest
@given(st.tuples(*(histories(f"t{i}", newest=True) for i in range(TABLES))))
@FEW
def test_a_history_is_read_as_the_newest_java_reads_it(
    newest: JavaPaimon, tables: tuple[Description, ...]
) -> None:
    _check(newest, tables)


def _check(java: JavaPaimon, tables: tuple[Description, ...]) -> None:
    # The first example of all is the simplest, which says nothing.
    assume(sum(len(table["ops"]) for table in tables) > 2 * TABLES)
    with TemporaryDirectory() as folder:
        warehouse = Path(folder)
        java.write(describe.warehouse(db=tables), warehouse)
        reads = [read for table in tables for read in _reads(warehouse, table)]
        answers = java.read(warehouse, [_request(*read) for read in reads])
        wrong = [
            f"{at}: {found}\n{json.dumps(table, ensure_ascii=False)}"
            for (table, at), answer in zip(reads, answers, strict=True)
            if (found := _differences(_open(warehouse, table), at, answer))
        ]
        assert not wrong, "\n\n".join(wrong)


def _open(warehouse: Path, description: Description) -> Table:
    return open_catalog(str(warehouse)).get_data_table(f"db.{description['name']}")


def _reads(warehouse: Path, description: Description) -> list[Read]:
    ids: Sequence[int] = _open(warehouse, description).snapshots.ids()
    older = ids[:-1][:: max(len(ids) // OLDER, 1)][:OLDER]
    return [(description, {}), *((description, {"snapshot_id": snapshot_id}) for snapshot_id in older)]


def _request(description: Description, at: dict[str, Any]) -> dict[str, Any]:
    options = {"scan.snapshot-id": str(at["snapshot_id"])} if at else {}
    return {"table": f"db.{description['name']}", "options": options}


def _differences(table: Table, at: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    """What differs from an answer of Java, which starts with the kinds of rows; empty if nothing does."""
    if "error" in answer:
        return {"java": answer["error"]}
    expected = {"columns": answer["columns"][1:], "rows": [row[1:] for row in answer["rows"]]}
    try:
        types = {field.name: type_to_text(field.type) for field in table.plan(**at).schema.fields}
        return differences(table.to_arrow(**at), expected, types)
    except PaimonError as error:
        return {"ours": f"{type(error).__name__}: {error}"}
