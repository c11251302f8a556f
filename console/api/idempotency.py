"""`Idempotency-Key`: the same key and body give the same reply, and the work is done once."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from console.accounts.models import ApiToken
from console.api.errors import Problem
from console.api.models import IdempotentReply
from console.api.secrets import decrypt, encrypt

KEPT = timedelta(hours=24)
ABANDONED = timedelta(minutes=2)  # a request that has not replied by then died with its process
WAIT = 10.0  # seconds that a repeated request waits for the first
HEADER = "Idempotency-Key"

Post = Callable[..., Response]


def idempotent(post: Post) -> Post:
    """The view method, done at most once for each key of a caller.

    Raises:
        Problem: `precondition-required` without the header, `idempotency-conflict` where the key
            came with another body, `timeout` while the first request is still at work.
    """

    @wraps(post)
    def once(view: Any, request: Request, /, *args: Any, **kwargs: Any) -> Response:
        key = request.headers.get(HEADER, "")
        if not 8 <= len(key) <= 100:
            raise Problem("precondition-required/idempotency")
        pending = _claim(caller_of(request), key, _digest(request))
        if pending.status:
            return _replay(pending)
        try:
            response = post(view, request, *args, **kwargs)
        except BaseException:
            pending.delete()
            raise
        _keep(pending, response)
        return response

    return once


def forget_old() -> int:
    """Delete the replies that are kept no longer; how many they were."""
    return IdempotentReply.objects.filter(created_at__lt=timezone.now() - KEPT).delete()[0]


def caller_of(request: Request) -> str:
    """Whose request it is: the token's, or the person's."""
    token = request.auth
    return f"token:{token.public_id}" if isinstance(token, ApiToken) else f"user:{request.user.pk}"


def _digest(request: Request) -> str:
    body = request._request.body
    return hashlib.sha256(f"{request.method} {request.path}\n".encode() + body).hexdigest()


def _claim(caller: str, key: str, digest: str) -> IdempotentReply:
    """A new pending row of ours, or the finished row of an earlier request."""
    deadline = time.monotonic() + WAIT
    while True:
        try:
            with transaction.atomic():
                return IdempotentReply.objects.create(caller=caller, key=key, request_digest=digest)
        except IntegrityError:
            found = IdempotentReply.objects.filter(caller=caller, key=key).first()
        if found is None or _expired(found):
            if found:
                found.delete()
            continue
        if found.request_digest != digest:
            raise Problem("idempotency-conflict")
        if found.status:
            return found
        if time.monotonic() > deadline:
            raise Problem("timeout", headers={"Retry-After": "2"})
        time.sleep(0.1)


def _expired(reply: IdempotentReply) -> bool:
    age = timezone.now() - reply.created_at
    return age > (KEPT if reply.status else ABANDONED)


def _replay(reply: IdempotentReply) -> Response:
    headers = {"Idempotent-Replay": "true"}
    if reply.location:
        headers["Location"] = reply.location
    return Response(decrypt(reply.body), reply.status, headers=headers)


def _keep(pending: IdempotentReply, response: Response) -> None:
    rendered = JSONRenderer().render(response.data)
    # Nothing is there any more where a repeated request took this one for dead: that one's reply counts.
    IdempotentReply.objects.filter(pk=pending.pk).update(
        status=response.status_code,
        body=encrypt(_parsed(rendered)),
        location=response.headers.get("Location", ""),
    )


def _parsed(rendered: bytes) -> Any:
    return json.loads(rendered) if rendered else None
