"""The snapshot: one committed state of a table. Spec: 01, 8."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

BATCH_COMMIT_IDENTIFIER = 2**63 - 1  # every batch commit uses it


class CommitKind(StrEnum):
    APPEND = "APPEND"
    COMPACT = "COMPACT"
    OVERWRITE = "OVERWRITE"
    ANALYZE = "ANALYZE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A snapshot file. Names of lists and manifests are file names inside `manifest/`."""

    version: int = 3
    id: int
    uuid: str | None = None  # absent before 2.1
    schema_id: int
    base_manifest_list: str
    base_manifest_list_size: int | None = None  # bytes
    delta_manifest_list: str
    delta_manifest_list_size: int | None = None  # bytes
    changelog_manifest_list: str | None = None
    changelog_manifest_list_size: int | None = None  # bytes
    index_manifest: str | None = None
    commit_user: str
    writer_version: str | None = None
    commit_identifier: int
    commit_kind: CommitKind
    time_millis: int  # epoch milliseconds, UTC
    log_offsets: Mapping[str, int] | None = None  # obsolete; kept so that a copy loses nothing
    total_record_count: int | None = None  # physical rows, before merging
    delta_record_count: int | None = None
    changelog_record_count: int | None = None
    watermark: int | None = None
    statistics: str | None = None  # file name inside statistics/
    properties: Mapping[str, str] = field(default_factory=dict)
    next_row_id: int | None = None
    operation: str | None = None

    @property
    def identity(self) -> str:
        """A short digest that stays apart when a rollback re-uses an id (design, 3.1)."""
        parts = self.uuid or "|".join(
            map(
                str,
                (
                    self.id,
                    self.time_millis,
                    self.commit_user,
                    self.commit_identifier,
                    self.delta_manifest_list,
                ),
            )
        )
        return hashlib.sha256(parts.encode()).hexdigest()[:8]

    @property
    def reference(self) -> str:
        """`42~9f3c01ab`: the id and the identity, as URLs carry it."""
        return f"{self.id}~{self.identity}"
