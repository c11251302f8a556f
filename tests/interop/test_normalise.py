"""Every answer of the corpora can be normalised, and what it says stays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.interop.normalise import NEWEST, NOT_KEPT, TableFacts, normalised

CORPORA = Path(__file__).parents[1] / "corpora"
WRITERS = ["java09", "pypaimon21", "rust04"]


def answers(writer: str) -> list[tuple[str, str, dict[str, Any], TableFacts]]:
    found = []
    for path in sorted((CORPORA / "expected" / writer).glob("[!_]*.json")):
        expected = json.loads(path.read_text())
        facts = TableFacts.of(expected, CORPORA / writer)
        for system, answer in expected["system"].items():
            if system in NEWEST and "error" not in answer:
                found.append((expected["table"], system, answer, facts))
    return found


def facts_of(writer: str, table: str) -> tuple[dict[str, Any], TableFacts]:
    expected = json.loads((CORPORA / "expected" / writer / f"{table}.json").read_text())
    return expected["system"], TableFacts.of(expected, CORPORA / writer)


def column(writer: str, table: str, system: str, name: str) -> list[Any]:
    answer, facts = facts_of(writer, table)
    normal = normalised(writer, system, answer[system], facts)
    return [row[normal["columns"].index(name)] for row in normal["rows"]]


@pytest.mark.parametrize("writer", WRITERS)
def test_every_answer_has_only_newest_columns_in_their_order(writer: str) -> None:
    for _, system, answer, facts in answers(writer):
        normal = normalised(writer, system, answer, facts)
        assert normal["columns"] == [name for name in NEWEST[system] if name in normal["columns"]]
        assert [len(row) for row in normal["rows"]] == [len(normal["columns"])] * len(answer["rows"])


@pytest.mark.parametrize("writer", WRITERS)
def test_every_live_file_is_found_on_disk(writer: str) -> None:
    for _, system, answer, facts in answers(writer):
        if system == "files":
            normal = normalised(writer, system, answer, facts)
            paths = [row[normal["columns"].index("file_path")] for row in normal["rows"]]
            assert all((CORPORA / writer / p.removeprefix("${WAREHOUSE}/")).exists() for p in paths)


@pytest.mark.parametrize("writer", WRITERS)
def test_what_is_not_kept_names_newest_columns(writer: str) -> None:
    assert {tuple(name.split(".")) for name in NOT_KEPT[writer]} <= {
        (system, name) for system, names in NEWEST.items() for name in names
    }


def test_java_partition_values_are_cast_by_their_type() -> None:
    shown = column("java09", "append.part_types", "files", "partition")
    assert "{false, -128, 32767, -1, -0.01, 1970-01-01 00:00:00.000, wxyz, -0.25}" in shown


def test_java_partition_names_have_their_values_cast_to_text() -> None:
    shown = column("java09", "append.part_multi_avro", "partitions", "partition")
    days = {name.split("/")[0] for name in shown}
    assert days == {"dt=1969-12-31", "dt=2024-01-01", "dt=2024-01-02", "dt=__DEFAULT_PARTITION__"}


def test_pypaimon_null_partition_is_told_apart_from_text() -> None:
    shown = column("pypaimon21", "py.part", "files", "partition")
    assert "{null, null}" in shown
    assert "{plain, 2024-02-29}" in shown


def test_pypaimon_partition_names_have_their_values_cast_to_text() -> None:
    shown = column("pypaimon21", "py.part", "partitions", "partition")
    assert "city=plain/dt=2024-02-29" in shown
    assert "city=__DEFAULT_PARTITION__/dt=__DEFAULT_PARTITION__" in shown


def test_pypaimon_statistics_are_sorted_by_name() -> None:
    assert set(column("pypaimon21", "py.pk_fixed", "files", "min_value_stats")) == {
        "{k=null, n=null, v=null}"
    }


def test_pypaimon_file_source_is_spelled_out() -> None:
    assert set(column("pypaimon21", "py.pk_fixed", "files", "file_source")) == {"APPEND"}


def test_rust_delete_row_count_has_its_newest_name() -> None:
    assert column("rust04", "rs.agg", "files", "deleteRowCount") == [0, 0]
