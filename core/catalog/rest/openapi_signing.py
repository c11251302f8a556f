"""The headers of a request that is signed for the public gateway of DLF (`openapi`: ROA, HMAC-SHA1).

Pure: the time and the nonce come in as values. docs/spec-notes.md says what is signed.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import format_datetime
from urllib.parse import unquote_plus

from core.catalog.rest.signing import DlfKeys

_VERSION = "2026-01-18"  # of the gateway's interface
_ORDER = ("Accept", "Content-MD5", "Content-Type", "Date")


def openapi_headers(
    keys: DlfKeys,
    method: str,
    path: str,
    query: Mapping[str, str] | None = None,
    body: str = "",
    *,
    host: str,
    at: datetime,
    nonce: str,
) -> dict[str, str]:
    """All headers of a signed request.

    Args:
        keys, method, path, query, body: as of `dlf_headers`.
        host: the server's name, with its port if the address has one.
        at: when it is sent, with its zone.
        nonce: another one for each request.
    """
    headers = {"Date": format_datetime(at.astimezone(UTC), usegmt=True), "Accept": "application/json"}
    if body:
        digest = hashlib.md5(body.encode(), usedforsecurity=False).digest()
        headers["Content-MD5"] = base64.b64encode(digest).decode()
        headers["Content-Type"] = "application/json"
    headers |= {
        "Host": host,
        "x-acs-signature-method": "HMAC-SHA1",
        "x-acs-signature-nonce": nonce,
        "x-acs-signature-version": "1.0",
        "x-acs-version": _VERSION,
    }
    if keys.security_token is not None:
        headers["x-acs-security-token"] = keys.security_token
    text = string_to_sign(method, path, query or {}, headers)
    signature = hmac.new(keys.access_key_secret.encode(), text.encode(), hashlib.sha1).digest()
    return headers | {"Authorization": f"acs {keys.access_key_id}:{base64.b64encode(signature).decode()}"}


def string_to_sign(method: str, path: str, query: Mapping[str, str], headers: Mapping[str, str]) -> str:
    """What a signature is over: method, four headers, those of the gateway, and the resource by its names."""
    lines = [method, *(headers.get(name, "") for name in _ORDER)]
    own = sorted((name, text.strip()) for name, text in headers.items() if name.startswith("x-acs-"))
    parameters = "&".join(f"{key}={text}" if text else key for key, text in sorted(query.items()))
    resource = unquote_plus(path) + (f"?{parameters}" if parameters else "")
    return "\n".join((*lines, *(f"{name}:{text}" for name, text in own), resource))
