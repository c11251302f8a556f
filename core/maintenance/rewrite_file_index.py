"""Gives data files the indexes that options ask for by now, and takes the others away. Spec: 10, 4.3.

The data files stay as they are. An index that a file has and that is still asked for is kept as it is,
whatever its settings were; one of a type that we do not know is kept, too. The others are made of the
file's rows, one file after the other. Rows that a deletion vector marks are part of an index, as
positions are those of the file.

Nobody else's index file is ever overwritten: a name that is taken, by another rewrite at the same time or
by one that died, is passed over.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

import pyarrow as pa

from core.binary import BinaryRow
from core.commit import TableCommit
from core.compact.plan import Bucket
from core.errors import AlreadyExistsError, CommitUnknownError, FormatError, NotFoundError, PaimonError
from core.fileindex import decode_file_index, index_file_name, is_known_index, read_file_index
from core.fileindex.build import FileIndexBuilder, IndexName, container_of
from core.fileindex.columns import IndexedColumn, indexed_columns
from core.fileindex.container import INDEX_SUFFIX, IndexSlot
from core.manifest import DataFileMeta, ManifestEntry
from core.options import FILE_INDEX_IN_MANIFEST
from core.read.file_reader import FileReader
from core.schema import TableSchema
from core.snapshot import BATCH_COMMIT_IDENTIFIER, Snapshot
from core.table import Table
from core.write import CommitMessage
from core.write.compaction import in_scope
from core.write.partition_spec import PartitionSpec
from core.write.support import check_writable
from core.write.table_write import partition_directory
from core.write.task_reader import split_of_bucket


@dataclass(frozen=True, slots=True)
class IndexRewrite:
    """What becomes of the indexes of one data file; names are those of its columns."""

    entry: ManifestEntry
    kept: tuple[IndexName, ...]
    added: tuple[IndexedColumn, ...]
    dropped: tuple[IndexName, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RewriteFileIndexPlan:
    base: Snapshot | None  # the latest when the plan was made
    files_in_scope: int
    files: tuple[IndexRewrite, ...]  # the others have the indexes that they should

    @property
    def changes_nothing(self) -> bool:
        return not self.files

    @property
    def bytes_to_read(self) -> int:
        """The size of the files that get an index: at most so much is read."""
        return sum(file.entry.file.file_size for file in self.files if file.added)

    @property
    def added(self) -> Counter[str]:
        """How many files get an index, by `bitmap(c)`."""
        return Counter(_shown(c.name, c.index_type) for file in self.files for c in file.added)

    @property
    def dropped(self) -> Counter[str]:
        """How many files lose an index, by `bitmap(c)`."""
        return Counter(_shown(*name) for file in self.files for name in file.dropped)


def plan_rewrite_file_index(
    table: Table, partitions: Sequence[PartitionSpec] | None = None
) -> RewriteFileIndexPlan:
    """The live files whose indexes are not those that the table's options ask for.

    Reads the head of each index that lies in a file of its own. An index that is lost or damaged counts
    as none.

    Args:
        table: the table.
        partitions: specs that may name some of the partition keys; None for all.

    Raises:
        InvalidRequestError: options that ask for indexes that there cannot be; a bad spec.
        UnsupportedError: the table cannot be written by this release, or an index has a version that we
            do not know.
    """
    check_writable(table.schema, table.options, table.home)
    wanted = indexed_columns(table.schema)
    base = table.snapshots.latest()
    if base is None:
        return RewriteFileIndexPlan(base=None, files_in_scope=0, files=())
    live = in_scope(table, table.manifests.live_entries(base), partitions)
    found = (_planned(table, entry, wanted) for entry in live.entries())
    rewrites = tuple(rewrite for rewrite in found if rewrite.added or rewrite.dropped)
    return RewriteFileIndexPlan(base=base, files_in_scope=len(live), files=rewrites)


def apply_rewrite_file_index(
    table: Table, plan: RewriteFileIndexPlan, user: str, identifier: int = BATCH_COMMIT_IDENTIFIER
) -> Snapshot | None:
    """The COMPACT snapshot in which the files have other indexes; None where that changes nothing.

    Raises:
        CommitConflictError: a file has been replaced since the plan; plan again.
        CommitUnknownError: as `TableCommit.commit`; plan again.
        NotFoundError, FormatError: a data file is lost or damaged.
    """
    made: list[RewrittenIndex] = []
    try:
        made.extend(rewritten_index(table, rewrite) for rewrite in plan.files)
    except PaimonError:
        _delete_made(table, made)
        raise
    return commit_indexes(table, made, user, identifier)


@dataclass(frozen=True, slots=True)
class RewrittenIndex:
    """A data file with other indexes, not committed yet."""

    entry: ManifestEntry
    file: DataFileMeta
    made: str | None  # path of the file that holds them; None where it is none of its own


def commit_indexes(
    table: Table, rewritten: Sequence[RewrittenIndex], user: str, identifier: int = BATCH_COMMIT_IDENTIFIER
) -> Snapshot | None:
    """The snapshot in which the files have their other indexes; raises as `apply_rewrite_file_index`."""
    try:
        changed = [(one.entry, one.file) for one in rewritten if one.file != one.entry.file]
        messages = _messages(changed)
        commit = TableCommit(table, user)
        snapshots = commit.commit(messages, identifier, returns_files=True) if messages else []
    except CommitUnknownError:
        raise
    except PaimonError:  # of an interrupt nobody knows whether the snapshot is there
        _delete_made(table, rewritten)
        raise
    return snapshots[-1] if snapshots else None


def _delete_made(table: Table, rewritten: Sequence[RewrittenIndex]) -> None:
    for one in rewritten:
        if one.made is not None:
            table.io.delete(one.made)


def _shown(column: str, index_type: str) -> str:
    return f"{index_type}({column})"


def _planned(table: Table, entry: ManifestEntry, wanted: Sequence[IndexedColumn]) -> IndexRewrite:
    columns = {(c.name, c.index_type): c for c in _columns_in(table, entry.file, wanted)}
    present = _present(table, entry)
    kept = [name for name in present if name in columns or not is_known_index(name[1])]
    return IndexRewrite(
        entry,
        tuple(kept),
        tuple(column for name, column in columns.items() if name not in present),
        tuple(name for name in present if name not in kept),
    )


def _columns_in(table: Table, file: DataFileMeta, wanted: Sequence[IndexedColumn]) -> Iterator[IndexedColumn]:
    """The columns as a file has them; those that it lacks are left out."""
    schema = _schema_of(table, file)
    stored = {field.id: field for field in schema.fields}
    for column in wanted:
        field = stored.get(column.field.id)
        if field is not None and (file.write_cols is None or field.name in file.write_cols):
            yield replace(column, field=field)


def _schema_of(table: Table, file: DataFileMeta) -> TableSchema:
    return table.schema if file.schema_id == table.schema.id else table.schemas.get(file.schema_id)


def _present(table: Table, entry: ManifestEntry) -> dict[IndexName, IndexSlot]:
    """The indexes of a file, by name."""
    file = entry.file
    beside = index_file_name(file.extra_files)
    try:
        if file.embedded_index is not None:
            slots = decode_file_index(file.embedded_index).slots
        elif beside is not None:
            slots = read_file_index(table.io, _path_beside(table, entry, beside)).index.slots
        else:
            slots = ()
    except (FormatError, NotFoundError):
        return {}
    return {(slot.column, slot.index_type): slot for slot in slots}


def _path_beside(table: Table, entry: ManifestEntry, name: str) -> str:
    directory = partition_directory(table.schema, table.options, entry.partition)
    return table.paths.extra_file(directory, entry.bucket, entry.file, name)


def rewritten_index(table: Table, rewrite: IndexRewrite) -> RewrittenIndex:
    """The file with its new indexes, for `commit_indexes`; may run in another process.

    Raises:
        NotFoundError, FormatError: the data file is lost or damaged.
    """
    entry, file = rewrite.entry, rewrite.entry.file
    container = container_of(_kept_payloads(table, rewrite) | _built_payloads(table, rewrite))
    others = tuple(name for name in file.extra_files if not name.endswith(INDEX_SUFFIX))
    if container is None:
        return RewrittenIndex(entry, replace(file, extra_files=others, embedded_index=None), None)
    if len(container) <= table.options.get(FILE_INDEX_IN_MANIFEST):
        return RewrittenIndex(entry, replace(file, extra_files=others, embedded_index=container), None)
    for name in index_names(file):
        path = _path_beside(table, entry, name)
        try:
            table.io.create(path, container)
        except AlreadyExistsError:
            continue
        return RewrittenIndex(entry, replace(file, extra_files=(*others, name), embedded_index=None), path)
    raise AssertionError("names do not end")


def index_names(file: DataFileMeta) -> Iterator[str]:
    """Names for the next index file of a data file, the preferred one first. Spec: 05, 4."""
    old = index_file_name(file.extra_files)
    if old is None:
        yield f"{file.file_name}{INDEX_SUFFIX}"
    stem = file.file_name if old is None else old.removesuffix(INDEX_SUFFIX)
    head, dash, number = stem.rpartition("-")
    numbered = bool(dash) and number.isdecimal()
    for i in count(int(number) + 1 if numbered else 1):
        yield f"{head if numbered else stem}-{i}{INDEX_SUFFIX}"


def _kept_payloads(table: Table, rewrite: IndexRewrite) -> dict[IndexName, bytes | None]:
    file, present = rewrite.entry.file, _present(table, rewrite.entry)
    slots = {name: present[name] for name in rewrite.kept if name in present}
    stored: Mapping[IndexSlot, bytes] = {}
    if file.embedded_index is not None:
        index = decode_file_index(file.embedded_index)
        stored = {slot: index.payload(slot) for slot in slots.values()}
    elif slots:
        beside = index_file_name(file.extra_files)
        assert beside is not None, "indexes that are there lie somewhere"
        stored = read_file_index(table.io, _path_beside(table, rewrite.entry, beside)).payloads(
            list(slots.values())
        )
    return {name: None if slot.is_empty else stored[slot] for name, slot in slots.items()}


def _built_payloads(table: Table, rewrite: IndexRewrite) -> dict[IndexName, bytes | None]:
    """The indexes that are new to the file, made of all its rows as they stand in it."""
    if not rewrite.added:
        return {}
    entry, file = rewrite.entry, rewrite.entry.file
    split = split_of_bucket(table, Bucket(entry.partition, entry.bucket, entry.total_buckets, (file,)))
    reader = FileReader.of(table, _schema_of(table, file), split)
    builder = FileIndexBuilder(rewrite.added)
    fields = tuple({column.field.id: column.field for column in rewrite.added}.values())
    for _, rows in reader.iter_numbered(file, fields):
        builder.add(pa.Table.from_batches([rows]))
    return builder.payloads()


def _messages(replaced: Sequence[tuple[ManifestEntry, DataFileMeta]]) -> list[CommitMessage]:
    places: dict[tuple[BinaryRow, int, int], list[tuple[DataFileMeta, DataFileMeta]]] = defaultdict(list)
    for entry, file in replaced:
        places[entry.partition, entry.bucket, entry.total_buckets].append((entry.file, file))
    return [
        CommitMessage(
            partition=partition,
            bucket=bucket,
            total_buckets=total,
            compact_before=tuple(before for before, _ in pairs),
            compact_after=tuple(after for _, after in pairs),
        )
        for (partition, bucket, total), pairs in places.items()
    ]
