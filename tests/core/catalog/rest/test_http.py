"""How the client takes what a network and a server do to it: a real socket, answers as scripted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from core.catalog.errors import AccessDeniedError, CatalogError, CatalogUnknownError, TableNotFoundError
from core.catalog.rest.http import RETRIES, checked_uri, keys_of
from core.catalog.rest.signing import DlfKeys
from core.errors import InvalidRequestError, UnsupportedError
from tests.core.catalog.rest.scripted import HANG_UP, Scripted


@pytest.fixture
def server() -> Iterator[Scripted]:
    scripted = Scripted()
    yield scripted
    scripted.close()


def error(code: int, resource: str | None = None) -> dict[str, Any]:
    return {"message": "no", "code": code, "resourceType": resource, "resourceName": "x"}


def test_a_request_says_who_asks_and_carries_the_headers_of_the_options(server: Scripted) -> None:
    server.answers = [(200, {}, {"a": 1})]
    assert server.client.get("/v1/a+b", {"like": "x y%"}).integer("a") == 1
    verb, path, headers, _ = server.asked[0]
    assert (verb, path) == ("GET", "/v1/a+b?like=x+y%25")
    assert (headers["Authorization"], headers["X-Own"]) == ("Bearer secret", "yes")


def test_keys_of_dlf_sign_each_request(server: Scripted) -> None:
    signing = replace(server.client, keys=DlfKeys("r", "id", "key"))
    server.answers = [(200, {}, b"")]
    signing.post("/v1/p/databases", {"name": "db"})
    headers = {name.lower(): text for name, text in server.asked[0][2].items()}
    assert headers["authorization"].startswith("DLF4-HMAC-SHA256 Credential=id/")
    assert {"x-dlf-date", "content-md5"} <= set(headers)


@pytest.mark.parametrize(
    ("given", "algorithm"),
    [
        ({"uri": "http://dlf-vpc.example"}, "default"),
        ({"uri": "https://dlfnext.cn-hangzhou.example/x"}, "openapi"),
        ({"uri": "http://h", "dlf.signing-algorithm": "openapi"}, "openapi"),
        ({"uri": "http://h", "dlf.signing-algorithm": "default"}, "default"),
    ],
)
def test_how_requests_are_signed_is_told_or_follows_from_the_address(
    given: dict[str, str], algorithm: str
) -> None:
    known = {"dlf.region": "r", "dlf.access-key-id": "i", "dlf.access-key-secret": "s"}
    keys = keys_of({"token.provider": "dlf", **known, **given})
    assert isinstance(keys, DlfKeys)
    assert keys.algorithm == algorithm
    with pytest.raises(UnsupportedError, match="openapi-v4"):
        keys_of({"token.provider": "dlf", **known, **given, "dlf.signing-algorithm": "openapi-v4"})


def test_a_busy_server_is_asked_again_when_it_says(server: Scripted) -> None:
    server.answers = [(429, {"Retry-After": "7"}, error(429)), (503, {}, error(503)), (200, {}, {"a": 1})]
    assert server.client.get("/x").integer("a") == 1
    assert server.slept == [7.0, 2.0]


def test_a_server_that_stays_busy_is_an_error_in_the_end(server: Scripted) -> None:
    server.answers = [(503, {}, error(503))] * (RETRIES + 1)
    with pytest.raises(CatalogError, match="no"):
        server.client.delete("/x")
    assert len(server.asked) == RETRIES + 1


def test_a_change_is_not_sent_twice_unless_it_may_arrive_twice(server: Scripted) -> None:
    server.answers = [(503, {}, error(503)), (503, {}, error(503)), (200, {}, {})]
    with pytest.raises(CatalogError):
        server.client.post("/x", {})
    server.client.post("/x", {}, repeatable=True)
    assert len(server.asked) == 3


@pytest.mark.parametrize(
    ("code", "resource", "kind"),
    [(401, None, AccessDeniedError), (403, None, AccessDeniedError), (404, "TABLE", TableNotFoundError),
     (500, None, CatalogError), (501, None, UnsupportedError), (400, None, InvalidRequestError)],
)  # fmt: skip
def test_an_answer_is_an_error_with_the_id_of_the_request(
    server: Scripted, code: int, resource: str | None, kind: type[Exception]
) -> None:
    server.answers = [(code, {"X-Request-Id": "r-17"}, error(code, resource))]
    with pytest.raises(kind, match="request_id=r-17") as refused:
        server.client.get("/x")
    assert type(refused.value) is kind


def test_an_answer_that_is_no_catalogs_is_told_by_its_status(server: Scripted) -> None:
    server.answers = [(502, {}, b"<html>"), (200, {}, b"<html>")]
    with pytest.raises(CatalogError, match="502"):
        server.client.get("/x")
    with pytest.raises(CatalogError, match="is there a catalog at this address"):
        server.client.get("/x")


def test_a_change_whose_answer_is_lost_may_have_been_made(server: Scripted) -> None:
    server.answers = [HANG_UP, HANG_UP]
    with pytest.raises(CatalogUnknownError, match="or not"):
        server.client.post("/x", {})
    with pytest.raises(CatalogError) as lost:
        server.client.get("/x")
    assert type(lost.value) is CatalogError


def test_a_server_that_is_not_there_has_done_nothing(server: Scripted) -> None:
    server.close()
    with pytest.raises(CatalogError, match="cannot be reached") as refused:
        server.client.post("/x", {})
    assert type(refused.value) is CatalogError


def test_the_token_is_not_shown(server: Scripted) -> None:
    assert "secret" not in repr(server.client)


@pytest.mark.parametrize(("given", "uri"), [(" h:1/ ", "http://h:1"), ("https://h/x/", "https://h/x")])
def test_an_address_may_lack_its_scheme(given: str, uri: str) -> None:
    assert checked_uri(given) == uri


@pytest.mark.parametrize("given", [None, "", "ftp://h", "http://"])
def test_what_is_no_address_is_refused(given: str | None) -> None:
    with pytest.raises(InvalidRequestError, match="uri"):
        checked_uri(given)


def test_who_asks_is_said_by_options() -> None:
    assert keys_of({}) is None
    assert keys_of({"token.provider": "bear", "token": "t"}) == "t"
    dlf = {"token.provider": "dlf", "dlf.region": "r", "dlf.access-key-id": "i", "dlf.access-key-secret": "s"}
    assert keys_of(dlf) == DlfKeys("r", "i", "s")
    with pytest.raises(InvalidRequestError, match="option=token"):
        keys_of({"token.provider": "bear"})
    with pytest.raises(UnsupportedError, match=r"token\.provider=oauth"):
        keys_of({"token.provider": "oauth"})
    with pytest.raises(UnsupportedError, match=r"dlf\.token-loader"):
        keys_of({"token.provider": "dlf", "dlf.token-loader": "ecs"})
