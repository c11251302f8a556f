"""`/warehouse-checks` at real servers: what is wrong with a connection is said by a code."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import Any

import psycopg
import pytest

from console.warehouses import checking, kinds
from console.warehouses.models import Warehouse
from console.warehouses.serializers import NO_SECRETS
from console.warehouses.words import STEPS
from core.inspect.schema_diff import mask_option
from tests.console.conftest import Caller
from tests.interop.rest_server import RestServer
from tests.ports import LOOPBACK, free_port

Options = Mapping[str, str]
Check = Callable[..., dict[str, Any]]
NOWHERE = "no.such.host.invalid"


@pytest.fixture
def check(alice: Caller) -> Check:
    """The step that ended a test of these options, or its last one."""

    def last(given: Options, **changed: str) -> dict[str, Any]:
        options = {key.replace("__", "."): value for key, value in {**given, **changed}.items()}
        location = options.pop("warehouse")
        secret = {key for key in options if mask_option(key, "") and key not in NO_SECRETS}
        body = {
            "location": location,
            "options": {k: v for k, v in options.items() if k not in secret},
            "credentials": {k: v for k, v in options.items() if k in secret},
        }
        reply = alice.post("/warehouse-checks", body)
        assert reply.status_code == 200, reply.content
        assert "wrong-secret" not in reply.content.decode()
        step: dict[str, Any] = reply.json()["steps"][-1]
        return step

    return last


@pytest.fixture
def lake(tmp_path: Path) -> str:
    (folder := tmp_path / "warehouse").mkdir()
    return str(folder)


@pytest.fixture
def odd_port() -> Iterator[int]:
    """Something listens there that never says a word."""
    with socket.create_server((LOOPBACK, 0)) as listener:
        yield listener.getsockname()[1]


class Page(StreamRequestHandler):
    """What any web server answers, whatever it is asked."""

    def handle(self) -> None:
        if self.request.recv(1000):
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n<html></html>")


@pytest.fixture
def web_port() -> Iterator[int]:
    with ThreadingTCPServer((LOOPBACK, 0), Page) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


# --- a folder -------------------------------------------------------------------------------------
def test_an_empty_folder_may_be_a_new_warehouse_and_is_named_so(alice: Caller, lake: str) -> None:
    reply = alice.post("/warehouse-checks", {"location": lake}).json()
    assert reply["ok"]
    odd = {step["name"]: step["code"] for step in reply["steps"] if step["is_odd"]}
    assert odd == {"store": "path-empty", "list_databases": "no-databases"}


def test_a_folder_of_other_things_is_no_warehouse(check: Check, lake: str) -> None:
    (Path(lake) / "photos").mkdir()
    step = check({"warehouse": lake})
    assert (step["name"], step["code"]) == ("store", "not-a-warehouse")
    assert "1 other" in step["detail"]


def test_a_folder_that_is_not_there_and_one_that_is_a_file_are_told_apart(check: Check, lake: str) -> None:
    (Path(lake) / "file").write_text("x")
    assert check({"warehouse": f"{lake}/missing"})["code"] == "path-missing"
    assert check({"warehouse": f"{lake}/file"})["code"] == "path-no-folder"


def test_what_the_console_does_not_do_is_said_by_name(check: Check) -> None:
    step = check({"warehouse": "cosn://bucket/lake"})
    assert (step["name"], step["code"]) == ("options", "unsupported")
    assert "cosn://" in step["detail"]


@pytest.mark.parametrize(
    "options",
    [
        {"warehouse": "hdfs://169.254.169.254:8020/lake"},
        {"warehouse": "hdfs://h/lake", "hadoop.dfs.namenode.http-address": "169.254.169.254:80"},
        {"warehouse": "oss://b/lake", "fs.oss.endpoint": "169.254.169.254"},
        {"metastore": "rest", "uri": "http://169.254.169.254", "token.provider": "bear", "token": "t"},
        {"metastore": "hive", "uri": "thrift://169.254.169.254:9083"},
        {"metastore": "jdbc", "uri": "jdbc:postgresql://169.254.169.254/lake"},
    ],
)
def test_no_kind_asks_a_link_local_address(check: Check, lake: str, options: Options) -> None:
    assert check({"warehouse": lake, **options})["code"] == "forbidden-address"


def test_the_consoles_own_database_is_no_catalog(check: Check, lake: str, settings: Any) -> None:
    uri = f"jdbc:sqlite:{settings.DATA_FOLDER}/db.sqlite3"
    assert check({"warehouse": lake, "metastore": "jdbc", "uri": uri})["code"] == "forbidden-path"


def test_a_word_in_chinese_stands_beside_what_the_server_said(alice: Caller, tmp_path: Path) -> None:
    address = "/api/v1/warehouse-checks"
    reply = alice._client.post(
        address,
        {"location": f"{tmp_path}/missing"},
        content_type="application/json",
        headers={"Accept-Language": "zh-CN"},
    ).json()
    assert "不存在" in reply["steps"][-1]["detail"]
    assert "No such file" in reply["steps"][-1]["cause"]


def test_every_code_has_words_in_two_languages() -> None:
    assert all(words.en and words.zh and words.en != words.zh for words in STEPS.values())


# --- databases ------------------------------------------------------------------------------------
def test_sqlite_says_whether_its_file_can_be_had(check: Check, lake: str) -> None:
    jdbc = {"metastore": "jdbc", "warehouse": lake}
    Path(lake, "text").write_text("not a database at all" * 100)
    assert check(jdbc, uri=f"jdbc:sqlite:{lake}/names.db")["ok"]
    assert check(jdbc, uri=f"jdbc:sqlite:{lake}/none/names.db")["code"] == "file-missing"
    assert check(jdbc, uri=f"jdbc:sqlite:{lake}/text")["code"] == "not-a-database"


def test_postgres_says_what_it_refuses(check: Check, lake: str, postgres: Options) -> None:
    given = {**postgres, "metastore": "jdbc", "warehouse": lake}
    uri = given["uri"]
    assert check(given)["ok"]
    assert check(given, jdbc__password="wrong-secret")["code"] == "sign-in"
    assert check(given, uri=uri.replace("/postgres", "/nix"))["code"] == "database-missing"
    assert check(given, jdbc__sslmode="require")["code"] == "tls"


def test_postgres_says_when_the_tables_of_the_catalog_may_not_be_read(
    check: Check, lake: str, postgres: Options
) -> None:
    host, _, port = postgres["uri"].split("//")[1].partition("/")[0].partition(":")
    sign_in = {"user": postgres["jdbc.user"], "password": postgres["jdbc.password"], "dbname": "postgres"}
    with psycopg.connect(host=host, port=int(port), autocommit=True, **sign_in) as database:
        database.execute("CREATE USER weak PASSWORD 'weak'")
    given = {**postgres, "metastore": "jdbc", "warehouse": lake}
    assert check(given, jdbc__user="weak", jdbc__password="weak")["code"] == "tables-denied"


def test_mariadb_says_what_it_refuses(check: Check, lake: str, mariadb: Options) -> None:
    given = {**mariadb, "metastore": "jdbc", "warehouse": lake}
    assert check(given)["ok"]
    assert check(given, jdbc__password="wrong-secret")["code"] == "sign-in"
    assert check(given, uri=given["uri"].replace("/lake", "/nix"))["code"] == "database-denied"
    assert check(given, jdbc__useSSL="true")["code"] == "tls"


@pytest.mark.parametrize("uri", ["jdbc:postgresql://{}/x", "jdbc:mysql://{}/x", "thrift://{}", "http://{}"])
def test_a_host_that_nobody_knows_and_a_port_that_is_closed_are_told_apart(
    check: Check, lake: str, uri: str
) -> None:
    kind = {"jdbc": "jdbc", "thri": "hive", "http": "rest"}[uri[:4]]
    given = {"metastore": kind, "warehouse": lake, "jdbc.user": "u"}
    unknown = check(given, uri=uri.format(f"{NOWHERE}:7"))
    assert (unknown["name"], unknown["code"]) == ("reach", "host-unknown")
    assert check(given, uri=uri.format(f"{LOOPBACK}:{free_port()}"))["code"] == "refused"


@pytest.mark.parametrize("uri", ["jdbc:mysql://{}/x", "thrift://{}", "http://{}"])
def test_a_server_that_says_nothing_is_waited_for_so_long_and_no_longer(
    check: Check, lake: str, odd_port: int, uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "STEP_SECONDS", 0.5)
    kind = {"jdbc": "jdbc", "thri": "hive", "http": "rest"}[uri[:4]]
    given = {"metastore": kind, "warehouse": lake, "jdbc.user": "u"}
    step = check(given, uri=uri.format(f"{LOOPBACK}:{odd_port}"))
    assert (step["name"] != "reach", step["code"]) == (True, "timeout")


# --- a metastore, a REST catalog, a store ---------------------------------------------------------
def test_a_metastore_is_told_from_what_is_none(check: Check, lake: str, hive: Options, web_port: int) -> None:
    given = {"metastore": "hive", "warehouse": lake}
    assert check(given, uri=hive["uri"])["ok"]
    assert check(given, uri=f"thrift://{LOOPBACK}:{web_port}")["code"] == "not-a-metastore"


def test_a_rest_catalog_says_whether_token_and_warehouse_are_right(
    check: Check, web_port: int, tmp_path: Path
) -> None:
    with RestServer(tmp_path) as server:
        given = {"metastore": "rest", "token.provider": "bear", "warehouse": "lake", "uri": server.uri}
        assert check(given, token=server.tokens["admin"])["ok"]
        assert check(given, token="wrong-secret")["code"] == "token"
        assert check(given, token=server.tokens["expired"])["code"] == "token"
        known = {**given, "token": server.tokens["admin"]}
        assert check(known, warehouse="nix")["code"] == "catalog-unknown"
        assert check(known, uri=f"{server.uri}/api")["code"] == "catalog-unknown"
        assert check(known, uri=f"http://{LOOPBACK}:{web_port}")["code"] == "not-a-catalog"
        assert check(known, uri=server.uri.replace("http:", "https:"))["code"] == "tls"


def test_a_store_says_whether_keys_and_bucket_are_right(check: Check, s3: Options) -> None:
    assert check({**s3, "warehouse": f"{s3['warehouse']}/new"})["ok"]
    assert check({**s3, "s3.access-key": "nobody"})["code"] == "key-unknown"
    assert check({**s3, "s3.secret-key": "wrong-secret"})["code"] == "key-wrong"
    assert check(s3, warehouse="s3://nix/lake")["code"] == "bucket-missing"
    assert check({**s3, "s3.endpoint": f"http://{LOOPBACK}:{free_port()}"})["code"] == "refused"


# --- forms ----------------------------------------------------------------------------------------
def test_the_forms_say_what_was_not_tested(alice: Caller) -> None:
    stores = {form["name"]: form for form in alice.json("/warehouse-kinds")["stores"]}
    assert {name for name, form in stores.items() if not form["tested"]} == {"gcs", "azure", "oss"}


def test_what_a_form_asks_for_is_stored_where_secrets_belong() -> None:
    fields = [f for form in (*kinds.CATALOGS, *kinds.STORES) for f in form.fields]
    assert all(f.secret == bool(mask_option(f.key, "")) for f in fields if f.key not in NO_SECRETS)


def test_one_secret_is_changed_and_the_other_stays(alice: Caller, made_lake: Path) -> None:
    secrets = {"s3.access-key": "a", "s3.secret-key": "b"}
    alice.post("/warehouses", {"name": "lake", "location": str(made_lake), "credentials": secrets})
    change = {"credentials": {"s3.access-key": None, "s3.secret-key": "c"}}
    assert alice.patch("/warehouses/lake", change).status_code == 200
    assert Warehouse.objects.get().credentials == {"s3.access-key": "a", "s3.secret-key": "c"}


def test_kept_secrets_are_not_sent_to_another_place(alice: Caller, made_lake: Path, tmp_path: Path) -> None:
    body = {"name": "lake", "location": str(made_lake), "credentials": {"s3.secret-key": "b"}}
    alice.post("/warehouses", body)
    moved = {"location": str(tmp_path), "credentials": {"s3.secret-key": None}}
    for reply in (
        alice.patch("/warehouses/lake", moved),
        alice.post("/warehouse-checks", {**moved, "options": {}, "warehouse": "lake"}),
    ):
        assert reply.json()["errors"][0]["pointer"] == "/credentials"
