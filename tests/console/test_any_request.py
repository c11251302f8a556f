"""Whatever is asked, by whomever: no server error, and no answer that the document does not tell of.

Schemathesis makes the requests from docs/openapi.json, legal ones and illegal ones: 100 of each member
of the cast, and 2,000 by `make fuzz-api`.
"""

from __future__ import annotations

import gzip
import json
import os
import secrets
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
import schemathesis
from django.db import transaction
from django.test import Client
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.core.failures import FailureGroup
from schemathesis.core.transport import Response
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from console.api.management.commands.openapi import PATH
from core import Table
from tests.console.conftest import Caller

EXAMPLES = int(os.environ.get("LAKESCOPE_API_EXAMPLES", "100"))
SERVER = "http://testserver"
# Names that exist, among those that are made up.
KNOWN = {"warehouse": "lake", "database": "db", "table": "t", "snapshot": "3", "schema": "0", "bucket": "0",
         "partition": "dt=2026-11-20", "system": "files"}  # fmt: skip
# These go to addresses that are made up, and wait for them to answer.
OUTWARD = r"/checks$|/warehouse-checks$"
CHECKS = (
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
)
BUSY = (503, 504)  # a broker or a warehouse that does not answer: told, and no fault of ours


@pytest.fixture(scope="module")
def requests_of_the_document() -> st.SearchStrategy[Any]:
    document = schemathesis.openapi.from_dict(json.loads(PATH.read_text())).exclude(path_regex=OUTWARD)
    legal = document.as_strategy(generation_mode=GenerationMode.POSITIVE)
    illegal = document.as_strategy(generation_mode=GenerationMode.NEGATIVE)
    return st.one_of(legal, illegal)


@pytest.mark.slow
@pytest.mark.parametrize("who", ["alice", "bob", "vera", "carol", "nobody"])
def test_every_answer_is_a_documented_one(
    who: str, request: pytest.FixtureRequest, table: Table, requests_of_the_document: Any
) -> None:
    caller: Caller = request.getfixturevalue(who)

    @settings(max_examples=EXAMPLES, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(requests_of_the_document, st.sets(st.sampled_from(sorted(KNOWN))))
    def ask(case: Any, known: set[str]) -> None:
        case.path_parameters |= {name: KNOWN[name] for name in known & case.path_parameters.keys()}
        with transaction.atomic():
            answer = _sent(case, caller)
            transaction.set_rollback(True)  # else one request deletes what all others are about
        assert answer.status_code < 500 or answer.status_code in BUSY, answer.text
        case.validate_response(answer, checks=CHECKS)

    ask()


def _sent(case: Any, caller: Caller) -> Response:
    """The answer of the console, in the form that schemathesis checks."""
    asked = requests.Request(**case.as_transport_kwargs(base_url=SERVER)).prepare()
    parts = urlsplit(str(asked.url))
    headers = dict(asked.headers) | {"Idempotency-Key": secrets.token_hex(8), "If-Match": "*"}
    body = asked.body.encode() if isinstance(asked.body, str) else asked.body or b""
    client: Client = caller._client
    reply = client.generic(
        str(asked.method), f"{parts.path}?{parts.query}", body,
        content_type=headers.pop("Content-Type", "application/json"), headers=headers,
    )  # fmt: skip
    content = b"".join(reply.streaming_content) if reply.streaming else reply.content
    if reply.get("Content-Encoding") == "gzip":
        content = gzip.decompress(content)
    return Response(
        status_code=reply.status_code,
        headers={name.lower(): [value] for name, value in reply.items()},
        content=content,
        request=asked,
        elapsed=0.0,
        verify=False,
    )


@pytest.mark.parametrize(
    ("status", "kind", "body"),
    [
        (200, "application/json", b'{"api_version": 1}'),
        (200, "text/html", b"{}"),
        (418, "application/json", b"{}"),
        (404, "application/problem+json", b'{"code": "not-found"}'),
    ],
)
def test_an_answer_that_is_not_documented_is_noticed(status: int, kind: str, body: bytes) -> None:
    document = schemathesis.openapi.from_dict(json.loads(PATH.read_text()))
    case = document["/api/v1/meta"]["GET"].Case()
    asked = requests.Request("GET", f"{SERVER}/api/v1/meta").prepare()
    answer = Response(
        status_code=status,
        headers={"content-type": [kind]},
        content=body,
        request=asked,
        elapsed=0.0,
        verify=False,
    )
    with pytest.raises(FailureGroup):
        case.validate_response(answer, checks=CHECKS)
