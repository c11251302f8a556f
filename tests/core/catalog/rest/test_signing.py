"""DLF's signature by the words of the spec; tests/interop/test_rest_wire.py holds it against pypaimon's."""

from __future__ import annotations

from datetime import UTC, datetime

from core.catalog.rest.signing import DlfKeys, bearer_headers, canonical_request, dlf_headers

AT = datetime(2026, 11, 22, 18, 30, 5, tzinfo=UTC)
KEYS = DlfKeys("cn-hangzhou", "key-id", "key-secret", "sts-token")


def test_a_canonical_request_has_its_lines_in_the_order_of_the_spec() -> None:
    headers = {"x-dlf-version": "v1", "Content-MD5": "m", "User-Agent": "u", "x-dlf-date": "d"}
    text = canonical_request("GET", "/v1/config", {"b": "2/ä", "a": "1 %", "c": ""}, headers)
    assert text == "\n".join(
        (
            "GET",
            "/v1/config",
            "a=1%20%25&b=2%2F%C3%A4&c",
            "content-md5:m",
            "x-dlf-date:d",
            "x-dlf-version:v1",
            "UNSIGNED-PAYLOAD",
        )
    )


def test_a_request_with_a_body_says_what_it_is() -> None:
    headers = dlf_headers(KEYS, "POST", "/v1/p/databases", body='{"name":"db"}', at=AT)
    assert headers["x-dlf-date"] == "20261122T183005Z"
    assert headers["Content-Type"] == "application/json"
    assert headers["Content-MD5"] == "6ZF45M/6TJ2FOC248EOPDg=="
    assert headers["x-dlf-security-token"] == "sts-token"
    assert headers["Authorization"].startswith(
        "DLF4-HMAC-SHA256 Credential=key-id/20261122/cn-hangzhou/DlfNext/aliyun_v4_request,Signature="
    )


def test_a_request_without_one_does_not() -> None:
    headers = dlf_headers(KEYS, "GET", "/v1/config", {"warehouse": "w"}, at=AT)
    assert not {"Content-Type", "Content-MD5"} & set(headers)


def test_secrets_are_not_shown() -> None:
    assert "key-secret" not in repr(KEYS)
    assert "sts-token" not in repr(KEYS)
    assert bearer_headers("x") == {"Authorization": "Bearer x"}
