from __future__ import annotations

import getpass
import socket
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from core.catalog import Catalog, open_catalog
from core.catalog.errors import CatalogError, LockTimeoutError
from core.catalog.hive.client import HiveClient
from core.catalog.hive.lock import HiveLock
from core.catalog.hive.types import hive_type, type_of
from core.errors import InvalidRequestError, UnsupportedError
from core.identifier import Identifier
from core.schema.changes import AddColumn
from core.types import STRING, parse_type
from tests.builders import fields
from tests.hive_metastore import empty_metastore
from tests.ports import free_port


@pytest.fixture
def catalog(hive: Mapping[str, str], tmp_path: Path) -> Iterator[Catalog]:
    empty_metastore(hive["uri"])
    made = open_catalog({**hive, "warehouse": str(tmp_path)})
    made.create_database("db")
    return made


def kept(hive: Mapping[str, str], name: str) -> Any:
    """What the metastore has of a table."""
    return HiveClient.at(hive["uri"]).ask("look", lambda hms: hms.get_table("db", name))


def test_the_metastore_keeps_of_a_table_what_the_spec_says(catalog: Catalog, hive: Mapping[str, str]) -> None:
    keys: dict[str, Any] = {"partition_keys": ["d"], "primary_keys": ["d", "k"], "options": {"bucket": "2"}}
    made = catalog.create_table("db.t", fields(d="STRING", k="INT"), **keys, comment="c")
    found = kept(hive, "t")
    assert (found.tableType, found.sd.location) == ("MANAGED_TABLE", f"file:{made.location}")
    assert [(c.name, c.type) for c in found.sd.cols] == [("d", "string"), ("k", "int")]
    assert found.partitionKeys == []
    assert found.sd.inputFormat == "org.apache.paimon.hive.mapred.PaimonInputFormat"
    assert found.sd.outputFormat == "org.apache.paimon.hive.mapred.PaimonOutputFormat"
    assert found.sd.serdeInfo.serializationLib == "org.apache.paimon.hive.PaimonSerDe"
    its_own = {"transient_lastDdlTime", "numFiles", "totalSize"}  # the metastore's
    assert {key: value for key, value in found.parameters.items() if key not in its_own} == {
        "table_type": "PAIMON",
        "storage_handler": "org.apache.paimon.hive.PaimonStorageHandler",
        "comment": "c",
        "bucket": "2",
        "primary-key": "d,k",
        "partition": "d",
        "bucket-key": "k",
    }


def test_a_changed_schema_is_written_down(catalog: Catalog, hive: Mapping[str, str]) -> None:
    catalog.create_table("db.t", fields(k="INT"))
    catalog.alter_table("db.t", [AddColumn(("v",), STRING)])
    assert [(c.name, c.type) for c in kept(hive, "t").sd.cols] == [("k", "int"), ("v", "string")]
    assert catalog.repair_table("db.t") is False


def test_an_external_table_keeps_its_files(catalog: Catalog, hive: Mapping[str, str]) -> None:
    made = catalog.create_table("db.t", fields(k="INT"))
    found = kept(hive, "t")
    found.tableType, found.parameters["EXTERNAL"] = "EXTERNAL_TABLE", "TRUE"
    HiveClient.at(hive["uri"]).change("alter", lambda hms: hms.alter_table("db", "t", found))
    assert catalog.table_facts("db.t").is_external
    catalog.drop_table("db.t")
    assert made.schemas.ids() == [0]
    assert catalog.repair_table("db.t") is True
    assert catalog.list_tables("db") == ["t"]


def test_an_external_table_stays_where_it_is_when_it_is_renamed(
    catalog: Catalog, hive: Mapping[str, str]
) -> None:
    made = catalog.create_table("db.t", fields(k="INT"))
    found = kept(hive, "t")
    found.tableType, found.parameters["EXTERNAL"] = "EXTERNAL_TABLE", "TRUE"
    HiveClient.at(hive["uri"]).change("alter", lambda hms: hms.alter_table("db", "t", found))
    catalog.rename_table("db.t", "db.u")
    assert catalog.location("db.u") == made.location
    assert catalog.get_data_table("db.u").schema.field_names == ("k",)


def test_a_table_that_is_not_paimons_is_named_and_left(catalog: Catalog, hive: Mapping[str, str]) -> None:
    catalog.create_table("db.t", fields(k="INT"))
    other = kept(hive, "t")
    other.tableName, other.parameters = "csv", {}
    other.sd.inputFormat, other.sd.location = "org.apache.hadoop.mapred.TextInputFormat", None
    HiveClient.at(hive["uri"]).change("create", lambda hms: hms.create_table(other))
    assert catalog.list_tables("db") == ["t"]
    with pytest.raises(UnsupportedError, match="TextInputFormat"):
        catalog.get_table("db.csv")
    with pytest.raises(InvalidRequestError, match=r"nothing was dropped .*tables=csv"):
        catalog.drop_database("db", cascade=True)
    assert catalog.get_data_table("db.t").schemas.ids() == [0]


def test_a_lock_is_one_writers_until_it_is_given_back(catalog: Catalog, hive: Mapping[str, str]) -> None:
    lock = HiveLock(HiveClient.at(hive["uri"]), Identifier("db", "t"), 0.5, 0.1)
    with lock.held():
        with pytest.raises(LockTimeoutError) as refused, lock.held():
            raise AssertionError("two hold it")
        waiter = HiveLock(lock.client, lock.table, 300, 0.1)
        got = threading.Event()

        def wait() -> None:
            with waiter.held():
                got.set()

        thread = threading.Thread(target=wait)
        thread.start()
    thread.join(300)
    assert got.is_set()
    assert refused.value.fields["lock"] == "db.t"
    assert f"of {getpass.getuser()} on {socket.gethostname()}, silent for " in str(refused.value)


def test_a_metastore_that_is_not_there_is_named(tmp_path: Path) -> None:
    uri = f"thrift://127.0.0.1:{free_port()}"
    gone = open_catalog({"metastore": "hive", "uri": uri, "warehouse": str(tmp_path)})
    with pytest.raises(CatalogError, match="no Hive metastore can be reached") as refused:
        gone.list_databases()
    assert str(refused.value.fields["catalog"]) == uri


def test_of_several_metastores_one_that_is_there_answers(hive: Mapping[str, str]) -> None:
    client = HiveClient.at(f"thrift://127.0.0.1:{free_port()},{hive['uri']}")
    assert "default" in client.ask("list", lambda hms: hms.get_all_databases())


@pytest.mark.parametrize("uri", ["host:9083", "thrift://", "thrift://h:x", "http://h"])
def test_what_is_no_address_is_refused(uri: str) -> None:
    with pytest.raises((InvalidRequestError, UnsupportedError)):
        HiveClient.at(uri)


@pytest.mark.parametrize(
    ("ours", "hives"),
    [
        ("DECIMAL(20, 3)", "decimal(20,3)"),
        ("CHAR(255)", "char(255)"),
        ("CHAR(256)", "string"),
        ("VARCHAR(65536)", "string"),
        ("TIMESTAMP(3) WITH LOCAL TIME ZONE", "timestamp"),
        ("ARRAY<MAP<STRING, ROW<a INT, b BYTES>>>", "array<map<string,struct<a:int,b:binary>>>"),
        ("MULTISET<INT>", "map<int,int>"),
    ],
)
def test_types_have_hives_names(ours: str, hives: str) -> None:
    assert hive_type(parse_type(ours)) == hives
    assert hive_type(type_of(hives)) == hives
