"""Stores of files, and where each file of a table lives."""

from core.io.file_io import FileIO, FileStatus
from core.io.local import LocalFileIO
from core.io.obstore_io import MemoryFileIO, ObstoreFileIO
from core.io.open import file_io_for
from core.io.paths import MAIN_BRANCH, TablePaths

__all__ = [
    "MAIN_BRANCH",
    "FileIO",
    "FileStatus",
    "LocalFileIO",
    "MemoryFileIO",
    "ObstoreFileIO",
    "TablePaths",
    "file_io_for",
]
