"""The console as a REST catalog: a table replaced, schemas taken back, partitions registered and filtered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from console.warehouses.models import Warehouse
from core import Table
from core.catalog.partitions import partitions_of
from core.schema.changes import SetOption
from tests.console.conftest import Caller
from tests.console.rest_catalog import COLUMNS, TABLE, CatalogClient
from tests.tables import put, rows_of

EQUAL = json.dumps(
    {"kind": "LEAF", "transform": {"name": "FIELD_REF"}, "function": "EQUAL", "literals": ["x"]}
)


@pytest.fixture
def admin(alice: Caller, lake: Warehouse) -> CatalogClient:
    assert alice.user is not None
    return CatalogClient(alice.user)


def specs(table: Table) -> list[dict[str, str]]:
    return [dict(partition.spec) for partition in partitions_of(table)]


def schema_of(table: Table, **changes: Any) -> dict[str, Any]:
    keys = {
        "partitionKeys": list(table.schema.partition_keys),
        "primaryKeys": [],
        "options": {"bucket": "-1"},
    }
    day = {"id": 0, "name": table.schema.partition_keys[0], "type": "STRING"}
    return {"schema": {"fields": [day, *COLUMNS], "comment": None, **keys, **changes}}


def test_a_table_is_replaced_and_keeps_its_id_and_its_past(admin: CatalogClient, table: Table) -> None:
    before, rows = admin.get(TABLE)["id"], rows_of(table)
    admin.post(f"{TABLE}/replace", schema_of(table, comment="anew"))
    after = admin.get(TABLE)
    assert (after["id"], after["schema"]["comment"]) == (before, "anew")
    latest = table.snapshots.latest_id()
    assert latest is not None
    assert rows_of(table.refreshed()) == []
    assert table.to_arrow(snapshot_id=latest - 1).num_rows == len(rows)


@pytest.mark.parametrize("key", ["data-file.external-paths", "global-index.external-path", "path"])
@pytest.mark.parametrize("where", ["file:///etc", "/etc", "s3://other/place", "{lake}/../out"])
def test_files_lie_in_the_warehouse(
    admin: CatalogClient, lake: Warehouse, table: Table, where: str, key: str
) -> None:
    place = where.format(lake=lake.location)
    schema = schema_of(table, options={"bucket": "-1", key: place})["schema"]
    new = {"identifier": {"database": "db", "object": "new"}, "schema": schema}
    change = {"changes": [{"action": "setOption", "key": key, "value": place}]}
    asked = ((TABLE, change), (f"{TABLE}/replace", {"schema": schema}), (TABLE.removesuffix("/t"), new))
    for address, body in asked:
        answer = admin.error("POST", address, body)
        assert key == "path" or "LAKESCOPE_TABLE_ROOTS" in answer["message"], address


def test_files_lie_where_the_operator_allows_it(admin: CatalogClient, settings: Any, tmp_path: Path) -> None:
    settings.TABLE_ROOTS = (f"{tmp_path}/cold",)
    root = {"bucket": "-1", "data-file.external-paths.strategy": "round-robin"}
    admin.make("new", options=root | {"data-file.external-paths": f"file://{tmp_path}/cold/a"})
    beside = {"action": "setOption", "key": "data-file.external-paths", "value": f"file://{tmp_path}/colder"}
    assert admin.error("POST", f"{TABLE.removesuffix('/t')}/new", {"changes": [beside]})["code"] == 400


def test_a_table_with_other_partitions_is_not_replaced(admin: CatalogClient, table: Table) -> None:
    before = (table.schemas.ids(), table.snapshots.ids())
    answer = admin.error("POST", f"{TABLE}/replace", schema_of(table, partitionKeys=[]))
    assert (answer["code"], "partition keys" in answer["message"]) == (501, True)
    assert admin.error("POST", f"{TABLE}/replace", {})["code"] == 400
    assert (table.schemas.ids(), table.snapshots.ids()) == before


def test_a_schema_is_taken_back_that_nothing_was_written_with(admin: CatalogClient, table: Table) -> None:
    known = table.schemas.ids()[-1]
    table.alter([SetOption("snapshot.num-retained.min", "4")])
    admin.post(f"{TABLE}/rollback-schema", {"schemaId": known})
    assert admin.get(TABLE)["schemaId"] == known
    assert admin.error("POST", f"{TABLE}/rollback-schema", {"schemaId": 99})["code"] == 404
    assert admin.error("POST", f"{TABLE}/rollback-schema", {})["code"] == 400


def test_a_schema_in_use_is_not_taken_back(admin: CatalogClient, table: Table) -> None:
    table.alter([SetOption("snapshot.num-retained.min", "4")])
    put(table.refreshed(), ("2026-11-22", 1, 1, "of the new schema"))
    answer = admin.error("POST", f"{TABLE}/rollback-schema", {"schemaId": 0})
    assert (answer["code"], "in use" in answer["message"]) == (400, True)
    assert table.schemas.ids() == [0, 1]


def test_partitions_with_files_are_registered_already(admin: CatalogClient, table: Table) -> None:
    there = specs(table)[:1]
    body = {"partitionSpecs": there, "ignoreIfExists": True}
    assert admin.post(f"{TABLE}/partitions", body) == {"created": [], "existed": there}
    answer = admin.error("POST", f"{TABLE}/partitions", {"partitionSpecs": there, "ignoreIfExists": False})
    assert (answer["code"], answer["resourceType"]) == (409, "PARTITION")
    nowhere = dict.fromkeys(there[0], "nowhere")
    answer = admin.error("POST", f"{TABLE}/partitions", {"partitionSpecs": [nowhere], "ignoreIfExists": True})
    assert (answer["code"], "without files" in answer["message"]) == (501, True)


def test_partitions_that_are_gone_are_dropped_and_others_are_not(admin: CatalogClient, table: Table) -> None:
    there = specs(table)[:1]
    gone = [dict.fromkeys(there[0], "nowhere")]
    body = {"partitionSpecs": gone, "ignoreIfNotExists": True}
    assert admin.post(f"{TABLE}/partitions/drop", body) == {"dropped": [], "missing": gone}
    answer = admin.error("POST", f"{TABLE}/partitions/drop", body | {"ignoreIfNotExists": False})
    assert (answer["code"], answer["resourceType"]) == (404, "PARTITION")
    answer = admin.error("POST", f"{TABLE}/partitions/drop", body | {"partitionSpecs": there})
    assert answer["code"] == 501
    assert specs(table)[:1] == there


def test_no_partition_that_a_filter_matches_is_left_out(admin: CatalogClient, table: Table) -> None:
    there = specs(table)
    seen: list[dict[str, str]] = []
    body: dict[str, Any] = {"filter": EQUAL, "maxResults": 1}
    while body.get("pageToken", "begin"):
        page = admin.post(f"{TABLE}/partitions/list-by-filter", body)
        seen += [partition["spec"] for partition in page["partitions"]]
        body["pageToken"] = page["nextPageToken"]
    assert seen == there
    assert admin.error("POST", f"{TABLE}/partitions/list-by-filter", {})["code"] == 400
    assert admin.error("POST", f"{TABLE}/partitions/list-by-filter", {"filter": "no"})["code"] == 400
    none = admin.post(f"{TABLE}/partitions/list-by-filter", {"filter": EQUAL, "partitionNamePattern": "no%"})
    assert none["partitions"] == []
