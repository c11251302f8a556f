"""The pages of a table, and a rollback by real Spark, in a warehouse of each kind of catalog."""

from __future__ import annotations

import os
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from console.jobs.models import Job
from console.warehouses.models import Warehouse
from console.warehouses.serializers import NO_SECRETS
from core import Table, open_catalog
from core.inspect.schema_diff import mask_option
from core.types import DataField, parse_type
from tests.console.conftest import Caller
from tests.console.jobs.steps import run
from tests.core.catalog.contract.kinds import KINDS
from tests.interop.rest_server import RestServer
from tests.tables import put, rows_of

pytestmark = [pytest.mark.spark, pytest.mark.django_db(transaction=True)]

AT_LENGTH = {"jdbc in MariaDB", "jdbc in SQLite"}  # much like another: `make integration` has them all
NAMES = ["filesystem on S3", "jdbc in PostgreSQL", "jdbc in MariaDB", "jdbc in SQLite", "hive", "rest"]
HERE = "/warehouses/lake/databases/db/tables/t"


@pytest.fixture
def rest_server(tmp_path: Path) -> Any:
    with RestServer(tmp_path) as running:
        yield running


@pytest.fixture(params=NAMES)
def options(request: pytest.FixtureRequest, tmp_path: Path) -> Mapping[str, str]:
    """Options of an empty warehouse of a kind, on a real server."""
    name: str = request.param
    if name in AT_LENGTH and "LAKESCOPE_INTEGRATION" not in os.environ:
        pytest.skip("much like another kind: make integration runs it")
    kind = next(kind for kind in KINDS if kind.name.startswith(name))
    return kind.opens(request, str(tmp_path), f"c{uuid.uuid4().hex[:12]}")


def registered(alice: Caller, options: Mapping[str, str]) -> None:
    """By the API, as the form does it."""
    given = {key: value for key, value in options.items() if key != "warehouse"}
    secrets = {key for key in given if mask_option(key, "") and key not in NO_SECRETS}
    if not options["warehouse"].startswith("s3") and options.get("metastore") != "rest":
        Path(options["warehouse"]).mkdir(parents=True, exist_ok=True)
    body = {
        "name": "lake",
        "location": options["warehouse"],
        "options": {key: value for key, value in given.items() if key not in secrets},
        "credentials": {key: given[key] for key in secrets},
    }
    reply = alice.post("/warehouses", body)
    assert (reply.status_code, reply.json().get("state")) == (201, "up"), reply.content


def written(options: Mapping[str, str]) -> Table:
    """A table with a key, two buckets and three commits; the last one is to be taken back."""
    catalog = open_catalog(options)
    catalog.create_database("db", ignore_if_exists=True)
    columns = {"id": "BIGINT NOT NULL", "note": "STRING"}
    fields = [DataField(i, name, parse_type(text)) for i, (name, text) in enumerate(columns.items())]
    table = catalog.create_table("db.t", fields, primary_keys=["id"], options={"bucket": "2"})
    for commit in range(3):
        put(table, *((i, f"commit {commit}") for i in range(5)))
    return table


def test_a_tables_pages_and_a_rollback_by_spark_work_in_each_kind_of_warehouse(
    options: Mapping[str, str], alice: Caller, settings: Any
) -> None:
    settings.JOB_MODULE = "spark_jobs"
    table = written(options)
    before = rows_of(table)
    registered(alice, options)
    assert [row["name"] for row in alice.items("/warehouses/lake/databases/db/tables")] == ["t"]
    for path in ("", "/snapshots", "/snapshots/3", "/snapshots/3/changes", "/files", "/buckets", "/schemas"):
        assert alice.get(f"{HERE}{path}").status_code == 200, path
    preview = alice.post(f"{HERE}/preview", {"limit": 10})
    assert (preview.status_code, len(preview.json()["rows"])) == (200, 5), preview.content
    plan = alice.post(f"{HERE}/plans", {"kind": "rollback", "params": {"to": {"snapshot": "2"}}}).json()
    assert plan["blockers"] == []
    body = {"plan_id": plan["id"], "confirmation": plan["confirmation"] or "", "reason": "test"}
    job = run(Job.objects.get(public_id=alice.post("/jobs", body).json()["id"]))
    assert (job.state, job.problem) == ("succeeded", None)
    assert table.snapshots.latest_id() == 2
    assert rows_of(table) != before
    assert alice.json(HERE)["latest"]["id"] == 2
    assert Warehouse.objects.get().state == "up"
