"""Large replies about tables are packed for who takes them so."""

from __future__ import annotations

import gzip

import pytest

from core import Table
from tests.console.conftest import TABLE, Caller

GZIP = {"Accept-Encoding": "gzip"}


@pytest.mark.parametrize("path", [f"{TABLE}/options?limit=200", "/openapi.json"])
def test_a_packed_reply_is_the_same_reply(alice: Caller, table: Table, path: str) -> None:
    plain, packed = alice.get(path), alice.get(path, **GZIP)
    assert packed["Content-Encoding"] == "gzip"
    assert packed["Vary"].count("Accept-Encoding") == plain["Vary"].count("Accept-Encoding") == 1
    assert gzip.decompress(packed.content) == plain.content
    assert packed.get("ETag") == plain.get("ETag")
    assert int(packed["Content-Length"]) == len(packed.content) < len(plain.content)


def test_what_has_a_strong_tag_is_sent_as_it_is(alice: Caller) -> None:
    reply = alice.get("/warehouses?limit=200", **GZIP)
    assert (reply["ETag"][0], "Content-Encoding" in reply) == ('"', False)
