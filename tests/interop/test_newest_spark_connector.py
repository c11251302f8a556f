"""Our connector for Spark beside that of the newest Paimon: the same reads and writes of the same data.

Theirs runs in Spark 4.1 and ours in the Spark that we run on; the cases are in spark_reads.py and
spark_writes.py. Run by `make interop` alone, see CONTRIBUTING.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from core.arrow import arrow_schema
from core.catalog import open_catalog
from core.system import open_system_table
from core.table import Table
from core.types import DataField, parse_type, type_to_text
from tests.interop.errors import PeerUnavailableError
from tests.interop.spark_connector import Answer, Connectors, start_connectors
from tests.interop.spark_reads import READS, SCRIPTS, Read
from tests.interop.spark_writes import WRITES, Write
from tests.interop.test_newest_sql import scripts
from tests.interop.values import Rows, json_rows, same_rows

pytestmark = pytest.mark.newest


@pytest.fixture(scope="module")
def connectors() -> Iterator[Connectors]:
    """Both Sparks; skips with the reason where one cannot be had."""
    with ExitStack() as running:
        try:
            both = running.enter_context(start_connectors())
        except PeerUnavailableError as error:
            pytest.skip(str(error))
        yield both


# --- reads -------------------------------------------------------------------------


Tables = Callable[[str], Path]


@pytest.fixture(scope="module")
def tables(connectors: Connectors, tmp_path_factory: pytest.TempPathFactory) -> Tables:
    """The warehouse with the tables of a script, made when they are first asked for.

    Of a script with variants they are those of the last one.
    """
    warehouse = tmp_path_factory.mktemp("reads")
    known = {script.name: script for script in scripts() if script.name in SCRIPTS}

    @cache
    def made_by(name: str) -> Path:
        open_catalog(str(warehouse)).create_database(name)
        for statement in known[name].statements:
            connectors.theirs.ask(warehouse, f"{name}.t", statement=statement)
        return warehouse

    return made_by


@pytest.mark.parametrize("case", READS, ids=lambda case: case.name)
def test_a_read_is_equal(case: Read, connectors: Connectors, tables: Tables) -> None:
    warehouse, name = tables(case.script), f"{case.script}.{case.table}"
    table = open_catalog(str(warehouse)).get_data_table(name.split("$")[0])

    def moment(match: re.Match[str]) -> str:
        return str(table.snapshots.get(int(match[1])).time_millis)

    options = {key: re.sub(r"\$\{time:(\d+)\}", moment, value) for key, value in case.options.items()}
    ours = connectors.ours.rows(warehouse, name, case.sql, options)
    theirs = connectors.theirs.rows(warehouse, name, case.sql, options, case.theirs)
    assert unlike(ours, theirs) == {}


def test_their_spark_tells_deletes_of_a_delta_as_rows(connectors: Connectors, tables: Tables) -> None:
    """Paimon documents that a batch leaves them out, as we do; `$audit_log` has them, equal for both."""
    warehouse, name, between = tables("points_in_time"), "points_in_time.t", {"incremental-between": "1,3"}
    ours, theirs = (
        c.rows(warehouse, name, "SELECT id FROM t", between) for c in (connectors.ours, connectors.theirs)
    )
    deleted = "SELECT id FROM t WHERE rowkind = '-D'"
    log = connectors.ours.rows(warehouse, f"{name}$audit_log", deleted, between)
    assert len(log.rows) == 10
    assert same_rows(json_rows(ours.rows) + json_rows(log.rows), json_rows(theirs.rows))


def unlike(ours: Answer, theirs: Answer) -> dict[str, Any]:
    if dict(ours.types) != dict(theirs.types):
        return {"types": (ours.types, theirs.types)}
    some, others = json_rows(ours.rows), json_rows(theirs.rows)
    return {} if same_rows(some, others) else {"ours": some, "theirs": others}


# --- writes ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def warehouses(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Ours, and theirs."""
    return tmp_path_factory.mktemp("ours"), tmp_path_factory.mktemp("theirs")


@pytest.mark.parametrize("case", WRITES, ids=lambda case: case.name)
def test_a_write_makes_an_equal_table(
    case: Write, connectors: Connectors, warehouses: tuple[Path, Path]
) -> None:
    ours, theirs = (made(case, warehouse) for warehouse in warehouses)
    name = str(ours.identifier)
    for step in case.steps:
        connectors.ours.ask(warehouses[0], name, **step)
        connectors.theirs.ask(warehouses[1], name, **step)
    ours, theirs = ours.refreshed(), theirs.refreshed()
    assert columns(ours) == columns(theirs)
    assert same_rows(told(ours, ours.to_arrow()), told(theirs, theirs.to_arrow()))
    if case.same_buckets:
        assert by_bucket(ours) == by_bucket(theirs)
    if "changelog-producer" in case.options:
        assert same_rows(changes(ours), changes(theirs))
    query = "SELECT * FROM t"
    assert unlike(*(connectors.theirs.rows(place, name, query) for place in warehouses)) == {}, (
        "as Paimon reads"
    )


def made(case: Write, warehouse: Path) -> Table:
    catalog = open_catalog(str(warehouse))
    catalog.create_database("db", ignore_if_exists=True)
    fields = [DataField(i, name, parse_type(text)) for i, (name, text) in enumerate(case.columns.items())]
    return catalog.create_table(
        "db." + re.sub(r"\W", "_", case.name),
        fields,
        primary_keys=case.keys,
        partition_keys=case.partition,
        options=case.options,
    )


def columns(table: Table) -> list[tuple[int, str, str]]:
    return [(field.id, field.name, type_to_text(field.type)) for field in table.schema.fields]


def told(table: Table, rows: pa.Table) -> Rows:
    return json_rows(rows, {field.name: type_to_text(field.type) for field in table.schema.fields})


def by_bucket(table: Table) -> dict[tuple[bytes, int], list[str]]:
    """The rows of each bucket of each partition."""
    found: dict[tuple[bytes, int], list[str]] = defaultdict(list)
    for split in table.plan().splits:
        rows = pa.Table.from_batches(table.read_split(split), arrow_schema(table.schema.fields))
        found[split.partition.to_bytes(), split.bucket] += map(repr, told(table, rows))
    return {place: sorted(rows) for place, rows in found.items() if rows}


def changes(table: Table) -> Rows:
    """All changes that the table tells of."""
    ends = f"{table.snapshots.earliest_id() - 1},{table.snapshots.latest_id()}"
    between = table.with_options({"incremental-between": ends, "incremental-between-scan-mode": "changelog"})
    return told(table, open_system_table(between, "audit_log").to_arrow())
