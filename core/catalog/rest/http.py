"""Requests to a REST catalog's server, with who asks, retries and errors. Spec: 04, C4.

What is sent twice must do no harm: 429 and 503 are tried again for reads, deletions and commits, of which
the same one may come twice. A change whose answer was lost is `CatalogUnknownError`.
"""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import urlencode, urlsplit

from core.catalog.errors import CatalogError, CatalogUnknownError
from core.catalog.rest.errors import ErrorResponse, error_of
from core.catalog.rest.objects import Wire
from core.catalog.rest.openapi_signing import openapi_headers
from core.catalog.rest.signing import DlfKeys, bearer_headers, dlf_headers
from core.errors import FormatError, InvalidRequestError, UnsupportedError
from core.io.json_object import JsonObject

TIMEOUT = 180.0  # seconds
RETRIES = 5
DEFAULT, OPENAPI = "default", "openapi"  # how DLF's keys sign
_BUSY = frozenset({429, 503})
_LONGEST_WAIT = 60.0  # seconds, whatever a server asks for


@dataclass(frozen=True, slots=True)
class RestServer:
    """The server of a catalog. Nothing is kept between requests, so it travels to executors."""

    uri: str
    keys: str | DlfKeys | None = field(repr=False)  # a bearer token, or keys to sign with
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)  # sent with every request
    sleep: Callable[[float], None] = time.sleep

    def get(self, path: str, query: Mapping[str, str] | None = None) -> JsonObject:
        return self._ask("GET", path, query or {}, None, retries=RETRIES)

    def post(self, path: str, body: Wire, *, repeatable: bool = False) -> JsonObject:
        """The answer to a change; `repeatable` says that it may arrive twice."""
        return self._ask("POST", path, {}, body, retries=RETRIES if repeatable else 0)

    def delete(self, path: str) -> JsonObject:
        return self._ask("DELETE", path, {}, None, retries=RETRIES)

    def _ask(
        self, method: str, path: str, query: Mapping[str, str], body: Wire | None, *, retries: int
    ) -> JsonObject:
        for tried in range(retries + 1):
            try:
                return self._send(method, path, query, body)
            except urllib.error.HTTPError as refused:
                with refused:
                    if refused.code not in _BUSY or tried == retries:
                        raise _refusal(refused) from refused
                    self.sleep(_pause(refused, tried))
        raise AssertionError("the last try returns or raises")

    def _send(self, method: str, path: str, query: Mapping[str, str], body: Wire | None) -> JsonObject:
        data = None if body is None else json.dumps(body, ensure_ascii=False)
        address = f"{self.uri}{path}" + (f"?{urlencode(query)}" if query else "")
        headers = {"Accept": "application/json", "Content-Type": "application/json", **self.headers}
        headers |= self._signed(method, path, query, data or "")
        request = urllib.request.Request(
            address, None if data is None else data.encode(), headers, method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
                answer = response.read()
        except urllib.error.HTTPError:
            raise
        except (OSError, http.client.HTTPException) as error:
            raise self._lost(method, path, error) from error
        try:
            return JsonObject.parse(answer or b"{}")
        except FormatError as error:
            raise CatalogError(
                "the catalog's server answers with what is no JSON: is there a catalog at this address?",
                catalog=self.uri,
                operation=f"{method} {path}",
                cause=str(error),
            ) from error

    def _signed(self, method: str, path: str, query: Mapping[str, str], data: str) -> dict[str, str]:
        if isinstance(self.keys, DlfKeys) and self.keys.algorithm == OPENAPI:
            host, at = urlsplit(self.uri).netloc, datetime.now(UTC)
            nonce = str(uuid.uuid4())
            return openapi_headers(self.keys, method, path, query, data, host=host, at=at, nonce=nonce)
        if isinstance(self.keys, DlfKeys):
            return dlf_headers(self.keys, method, path, query, data, at=datetime.now(UTC))
        return {} if self.keys is None else bearer_headers(self.keys)

    def _lost(self, method: str, path: str, error: Exception) -> CatalogError:
        """A server that was never reached has done nothing; one that does not answer may have done all."""
        reason = getattr(error, "reason", error)
        where = {"catalog": self.uri, "operation": f"{method} {path}", "cause": str(reason)}
        if method == "GET" or isinstance(reason, ConnectionRefusedError):
            return CatalogError("the catalog's server cannot be reached", **where)
        return CatalogUnknownError(
            "the answer of the catalog's server was lost: it may have done what was asked, or not", **where
        )


def _refusal(refused: urllib.error.HTTPError) -> Exception:
    """What an answer of 400 or more stands for, with the id under which the server knows the request."""
    named = (value for name, value in refused.headers.items() if "request-id" in name.lower())
    try:
        answer = ErrorResponse.from_wire(JsonObject.parse(refused.read()))
    except (FormatError, OSError, http.client.HTTPException):
        answer = ErrorResponse(f"the catalog's server answered {refused.code} {refused.reason}", refused.code)
    return error_of(answer, next(named, None))


def _pause(refused: urllib.error.HTTPError, tried: int) -> float:
    asked = refused.headers.get("Retry-After", "")
    wait = float(asked) if asked.isascii() and asked.isdigit() else float(2**tried)
    return min(wait, _LONGEST_WAIT)


def checked_uri(text: str | None) -> str:
    """The address of a server, without a slash at its end.

    Raises:
        InvalidRequestError: none is given, or it is none.
    """
    given = (text or "").strip()
    uri = given if "://" in given else f"http://{given}"
    if urlsplit(uri).scheme not in ("http", "https") or not urlsplit(uri).hostname:
        raise InvalidRequestError(
            "a REST catalog is at an address of http or https", option="uri", found=text
        )
    return uri.rstrip("/")


def keys_of(options: Mapping[str, str]) -> str | DlfKeys | None:
    """Who asks, as the options `token.provider` and those behind it say.

    Raises:
        InvalidRequestError: an option is missing. UnsupportedError: another provider, by name.
    """
    match options.get("token.provider"):
        case None:
            return None
        case "bear":
            return _required(options, "token")
        case "dlf" if not options.get("dlf.access-key-id"):
            other = next(
                (k for k in ("dlf.token-path", "dlf.token-loader") if k in options), "dlf.token-path"
            )
            raise UnsupportedError(
                "give DLF's keys by dlf.access-key-id and dlf.access-key-secret",
                feature=other,
                where="catalog options",
            )
        case "dlf":
            return DlfKeys(
                _required(options, "dlf.region"),
                _required(options, "dlf.access-key-id"),
                _required(options, "dlf.access-key-secret"),
                options.get("dlf.security-token"),
                _algorithm(options),
            )
        case provider:
            raise UnsupportedError(
                "no such way to say who asks", feature=f"token.provider={provider}", where="catalog options"
            )


def _algorithm(options: Mapping[str, str]) -> str:
    """How requests are signed: as an option says, or as the server's address tells."""
    given = options.get("dlf.signing-algorithm", DEFAULT)
    if given not in (DEFAULT, OPENAPI):
        raise UnsupportedError(
            "no such way to sign",
            feature=f"dlf.signing-algorithm={given}",
            where="catalog options",
            expected=f"{DEFAULT}, {OPENAPI}",
        )
    host = options.get("uri", "").rpartition("://")[2].partition("/")[0].lower()
    return OPENAPI if given == OPENAPI or "dlfnext" in host else DEFAULT


def _required(options: Mapping[str, str], key: str) -> str:
    if not options.get(key):
        raise InvalidRequestError("an option of the REST catalog is missing", option=key)
    return options[key]
