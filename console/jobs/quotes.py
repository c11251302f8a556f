"""What of a job's failure quotes no value of a row, and so is told to all who see the job."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Who was faster, what is gone, what the store said. Any other sentence may quote what was read: a cast that
# fails names the value, and Spark's messages are anything.
HARMLESS = frozenset(
    {
        "conflict", "not-found", "already-exists", "commit-unknown", "storage", "engine-ended",
        "engine-unavailable",
    }
)  # fmt: skip


def may_quote(problem: Mapping[str, Any]) -> bool:
    """Whether the sentence and the fields of a problem may hold a value of a row."""
    return problem.get("code") not in HARMLESS


def for_the_audit(problem: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """What the audit log keeps: no sentence, as its readers are not those of the table."""
    return None if problem is None else {"code": problem.get("code"), "transient": problem.get("transient")}
