"""What Spark SQL of the newest Paimon writes, as we read it: its own answers are the measure.

The scripts of newest_sql/ make tables, one database a script; `${name}` in one stands for each of VARIANTS.
Run by `make interop` alone, see CONTRIBUTING.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

import pyarrow as pa
import pytest

from core.catalog import open_catalog
from core.datafile.system_fields import tracks_rows
from core.system import open_system_table, system_table_names
from core.table import Table
from core.types import DataField, type_to_text
from tests.core.system.test_corpora import parsed
from tests.interop.errors import PeerFailedError
from tests.interop.spark_paimon import SparkPaimon
from tests.interop.values import Rows, json_rows, same_rows

pytestmark = pytest.mark.newest

SCRIPTS = Path(__file__).parent / "newest_sql"
SYSTEM_TABLES = [name for name in system_table_names() if name != "file_indexes"]  # later than 2.0.0
FORMATS = ("parquet", "orc", "avro")
VARIANTS: dict[str, dict[str, tuple[str, ...]]] = {
    "types": {"format": FORMATS},
    "vectors": {"bitmap64": ("false", "true")},
    "file_indexes": {"bitmap": ("1", "2"), "threshold": ("500 B", "1 MB")},
    "nested_evolution": {"format": FORMATS, "key": ("", "'primary-key' = 'id', ")},
    "merge_engines": {"format": FORMATS},
    "changelogs": {"producer": ("none", "input", "lookup", "full-compaction")},
}


@dataclass(frozen=True)
class Script:
    """A script of newest_sql/, and what its placeholders stand for."""

    name: str
    values: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        return Template((SCRIPTS / f"{self.name}.sql").read_text()).safe_substitute(dict(self.values))

    @property
    def database(self) -> str:
        return (
            re.sub(r"\W+", "_", "_".join([self.name, *(value for _, value in self.values)]))
            .lower()
            .strip("_")
        )

    @property
    def statements(self) -> list[str]:
        code = re.sub(r"^--.*$", "", self.text, flags=re.MULTILINE)
        return [statement.strip() for statement in code.split(";\n") if statement.strip()]

    @property
    def tables(self) -> list[str]:
        return re.findall(r"^CREATE TABLE (\w+)", self.text, re.MULTILINE)


def scripts() -> Iterator[Script]:
    for path in sorted(SCRIPTS.glob("*.sql")):
        variants = VARIANTS.get(path.stem, {})
        for values in itertools.product(*variants.values()):
            yield Script(path.stem, tuple(zip(variants, values, strict=True)))


TABLES = [
    pytest.param(script, name, id=f"{script.database}.{name}")
    for script in scripts()
    for name in script.tables
]


@dataclass(frozen=True)
class Both:
    """One table, as Spark SQL shows it and as we do."""

    spark: SparkPaimon
    warehouse: Path
    database: str
    table: str

    @property
    def ours(self) -> Table:
        return open_catalog(str(self.warehouse)).get_data_table(f"{self.database}.{self.table}")

    def theirs(self, *ends: str) -> list[pa.Table]:
        """The rows of the table with each of these endings: `$files`, or ` VERSION AS OF 1`."""
        return self.spark.run(self.warehouse, *(self._select(end) for end in ends))

    def theirs_or_none(self, end: str) -> pa.Table | None:
        """The rows of the table with an ending, or none where Spark fails on it."""
        try:
            return self.theirs(end)[0]
        except PeerFailedError:
            return None

    def _select(self, end: str) -> str:
        suffix, _, clause = end.partition(" ")
        return f"SELECT * FROM {self.database}.`{self.table}{suffix}` {clause}"


@pytest.fixture(scope="module")
def written(
    spark_paimon: SparkPaimon, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[Script, str], Both]:
    warehouse = tmp_path_factory.mktemp("newest_sql")

    @cache
    def failure(script: Script) -> PeerFailedError | None:
        begin = (f"CREATE DATABASE {script.database}", f"USE {script.database}")
        try:
            spark_paimon.run(warehouse, *begin, *script.statements)
        except PeerFailedError as error:
            return error
        return None

    def table(script: Script, name: str) -> Both:
        error = failure(script)
        if error is not None:
            raise error
        return Both(spark_paimon, warehouse, script.database, name)

    return table


@pytest.fixture
def both(written: Callable[[Script, str], Both], script: Script, table: str) -> Both:
    return written(script, table)


def unlike(
    ours: pa.Table,
    theirs: pa.Table,
    fields: Sequence[DataField],
    settled: Callable[[Rows], Rows] = lambda rows: rows,
) -> dict[str, Any]:
    """How our rows differ from theirs; empty if they do not. Spark's timestamps have six digits, always."""
    if ours.column_names != theirs.column_names:
        return {"columns": (ours.column_names, theirs.column_names)}
    types = {field.name: type_to_text(field.type) for field in fields}
    some, others = (settled(json_rows(rows, types)) for rows in (ours, theirs))
    if same_rows(some, others):
        return {}
    return {
        "ours": [row for row in some if row not in others],
        "theirs": [row for row in others if row not in some],
    }


EVERY_TABLE = pytest.mark.parametrize(("script", "table"), TABLES)


@EVERY_TABLE
def test_we_read_the_rows_of_now(both: Both) -> None:
    ours, (theirs,) = both.ours, both.theirs("")
    assert unlike(ours.to_arrow(), theirs, ours.schema.fields) == {}


@EVERY_TABLE
def test_we_read_every_snapshot_and_tag(both: Both) -> None:
    ours = both.ours
    ids = [snapshot.id for snapshot in ours.snapshots.iter_all()]
    tags = ours.tags.names()
    versions = {id: ours.to_arrow(snapshot_id=id) for id in ids} | {
        name: ours.to_arrow(tag=name) for name in tags
    }
    theirs = both.theirs(*(f" VERSION AS OF {version!r}" for version in versions))
    fields = ours.schema.fields
    found = {v: unlike(versions[v], answer, fields) for v, answer in zip(versions, theirs, strict=True)}
    assert {version: difference for version, difference in found.items() if difference} == {}


# It does not understand its own name of a partition by TIMESTAMP.
SPARK_FAILS = {("layouts", "parts", "partitions")}
# Some times (2 of 9) Spark shows the number of buckets before the rescale.
UNSURE = {("maintained", "rescaled", "partitions"): {"total_buckets"}}
# What a file's format changes in a table's rows it does not change in its metadata.
DESCRIBED = [
    pytest.param(script, name, id=f"{script.database}.{name}")
    for script in scripts()
    if {"orc", "avro", "500 B"}.isdisjoint(dict(script.values).values())
    for name in script.tables
]


@pytest.mark.parametrize(("script", "table"), DESCRIBED)
def test_system_tables_have_their_columns_and_rows(both: Both) -> None:
    shown = [name for name in SYSTEM_TABLES if name != "row_tracking" or tracks_rows(both.ours.schema)]
    found = {system: system_difference(both, system) for system in shown}
    assert {system: difference for system, difference in found.items() if difference} == {}


def system_difference(both: Both, system: str) -> dict[str, Any]:
    source = open_system_table(both.ours, system)
    theirs = both.theirs_or_none(f"${system}")
    if theirs is None:
        return {} if (both.database, both.table, system) in SPARK_FAILS else {"spark": "fails"}
    unsure = UNSURE.get((both.database, both.table, system), set())
    columns = [n for n in source.arrow_schema.names if n in theirs.column_names and n not in unsure]
    theirs = theirs.select([name for name in theirs.column_names if name not in unsure])

    def settled(rows: Rows) -> Rows:
        """Paths as we write them; options in no order; no bounds of `by`, as Java prints an address there."""
        text = json.dumps(rows).replace(f"file:{both.warehouse}", str(both.warehouse))
        return parsed(system, columns, json.loads(re.sub(r"\bby=[^,}]*", "by=", text)))

    return unlike(source.to_arrow(columns), theirs, source.schema.fields, settled)


FILTERS = {
    "bitmap": [
        "n = 3",
        "v = 'text 7'",
        "v IS NULL",
        "n IN (3, 21) AND v <> 'other 3'",
        "d = '2024-01-09'",
        "n <> 1",
    ],
    "ranges": [
        "n > 950",
        "v = 'text 7'",
        "v IS NULL AND n > 0",
        "f <= -99.5",
        "n BETWEEN -1100 AND -1090 OR n = 9",
    ],
    "sliced": ["n > 195", "n <= -199 OR n = 7", "id = 17", "id = 10000"],
    "later": ["v = 'v3'", "v IN ('v1', 'none')"],
    "keyed": ["v = 'v1' AND n < 0", "n = 76", "id = 50", "v = 'none'"],
}
FILTERED = [
    pytest.param(script, table, where, id=f"{script.database}.{table}-{where}")
    for script in scripts()
    if script.name == "file_indexes"
    for table, filters in FILTERS.items()
    for where in filters
]


@pytest.mark.parametrize(("script", "table", "where"), FILTERED)
def test_filters_on_its_file_indexes_keep_the_rows_that_spark_keeps(both: Both, where: str) -> None:
    ours, (theirs,) = both.ours, both.theirs(f" WHERE {where}")
    assert unlike(ours.to_arrow(filter=where), theirs, ours.schema.fields) == {}


CHANGED = [
    pytest.param(script, "t", id=script.database) for script in scripts() if script.name == "changelogs"
]


@pytest.mark.parametrize(("script", "table"), CHANGED)
def test_we_read_the_changes_of_each_snapshot(both: Both) -> None:
    ids = both.ours.snapshots.ids()
    spans = [(start, end) for start, end in itertools.pairwise(ids)] + [(ids[0], ids[-1])]
    name = f"{both.database}.`t$audit_log`"
    theirs = both.spark.run(
        both.warehouse,
        *(f"SELECT * FROM paimon_incremental_query('{name}', '{start}', '{end}')" for start, end in spans),
    )
    for (start, end), answer in zip(spans, theirs, strict=True):
        changed = both.ours.with_options({"incremental-between": f"{start},{end}"})
        ours = open_system_table(changed, "audit_log")
        assert unlike(ours.to_arrow(), answer, ours.schema.fields) == {}, (start, end)
