"""The files of table indexes at a commit: what is live after it. Spec: 02, 6.1; 08, 3, checks 5 and 6. Pure.

Paimon lets a new `HASH` file, and a new `DELETION_VECTORS` file of a real bucket, replace whatever
its bucket has. Here the change has to name what it replaces: of two writers that both began with
one file, the second would otherwise take away what the first has added to it, unnoticed.

What check 5 of the spec guards follows from three rules: a file that is removed is there, a
vector is added only to a live file that has none left, and a data file goes with its vector.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from core.binary import BinaryRow
from core.errors import CommitConflictError
from core.manifest.index_manifest import DELETION_VECTORS_INDEX, HASH_INDEX, IndexManifestEntry

_Place: TypeAlias = tuple[BinaryRow, int, str]


@dataclass(frozen=True, slots=True)
class IndexChange:
    """The index files that a commit adds and removes."""

    added: tuple[IndexManifestEntry, ...] = ()
    removed: tuple[IndexManifestEntry, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed)

    @property
    def has_vectors(self) -> bool:
        return any(e.index_type == DELETION_VECTORS_INDEX for e in (*self.added, *self.removed))


NO_INDEX_CHANGE = IndexChange()


def combine_indexes(
    base: Iterable[IndexManifestEntry],
    change: IndexChange,
    *,
    vectors_by_bucket: bool,
    replaces: Callable[[BinaryRow], bool] | None = None,
) -> list[IndexManifestEntry]:
    """All live index files after a change.

    Args:
        base: those before it.
        change: what it adds and removes.
        vectors_by_bucket: whether each bucket has one file of deletion vectors; so it is unless
            the table has neither buckets nor a primary key.
        replaces: partitions whose earlier files all go.

    Raises:
        CommitConflictError: what is removed is gone, or something else is in the place of what is added.
    """
    live = {e.file_name: e for e in base if replaces is None or not replaces(e.partition)}
    for entry in change.removed:
        if replaces is not None and replaces(entry.partition):
            continue
        if live.pop(entry.file_name, None) is None:
            raise _clash("an index file to be replaced is no longer in the table", entry)
    for entry in change.added:
        _check_room(live, entry, vectors_by_bucket)
        live[entry.file_name] = entry
    return list(live.values())


def _check_room(live: dict[str, IndexManifestEntry], entry: IndexManifestEntry, by_bucket: bool) -> None:
    if entry.file_name in live:
        raise _clash("an index file is added that the table has already", entry)
    is_vectors = entry.index_type == DELETION_VECTORS_INDEX
    if entry.index_type == HASH_INDEX or (is_vectors and by_bucket):
        found = next((e for e in live.values() if _place(e) == _place(entry)), None)
        if found is not None:
            raise _clash(
                "another index file of the bucket is there, not replaced by the new one", entry, found
            )
    elif is_vectors:
        _check_vectors_are_new(live, entry)
    elif entry.global_index is not None:
        _check_global_index(live, entry)


def _place(entry: IndexManifestEntry) -> _Place:
    return entry.partition, entry.bucket, entry.index_type


def _check_vectors_are_new(live: dict[str, IndexManifestEntry], entry: IndexManifestEntry) -> None:
    wanted = vectored_files([entry])
    for other in live.values():
        for name in sorted(wanted & vectored_files([other])):
            raise _clash("a data file got another deletion vector meanwhile", entry, other, data_file=name)


def _check_global_index(live: dict[str, IndexManifestEntry], entry: IndexManifestEntry) -> None:
    """Indexes of one type over one column cover rows of their own, with the same further columns."""
    index = entry.global_index
    assert index is not None
    for other in live.values():
        found = other.global_index
        if found is None or other.index_type != entry.index_type:
            continue
        if found.index_field_id != index.index_field_id:
            continue
        if found.extra_field_ids != index.extra_field_ids:
            raise _clash("indexes of one column differ in their further columns", entry, other)
        # Ranges of tables with a primary key count positions in files of one bucket, not row ids.
        comparable = index.source_meta is None or _place(other) == _place(entry)
        if comparable and max(found.row_range_start, index.row_range_start) <= min(
            found.row_range_end, index.row_range_end
        ):
            raise _clash("two indexes of one column cover the same rows", entry, other)


def check_vectors(
    base: Sequence[IndexManifestEntry],
    combined: Sequence[IndexManifestEntry],
    *,
    live: Container[str],
    gone: Iterable[str],
) -> None:
    """Refuse deletion vectors that the change tears from their data files.

    Args:
        base: the live index files before the change.
        combined: those after it.
        live: names of the live data files after it, at least of those that get their first vector.
        gone: names of the data files that it deletes, and does not add at another level.

    Raises:
        CommitConflictError: a vector is for a file that is not there, or a file goes without its
            vector: somebody deleted rows of it meanwhile.
    """
    after = vectored_files(combined)
    for name in sorted(after & set(gone)):
        raise CommitConflictError(
            "a file is replaced that has got a deletion vector", check="deletion vectors", file=name
        )
    for name in sorted(after - vectored_files(base)):
        if name not in live:
            raise CommitConflictError(
                "a deletion vector is for a file that is not in the table",
                check="deletion vectors",
                file=name,
            )


def vectored_files(entries: Iterable[IndexManifestEntry]) -> set[str]:
    """Names of the data files that have a deletion vector."""
    return {r.data_file for entry in entries for r in entry.deletion_vector_ranges or ()}


def _clash(
    what: str, entry: IndexManifestEntry, found: IndexManifestEntry | None = None, **more: str
) -> CommitConflictError:
    other = {} if found is None else {"found": found.file_name}
    return CommitConflictError(
        what,
        check="indexes",
        index_type=entry.index_type,
        file=entry.file_name,
        bucket=entry.bucket,
        **other,
        **more,
    )
