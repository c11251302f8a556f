"""Row previews, read by processes with limits on time, memory and bytes."""

from __future__ import annotations

import time
from typing import Any

from console.api.errors import Problem
from console.inspector.opening import OpenTable
from console.inspector.typed import plain_of
from console.queries.pool import pool
from core import errors as core_errors
from core.errors import PaimonError, UnsupportedError
from core.identifier import Identifier
from core.io.paths import MAIN_BRANCH
from core.snapshot import Snapshot


def preview(
    opened: OpenTable,
    snapshot: Snapshot | None,
    *,
    columns: list[str] | None,
    filter_: str | None,
    limit: int,
    system: str | None = None,
    file: str | None = None,
) -> dict[str, Any]:
    """The first rows at the snapshot; of a system table of that name, or of one data file as it stands.

    Raises:
        Problem: `timeout`, `too-large`, `validation-failed`. PaimonError: what core raised in the reader.
    """
    began = time.monotonic()
    files = plain_of(opened)
    answer = pool.ask(
        {
            "catalog": opened.warehouse.catalog_options(),
            "table": str(Identifier(opened.database, opened.name, _branch(opened), system)),
            "snapshot": snapshot.id if snapshot else None,
            "schema": snapshot.schema_id if snapshot else None,
            "columns": columns or None,
            "filter": filter_,
            "file": file,
            "limit": limit,
            "masks": _masks(opened),
            "files": files.location if files else None,  # a place that was looked at: no other is read
        }
    )
    millis = int((time.monotonic() - began) * 1000)
    return _rows(answer) | {"as_of": snapshot.reference if snapshot else None, "millis": millis}


def _masks(opened: OpenTable) -> list[dict[str, Any]]:
    """What of the rows is masked.

    Raises:
        UnsupportedError: a policy is about the table, and which columns it means cannot be read.
    """
    if opened.sight.is_closed:
        raise UnsupportedError(
            "values of this table are masked, and its schemas or the key of the policy cannot be read",
            feature="a preview of a masked table that is damaged",
            table=opened.full_name,
            needed=opened.sight.needed.value,
        )
    return opened.sight.for_reader()


def _branch(opened: OpenTable) -> str | None:
    return None if opened.branch == MAIN_BRANCH else opened.branch


def _rows(answer: dict[str, Any]) -> dict[str, Any]:
    """The answer, if it is one."""
    if "failure" in answer:
        raise RuntimeError(f"the preview's process failed: {answer['failure'][-2000:]}")
    if "limit" in answer:
        raise Problem("too-large", limit=answer["limit"])
    if "error" in answer:
        raise _error(**answer["error"])
    return answer


def _error(kind: str, what: str, fields: dict[str, str]) -> Exception:
    """What core raised in the reader; a problem with a pointer where a member of the request is to blame."""
    pointer = fields.pop("pointer", None)
    error: PaimonError = getattr(core_errors, kind)(what, **fields)
    if pointer is None:
        return error
    mistake = {"pointer": pointer, "code": "invalid", "detail": str(error)}
    return Problem("validation-failed", errors=[mistake], extension={"fields": fields})
