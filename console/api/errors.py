"""From errors to problem+json (RFC 9457): the one place that knows both core's errors and HTTP."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpRequest
from rest_framework import exceptions as drf
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.codes import CODES, VARIANTS, Code, Words, help_address, type_uri
from console.api.damage import damage_of
from console.api.language import said
from console.api.trace import current_trace_id
from core.errors import (
    AlreadyExistsError,
    CommitConflictError,
    FormatError,
    InvalidRequestError,
    NotFoundError,
    PaimonError,
    StorageError,
    UnsupportedError,
)

MEDIA_TYPE = "application/problem+json"
log = logging.getLogger(__name__)
_SAID = Words("{what}", "{what}")  # core's own sentence


class Problem(Exception):
    """An answer that is not the one asked for: a code of codes.py and the fields of its detail.

    `code` may name a variant, as in `not-found/page`. Fields whose name is in `extension` are
    members of the reply, too.
    """

    def __init__(
        self,
        code: str,
        /,
        *,
        errors: list[dict[str, str]] | None = None,
        extension: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        **fields: object,
    ) -> None:
        super().__init__(code, fields)
        self.variant = code
        self.code = code.partition("/")[0]
        self.errors = errors or []
        self.extension = dict(extension or {})
        self.headers = dict(headers or {})
        self.fields = fields

    @property
    def status(self) -> int:
        return CODES[self.code].status

    def document(self, instance: str) -> dict[str, Any]:
        """The problem+json object, in the active language."""
        spoken = CODES[self.code]
        document: dict[str, Any] = {
            "type": type_uri(self.code),
            "title": _say(spoken.title),
            "status": spoken.status,
            "detail": self._detail(spoken),
            "instance": instance,
            "code": self.code,
            "trace_id": current_trace_id(),
            "errors": self.errors,
            "help": help_address(self.code),
        }
        return document | self.extension

    def _detail(self, spoken: Code) -> str:
        words = _SAID if self.variant.endswith("/said") else VARIANTS.get(self.variant, spoken.detail)
        return say(words, self.fields)


class _Fields(dict[str, object]):
    def __missing__(self, key: str) -> str:
        return "?"


def say(words: Words, fields: Mapping[str, object]) -> str:
    """A template over fields, in the active language."""
    return _say(words).format_map(_Fields(fields))


def _say(words: Words) -> str:
    return said(words.en, words.zh)


def invalid(pointer: str, detail: str, code: str = "invalid") -> Problem:
    """`validation-failed` for one field; `pointer` is a JSON pointer or the name of a query parameter."""
    return Problem("validation-failed", errors=[{"pointer": pointer, "code": code, "detail": detail}])


def handle(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """DRF's exception handler: every error leaves as problem+json."""
    request: Request = context["request"]
    problem = as_problem(error, request)
    if problem is None:
        log.error("unexpected error at %s", request.path, exc_info=error)
        problem = Problem("internal-error")
    request._request.problem_code = problem.code  # type: ignore[attr-defined]  # read by the audit
    response = Response(problem.document(request.get_full_path()), problem.status, headers=problem.headers)
    response.content_type = MEDIA_TYPE
    response["Cache-Control"] = "no-store"
    return response


def as_problem(error: Exception, request: Request | HttpRequest | None = None) -> Problem | None:
    """The problem that stands for an error; None for one that nobody foresaw."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, PaimonError):
        return _from_core(error)
    return _from_framework(error, request)


def _from_core(error: PaimonError) -> Problem:
    text, fields = str(error), _plain(error.fields)
    if isinstance(error, NotFoundError):
        if "path" in error.fields:
            return _damaged(error, "object-missing", fields)
        return _saying(text, "not-found", fields)
    if isinstance(error, FormatError) and "path" in error.fields:
        return _damaged(error, "object-damaged", fields)
    for kind, code in _CORE_CODES.items():
        if isinstance(error, kind):
            return _saying(text, code, fields)
    return _saying(text, "internal-error", fields)


def _damaged(error: PaimonError, code: str, fields: dict[str, str]) -> Problem:
    """Which object of a table it is, in the reader's language, and in codes."""
    damage = damage_of(error)
    return Problem(
        f"{code}/said", what=damage.sentence(), extension={"fields": fields, "damage": damage.shown()}
    )


def _saying(text: str, code: str, fields: dict[str, str]) -> Problem:
    """Core's own sentence as the detail."""
    return Problem(f"{code}/said", what=text, extension={"fields": fields})


_CORE_CODES: dict[type[PaimonError], str] = {
    InvalidRequestError: "validation-failed",
    AlreadyExistsError: "already-exists",
    UnsupportedError: "unsupported-format-version",
    FormatError: "object-damaged",
    StorageError: "warehouse-unavailable",
    CommitConflictError: "table-busy",
}


def _plain(fields: Mapping[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in fields.items()}


def _from_framework(error: Exception, request: Request | HttpRequest | None) -> Problem | None:
    match error:
        case drf.ValidationError():
            return Problem("validation-failed", errors=list(_pointed(error.detail)))
        case drf.NotAuthenticated() | drf.AuthenticationFailed():
            return Problem("unauthenticated", headers={"WWW-Authenticate": 'Bearer realm="lakescope"'})
        case drf.PermissionDenied() | PermissionDenied():
            return Problem("forbidden/csrf") if "CSRF" in str(error) else Problem("forbidden")
        case drf.Throttled():
            return _throttled(error)
        case drf.ParseError() | SuspiciousOperation():
            if isinstance(error, RequestDataTooBig):
                return Problem("too-large/body", limit=1024 * 1024)
            return invalid("", str(error), "parse-error")
        case drf.MethodNotAllowed():
            return Problem("method-not-allowed", method=request.method if request else "?")
        case drf.NotAcceptable():
            return Problem("not-acceptable")
        case drf.UnsupportedMediaType():
            return Problem("unsupported-media-type")
        case Http404() | drf.NotFound():
            return Problem("not-found/page", path=request.path if request else "?")
    return None


def _throttled(error: drf.Throttled) -> Problem:
    seconds = int(getattr(error, "wait", None) or 1)
    return Problem("rate-limited", seconds=seconds, headers={"Retry-After": str(seconds)})


def _pointed(detail: Any, pointer: str = "") -> list[dict[str, str]]:
    """DRF's nested errors as a flat list with JSON pointers."""
    if isinstance(detail, Mapping):
        return [e for name, inner in detail.items() for e in _pointed(inner, _below(pointer, str(name)))]
    if isinstance(detail, list) and any(isinstance(inner, (Mapping, list)) for inner in detail):
        return [e for i, inner in enumerate(detail) for e in _pointed(inner, f"{pointer}/{i}")]
    details = detail if isinstance(detail, list) else [detail]
    return [
        {"pointer": pointer, "code": str(getattr(d, "code", "invalid")), "detail": str(d)} for d in details
    ]


def _below(pointer: str, name: str) -> str:
    return pointer if name == "non_field_errors" else f"{pointer}/{name}"
