"""All files of a table as one listing: existence and sizes without a request a file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as _pc

from core.io import FileIO, FileStatus
from core.system.text import Column

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time


@dataclass(frozen=True)
class Listing:
    """The files below a table's root."""

    files: tuple[FileStatus, ...]

    @staticmethod
    def of(io: FileIO, root: str) -> Listing:
        return Listing(tuple(io.iter_tree(root)))

    @cached_property
    def _sizes_by_path(self) -> dict[str, int]:
        return {status.path: status.size for status in self.files}

    @cached_property
    def _paths(self) -> Column:
        return pa.array([status.path for status in self.files], pa.string())

    @cached_property
    def _sizes(self) -> Column:
        return pa.array([status.size for status in self.files], pa.int64())

    def size(self, path: str) -> int | None:
        """Bytes; None where there is no such file."""
        return self._sizes_by_path.get(path)

    def sizes(self, paths: Column) -> Column:
        """Bytes of each path, null where there is no such file."""
        return pc.take(self._sizes, pc.index_in(paths, value_set=self._paths))
