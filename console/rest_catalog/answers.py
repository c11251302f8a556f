"""Errors as a REST catalog's clients know them. Spec: 04, C4, Errors."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from console.api.errors import Problem, as_problem
from console.api.waiting import StillWorkingError
from core.catalog.rest.errors import ErrorResponse, error_response
from core.errors import PaimonError

log = logging.getLogger(__name__)

_NO_SUCH = {"warehouse": None, "database": "DATABASE", "table": "TABLE", "branch": "BRANCH"}
# Ours that clients of a catalog have no meaning for, or another one: 409 is a name that is taken.
_STATUS = {"method-not-allowed": 501, "table-busy": 503, "too-large": 400, "unsupported-media-type": 400}


def handle(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """DRF's exception handler of the catalog: every error leaves as an ErrorResponse."""
    request: Request = context["request"]
    answer, headers = answer_to(error, request)
    request._request.problem_code = f"catalog-{answer.code}"  # type: ignore[attr-defined]  # read by the audit
    response = Response(answer.to_wire(), answer.code, headers=headers)
    response["Cache-Control"] = "no-store"
    return response


def answer_to(error: Exception, request: Request) -> tuple[ErrorResponse, dict[str, str]]:
    """The answer that tells of an error, and headers of it."""
    if isinstance(error, StillWorkingError):
        return ErrorResponse("the table's metadata is being read; ask again", 503), {"Retry-After": "2"}
    if isinstance(error, PaimonError):
        answer = error_response(error)
        return answer, {"Retry-After": "5"} if answer.code == 503 else {}
    problem = as_problem(error, request)
    if problem is None:
        log.error("unexpected error at %s", request.path, exc_info=error)
        problem = Problem("internal-error")
    document = problem.document(request.path)
    fields = "; ".join(f"{e['pointer']}: {e['detail']}".removeprefix(": ") for e in document["errors"])
    message = f"{document['detail']} {fields}".strip()
    status = _STATUS.get(problem.code, problem.status)
    resource = _NO_SUCH.get(str(problem.fields.get("kind"))) if status == 404 else None
    name = str(problem.fields["name"]) if resource else None
    return ErrorResponse(message, status, resource, name), problem.headers
