"""The examples of docs/jobs.md are planned and done, on a table that has what they name."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core import open_catalog
from core.jobs import KINDS, CreateBranchJob, CreateTagJob, SortCompactJob, job_spec_from_json
from core.snapshot import Consumer
from core.table import Table
from core.types import DataField, parse_type
from spark_jobs.jobs.registry import JOBS
from spark_jobs.jobs.steps import Run, perform, told_plan
from tests.docs.test_jobs import example
from tests.spark_jobs.conftest import Recorded
from tests.spark_jobs.jobs import Pickling, do
from tests.tables import put

COLUMNS = {
    "dt": "STRING NOT NULL",
    "id": "BIGINT NOT NULL",
    "amount": "INT",
    "note": "STRING",
    "customer": "STRING",
}
ASK_SPARK = ("write", "delete", "update", "merge-into", "refresh", "read-view")  # tests/spark_jobs runs these
APPENDS = (SortCompactJob,)  # kinds of which the table has no primary key


def make_table(warehouse: Path, *, keyed: bool) -> Table:
    """Snapshots, tags, branches and consumers as the examples name them."""
    catalog = open_catalog(str(warehouse))
    catalog.create_database("sales")
    fields = [DataField(i, name, parse_type(text)) for i, (name, text) in enumerate(COLUMNS.items())]
    table = catalog.create_table(
        "sales.orders",
        fields,
        partition_keys=["dt"],
        primary_keys=["dt", "id"] if keyed else (),
        options={
            "bucket": "4" if keyed else "-1",
            "write-only": "true",
            "tag.automatic-creation": "process-time",
        },
    )
    for number, day in enumerate(("2026-11-01", "2026-11-02")):
        put(table, *[(day, i, i * number, "note", "customer") for i in range(8)])
    for job in (CreateTagJob("v1", snapshot=1), CreateBranchJob("dev", tag="v1")):
        do(warehouse, job, f"make-{type(job).__name__}", table="sales.orders")
    put(table.with_branch("dev"), ("2026-11-03", 1, 1, "note", "customer"))
    table.consumers.put(Consumer("reports", 1))
    materialized = {
        "type": "materialized-table",
        "materialized-table.definition-query": "SELECT dt FROM orders",
    }
    catalog.create_table("sales.by_day", fields[:1], options=materialized)
    return table


def make_files(folder: Path) -> None:
    incoming, events = folder / "incoming", folder / "events" / "day=2026-11-01"
    for place in (incoming, events):
        place.mkdir(parents=True)
    columns: dict[str, Any] = {"dt": ["2026-11-03"], "id": [1], "amount": pa.array([2], pa.int32())}
    pq.write_table(pa.table({**columns, "note": ["n"], "customer": ["c"]}), incoming / "part-0.parquet")
    pq.write_table(pa.table({"id": [1, 2]}), events / "part-0.parquet")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two warehouses, one of which has the table without a key, and the files of sources."""
    folder = tmp_path_factory.mktemp("examples")
    make_files(folder)
    for name, keyed in (("keyed", True), ("append", False)):
        make_table(folder / name, keyed=keyed)
    return folder


def spec_text(kind: str, data: Path, warehouse: Path) -> str:
    """The example, with folders of this machine in place of those that it names."""
    return example(kind).replace("/data/warehouse", str(warehouse)).replace("/data/", f"{data}/")


def run_of(kind: str, data: Path, warehouse: Path) -> Run:
    return Run(job_spec_from_json(json.loads(spec_text(kind, data, warehouse))), Recorded(), Pickling())


@pytest.mark.parametrize("kind", KINDS)
def test_an_example_is_planned_and_done(made: Path, tmp_path: Path, kind: str) -> None:
    source = made / ("append" if issubclass(KINDS[kind], APPENDS) else "keyed")
    warehouse = Path(shutil.copytree(source, tmp_path / "wh"))
    told = told_plan(JOBS[kind], run_of(kind, made, warehouse))
    assert json.loads(json.dumps(told))["kind"] == kind
    assert told["plan"] != {}
    if kind not in ASK_SPARK:
        result = perform(JOBS[kind], run_of(kind, made, warehouse))
        assert "verified" in result.details
