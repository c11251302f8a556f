"""One index file of a table: the deletion vectors in it, each down to its bytes. Design: 6.11."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as _pc

from console.api.damage import Damage, damage_of, problem_of
from console.api.errors import Problem
from console.inspector.cache import computed
from console.inspector.indexes import path_of_index
from console.inspector.live import DELETION_VECTORS, LiveFiles, live_files
from console.inspector.manifests import index_file
from console.inspector.opening import OpenTable
from core.deletionvectors import DeletionVector
from core.deletionvectors.read import read_vectors
from core.errors import PaimonError
from core.fileindex.bits import PARTS
from core.manifest import DeletionVectorRange, IndexManifestEntry
from core.snapshot import Snapshot

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time


def of_name(opened: OpenTable, snapshot: Snapshot | None, name: str) -> dict[str, Any]:
    """What an index file of the snapshot holds; a damaged one is a problem of the reply, not an error.

    Raises:
        Problem: `not-found`.
    """
    live = live_files(opened, snapshot)
    entry = next((each for each in live.indexes if each.file_name == name), None)
    if entry is None:
        raise Problem("not-found", kind="index file", name=name)
    ranges = (entry.deletion_vector_ranges or ()) if entry.index_type == DELETION_VECTORS else ()
    path = path_of_index(opened, entry)
    vectors, damage = _read(opened, entry, path, ranges)
    rows = _rows_of(live, [r.data_file for r in ranges])
    return {
        **index_file(opened, entry),
        "path": path,
        "vectors": [_vector(r, vectors.get(r.data_file), rows.get(r.data_file)) for r in ranges],
        **problem_of(damage),
    }


def _read(
    opened: OpenTable, entry: IndexManifestEntry, path: str, ranges: Sequence[DeletionVectorRange]
) -> tuple[Mapping[str, DeletionVector], Damage | None]:
    if not ranges:
        return {}, None
    try:
        key = ("vectors", opened.table.location, path)
        return computed(key, lambda: read_vectors(opened.table.io, path, ranges)), None
    except PaimonError as error:
        return {}, damage_of(error, kind="index_file", name=entry.file_name)


def _rows_of(live: LiveFiles, names: Sequence[str]) -> dict[str, int]:
    """The rows of data files that are live."""
    table = live.table.select(["name", "rows"])
    found = table.filter(pc.is_in(table.column("name"), value_set=pa.array(names, pa.string())))
    rows: list[Any] = found.to_pylist()
    return {row["name"]: row["rows"] for row in rows}


def _vector(where: DeletionVectorRange, read: DeletionVector | None, rows: int | None) -> dict[str, Any]:
    return {
        "data_file": where.data_file,
        "offset": where.offset,
        "bytes": where.length,
        "bits": None if read is None else 64 if read.is_64_bit else 32,
        "deleted_rows": where.cardinality if read is None else len(read),
        "rows": rows,
        "parts": [] if read is None or not rows else read.by_part(rows, PARTS),
    }
