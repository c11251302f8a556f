"""Deletion vectors into index files, and what changes of a bucket's files when vectors do. Spec: 05, 2.3.

A bucket of a table with buckets has one index file, which every change rewrites whole; one
without vectors stays behind to replace the last that had some. A table without buckets
has several to a partition, and a change rewrites those that hold a vector that changes.

Nothing is visible before the entries are committed, and no file is ever written over.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.binary.row import BinaryRow
from core.deletionvectors.index_file import encode_index_file
from core.deletionvectors.read import read_vectors
from core.deletionvectors.vector import DeletionVector, encode_vector
from core.errors import InvalidRequestError
from core.io.external_paths import ExternalPaths
from core.io.file_io import FileIO
from core.io.paths import TablePaths
from core.manifest.index_manifest import DELETION_VECTORS_INDEX, IndexManifestEntry
from core.options import (
    BUCKET,
    DELETION_VECTOR_INDEX_SIZE,
    DELETION_VECTORS_BITMAP64,
    INDEX_FILE_IN_DATA_FILE_DIR,
    TableOptions,
)

_VERSION_BYTES = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorPlace:
    """The bucket that vectors belong to, and how its index files are laid out."""

    partition: BinaryRow
    bucket: int
    directory: str  # that the index files lie in
    outside: ExternalPaths | None = None  # where they lie instead
    target_size: int | None = None  # bytes at which a file is closed; None: all vectors in one file
    is_64_bit: bool = False  # kind of new vectors

    @staticmethod
    def of(
        paths: TablePaths,
        options: TableOptions,
        partition: BinaryRow,
        bucket: int,
        bucket_directory: str,
        *,
        keyed: bool = False,
    ) -> VectorPlace:
        """As the options of a table want it.

        `bucket_directory` is where the data files of the bucket lie; `keyed` tells of a primary key, with
        which buckets are real though their number is -1.
        """
        beside = options.get(INDEX_FILE_IN_DATA_FILE_DIR)
        unaware = options.get(BUCKET) == -1 and not keyed
        return VectorPlace(
            partition=partition,
            bucket=bucket,
            directory=bucket_directory if beside else paths.index_dir,
            outside=ExternalPaths.of(options, partition.arity) if beside else None,
            target_size=options.get(DELETION_VECTOR_INDEX_SIZE) if unaware else None,
            is_64_bit=options.get(DELETION_VECTORS_BITMAP64),
        )

    def path_of(self, entry: IndexManifestEntry) -> str:
        """Where an index file of the bucket lies."""
        return entry.external_path or f"{self.directory}/{entry.file_name}"


@dataclass(frozen=True, slots=True)
class VectorChange:
    """The index files that come and go when vectors change."""

    new: tuple[IndexManifestEntry, ...] = ()
    deleted: tuple[IndexManifestEntry, ...] = ()


def write_index_file(
    io: FileIO, place: VectorPlace, vectors: Mapping[str, DeletionVector]
) -> IndexManifestEntry:
    """One new index file with these vectors, by data file; without any it says that the bucket has none.

    Vectors keep their order. Raises `StorageError` if the file cannot be written.
    """
    data, ranges = encode_index_file(vectors)
    name = f"index-{uuid.uuid4()}-0"
    external = place.outside.path(place.directory, name) if place.outside else None
    io.write(external or f"{place.directory}/{name}", data)
    return IndexManifestEntry(
        partition=place.partition,
        bucket=place.bucket,
        index_type=DELETION_VECTORS_INDEX,
        file_name=name,
        file_size=len(data),
        row_count=len(ranges),
        deletion_vector_ranges=ranges,
        external_path=external,
    )


def write_index_files(
    io: FileIO, place: VectorPlace, vectors: Mapping[str, DeletionVector]
) -> tuple[IndexManifestEntry, ...]:
    """As many index files as the target size asks for; none for no vectors, where it asks for any.

    If one cannot be written, those before it are deleted.
    """
    if place.target_size is None:
        return (write_index_file(io, place, vectors),)
    made: list[IndexManifestEntry] = []
    try:
        for part in _parts(vectors, place.target_size):
            made.append(write_index_file(io, place, part))
    except BaseException:
        for entry in made:
            io.delete(place.path_of(entry))
        raise
    return tuple(made)


def _parts(vectors: Mapping[str, DeletionVector], target_size: int) -> Iterator[dict[str, DeletionVector]]:
    """A file is full once it is larger than the target."""
    part: dict[str, DeletionVector] = {}
    size = _VERSION_BYTES
    for name, vector in vectors.items():
        part[name] = vector
        size += len(encode_vector(vector))
        if size > target_size:
            yield part
            part, size = {}, _VERSION_BYTES
    if part:
        yield part


def change_vectors(
    io: FileIO,
    place: VectorPlace,
    current: Iterable[IndexManifestEntry],
    deleted_rows: Mapping[str, DeletionVector],
    removed_files: Iterable[str] = (),
) -> VectorChange:
    """Write what the index files of a bucket become.

    Args:
        io: the store.
        place: the bucket.
        current: its live index files, as the index manifest has them; of other types they are passed over.
        deleted_rows: rows that are deleted now, by data file, beside those that already were.
        removed_files: data files that go, and whose vectors go with them.

    Returns:
        What the commit adds and removes; nothing where nothing changes.

    Raises:
        InvalidRequestError: rows are deleted of a file that goes.
        FormatError, NotFoundError: an index file is damaged or gone.
    """
    gone, fresh = set(removed_files), {name: v for name, v in deleted_rows.items() if len(v)}
    if both := sorted(gone & fresh.keys()):
        raise InvalidRequestError("rows are deleted of a file that is removed", file=both[0])
    entries = [entry for entry in current if entry.index_type == DELETION_VECTORS_INDEX]
    touched = _touched(entries, fresh.keys() | gone, whole=place.target_size is None)
    kept: dict[str, DeletionVector] = {}
    for entry in touched:
        kept.update(read_vectors(io, place.path_of(entry), entry.deletion_vector_ranges or ()))
    left = {name: vector for name, vector in kept.items() if name not in gone}
    for name, vector in fresh.items():
        left[name] = _joined(left.get(name), vector, is_64_bit=place.is_64_bit)
    if not fresh and left.keys() == kept.keys():
        return VectorChange()
    return VectorChange(write_index_files(io, place, left), tuple(touched))


def _touched(
    entries: Sequence[IndexManifestEntry], changing: Iterable[str], *, whole: bool
) -> list[IndexManifestEntry]:
    """The files that hold a vector that changes; `whole`: all of the bucket's."""
    if whole:
        return list(entries)
    names = set(changing)
    return [e for e in entries if any(r.data_file in names for r in e.deletion_vector_ranges or ())]


def _joined(old: DeletionVector | None, new: DeletionVector, *, is_64_bit: bool) -> DeletionVector:
    """Both together, of the table's kind or of the wider one that either has already."""
    wide = is_64_bit or new.is_64_bit or (old is not None and old.is_64_bit)
    new = new.widened() if wide else new
    if old is None:
        return new
    return new.merge(old.widened() if wide else old)
