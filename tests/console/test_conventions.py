"""What all endpoints share: problems, languages, limits, caching headers."""

from __future__ import annotations

import string
from typing import Any

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from console.api.codes import CODES, VARIANTS
from console.api.errors import Problem, as_problem
from console.api.fields import CountField, TimeField
from console.api.middleware import language_of
from console.jobs.notices import NOTICES
from core import Table
from core.errors import FormatError, NotFoundError, StorageError, UnsupportedError
from tests.console.conftest import TABLE, Caller


def test_a_problem_is_problem_json_with_a_trace(alice: Caller) -> None:
    response = alice.get("/nothing/here")
    problem = response.json()
    assert response["Content-Type"] == "application/problem+json"
    assert (problem["status"], problem["code"], problem["instance"]) == (
        404,
        "not-found",
        "/api/v1/nothing/here",
    )
    assert problem["trace_id"] == response["Trace-Id"]


def test_the_help_of_a_problem_is_a_page_that_tells_of_its_code(alice: Caller) -> None:
    address, _, code = alice.get("/nothing/here").json()["help"].partition("#")
    page = Client().get(address).content.decode()
    assert f'id="{code}"' in page
    assert page.count("<dt ") == len(CODES)
    assert "{" not in page.partition("<dl>")[2]
    assert "未找到" in Client().get(address, headers={"Accept-Language": "zh-CN"}).content.decode()


def test_a_line_break_in_an_address_is_told_of_as_any_other(alice: Caller) -> None:
    response = alice.get("/nothing/%0Ahere")
    assert (response.status_code, response["Content-Type"]) == (404, "application/problem+json")


def test_titles_and_details_are_localised_and_codes_are_not(alice: Caller) -> None:
    english, chinese = (alice.get("/nothing", **{"Accept-Language": tag}).json() for tag in ("en", "zh-CN"))
    assert english["code"] == chinese["code"]
    assert english["title"] != chinese["title"]


@pytest.mark.parametrize(
    "words", [w for code in CODES.values() for w in (code.title, code.detail)] + [*VARIANTS.values()]
)
def test_both_languages_fill_in_the_same_fields(words: tuple[str, str]) -> None:
    assert _fields(words[0]) == _fields(words[1])


@pytest.mark.parametrize("words", NOTICES.values())
def test_notices_fill_in_the_same_fields(words: tuple[str, str]) -> None:
    assert _fields(words[0]) == _fields(words[1])


def _fields(text: str) -> set[str | None]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (NotFoundError("no file", path="/x"), "object-missing"),
        (NotFoundError("no table"), "not-found"),
        (FormatError("cut", path="/x"), "object-damaged"),
        (UnsupportedError("no", feature="f"), "unsupported-format-version"),
        (StorageError("down"), "warehouse-unavailable"),
    ],
)
def test_each_error_of_core_has_its_code(error: Exception, code: str) -> None:
    problem = as_problem(error)
    assert problem is not None
    assert problem.code == code


def test_a_count_that_json_cannot_hold_is_an_error_not_a_rounding() -> None:
    with pytest.raises(Problem) as caught:
        CountField().to_representation(2**53)
    assert caught.value.code == "value-out-of-range"
    assert CountField().to_representation(2**53 - 1) == 2**53 - 1


def test_times_have_milliseconds_and_a_zone() -> None:
    assert TimeField().to_representation(1_700_000_000_007) == "2023-11-14T22:13:20.007Z"


def test_a_body_that_is_no_json_is_the_callers_mistake(alice: Caller) -> None:
    client = Client()
    client.force_login(alice.user)  # type: ignore[arg-type]
    response = client.post("/api/v1/warehouses", "{", content_type="application/json")
    assert (response.status_code, response.json()["errors"][0]["code"]) == (400, "parse-error")


def test_a_body_that_is_too_large_is_refused(alice: Caller) -> None:
    assert alice.post("/warehouses", {"name": "x" * 2_000_000}).json()["code"] == "too-large"


def test_the_rate_limit_is_told_and_kept(alice: Caller, settings: Any) -> None:
    settings.RATE_LIMIT_PER_MINUTE = 2
    replies = [alice.get("/meta") for _ in range(4)]
    assert "RateLimit" in replies[0]
    limited = replies[-1]
    assert (limited.status_code, limited.json()["code"]) == (429, "rate-limited")
    assert int(limited["Retry-After"]) > 0


def test_replies_vary_with_whoever_asks(alice: Caller, table: Table) -> None:
    response = alice.get(TABLE)
    assert {"Accept-Language", "Authorization", "Cookie"} <= set(response["Vary"].replace(",", "").split())
    assert response["Cache-Control"].startswith("private")


def test_health_needs_nobody(db: None) -> None:
    assert Client().get("/healthz").json() == {"status": "ok"}
    assert Client().get("/readyz").status_code == 200


@given(st.text(max_size=60))
def test_any_accept_language_gives_a_language(accept: str) -> None:
    assert language_of(accept) in ("en", "zh-hans")


@pytest.mark.parametrize(
    ("accept", "language"),
    [
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh-hans"),
        ("en;q=0.5,zh;q=0.9", "zh-hans"),
        ("fr,en", "en"),
        ("zh;q=0", "en"),
    ],
)
def test_the_preferred_language_wins(accept: str, language: str) -> None:
    assert language_of(accept) == language
