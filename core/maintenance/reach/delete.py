"""Deletes files that nothing names any more, and the directories that they leave empty."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

from core.table import Table

Progress = Callable[[int, int], None]
"""Told how much has been done, and how much there is in all."""

_AT_ONCE = 8


def no_progress(done: int, total: int) -> None:
    """For those who do not ask."""


def delete_files(table: Table, paths: Sequence[str], progress: Progress = no_progress) -> None:
    """Delete all of the files; those that are gone already are passed over.

    Raises:
        StorageError: the store failed; others of the files may be deleted all the same.
    """
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for done, _ in enumerate(pool.map(table.io.delete, paths), start=1):
            progress(done, len(paths))


def delete_empty_directories(table: Table, paths: Iterable[str]) -> None:
    """Delete the bucket and partition directories of some files if nothing is left in them.

    Directories outside of the table's own data directory stay.
    """
    roots = {f"{table.location}/", f"{table.paths.data_root}/"}
    wanted: set[str] = set()
    for path in paths:
        directory = path.rpartition("/")[0]
        while any(directory.startswith(root) for root in roots) and _holds_data(directory):
            wanted.add(directory)
            directory = directory.rpartition("/")[0]
    for directory in sorted(wanted, key=len, reverse=True):
        table.io.delete_empty_directory(directory)


def _holds_data(directory: str) -> bool:
    """Whether it is a bucket's or a partition's. Spec: 08, 12."""
    name = directory.rpartition("/")[2]
    return name.startswith("bucket-") or "=" in name
