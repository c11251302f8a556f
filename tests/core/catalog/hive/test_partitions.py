"""Partitions that the metastore keeps: those with files, or one for each tag."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from core.catalog import Catalog, open_catalog
from core.catalog.errors import CatalogError
from core.catalog.hive.client import HiveClient
from core.catalog.hive.partitions import HivePartitions
from core.commit import TableCommit
from core.errors import InvalidRequestError, UnsupportedError
from core.maintenance.tags import apply_create_tag, apply_delete_tags, plan_create_tag, plan_delete_tags
from core.schema.changes import AddColumn, SetOption
from core.table import Table
from core.types import STRING
from tests.builders import fields
from tests.hive_metastore import empty_metastore
from tests.tables import put

PARTITIONED = {"metastore.partitioned-table": "true"}
TAGGED = {"metastore.tag-to-partition": "day"}


@pytest.fixture
def catalog(hive: Mapping[str, str], tmp_path: Path) -> Iterator[Catalog]:
    empty_metastore(hive["uri"])
    made = open_catalog({**hive, "warehouse": str(tmp_path)})
    made.create_database("db")
    return made


@pytest.fixture
def table(catalog: Catalog) -> Table:
    columns = fields(d="STRING", e="INT", k="INT")
    return catalog.create_table("db.t", columns, partition_keys=["d", "e"], options=PARTITIONED)


def kept(hive: Mapping[str, str]) -> list[str]:
    client = HiveClient.at(hive["uri"])
    return list(client.ask("list", lambda hms: hms.get_partition_names("db", "t", -1)))


def places(hive: Mapping[str, str], database: str, name: str) -> dict[str, str]:
    """Where partitions are, by their values: as their parameter says, if they have it."""
    found = HiveClient.at(hive["uri"]).ask("look", lambda hms: hms.get_partitions(database, name, -1))
    said = {"/".join(one.values): one.parameters.get("paimon_location", one.sd.location) for one in found}
    return {values: place.removeprefix("file:") for values, place in said.items()}


def in_metastore(hive: Mapping[str, str]) -> Any:
    return HiveClient.at(hive["uri"]).ask("look", lambda hms: hms.get_table("db", "t"))


def test_partitions_come_with_their_first_files(table: Table, hive: Mapping[str, str]) -> None:
    assert [c.name for c in in_metastore(hive).partitionKeys] == ["d", "e"]
    assert [c.name for c in in_metastore(hive).sd.cols] == ["k"]
    put(table, ("a b/c", 1, 1), (None, 2, 2))
    put(table, ("a b/c", 1, 3))
    assert kept(hive) == ["d=__DEFAULT_PARTITION__/e=2", "d=a b%2Fc/e=1"]
    (one,) = HiveClient.at(hive["uri"]).ask(
        "look", lambda hms: hms.get_partitions_by_names("db", "t", kept(hive)[1:])
    )
    assert (one.values, one.sd.location) == (["a b/c", "1"], f"file:{table.location}/d=a b%2Fc/e=1")


def test_a_partition_goes_when_its_last_file_does(table: Table, hive: Mapping[str, str]) -> None:
    put(table, ("x", 1, 1), ("y", 1, 1), ("z", 1, 1))
    TableCommit(table, "u").truncate_partitions([{"d": "x"}])
    assert kept(hive) == ["d=y/e=1", "d=z/e=1"]


def test_a_partition_of_a_branch_stays(table: Table, hive: Mapping[str, str]) -> None:
    put(table, ("x", 1, 1), ("y", 1, 1))
    table.branches.create("b")
    put(table.with_branch("b"), ("x", 1, 2))
    TableCommit(table, "u").truncate()
    assert kept(hive) == ["d=x/e=1"]


def test_tags_are_partitions(catalog: Catalog, hive: Mapping[str, str]) -> None:
    table = catalog.create_table("db.t", fields(k="INT"), options=TAGGED)
    assert [(c.name, c.type) for c in in_metastore(hive).partitionKeys] == [("day", "string")]
    put(table, (1,))
    for name in ("2026-11-21", "2026-11-22"):
        apply_create_tag(table, plan_create_tag(table, name, now_millis=0))
    assert kept(hive) == ["day=2026-11-21", "day=2026-11-22"]
    apply_delete_tags(table, plan_delete_tags(table, ["2026-11-21"]))
    assert kept(hive) == ["day=2026-11-22"]


def test_a_repair_adds_what_is_missing(
    catalog: Catalog, table: Table, hive: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    put(open_catalog(table.location.rpartition("/db.db")[0]).get_data_table("db.t"), ("x", 1, 1))
    assert kept(hive) == []
    assert catalog.repair_table("db.t") is True
    assert kept(hive) == ["d=x/e=1"]
    assert catalog.repair_table("db.t") is False


def test_columns_change_and_partition_keys_do_not(
    catalog: Catalog, table: Table, hive: Mapping[str, str]
) -> None:
    put(table, ("x", 1, 1))
    catalog.alter_table("db.t", [AddColumn(("v",), STRING)])
    assert [c.name for c in in_metastore(hive).sd.cols] == ["k", "v"]
    with pytest.raises(UnsupportedError, match="partitioned-table"):
        catalog.alter_table("db.t", [SetOption("metastore.partitioned-table", "false")])
    assert len(table.schemas.ids()) == 2


def test_tags_are_no_partitions_beside_others(catalog: Catalog) -> None:
    with pytest.raises(InvalidRequestError, match="tag-to-partition"):
        catalog.create_table("db.t", fields(d="STRING"), partition_keys=["d"], options=TAGGED)
    assert catalog.list_tables("db") == []


def test_tags_that_are_not_made_yet_are_refused_as_partitions(catalog: Catalog) -> None:
    preview = {**TAGGED, "metastore.tag-to-partition.preview": "process-time"}
    table = catalog.create_table("db.t", fields(k="INT"), options=preview)
    with pytest.raises(UnsupportedError, match="preview"):
        put(table, (1,))
    assert table.snapshots.ids() == []


def test_partitions_are_marked_as_done_where_the_table_asks_for_it(
    catalog: Catalog, hive: Mapping[str, str]
) -> None:
    marked = {**PARTITIONED, "partition.mark-done-action": "success-file,mark-event"}
    for name, options in (("t", marked), ("u", PARTITIONED)):
        columns = fields(d="STRING", k="INT")
        table = catalog.create_table(f"db.{name}", columns, partition_keys=["d"], options=options)
        put(table, ("x", 1), ("y", 2))
        catalog.mark_partitions_done(f"db.{name}", [{"d": "x"}, {"d": "not there"}])
    assert [(p.name, p.done) for p in catalog.list_partitions("db.t")] == [("d=x", True), ("d=y", False)]
    assert not any(p.done for p in catalog.list_partitions("db.u"))
    unmarked = catalog.get_table("db.u")
    assert unmarked.home.partitions_done(unmarked.schema, [{"d": "x"}]) is None
    with pytest.raises(InvalidRequestError, match="partition key"):
        catalog.mark_partitions_done("db.t", [{"k": "1"}])


def test_a_partition_beside_one_says_that_it_is_done_where_the_table_asks_for_it(
    catalog: Catalog, hive: Mapping[str, str]
) -> None:
    marked = {**PARTITIONED, "partition.mark-done-action": "done-partition"}
    table = catalog.create_table("db.t", fields(d="STRING", k="INT"), partition_keys=["d"], options=marked)
    put(table, ("x", 1), ("y", 2))
    HivePartitions(HiveClient.at(hive["uri"]), table.identifier).add([{"d": "y.done"}])
    asked = [{"d": "y"}, {"d": "x"}, {"d": "never written"}]
    assert table.home.partitions_done(table.schema, asked) == [True, False, False]
    assert [p.done for p in catalog.list_partitions("db.t")] == [False, True]


def test_what_partitions_hold_is_reported_where_the_table_asks_for_it(
    catalog: Catalog, hive: Mapping[str, str]
) -> None:
    reported = {**PARTITIONED, "partition.idle-time-to-report-statistic": "1 s"}
    table = catalog.create_table("db.t", fields(d="STRING", k="INT"), partition_keys=["d"], options=reported)
    put(table, ("x", 1), ("x", 2), ("y", 3))
    put(table, ("x", 4))
    told = {p.values[0]: p.parameters for p in all_of(hive)}
    assert {name: told[name]["numRows"] for name in told} == {"x": "3", "y": "1"}
    size = {p.spec["d"]: p.statistics.file_size_in_bytes for p in catalog.list_partitions("db.t")}
    assert (told["x"]["numFiles"], told["x"]["totalSize"]) == ("2", str(size["x"]))


def all_of(hive: Mapping[str, str]) -> Any:
    return HiveClient.at(hive["uri"]).ask("look", lambda hms: hms.get_partitions("db", "t", -1))


@pytest.mark.parametrize("in_properties", ["false", "true"])
def test_partitions_of_a_renamed_table_are_where_it_is(
    in_properties: str, hive: Mapping[str, str], tmp_path: Path
) -> None:
    empty_metastore(hive["uri"])
    given = {**hive, "warehouse": str(tmp_path), "location-in-properties": in_properties}
    catalog = open_catalog(given)
    for database in ("db", "other"):
        catalog.create_database(database)
    columns = fields(d="STRING", k="INT")
    put(
        catalog.create_table("db.t", columns, partition_keys=["d"], options=PARTITIONED), ("a/b", 1), ("c", 2)
    )
    for source, target in (("db.t", "db.u"), ("db.u", "other.v")):
        catalog.rename_table(source, target)
        database, name = target.split(".")
        there = catalog.location(target)
        assert places(hive, database, name) == {"a/b": f"{there}/d=a%2Fb", "c": f"{there}/d=c"}
        assert Path(there, "d=a%2Fb").is_dir()


def test_partitions_that_a_rename_left_behind_are_mended_by_a_repair(
    catalog: Catalog, table: Table, hive: Mapping[str, str], monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    put(table, ("x", 1, 1))

    def fail(partitions: HivePartitions) -> int:
        raise CatalogError("gone", catalog="hive", operation="alter partitions", cause="test")

    with monkeypatch.context() as patched:
        patched.setattr(HivePartitions, "settle", fail)
        catalog.rename_table("db.t", "db.u")
    assert "repair it" in caplog.text
    assert places(hive, "db", "u") == {"x/1": f"{table.location}/d=x/e=1"}
    assert catalog.repair_table("db.u") is True
    assert catalog.repair_table("db.u") is False
    assert places(hive, "db", "u") == {"x/1": f"{catalog.location('db.u')}/d=x/e=1"}
