"""Tables that we maintained, as peers read, write and expire them; and Java's tables, maintained by us."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from core.catalog import open_catalog
from core.maintenance.check import Severity, check_table
from core.table import Table
from core.types import type_to_text
from tests.interop import describe
from tests.interop.describe import insert
from tests.interop.maintained import COLUMNS, WAYS, clean, expire, maintain_all
from tests.interop.peers import JavaPaimon, Peer
from tests.interop.spark_paimon import SparkPaimon
from tests.interop.values import json_rows, same_rows

pytestmark = pytest.mark.interop

NEWEST = pytest.param("newest", marks=pytest.mark.newest)
ALL_ROOTS = ("latest", "atSnapshot", "atTag", "branches")
THEIRS = [insert(50, "theirs", "d0"), insert(51, "theirs", "d1"), insert(2, "theirs", "d0")]


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("warehouse")
    maintain_all(folder)
    return folder


@pytest.fixture
def copied(warehouse: Path, tmp_path: Path) -> Path:
    """The same warehouse, to be written to."""
    shutil.copytree(warehouse, tmp_path, dirs_exist_ok=True)
    return tmp_path


def rows(table: Table, **how: Any) -> list[Any]:
    types = {field.name: type_to_text(field.type) for field in table.schema.fields}
    return json_rows(table.to_arrow(**how), types)


def opened(warehouse: Path, name: str) -> Table:
    return open_catalog(str(warehouse)).get_data_table(name)


def assert_reads_alike(answer: dict[str, Any], table: Table) -> None:
    """The latest state, every snapshot, tag and branch."""
    assert same_rows(answer["latest"]["rows"], rows(table))
    assert (answer["earliestSnapshotId"], answer["latestSnapshotId"]) == (
        table.snapshots.earliest_id(),
        table.snapshots.latest_id(),
    )
    assert list(map(int, answer["atSnapshot"])) == table.snapshots.ids()
    for snapshot_id, found in answer["atSnapshot"].items():
        assert same_rows(found["rows"], rows(table, snapshot_id=int(snapshot_id))), snapshot_id
    assert sorted(answer["atTag"]) == table.tags.names()
    for name, found in answer["atTag"].items():
        assert same_rows(found["rows"], rows(table, tag=name)), name
    assert sorted(answer["branches"]) == table.branches.names()
    for name, found in answer["branches"].items():
        assert same_rows(found["latest"]["rows"], rows(table.with_branch(name))), name


def is_whole(table: Table) -> bool:
    return not [f for f in check_table(table).findings if f.severity is Severity.ERROR]


@pytest.mark.parametrize("name", ["java", "pypaimon", NEWEST])
def test_a_peer_reads_all_that_is_left(name: str, warehouse: Path, request: pytest.FixtureRequest) -> None:
    peer: Peer = request.getfixturevalue(name)
    answers = peer.dump(warehouse, ALL_ROOTS)
    for way in WAYS:
        assert_reads_alike(answers[f"ours.{way}"], opened(warehouse, f"ours.{way}"))


@pytest.mark.parametrize("name", ["java", NEWEST])
def test_java_writes_and_expires_where_we_stopped(
    name: str, copied: Path, request: pytest.FixtureRequest
) -> None:
    java: Peer = request.getfixturevalue(name)
    pause = {"op": "sleep", "ms": 20}
    steps = [describe.write(*THEIRS), pause, describe.write(THEIRS[0]), pause, {"op": "expire", "retain": 1}]
    java.write(describe.warehouse(ours=[describe.existing(way, steps) for way in WAYS]), copied)
    answers = java.dump(copied, ALL_ROOTS)
    for way in WAYS:
        table = opened(copied, f"ours.{way}")
        assert len(table.snapshots.ids()) == 1, way
        assert_reads_alike(answers[f"ours.{way}"], table)
        assert is_whole(table), way


def test_we_expire_what_pypaimon_wrote_where_we_stopped(pypaimon: Peer, copied: Path) -> None:
    steps = [describe.write(*THEIRS), describe.write(THEIRS[0])]
    pypaimon.write(describe.warehouse(ours=[describe.existing(way, steps) for way in WAYS]), copied)
    before = {way: rows(opened(copied, f"ours.{way}")) for way in WAYS}
    for way in WAYS:
        table = opened(copied, f"ours.{way}")
        assert sorted(row for row in before[way] if row[1] == "theirs") == sorted(r[1:] for r in THEIRS), way
        expire(table)
        clean(table)
        assert is_whole(table), way
    answers = pypaimon.dump(copied, ALL_ROOTS)
    for way in WAYS:
        assert same_rows(answers[f"ours.{way}"]["latest"]["rows"], before[way]), way
        assert_reads_alike(answers[f"ours.{way}"], opened(copied, f"ours.{way}"))


@pytest.mark.newest
def test_spark_sql_of_the_newest_goes_on_where_we_stopped(spark_paimon: SparkPaimon, copied: Path) -> None:
    for way in WAYS:
        table = opened(copied, f"ours.{way}")
        before = spark_paimon.rows(copied, f"SELECT * FROM ours.{way}")
        assert same_rows(json_rows(before, COLUMNS), rows(table)), way
        spark_paimon.run(
            copied,
            f"INSERT INTO ours.{way} VALUES (50, 'theirs', 'd0'), (2, 'theirs', 'd0')",
            f"DELETE FROM ours.{way} WHERE id = 3",
            f"CALL sys.compact(table => 'ours.{way}')",
            f"CALL sys.expire_snapshots(table => 'ours.{way}', retain_max => 1, retain_min => 1)",
            f"CALL sys.remove_orphan_files(table => 'ours.{way}')",
        )
        table = opened(copied, f"ours.{way}")
        after = spark_paimon.rows(copied, f"SELECT * FROM ours.{way}")
        assert len(table.snapshots.ids()) == 1, way
        assert same_rows(json_rows(after, COLUMNS), rows(table)), way
        assert is_whole(table), way


def test_what_java_wrote_reads_the_same_once_we_have_expired_and_cleaned_it(
    java: JavaPaimon, tmp_path: Path
) -> None:
    steps = [describe.write(*(insert(k, f"v{i}") for k in range(i, i + 4))) for i in range(6)]
    steps.insert(3, describe.compact())
    steps.insert(4, describe.tag("mid"))
    steps.append({"op": "mkbranch", "name": "dev", "tag": "mid"})
    options = [{}, {"changelog-producer": "input"}, {"changelog-producer": "lookup"}]
    described = [
        describe.table(
            f"t{i}",
            [("id", "INT NOT NULL"), ("v", "STRING")],
            primary_key=["id"],
            options={"bucket": "2", **more},
            operations=steps,
        )
        for i, more in enumerate(options)
    ]
    java.write(describe.warehouse(theirs=described), tmp_path)
    before = java.dump(tmp_path, ALL_ROOTS)
    for i in range(len(options)):
        table = opened(tmp_path, f"theirs.t{i}")
        expire(table, 2)
        clean(table)
        assert is_whole(table)
    after = java.dump(tmp_path, (*ALL_ROOTS, "changesOfSnapshot"))
    for i in range(len(options)):
        table, was, now = opened(tmp_path, f"theirs.t{i}"), before[f"theirs.t{i}"], after[f"theirs.t{i}"]
        assert_reads_alike(now, table)
        for kind in ("atSnapshot", "atTag"):
            for root, found in now[kind].items():
                assert same_rows(found["rows"], was[kind][root]["rows"]), (i, root)
        assert [s for s in now["changesOfSnapshot"].values() if "error" in str(s)] == []
