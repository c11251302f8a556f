"""Our wire of a REST catalog beside that of pypaimon 2.1.0: names in addresses, signatures, bodies."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from core import open_catalog
from core.catalog.errors import AccessDeniedError
from core.catalog.rest import requests
from core.catalog.rest.names import encode_name
from core.catalog.rest.openapi_signing import openapi_headers
from core.catalog.rest.signing import DlfKeys, dlf_headers
from core.io.json_object import JsonObject
from tests.interop.peers import DRIVERS, PyPaimon

pytestmark = pytest.mark.interop

CASE = {"region": "cn-hangzhou", "id": "key-id", "secret": "key-secret", "at": 1_795_372_205,
        "host": "dlfnext.cn-hangzhou.aliyuncs.com", "nonce": "n-1"}  # fmt: skip
SIGNED: list[dict[str, Any]] = [
    {"method": "GET", "path": "/v1/config", "query": {"warehouse": "a b/ä~*"}, "body": "", "token": None},
    {"method": "GET", "path": "/v1/p/databases", "query": {"b": "2", "a": ""}, "body": "", "token": "sts"},
    {
        "method": "POST",
        "path": "/v1/p/databases/db/tables",
        "query": {},
        "body": '{"name":"表"}',
        "token": "sts",
    },
    {"method": "DELETE", "path": "/v1/p/databases/a+b", "query": {}, "body": "", "token": None},
]
NAMES = ["a b", "a/b", "t$branch_b", "~*.-_", "表", "100%", "a+b"]


@pytest.fixture(scope="module")
def theirs(pypaimon: PyPaimon) -> dict[str, Any]:
    asked = {"sign": [CASE | case for case in SIGNED], "names": NAMES}
    done = subprocess.run(
        [pypaimon.python, DRIVERS / "rest_wire21.py"],
        input=json.dumps(asked).encode(),
        stdout=subprocess.PIPE,
        check=True,
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.mark.parametrize("number", range(len(SIGNED)))
def test_a_request_is_signed_as_pypaimon_signs_it(theirs: dict[str, Any], number: int) -> None:
    case = SIGNED[number]
    keys = DlfKeys("cn-hangzhou", "key-id", "key-secret", case["token"])
    at = datetime.fromtimestamp(1_795_372_205, UTC)
    ours = dlf_headers(keys, case["method"], case["path"], case["query"], case["body"], at=at)
    assert ours == theirs["signed"][number]


@pytest.mark.parametrize("number", range(len(SIGNED)))
def test_a_request_to_the_public_gateway_is_signed_as_pypaimon_signs_it(
    theirs: dict[str, Any], number: int
) -> None:
    case = SIGNED[number]
    keys = DlfKeys("cn-hangzhou", "key-id", "key-secret", case["token"])
    ours = openapi_headers(
        keys,
        case["method"],
        case["path"],
        case["query"],
        case["body"],
        host=CASE["host"],
        at=datetime.fromtimestamp(1_795_372_205, UTC),
        nonce=CASE["nonce"],
    )
    assert ours == theirs["openly_signed"][number]


@pytest.fixture
def gate(pypaimon: PyPaimon) -> Iterator[str]:
    """The address of a server that knows one key, and checks signatures as pypaimon makes them."""
    command = [pypaimon.python, DRIVERS / "rest_gate21.py"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        yield f"http://127.0.0.1:{int(running.stdout.readline())}"
        running.terminate()


@pytest.mark.parametrize("algorithm", ["default", "openapi"])
def test_a_server_that_checks_signatures_lets_a_key_in_and_no_other(gate: str, algorithm: str) -> None:
    options = {
        "metastore": "rest",
        "uri": gate,
        "warehouse": "a b/ä",
        "token.provider": "dlf",
        "dlf.region": "cn-hangzhou",
        "dlf.access-key-id": "key-id",
        "dlf.access-key-secret": "key-secret",
        "dlf.security-token": "sts",
        "dlf.signing-algorithm": algorithm,
    }
    catalog = open_catalog(options)
    assert catalog.list_databases() == [algorithm]
    catalog.create_database("表 1", properties={"a": "b"})
    assert catalog.list_tables_page("x", limit=3, pattern="a b%").names == ("t",)
    with pytest.raises(AccessDeniedError):
        open_catalog(options | {"dlf.access-key-secret": "another"})


def test_names_are_encoded_as_pypaimon_encodes_them(theirs: dict[str, Any]) -> None:
    assert {name: encode_name(name) for name in NAMES} == theirs["names"]


@pytest.mark.parametrize(
    "name",
    ["CreateDatabase", "AlterDatabase", "CreateTable", "AlterTable", "Rename", "CommitTable",
     "RollbackTable", "CreateBranch", "CreateTag"],
)  # fmt: skip
def test_a_body_of_pypaimon_is_read_and_written_again_as_it_came(theirs: dict[str, Any], name: str) -> None:
    body = theirs["bodies"][name]
    decoded = getattr(requests, name).from_wire(JsonObject(body))
    assert without_nulls(decoded.to_wire()) == without_nulls(body)


def without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_nulls(inner) for name, inner in value.items() if inner is not None}
    return [without_nulls(inner) for inner in value] if isinstance(value, list) else value
