"""What a manifest records of one data file. Spec: 02, 3.1."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum

from core.binary.row import BinaryRow
from core.stats.simple_stats import SimpleStats


class FileSource(IntEnum):
    APPEND = 0
    COMPACT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFileMeta:
    file_name: str
    file_size: int  # bytes
    row_count: int  # physical rows, deletes included
    min_key: BinaryRow  # trimmed primary key; the empty row for append tables
    max_key: BinaryRow
    key_stats: SimpleStats
    value_stats: SimpleStats
    min_sequence_number: int
    max_sequence_number: int
    schema_id: int
    level: int
    extra_files: tuple[str, ...] = ()
    creation_time_millis: int | None = None  # wall clock of the writer, stored as if UTC
    delete_row_count: int | None = None  # rows of kind -U or -D; None = unknown
    embedded_index: bytes | None = None
    file_source: FileSource | None = None
    value_stats_cols: tuple[str, ...] | None = None  # None: every column of the schema
    external_path: str | None = None
    first_row_id: int | None = None
    write_cols: tuple[str, ...] | None = None
    write_cols_sequences: tuple[int, ...] | None = None

    def at_level(self, level: int) -> DataFileMeta:
        """The same file on another level: how compactions lift it without a rewrite."""
        return replace(self, level=level)
