"""A plan: what a read has to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.manifest import EntryColumns
from core.predicate import Predicate
from core.scan.explain import Explain
from core.scan.source import TableSource
from core.scan.split import Split
from core.schema import TableSchema
from core.snapshot.snapshot import Snapshot
from core.types import DataField


@dataclass(frozen=True, slots=True)
class Fallback:
    """Where the partitions come from that the branch of a plan lacks."""

    source: TableSource
    schema: TableSchema


@dataclass(frozen=True, slots=True)
class Plan:
    """The splits of one read, and how it came to them.

    `snapshot` is None where the table was never written. `fields` are the columns asked for,
    in that order; `predicate` what their rows have to satisfy.
    """

    snapshot: Snapshot | None
    schema: TableSchema
    fields: tuple[DataField, ...]
    predicate: Predicate | None
    entries: EntryColumns  # the files to read, in the order of the splits
    splits: Sequence[Split]
    explain: Explain
    fallback: Fallback | None = None  # of the splits that name a branch

    @property
    def row_count(self) -> int:
        """Physical rows in the files, before merging, deletes and filters."""
        return int(self.entries.numpy("row_count").sum())

    @property
    def size(self) -> int:
        """Bytes of the files."""
        return int(self.entries.numpy("file_size").sum())
