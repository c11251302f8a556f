"""What the contract of catalogs does not ask: configuration, pages, and commits whose server fails."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.catalog.errors import CatalogError
from core.catalog.rest.catalog import RestCatalog, open_rest_catalog
from core.errors import CommitConflictError, CommitUnknownError, InvalidRequestError, UnsupportedError
from tests.builders import fields
from tests.core.catalog.rest.scripted import Scripted
from tests.interop.rest_server import RestServer, going_wrong
from tests.tables import put, rows_of

OPTIONS = {"bucket": "-1", "commit.max-retries": "1"}


@pytest.fixture
def scripted() -> Iterator[Scripted]:
    made = Scripted()
    yield made
    made.close()


def opened(scripted: Scripted, *answers: object, **options: str) -> RestCatalog:
    """A catalog of the scripted server; the first answer is its configuration."""
    scripted.answers = [(200, {}, answer) for answer in answers]
    return open_rest_catalog({"uri": scripted.client.uri, "warehouse": "my lake", **options})


def test_the_server_defaults_and_overrides_what_we_ask_for(scripted: Scripted) -> None:
    config = {"defaults": {"a": "theirs", "b": "theirs"}, "overrides": {"c": "theirs", "prefix": "p x"}}
    catalog = opened(scripted, config, {"databases": [], "nextPageToken": None}, b="ours", c="ours")
    assert {key: catalog.options[key] for key in "abc"} == {"a": "theirs", "b": "ours", "c": "theirs"}
    catalog.list_databases()
    assert [path for _, path, _, _ in scripted.asked] == [
        "/v1/config?warehouse=my%2Blake",
        "/v1/p+x/databases",
    ]


def test_headers_of_the_configuration_go_with_each_request(scripted: Scripted) -> None:
    config = {"defaults": {}, "overrides": {"header.X-Tenant": "t"}}
    opened(scripted, config, {"databases": []}).list_databases()
    assert [headers.get("X-Tenant") for _, _, headers, _ in scripted.asked] == [None, "t"]


def test_all_pages_are_asked_for_and_an_empty_one_is_the_last(scripted: Scripted) -> None:
    pages = [{"databases": ["a", "b"], "nextPageToken": "b"}, {"databases": [], "nextPageToken": "again"}]
    assert opened(scripted, {}, *pages).list_databases() == ["a", "b"]
    assert scripted.asked[-1][1] == "/v1/databases?pageToken=b"


def test_one_page_is_asked_for_where_one_is_wanted(scripted: Scripted) -> None:
    page = opened(scripted, {}, {"databases": ["a"], "nextPageToken": "a"}).list_databases_page(
        limit=1, pattern="a%"
    )
    assert (page.names, page.next_token) == (("a",), "a")
    assert scripted.asked[-1][1] == "/v1/databases?databaseNamePattern=a%25&maxResults=1"


def test_what_we_do_not_do_is_refused_by_the_name_of_the_option(scripted: Scripted) -> None:
    with pytest.raises(UnsupportedError, match=r"data-token\.enabled"):
        opened(scripted, {"overrides": {"data-token.enabled": "true"}})
    with pytest.raises(InvalidRequestError, match="warehouse"):
        open_rest_catalog({"uri": "http://h"})


def test_an_address_without_a_catalog_says_so(scripted: Scripted) -> None:
    with pytest.raises(CatalogError, match="is there a catalog at this address"):
        opened(scripted, b"<html>")


# --- commits, through the console -----------------------------------------------------------------
@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RestServer]:
    with RestServer(tmp_path_factory.mktemp("rest")) as running:
        yield running


def catalog_of(server: RestServer, uri: str | None = None, token: str = "admin") -> RestCatalog:
    who = {"token.provider": "bear", "token": server.tokens[token]}
    return open_rest_catalog({"uri": uri or server.uri, "warehouse": "lake", **who})


def test_a_commit_whose_answer_is_lost_is_found_among_the_snapshots(server: RestServer) -> None:
    catalog_of(server).create_database("lost")
    catalog_of(server).create_table("lost.t", fields(k="INT", v="STRING"), options=OPTIONS)
    with going_wrong(server, answer_is_lost=True) as uri:
        made = put(catalog_of(server, uri).get_data_table("lost.t"), (1, "a"))
    server.start()
    table = catalog_of(server).get_data_table("lost.t")
    assert [s.uuid for s in table.snapshots.iter_all()] == [s.uuid for s in made]
    assert table.to_arrow().to_pydict() == {"k": [1], "v": ["a"]}


def test_a_server_that_dies_with_half_of_a_commit_leaves_the_table_as_it_was(server: RestServer) -> None:
    catalog_of(server).create_database("half")
    catalog_of(server).create_table("half.t", fields(k="INT", v="STRING"), options=OPTIONS)
    with going_wrong(server, answer_is_lost=False) as uri:
        table = catalog_of(server, uri).get_data_table("half.t")
        with pytest.raises(CommitUnknownError):
            put(table, (1, "a"))
    server.start()
    table = catalog_of(server).get_data_table("half.t")
    assert table.snapshots.ids() == []
    put(table, (2, "b"))
    assert table.to_arrow().to_pydict() == {"k": [2], "v": ["b"]}


def test_two_who_commit_while_the_server_is_killed_lose_nothing_that_was_said_to_be_done(
    server: RestServer,
) -> None:
    catalog_of(server).create_database("race")
    catalog_of(server).create_table("race.t", fields(k="INT"), options={"bucket": "-1"})
    killed, done, unknown = threading.Event(), set(), set()

    def commits(writer: int) -> None:
        table = catalog_of(server).get_data_table("race.t")
        for number in range(writer, writer + 12):
            if number % 100 == 4:
                killed.set()
            try:
                put(table, (number,), user=f"u{writer}")
                done.add(number)
            except CommitUnknownError:
                unknown.add(number)
            except (CatalogError, CommitConflictError):
                pass  # nothing of it may be there

    with ThreadPoolExecutor(2) as writers:
        running = [writers.submit(commits, writer) for writer in (100, 200)]
        killed.wait(300)
        server.kill()
        server.start()
        for one in running:
            one.result()
    table = catalog_of(server).get_data_table("race.t")
    found = [key for (key,) in rows_of(table)]
    assert len(found) == len(set(found))
    assert done <= set(found) <= done | unknown
    assert table.snapshots.ids() == list(range(1, len(found) + 1))
    assert done  # before the kill, and after it as far as the clients had something left


def test_who_may_not_commit_is_told_so_and_nothing_is_unknown(server: RestServer) -> None:
    catalog_of(server).create_database("denied")
    catalog_of(server).create_table("denied.t", fields(k="INT", v="STRING"), options=OPTIONS)
    table = catalog_of(server, token="reader").get_data_table("denied.t")
    with pytest.raises(CommitConflictError, match="does not let us commit"):
        put(table, (1, "a"))
    assert table.snapshots.ids() == []
    assert not list(Path(table.location).glob("manifest/*"))
