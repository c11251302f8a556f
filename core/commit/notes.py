"""What a committer says about a commit beside its files. Spec: 01, 8; 08, 1 and 2."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field

from core.arguments import check_argument, is_a, is_texts, is_whole_number
from core.options import (
    COMMIT_FORCE_CREATE_SNAPSHOT,
    COMMIT_USER_PREFIX,
    SNAPSHOT_IGNORE_EMPTY_COMMIT,
    TableOptions,
)
from core.snapshot.snapshot import BATCH_COMMIT_IDENTIFIER


@dataclass(frozen=True, slots=True)
class CommitNotes:
    """Members of the snapshots of one commit."""

    watermark: int | None = None  # epoch milliseconds; the table's never goes back
    properties: Mapping[str, str] = field(default_factory=dict)
    operation: str | None = None  # WRITE, OVERWRITE, DELETE, TRUNCATE, UPDATE, MERGE, ...

    def __post_init__(self) -> None:
        """Raises `InvalidRequestError`: a snapshot with such a member could not be read again."""
        takes_watermark = self.watermark is None or is_whole_number(self.watermark)
        check_argument(takes_watermark, "a watermark is in epoch milliseconds", self.watermark)
        check_argument(is_texts(self.properties), "properties and their values are texts", self.properties)
        takes_operation = self.operation is None or is_a(self.operation, str)
        check_argument(takes_operation, "an operation is told by a text", self.operation)


NO_NOTES = CommitNotes()


def new_commit_user(options: TableOptions) -> str:
    """A user nobody else has, with the prefix that the table asks for."""
    prefix = options.get(COMMIT_USER_PREFIX)
    return f"{prefix}_{uuid.uuid4()}" if prefix else str(uuid.uuid4())


def makes_empty_snapshots(options: TableOptions, identifier: int) -> bool:
    """Whether a commit without changes makes a snapshot: if told so, and for streams that are told to."""
    ignored = options.get(SNAPSHOT_IGNORE_EMPTY_COMMIT)
    if ignored is not None:
        return not ignored
    return identifier != BATCH_COMMIT_IDENTIFIER and options.get(COMMIT_FORCE_CREATE_SNAPSHOT)
