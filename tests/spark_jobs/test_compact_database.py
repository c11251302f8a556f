"""The compaction of whole databases."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from core import open_catalog
from core.errors import PaimonError
from core.jobs import CompactDatabaseJob
from core.table import Table
from core.write import TableWrite
from tests.spark_jobs.jobs import Pickling, do, plan_of
from tests.tables import data_paths, files_of


def make_tables(folder: Path) -> dict[str, Table]:
    catalog = open_catalog(str(folder))
    tables = {}
    for name in ("sales.orders", "sales.events", "sales.orders_archive", "hr.people"):
        catalog.create_database(name.partition(".")[0], ignore_if_exists=True)
        schema = pa.schema([pa.field("id", pa.int32(), nullable=False)])
        keys = ["id"] if "orders" in name else []
        options = {"bucket": "1" if keys else "-1", "write-only": "true"}
        tables[name] = catalog.create_table(name, schema, primary_keys=keys, options=options)
        for i in range(5):
            with TableWrite(tables[name]) as write:
                write.write(pa.table({"id": pa.array([i], pa.int32())}, schema=schema))
                tables[name].new_commit("w").commit(write.prepare_commit())
    return tables


def files(tables: dict[str, Table]) -> dict[str, int]:
    return {name: len(files_of(table)) for name, table in tables.items()}


WORK = CompactDatabaseJob(including_databases="sales", excluding_tables=".*_archive")


def test_every_table_that_matches_is_compacted_by_one_run_of_tasks(tmp_path: Path) -> None:
    tables = make_tables(tmp_path)
    assert plan_of(tmp_path, WORK, table="")["plan"]["tables"].keys() == {"sales.orders", "sales.events"}  # type: ignore[index]
    executors = Pickling()
    result = do(tmp_path, WORK, table="", executors=executors)
    assert executors.phases == [("compact", 2)]
    assert files(tables) == {"sales.orders": 1, "sales.events": 1, "sales.orders_archive": 5, "hr.people": 5}
    assert result.details["verified"]["sales.orders"]["files_after"] == 1
    again = do(tmp_path, WORK, table="")
    assert (again.metrics["tables_compacted"], tables["sales.orders"].snapshots.latest_id()) == (0, 6)


def test_a_table_that_fails_does_not_stop_the_others_and_a_second_run_goes_on(tmp_path: Path) -> None:
    tables = make_tables(tmp_path)
    lost = min(data_paths(tables["sales.events"]))
    data = tables["sales.events"].io.read(lost)
    tables["sales.events"].io.delete(lost)
    with pytest.raises(PaimonError, match="1 tables were not compacted") as told:
        do(tmp_path, WORK, table="")
    assert told.value.fields["table"] == "sales.events"
    assert files(tables)["sales.orders"] == 1
    tables["sales.events"].io.write(lost, data)
    do(tmp_path, WORK, table="")
    assert files(tables)["sales.events"] == 1
