"""Views of each kind of catalog, made by Spark SQL of the newest Java Paimon and by us, read by the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from core import open_catalog
from core.catalog.errors import ViewNotFoundError
from core.catalog.views import ViewSchema
from core.errors import UnsupportedError
from core.types import type_to_text
from tests.builders import fields
from tests.hive_metastore import empty_metastore
from tests.interop.errors import PeerFailedError
from tests.interop.rest_server import RestServer
from tests.interop.spark_paimon import SparkPaimon
from tests.tables import put

pytestmark = pytest.mark.newest

SQL = ("sqlite", "postgres", "mariadb")
LOCKED = {"lock.enabled": "true"}  # so that Spark's commits take the catalog's lock
KEEP_VIEWS = (*SQL, "hive", "rest")


@pytest.fixture
def options(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Mapping[str, str]]:
    """Of an empty catalog of the kind that the parameter names."""
    kind, warehouse = request.param, {"warehouse": f"file:{tmp_path}/wh"}
    with ExitStack() as running:
        match kind:
            case "rest":
                server = running.enter_context(RestServer(tmp_path))
                token = {"token.provider": "bear", "token": server.tokens["admin"]}
                yield {"metastore": "rest", "uri": server.uri, "warehouse": "lake", **token}
            case "hive":
                given = request.getfixturevalue("hive")
                empty_metastore(given["uri"])
                yield {**given, **warehouse}
            case "sqlite":
                uri = f"jdbc:sqlite:{tmp_path}/names.db"
                yield {**warehouse, **LOCKED, "metastore": "jdbc", "uri": uri}
            case "filesystem":
                yield warehouse
            case _:
                given = request.getfixturevalue(kind)
                yield {**warehouse, **given, **LOCKED, "metastore": "jdbc", "catalog-key": tmp_path.name}


@pytest.mark.parametrize("options", KEEP_VIEWS, indirect=True)
def test_views_are_shared(options: Mapping[str, str], spark_paimon: SparkPaimon) -> None:
    spark_paimon.run_in(
        options,
        "CREATE DATABASE db",
        "CREATE TABLE db.t (k INT, v STRING)",
        "INSERT INTO db.t VALUES (1, 'a'), (2, 'b')",
        "CREATE VIEW db.theirs COMMENT 'said' TBLPROPERTIES ('a' = 'b') AS SELECT k + 1 AS more FROM db.t",
    )
    ours = open_catalog(options)
    put(ours.get_data_table("db.t"), (3, "c"))
    theirs = ours.get_view("db.theirs").schema
    assert [(f.name, type_to_text(f.type).split()[0]) for f in theirs.fields] == [("more", "INT")]
    assert theirs.query_for("spark") == "SELECT k + 1 AS more FROM db.t"
    assert (theirs.comment, theirs.options.get("a")) == ("said", "b")
    ours.create_view("db.ours", ViewSchema(fields(less="INT"), "SELECT k - 1 AS less FROM db.t", {}, "c"))
    assert sorted(ours.list_views("db")) == ["ours", "theirs"]
    assert ours.list_tables("db") == ["t"]
    shown, rows = spark_paimon.run_in(options, "SHOW VIEWS IN db", "SELECT * FROM db.ours ORDER BY less")
    assert sorted(shown["viewName"].to_pylist()) == ["ours", "theirs"]
    assert rows.to_pydict() == {"less": [0, 1, 2]}
    spark_paimon.run_in(options, "DROP VIEW db.ours")
    with pytest.raises(ViewNotFoundError):
        ours.get_view("db.ours")
    ours.drop_view("db.theirs")
    with pytest.raises(PeerFailedError, match=r"(?i)not.*(found|exist)"):
        spark_paimon.run_in(options, "SELECT * FROM db.theirs")


@pytest.mark.parametrize("options", ["filesystem"], indirect=True)
def test_neither_keeps_views_in_directories(options: Mapping[str, str], spark_paimon: SparkPaimon) -> None:
    with pytest.raises(PeerFailedError, match=r"(?i)view"):
        spark_paimon.run_in(options, "CREATE DATABASE db", "CREATE VIEW db.v AS SELECT 1 AS k")
    with pytest.raises(UnsupportedError, match="views"):
        open_catalog(options).create_view("db.v", ViewSchema(fields(k="INT"), "SELECT 1 AS k"))
