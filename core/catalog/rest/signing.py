"""The headers by which a caller of a REST catalog says who it is: a bearer token, or DLF's signature.

Pure: the time comes in as a value. Spec: 04, C4, Auth.
"""

from __future__ import annotations

import hashlib
import hmac
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import quote

_ALGORITHM = "DLF4-HMAC-SHA256"
_PRODUCT = "DlfNext"
_REQUEST = "aliyun_v4_request"
_PAYLOAD = "UNSIGNED-PAYLOAD"
_SIGNED = frozenset(
    {
        "content-md5",
        "content-type",
        "x-dlf-content-sha256",
        "x-dlf-date",
        "x-dlf-security-token",
        "x-dlf-version",
    }
)


@dataclass(frozen=True, slots=True)
class DlfKeys:
    """An access key of DLF, in the region whose server is asked."""

    region: str
    access_key_id: str
    access_key_secret: str = field(repr=False)
    security_token: str | None = field(default=None, repr=False)
    algorithm: str = "default"  # or openapi


def bearer_headers(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def dlf_headers(
    keys: DlfKeys,
    method: str,
    path: str,
    query: Mapping[str, str] | None = None,
    body: str = "",
    *,
    at: datetime,
) -> dict[str, str]:
    """All headers of a signed request.

    Args:
        keys: whose request it is.
        method: in capitals.
        path: of the resource, its names encoded, without the query.
        query: parameters as they are before they are encoded.
        body: empty for none.
        at: when it is sent, with its zone.
    """
    date = at.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    headers = {"x-dlf-date": date, "x-dlf-content-sha256": _PAYLOAD, "x-dlf-version": "v1"}
    if body:
        headers["Content-Type"] = "application/json"
        headers["Content-MD5"] = b64encode(
            hashlib.md5(body.encode(), usedforsecurity=False).digest()
        ).decode()
    if keys.security_token is not None:
        headers["x-dlf-security-token"] = keys.security_token
    scope = f"{date[:8]}/{keys.region}/{_PRODUCT}/{_REQUEST}"
    request = canonical_request(method, path, query or {}, headers)
    to_sign = "\n".join((_ALGORITHM, date, scope, hashlib.sha256(request.encode()).hexdigest()))
    signature = _hmac(_signing_key(keys, date[:8]), to_sign).hex()
    credential = f"{_ALGORITHM} Credential={keys.access_key_id}/{scope}"
    return headers | {"Authorization": f"{credential},Signature={signature}"}


def canonical_request(method: str, path: str, query: Mapping[str, str], headers: Mapping[str, str]) -> str:
    """What a signature is over, a line each: method, path, query, signed headers, payload."""
    pairs = (
        f"{key.strip()}={quote(value, safe='')}" if value else key.strip()
        for key, value in sorted(query.items())
    )
    signed = sorted((name.lower(), value.strip()) for name, value in headers.items())
    lines = (f"{name}:{value}" for name, value in signed if name in _SIGNED)
    return "\n".join((method, path, "&".join(pairs), *lines, _PAYLOAD))


def _signing_key(keys: DlfKeys, day: str) -> bytes:
    key = f"aliyun_v4{keys.access_key_secret}".encode()
    for step in (day, keys.region, _PRODUCT, _REQUEST):
        key = _hmac(key, step)
    return key


def _hmac(key: bytes, text: str) -> bytes:
    return hmac.new(key, text.encode(), hashlib.sha256).digest()
