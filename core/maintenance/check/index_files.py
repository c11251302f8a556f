"""Whether the table index files of snapshots are there, and hold what the index manifest says."""

from __future__ import annotations

from core.deletionvectors import decode_index_file
from core.errors import PaimonError
from core.io import FileIO
from core.maintenance.check.finding import FindingKind, Findings
from core.maintenance.check.listing import Listing
from core.manifest import IndexManifestEntry
from core.manifest.index_manifest import DELETION_VECTORS_INDEX, HASH_INDEX
from core.options import INDEX_FILE_IN_DATA_FILE_DIR
from core.system.placement import bucket_directory
from core.table import Table
from core.tableindex import decode_hash_index

READ_INDEXES = (DELETION_VECTORS_INDEX, HASH_INDEX)  # global indexes are carried, not read


def check_index_file(
    table: Table, entry: IndexManifestEntry, listing: Listing, findings: Findings, pointers: tuple[str, ...]
) -> None:
    """Existence, size and, for the types that we know, every byte."""
    path = index_path(table, entry, listing)
    try:
        size = listing.size(path)
        size = table.io.status(path).size if size is None else size
    except PaimonError as error:
        findings.add_error(f"{entry.index_type} index", path, error, pointed_by=pointers)
        return
    if size != entry.file_size:
        findings.add(
            FindingKind.WRONG_SIZE,
            f"{entry.index_type} index",
            path,
            "has another size than the index manifest says",
            pointed_by=pointers,
            expected=entry.file_size,
            found=size,
        )
    try:
        _check_content(table.io, path, entry, findings, pointers)
    except PaimonError as error:
        findings.add_error(f"{entry.index_type} index", path, error, pointed_by=pointers)


def index_path(table: Table, entry: IndexManifestEntry, listing: Listing) -> str:
    """Where the file lies: its external path, `index/`, or the bucket's directory. Spec: 01, 1.2."""
    path = table.paths.index_file(entry.file_name, entry.external_path)
    beside = not entry.external_path and table.options.get(INDEX_FILE_IN_DATA_FILE_DIR)
    if listing.size(path) is not None or not beside:
        return path
    return f"{bucket_directory(table, entry.partition, entry.bucket)}/{entry.file_name}"


def _check_content(
    io: FileIO, path: str, entry: IndexManifestEntry, findings: Findings, pointers: tuple[str, ...]
) -> None:
    if entry.index_type == DELETION_VECTORS_INDEX:
        vectors = decode_index_file(io.read(path), entry.deletion_vector_ranges or ())
        count = len(vectors)
    elif entry.index_type == HASH_INDEX:
        count = len(decode_hash_index(io.read(path)))
    else:
        return
    if count != entry.row_count:
        findings.add(
            FindingKind.WRONG_CONTENT,
            f"{entry.index_type} index",
            path,
            "holds another number of entries than the index manifest says",
            pointed_by=pointers,
            expected=entry.row_count,
            found=count,
        )
