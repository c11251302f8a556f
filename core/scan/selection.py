"""Which live files a read is about, beside what its filter says: levels, times, partitions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from core.manifest import EntryColumns


@dataclass(frozen=True, slots=True)
class FileSelection:
    """A rule on the files of a snapshot; without arguments it takes all of them."""

    with_level_zero: bool = False  # even where batch reads wait for its compaction
    only_level: int | None = None
    least_level: int | None = None
    created_from_millis: int | None = None  # epoch, UTC
    without_partitions: frozenset[bytes] = frozenset()  # serialized rows
    without_files: Any = None  # names, an Arrow array: there may be as many as the table has files

    @property
    def takes_all(self) -> bool:
        return self.without_files is None and self == ALL_FILES

    def mask(self, entries: EntryColumns) -> npt.NDArray[np.bool_]:
        """Which entries it takes."""
        keep = np.ones(len(entries), dtype=np.bool_)
        if self.only_level is not None:
            keep &= entries.numpy("level") == self.only_level
        if self.least_level is not None:
            keep &= entries.numpy("level") >= self.least_level
        if self.created_from_millis is not None:
            # Manifests hold the writer's wall clock as if it were UTC; null compares as too old.
            earliest = _wall_clock_millis(self.created_from_millis)
            created: Any = entries.column("creation_time")
            keep &= created.fill_null(earliest - 1).to_numpy() >= earliest
        if self.without_partitions:
            left_out = pa.array(sorted(self.without_partitions), pa.binary())
            keep &= ~pc.is_in(entries.column("partition"), value_set=left_out).to_numpy()
        if self.without_files is not None:
            keep &= ~pc.is_in(entries.column("file_name"), value_set=self.without_files).to_numpy()
        return keep

    @property
    def reason(self) -> str:
        """What it goes by, for people."""
        parts = ["level 0 too"] if self.with_level_zero else []
        if self.only_level is not None:
            parts.append(f"files of level {self.only_level} alone")
        if self.least_level is not None:
            parts.append(f"files from level {self.least_level} on")
        if self.created_from_millis is not None:
            parts.append(f"files created at {self.created_from_millis} ms or later")
        if self.without_partitions:
            parts.append(f"{len(self.without_partitions)} partitions come from another branch")
        if self.without_files is not None:
            parts.append("files that the older snapshot did not have")
        return "; ".join(parts) or "all files"


ALL_FILES = FileSelection()


def _wall_clock_millis(epoch_millis: int) -> int:
    """What a clock on this machine's wall showed at an instant, as milliseconds."""
    offset = datetime.fromtimestamp(epoch_millis / 1000).astimezone().utcoffset()
    return epoch_millis + (round(offset.total_seconds() * 1000) if offset else 0)
