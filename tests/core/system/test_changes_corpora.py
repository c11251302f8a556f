"""What real Paimon reads as changes of the reference tables: $audit_log, $ro, and each snapshot's changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from core.catalog import open_catalog
from core.system import SystemTable
from core.table import Table
from core.types import type_to_text
from tests.interop.values import differences

CORPORA = Path(__file__).parents[2] / "corpora"
ANSWERS = {
    f"{folder}/{path.stem}": path
    for folder in ("java09", "java09bsi", "rust04")
    for path in sorted((CORPORA / "expected" / folder).glob("*.*.json"))
}
# Whose own answer is known to be wrong: `written` has the rows.
MISREAD = {name for name, path in ANSWERS.items() if "written" in json.loads(path.read_text())}
# Elements in the order of the writer's hash tables.
HASHED = {"java09/merge.agg_collections", "java09/merge.pu_aggregation"}
COMPARED = [name for name in ANSWERS if name not in MISREAD | HASHED]

# Where 0.9 does otherwise than the newest Paimon, which decides (docs/spec-notes.md).
REMOVED_ROWS_ARE_NOT_TOLD = "java09/merge.pu_remove_on_delete"  # the newest tells them as -D
ALL_UPPER_LEVELS = {  # in $ro, of which the newest shows the top level alone
    "java09/dv.pk_dv",
    "java09/dv.pk_dv_lookup",
    "java09/dv.pk_dv_part_orc",
}
LEVEL_0_LEFT_OUT = {  # of incremental reads too
    "java09/dv.pk_dv",
    "java09/dv.pk_dv_l0",
    "java09/dv.pk_dv_lookup",
    "java09/dv.pk_dv_part_orc",
    "java09/merge.first_row",
    "java09/merge.first_row_l0",
}


def opened(name: str, system: str) -> SystemTable:
    folder, _, table = name.partition("/")
    found = open_catalog(str(CORPORA / folder)).get_table(f"{table}${system}")
    assert isinstance(found, SystemTable)
    return found


def expected_of(name: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(ANSWERS[name].read_text())
    return answer


def same(found: pa.Table, answer: dict[str, Any], table: Table) -> None:
    types = {field.name: type_to_text(field.type) for field in table.schema.fields}
    assert not differences(found, answer, types)


@pytest.mark.parametrize("system", ["audit_log", "ro"])
@pytest.mark.parametrize("name", COMPARED)
def test_rows_are_those_of_real_paimon(name: str, system: str) -> None:
    answer = expected_of(name)["system"].get(system, {"error": "not served by that reader"})
    if "error" in answer:
        pytest.skip(f"no answer to compare with: {answer['error'][:80]}")
    if system == "ro" and name in ALL_UPPER_LEVELS:
        pytest.skip("no answer to compare with: 0.9.0 shows every level above 0")
    source = opened(name, system)
    removed = name == REMOVED_ROWS_ARE_NOT_TOLD and system == "audit_log"
    same(source.to_arrow(filter="rowkind <> '-D'" if removed else None), answer, source.table)


@pytest.mark.parametrize("name", sorted(ALL_UPPER_LEVELS))
def test_read_optimized_shows_less_than_0_9_where_its_rule_was_another(name: str) -> None:
    assert opened(name, "ro").to_arrow().num_rows < len(expected_of(name)["system"]["ro"]["rows"])


@pytest.mark.parametrize("name", [n for n in COMPARED if expected_of(n).get("changesOfSnapshot")])
def test_changes_of_each_snapshot_are_those_of_real_paimon(name: str) -> None:
    audit_log = opened(name, "audit_log")
    for snapshot_id, answers in expected_of(name)["changesOfSnapshot"].items():
        for mode, answer in answers.items():
            options = {
                "incremental-between": f"{int(snapshot_id) - 1},{snapshot_id}",
                "incremental-between-scan-mode": mode,
            }
            if "error" not in answer and not (mode == "delta" and name in LEVEL_0_LEFT_OUT):
                same(audit_log.with_options(options).to_arrow(), answer, audit_log.table)


def test_the_changelog_of_expired_snapshots_is_read() -> None:
    audit_log = opened("java09/changelog.decoupled", "audit_log")
    assert audit_log.table.snapshots.earliest_id() == 4
    changes = audit_log.with_options({"incremental-between": "0,5"}).to_arrow().to_pylist()
    state: dict[int, Any] = {}
    for change in changes:
        if change.pop("rowkind") in ("+I", "+U"):
            state[change["k"]] = change
        else:
            state.pop(change["k"], None)
    assert len(changes) == 12
    assert sorted(state.values(), key=lambda row: row["k"]) == sorted(
        audit_log.table.to_arrow().to_pylist(), key=lambda row: row["k"]
    )
