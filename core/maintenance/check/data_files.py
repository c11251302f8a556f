"""Whether the data files that snapshots need are there, whole, and what their names say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as _pc

from core.errors import NotFoundError, PaimonError
from core.fileindex import FileIndex, decode_file_index, is_known_index
from core.io import FileIO
from core.maintenance.check.edges import KNOWN_FORMATS, LookAtEdges
from core.maintenance.check.finding import FindingKind, Findings, Severity
from core.maintenance.check.listing import Listing
from core.maintenance.check.references import Delta, References, Required
from core.manifest import EntryColumns
from core.system.files import file_formats
from core.system.placement import Partitions, file_paths
from core.system.text import Column
from core.table import Table

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

_INDEX_HEAD = 64 * 1024  # bytes; the head of a file index is far smaller
_OF_ENTRY = ("file_name", "file_size", "bucket", "level", "row_count", "extra_files", "embedded_index")


@dataclass(frozen=True, slots=True)
class DataFiles:
    """Every file that is needed, once: columns path, size, format, root and the entry's own."""

    table: pa.Table
    roots: tuple[Required, ...]  # `root` is an index into it: the first that needs the file

    @staticmethod
    def of(table: Table, required: Sequence[Required]) -> DataFiles:
        parts = [
            _located(table, root.entries, index) for index, root in enumerate(required) if len(root.entries)
        ]
        if not parts:
            return DataFiles(_located(table, EntryColumns.empty(), 0), tuple(required))
        whole = pa.concat_tables(parts).combine_chunks()
        codes = whole.column("path").combine_chunks().dictionary_encode().indices.to_numpy()
        _, first = np.unique(codes, return_index=True)
        return DataFiles(pc.take(whole, pa.array(np.sort(first))), tuple(required))

    def pick(self, mask: Column) -> Iterator[dict[str, Any]]:
        """The rows where `mask` is true, as dicts; only the few faulty ones are made into such."""
        for batch in self.table.filter(mask).to_batches(max_chunksize=1024):
            yield from batch.to_pylist()


@dataclass(frozen=True)
class Removals:
    """In which snapshots files were removed for good, moves to another level left out."""

    deltas: tuple[Delta, ...]

    def last_with(self, branch: str, name: str, first: int) -> int:
        """The last snapshot from `first` on that still has the file."""
        end = min((i for i in self._by_file.get((branch, name), ()) if i > first), default=None)
        ids = [delta.snapshot_id for delta in self.deltas if delta.branch == branch]
        return max(i for i in ids if i >= first and (end is None or i < end))

    @cached_property
    def _by_file(self) -> dict[tuple[str, str], list[int]]:
        """Made when the first fault asks for it."""
        found: dict[tuple[str, str], list[int]] = {}
        for delta in self.deltas:
            added = delta.entries.adds().column("file_name").combine_chunks()
            deleted = delta.entries.deletes().column("file_name").combine_chunks()
            for name in pc.filter(deleted, pc.invert(pc.is_in(deleted, value_set=added))).to_pylist():
                found.setdefault((delta.branch, name), []).append(delta.snapshot_id)
        return found


def check_data_files(
    io: FileIO,
    files: DataFiles,
    listing: Listing,
    findings: Findings,
    removals: Removals,
    look: LookAtEdges | None,
) -> None:
    """Existence and size of every file; where `look` is given, its first and last bytes too."""
    found, refused = _sizes(io, files.table.column("path").combine_chunks(), listing)
    for row in files.pick(pc.is_null(found)):
        error = refused.get(row["path"])
        if error is None:
            _report(findings, files, removals, row, FindingKind.MISSING, "is not there")
        else:
            problem = f"was not looked at: {error.what}"
            _report(findings, files, removals, row, FindingKind.UNREADABLE, problem)
    expected = files.table.column("file_size").combine_chunks()
    for row in files.pick(pc.fill_null(pc.not_equal(found, expected), False)):
        size = _size(io, row["path"], listing)
        problem = "has another size than its manifest says"
        _report(findings, files, removals, row, FindingKind.WRONG_SIZE, problem, row["file_size"], size)
    if look is not None:
        _check_edges(io, files, found, findings, removals, look)


def check_companions(
    io: FileIO, files: DataFiles, listing: Listing, findings: Findings, count: Callable[[str], None]
) -> int:
    """Extra files beside data files, and every file index, embedded or not; how many files there are.

    An index of a type that we do not know is no fault; `count` is told of each.
    """
    rows = list(
        files.pick(pc.greater(pc.fill_null(pc.list_value_length(files.table.column("extra_files")), 0), 0))
    )
    for row in rows:
        directory = str(row["path"]).rpartition("/")[0]
        for name in row["extra_files"] or ():
            _check_companion(io, f"{directory}/{name}", str(row["path"]), listing, findings, count)
    embedded = pc.is_valid(files.table.column("embedded_index"))
    for row in files.pick(embedded):
        try:
            _count_unknown(decode_file_index(row["embedded_index"]), count)
        except PaimonError as error:
            name = f"{row['path']} (embedded index)"
            findings.add_error("file index", name, error, severity=Severity.WARNING)
    return len(rows)


def _count_unknown(index: FileIndex, count: Callable[[str], None]) -> None:
    for slot in index.slots:
        if not is_known_index(slot.index_type):
            count(f"file index of unknown type {slot.index_type}, not used")


def _check_companion(
    io: FileIO, path: str, owner: str, listing: Listing, findings: Findings, count: Callable[[str], None]
) -> None:
    is_index = path.endswith(".index")
    what = "file index" if is_index else "extra file"
    severity = Severity.WARNING if is_index else Severity.ERROR
    pointer = (f"data file {owner.rpartition('/')[2]}",)
    try:
        size = _size(io, path, listing)
        if is_index:
            head = io.read_range(path, 0, min(size, _INDEX_HEAD))
            _count_unknown(decode_file_index(head, size), count)
    except PaimonError as error:
        findings.add_error(what, path, error, pointed_by=pointer, severity=severity)


def _located(table: Table, entries: EntryColumns, index: int) -> pa.Table:
    partitions = Partitions.of(table.schema, entries.column("partition"))
    columns: dict[str, Any] = {
        "path": file_paths(table.paths, partitions, entries),
        "partition": partitions.spread(partitions.texts),
        "format": file_formats(entries.column("file_name").combine_chunks()),
        "root": pa.array(np.full(len(entries), index, dtype=np.int64)),
    }
    return pa.table(columns | {name: entries.column(name) for name in _OF_ENTRY})


def _sizes(io: FileIO, paths: Column, listing: Listing) -> tuple[Column, dict[str, PaimonError]]:
    """Sizes from the listing; a file outside the table (an external path) is asked for itself.

    With them why some could not be asked for, as they lie in another store; of these and of what is
    missing the size is null.
    """
    sizes = listing.sizes(paths)
    outside: dict[str, int] = {}
    refused: dict[str, PaimonError] = {}
    unlisted = pc.filter(paths, pc.is_null(sizes)).to_pylist()
    for path in unlisted:
        try:
            outside[path] = io.status(path).size
        except NotFoundError:
            continue
        except PaimonError as error:
            refused[path] = error
    if not outside:
        return sizes, refused
    known = pa.array([outside.get(path) for path in unlisted], pa.int64())
    return pc.replace_with_mask(sizes, pc.is_null(sizes), known), refused


def _size(io: FileIO, path: str, listing: Listing) -> int:
    size = listing.size(path)
    return io.status(path).size if size is None else size


def _check_edges(
    io: FileIO, files: DataFiles, sizes: Column, findings: Findings, removals: Removals, look: LookAtEdges
) -> None:
    present = pc.and_(pc.is_valid(sizes), pc.is_in(files.table.column("format"), pa.array(KNOWN_FORMATS)))
    rows = np.flatnonzero(present.to_numpy(zero_copy_only=False))
    chosen = pc.take(files.table.select(["path", "format"]), pa.array(rows))
    problems = look(io, chosen.append_column("size", sizes.take(pa.array(rows))))
    for number, text in problems:  # a handful
        row = files.table.slice(int(rows[number]), 1).to_pylist()[0]
        _report(findings, files, removals, row, FindingKind.UNREADABLE, text)


def _report(
    findings: Findings,
    files: DataFiles,
    removals: Removals,
    row: dict[str, Any],
    kind: FindingKind,
    problem: str,
    expected: object = None,
    found: object = None,
) -> None:
    root = files.roots[row["root"]]
    findings.add(
        kind,
        "changelog file" if root.is_changelog else "data file",
        str(row["path"]),
        problem,
        pointed_by=(_span(root, str(row["file_name"]), removals),),
        expected=expected,
        found=found,
        details=tuple(
            (label, str(row[name]))
            for label, name in (
                ("partition", "partition"),
                ("bucket", "bucket"),
                ("level", "level"),
                ("rows", "row_count"),
            )
        ),
    )


def _span(root: Required, name: str, removals: Removals) -> str:
    """`snapshot 4 to 7`: from the first root that needs the file to the last one before its removal."""
    if root.is_changelog or not root.pointer.startswith("snapshot "):
        return root.pointer
    last = removals.last_with(root.branch, name, root.snapshot.id)
    return root.pointer if last == root.snapshot.id else f"{root.pointer} to {last}"


def name_schemas(references: References) -> None:
    """Note which schemas the needed files were written with."""
    for root in references.required:
        for schema_id in np.unique(root.entries.numpy("schema_id")).tolist():
            pointers = references.schema_pointers.setdefault((root.branch, schema_id), [])
            pointers.append(f"data files of {root.pointer}")
