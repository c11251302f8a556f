"""Row previews, read by a child process with limits on time, memory and bytes."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from typing import Any

from django.conf import settings

from console.api.errors import Problem
from console.inspector.opening import OpenTable
from core import errors as core_errors
from core.identifier import Identifier
from core.io.paths import MAIN_BRANCH
from core.snapshot import Snapshot

TIMEOUT = 20.0  # seconds
MOST_AT_ONCE = 2  # in a web process
_slots = threading.BoundedSemaphore(MOST_AT_ONCE)


def preview(
    opened: OpenTable,
    snapshot: Snapshot | None,
    *,
    columns: list[str] | None,
    filter_: str | None,
    limit: int,
) -> dict[str, Any]:
    """The first rows at the snapshot.

    Raises:
        Problem: `timeout`, `too-large`. PaimonError: what core raised in the child.
    """
    began = time.monotonic()
    answer = _ask(
        {
            "catalog": opened.warehouse.catalog_options(),
            "table": str(Identifier(opened.database, opened.name, _branch(opened))),
            "snapshot": snapshot.id if snapshot else None,
            "schema": snapshot.schema_id if snapshot else None,
            "columns": columns or None,
            "filter": filter_,
            "limit": limit,
        }
    )
    millis = int((time.monotonic() - began) * 1000)
    return answer | {"as_of": snapshot.reference if snapshot else None, "millis": millis}


def _branch(opened: OpenTable) -> str | None:
    return None if opened.branch == MAIN_BRANCH else opened.branch


def _ask(request: dict[str, Any]) -> dict[str, Any]:
    if not _slots.acquire(timeout=TIMEOUT):
        raise Problem("timeout", headers={"Retry-After": "2"})
    try:
        done = subprocess.run(
            [sys.executable, "-m", "console.queries.reader"],
            input=json.dumps(request),
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            cwd=settings.ROOT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Problem("timeout", headers={"Retry-After": "2"}) from None
    finally:
        _slots.release()
    return _answer(done)


def _answer(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    if done.returncode < 0:  # killed: out of CPU time or memory
        raise Problem("too-large", limit=f"{TIMEOUT:.0f} s and 4 GiB")
    if done.returncode:
        raise RuntimeError(f"the preview's process failed: {done.stderr[-2000:]}")
    answer: dict[str, Any] = json.loads(done.stdout)
    if "limit" in answer:
        raise Problem("too-large", limit=answer["limit"])
    if "error" in answer:
        error = answer["error"]
        raise getattr(core_errors, error["kind"])(error["what"], **error["fields"])
    return answer
