"""Tables that we write, compact and roll back ourselves stand the check."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from core.catalog import open_catalog
from core.maintenance.check import FindingKind, check_table
from core.system import open_system_table
from core.table import Table

KEYS = pa.array(range(100), pa.int32())
ROWS = pa.table({"k": KEYS, "p": ["a", "b"] * 50, "v": [f"v{i}" for i in range(100)]})
PLAIN: dict[str, tuple[str, ...]] = {}
KEYED = {"primary_keys": ("k",)}
PARTITIONED = {"primary_keys": ("k", "p"), "partition_keys": ("p",)}


def written(tmp_path: Path, commits: int, **keys: tuple[str, ...]) -> Table:
    catalog = open_catalog(str(tmp_path))
    catalog.create_database("db")
    schema = ROWS.schema.set(0, pa.field("k", pa.int32(), nullable=False))
    options = {"bucket": "2", "bucket-key": "k"} if not keys.get("primary_keys") else {"bucket": "2"}
    table = catalog.create_table("db.t", schema, options=options, **keys)  # type: ignore[arg-type]
    for _ in range(commits):
        with table.new_write() as write:
            write.write(ROWS)
            table.new_commit("tester").commit(write.prepare_commit())
    return table


@pytest.mark.parametrize("keys", [PLAIN, KEYED, PARTITIONED])
def test_what_we_write_and_compact_has_no_fault(tmp_path: Path, keys: dict[str, tuple[str, ...]]) -> None:
    table = written(tmp_path, 3, **keys)
    messages = [table.run_compaction(task) for task in table.plan_compaction().tasks]
    table.new_commit("tester").commit(messages)
    report = check_table(table)
    assert (report.findings, report.orphans, report.orphans_unknown) == ((), (), None)


def test_system_tables_count_what_we_wrote(tmp_path: Path) -> None:
    table = written(tmp_path, 2, **PARTITIONED)
    partitions = open_system_table(table, "partitions").to_arrow(
        ["partition", "record_count", "total_buckets"]
    )
    assert partitions.to_pylist() == [
        {"partition": "p=a", "record_count": 100, "total_buckets": 2},
        {"partition": "p=b", "record_count": 100, "total_buckets": 2},
    ]
    buckets = open_system_table(table, "buckets").to_arrow(["record_count"], "partition = '{a}'")
    assert sum(buckets.column(0).to_pylist()) == 100


def test_files_of_a_writer_that_never_committed_are_orphans(tmp_path: Path) -> None:
    table = written(tmp_path, 1)
    with table.new_write() as write:
        write.write(ROWS)
        write.prepare_commit()
    report = check_table(table)
    assert report.findings == ()
    assert len(report.orphans) == 2
    assert all(orphan.path.startswith("bucket-") for orphan in report.orphans)


def test_a_file_in_another_store_was_not_looked_at(tmp_path: Path) -> None:
    table = written(tmp_path, 0)
    with table.new_write() as write:
        write.write(ROWS)
        (message, *_) = write.prepare_commit()
        elsewhere = [replace(f, external_path=f"s3://far/{f.file_name}") for f in message.new_files]
        table.new_commit("tester").commit([replace(message, new_files=tuple(elsewhere))])
    (finding, *_) = check_table(table).findings
    assert finding.kind is FindingKind.UNREADABLE
    assert "was not looked at: a file lies in another kind of store" in finding.problem
    assert finding.path.startswith("s3://far/")
