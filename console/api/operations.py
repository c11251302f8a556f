"""Operations: work that a request began and did not wait for to end. Design: 9.1, 9.2."""

from __future__ import annotations

import os
import secrets
import socket
from concurrent.futures import Future
from datetime import timedelta
from typing import Any
from weakref import WeakValueDictionary

from django.db import connection
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.errors import Problem, as_problem
from console.api.fields import AnyField, CountField, TimeField, choice
from console.api.idempotency import KEPT, caller_of
from console.api.models import Operation
from console.api.waiting import StillWorkingError, preferred_wait, progress_of

RETRY_AFTER = 2  # seconds
ABANDONED = timedelta(minutes=30)  # the process that did the work has ended, or the store never answers
ADDRESS = "/api/v1/operations/"
_under_way: WeakValueDictionary[str, Future[Any]] = WeakValueDictionary()  # of this process


class OperationProgressSerializer(serializers.Serializer[Any]):
    done = CountField()
    total = CountField(allow_null=True)
    unit = serializers.CharField()


class OperationResultSerializer(serializers.Serializer[Any]):
    """Where the result is: the request that began the work, which is now answered at once."""

    method = choice("GET", "POST")
    href = serializers.CharField()


class OperationSerializer(serializers.Serializer[Any]):
    """Work that goes on without the request that began it."""

    id = serializers.CharField(source="public_id")
    state = choice(*Operation.State.values)
    progress = OperationProgressSerializer(allow_null=True)
    created_at = TimeField()
    ended_at = TimeField(allow_null=True)
    result = OperationResultSerializer(allow_null=True)
    problem = AnyField(help_text="Problem details where it failed.")


def find(request: Request, public_id: str) -> Operation:
    """The caller's operation of that id.

    Raises:
        Problem: `not-found`, also for somebody else's.
    """
    row = Operation.objects.filter(public_id=public_id, caller=caller_of(request)).first()
    if row is None:
        raise Problem("not-found", kind="operation", name=public_id)
    return row


def shown(row: Operation) -> dict[str, Any]:
    """The operation as the API shows it; how far it has come tells the process that does it."""
    state, problem = row.state, row.problem
    if state == Operation.State.RUNNING and timezone.now() - row.created_at > ABANDONED:
        state, problem = Operation.State.FAILED, Problem("timeout").document(row.href)
    done = state == Operation.State.SUCCEEDED
    view = {
        "public_id": row.public_id, "state": state, "progress": _progress(row), "created_at": row.created_at,
        "ended_at": row.ended_at, "problem": problem,
        "result": {"method": row.method, "href": row.href} if done else None,
    }  # fmt: skip
    return dict(OperationSerializer(view).data)


def _progress(row: Operation) -> dict[str, Any] | None:
    future = _under_way.get(row.public_id)
    return None if future is None or row.state != Operation.State.RUNNING else progress_of(future)


def accepted(request: Request, error: StillWorkingError) -> Response:
    """The reply 202 to a request whose work goes on: where its state is to be seen."""
    row = _operation(request)
    _under_way[row.public_id] = error.future
    error.future.add_done_callback(lambda done: _end(row.pk, row.href, done))
    headers = {
        "Location": ADDRESS + row.public_id,
        "Retry-After": str(RETRY_AFTER),
        "Cache-Control": "no-store",
    }
    preferred = preferred_wait(request)
    if preferred is not None:
        headers["Preference-Applied"] = f"wait={preferred}"
    return Response(shown(row), 202, headers=headers)


def _operation(request: Request) -> Operation:
    """The operation of the same request if this process is at it already, else a new one."""
    known = {
        "caller": caller_of(request),
        "method": request.method or "GET",
        "href": request.get_full_path(),
        "owner": f"{socket.gethostname()}:{os.getpid()}",
    }
    running = Operation.objects.filter(state=Operation.State.RUNNING, **known).first()
    return running or Operation.objects.create(public_id=f"o-{secrets.token_hex(5)}", **known)


def _end(pk: int, href: str, done: Future[Any]) -> None:
    """Write down how the work ended. Runs in the thread that did it."""
    error = done.exception()
    problem = None
    if error is not None:
        known = as_problem(error) if isinstance(error, Exception) else None
        problem = (known or Problem("internal-error")).document(href)
    state = Operation.State.SUCCEEDED if error is None else Operation.State.FAILED
    try:
        Operation.objects.filter(pk=pk).update(state=state, problem=problem, ended_at=timezone.now())
    finally:
        connection.close()  # of this thread, which is no request's


def forget_old_operations() -> int:
    """Delete operations of more than a day ago; how many they were."""
    return Operation.objects.filter(created_at__lt=timezone.now() - KEPT).delete()[0]
