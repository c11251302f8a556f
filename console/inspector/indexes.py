"""File indexes and table indexes: which there are, what they cover, what their heads say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as _pc
from numpy.typing import NDArray

from console.api.damage import Damage, Pointer, damage_of, problem_of, wrong_size
from console.inspector.cache import computed, in_parallel, loaded
from console.inspector.damages import explain
from console.inspector.live import DELETION_VECTORS, LiveFiles, find_file, live_files
from console.inspector.manifests import index_file
from console.inspector.opening import OpenTable
from core.deletionvectors.index_file import check_version
from core.deletionvectors.read import read_vectors
from core.errors import PaimonError, UnsupportedError
from core.fileindex import (
    IndexSlot,
    bit_shares,
    decode_file_index,
    describe_index,
    index_file_name,
    is_known_index,
)
from core.manifest import DataFileMeta, DeletionVectorRange, IndexManifestEntry
from core.options import INDEX_FILE_IN_DATA_FILE_DIR
from core.schema import TableSchema
from core.snapshot import Snapshot

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

HASH = "HASH"
MOST_OPENED = 500  # index files that one answer opens
_COLUMN_FACTS = frozenset(
    {"min_key", "max_key", "positive_min", "positive_max", "negative_min", "negative_max"}
)


def of_file(opened: OpenTable, snapshot: Snapshot | None, name: str) -> dict[str, Any]:
    """The indexes of one file; a damaged container is a problem of the reply, not an error."""
    live = live_files(opened, snapshot)
    position = find_file(live, name)
    meta = live.entries.file(position)
    shown: dict[str, Any] = {"name": name, "version": None, "indexes": [], **problem_of(None)}
    where = None
    try:
        data, where = _container(opened, live, position, meta)
        if data is None:
            return shown
        index = decode_file_index(data)
        schema = opened.table.schemas.get(meta.schema_id)
        indexes = [_index(opened, schema, slot, index.payload(slot), where) for slot in index.slots]
        return shown | {"version": index.version, "indexes": indexes}
    except PaimonError as error:
        return shown | problem_of(_container_damage(error, name, where))


def _container_damage(error: PaimonError, data_file: str, where: str | None) -> Damage:
    """An index container that cannot be read; it lies in a file of its own, or in the manifest."""
    return damage_of(error, kind="file_index", name=where or data_file).named(Pointer("data_file", data_file))


def _container(
    opened: OpenTable, live: LiveFiles, position: int, meta: DataFileMeta
) -> tuple[bytes | None, str | None]:
    """The container's bytes and the file that holds it; None as the file means the manifest."""
    if meta.embedded_index is not None:
        return meta.embedded_index, None
    name = index_file_name(meta.extra_files)
    if name is None:
        return None, None
    partition = live.entries.column("partition")[position].as_py()
    bucket = live.entries.column("bucket")[position].as_py()
    path = opened.table.paths.extra_file(opened.labels.directory(partition), bucket, meta, name)
    return opened.table.io.read(path), name


def _index(
    opened: OpenTable, schema: TableSchema, slot: IndexSlot, payload: bytes, where: str | None
) -> dict[str, Any]:
    return {
        "column": slot.column,
        "type": slot.index_type,
        "bytes": slot.length if not slot.is_empty else 0,
        "storage": "file" if where else "manifest",
        "file": where,
        "offset": slot.start if not slot.is_empty else None,
        "supported": is_known_index(slot.index_type),
        "details": _facts(opened, schema, slot, payload),
        "bits": _bits(opened, schema, slot, payload),
    }


def _bits(opened: OpenTable, schema: TableSchema, slot: IndexSlot, payload: bytes) -> list[dict[str, Any]]:
    """Where bits are set, told to those who may read the column: slices say how its values are spread."""
    name = slot.column.partition("[")[0]
    field = next((f for f in schema.fields if f.name == name), None)
    if slot.is_empty or field is None or not opened.sight.tells(name):
        return []
    found = bit_shares(slot.index_type, payload, field.type)
    return [{"of": one.of, "shares": one.shares} for one in found]


def _facts(opened: OpenTable, schema: TableSchema, slot: IndexSlot, payload: bytes) -> dict[str, Any]:
    """What the index says of itself; values of the column only to those who may read data."""
    if slot.is_empty:
        return {"empty": True}
    field = next((f for f in schema.fields if f.name == slot.column.partition("[")[0]), None)
    if field is None:
        return {}
    facts = describe_index(slot.index_type, payload, field.type)
    return {
        name: value if isinstance(value, (int, float, str, bool, type(None))) else str(value)
        for name, value in facts.items()
        if opened.sight.tells(field.name) or name not in _COLUMN_FACTS
    }


def of_table(opened: OpenTable, snapshot: Snapshot | None) -> dict[str, Any]:
    """All indexes of the table at the snapshot."""
    if snapshot is None:
        return _answer(None, Heads(), None, [], [])
    live = live_files(opened, snapshot)
    key = ("indexes", *opened.cache_key(snapshot))
    heads = loaded(key, lambda: _heads(opened, live), size=lambda heads: 100 * len(heads.found) + 100)
    damages = [*heads.damages]
    if live.index_error is not None:
        damages.append(explain(opened, live.index_error, snapshot))
    return _answer(snapshot.reference, heads, live, _table_indexes(opened, live), damages)


Head = tuple[int, str, str, int, str]  # position, column, type, bytes, storage


@dataclass(frozen=True, slots=True)
class Heads:
    """The heads of index containers, those that are damaged, and how many files have one not opened."""

    found: tuple[Head, ...] = ()
    damages: tuple[Damage, ...] = ()
    unread: int = 0


def _heads(opened: OpenTable, live: LiveFiles) -> Heads:
    positions = files_with_index(live.table)
    chosen = positions[:MOST_OPENED].tolist()
    heads = in_parallel(lambda position: _head(opened, live, position), chosen)
    return Heads(
        tuple(head for of_one in heads if not isinstance(of_one, Damage) for head in of_one),
        tuple(of_one for of_one in heads if isinstance(of_one, Damage)),
        len(positions) - len(chosen),
    )


def files_with_index(files: pa.Table) -> NDArray[np.int64]:
    """The positions of files that have an index container, of their own or in the manifest."""
    kinds: Any = files.column("index").combine_chunks()
    is_container = pc.is_in(pc.list_flatten(kinds), value_set=pa.array(["embedded", "index"]))
    parents = pc.list_parent_indices(kinds).to_numpy(zero_copy_only=False)
    return np.unique(parents[is_container.to_numpy(zero_copy_only=False)]).astype(np.int64)


def _head(opened: OpenTable, live: LiveFiles, position: int) -> list[Head] | Damage:
    meta, where = live.entries.file(position), None
    try:
        data, where = _container(opened, live, position, meta)
        slots = decode_file_index(data).slots if data is not None else ()
    except PaimonError as error:
        return _container_damage(error, meta.file_name, where)
    return [
        (position, s.column, s.index_type, max(0, s.length), "file" if where else "manifest") for s in slots
    ]


def _table_indexes(opened: OpenTable, live: LiveFiles) -> list[dict[str, Any]]:
    """The files that the index manifest names; the first of them are looked at."""
    looked_at = in_parallel(lambda entry: _looked_at(opened, entry), list(live.indexes[:MOST_OPENED]))
    others = [(None, _said(entry)) for entry in live.indexes[MOST_OPENED:]]
    return [
        index_file(opened, entry)
        | {"files": _vectors(entry), "deleted_rows": deleted, "global_index": _covered(opened, entry)}
        | problem_of(damage)
        for entry, (damage, deleted) in zip(live.indexes, [*looked_at, *others], strict=True)
    ]


def _covered(opened: OpenTable, entry: IndexManifestEntry) -> dict[str, Any] | None:
    """What a global index covers: its columns, by their names now, and its row ids, both ends included."""
    found = entry.global_index
    if found is None:
        return None
    names = {field.id: field.name for field in opened.table.schema.fields}
    ids = (found.index_field_id, *(found.extra_field_ids or ()))
    return {
        "columns": [names.get(i, f"#{i}") for i in ids],
        "first_row_id": found.row_range_start,
        "last_row_id": found.row_range_end,
    }


def _vectors(entry: IndexManifestEntry) -> int | None:
    """How many data files have a vector in it."""
    return len(entry.deletion_vector_ranges or ()) if entry.index_type == DELETION_VECTORS else None


def _said(entry: IndexManifestEntry) -> int | None:
    """The rows that its vectors delete, where the writer said so of each."""
    if entry.index_type != DELETION_VECTORS:
        return None
    return _sum_known([found.cardinality for found in entry.deletion_vector_ranges or ()])


def _looked_at(opened: OpenTable, entry: IndexManifestEntry) -> tuple[Damage | None, int | None]:
    """What is wrong with an index file, as far as its size and first byte tell, and the rows it deletes."""
    path, deleted = path_of_index(opened, entry), _said(entry)
    try:
        size = opened.table.io.status(path).size
        if entry.index_type == DELETION_VECTORS and size:
            check_version(opened.table.io.read_range(path, 0, 1))
        if size != entry.file_size:
            return wrong_size("index_file", path, expected=entry.file_size, found=size), deleted
        if entry.index_type == DELETION_VECTORS and deleted is None:
            deleted = _counted(opened, path, entry.deletion_vector_ranges or ())
    except UnsupportedError as error:
        damage = damage_of(error, kind="index_file", name=entry.file_name)
        return replace(damage, code="damaged", path=path), deleted
    except PaimonError as error:
        return damage_of(error, kind="index_file", name=entry.file_name), deleted
    return None, deleted


def _counted(opened: OpenTable, path: str, ranges: Sequence[DeletionVectorRange]) -> int:
    """The rows that the vectors of a file delete, by the vectors: writers before Paimon 1.0 do not say."""
    key = ("vectors", opened.table.location, path)
    return sum(map(len, computed(key, lambda: read_vectors(opened.table.io, path, ranges)).values()))


def path_of_index(opened: OpenTable, entry: IndexManifestEntry) -> str:
    """Where the file lies: its external path, `index/`, or its bucket's directory. Spec: 01, 1.2."""
    table = opened.table
    path = table.paths.index_file(entry.file_name, entry.external_path)
    if entry.external_path or not table.options.get(INDEX_FILE_IN_DATA_FILE_DIR) or table.io.exists(path):
        return path
    directory = opened.labels.directory(entry.partition.to_bytes())
    return f"{table.paths.bucket_dir(directory, entry.bucket)}/{entry.file_name}"


def _answer(
    as_of: str | None,
    heads: Heads,
    live: LiveFiles | None,
    table_indexes: list[dict[str, Any]],
    damages: list[Damage],
) -> dict[str, Any]:
    positions = sorted({head[0] for head in heads.found})
    files = live.table.select(["bytes", "level"]).take(positions).to_pylist() if live and positions else []
    indexed = dict(zip(positions, files, strict=True))
    vectors = [e for e in table_indexes if e["kind"] == DELETION_VECTORS]
    return {
        "as_of": as_of,
        "file_indexes": _uses(heads.found, indexed),
        "coverage": _coverage(heads.found, indexed, _bytes_by_level(live) if live and positions else {}),
        "deletion_vectors": vectors,
        "vector_buckets": _by_bucket(vectors, live),
        "hash_indexes": [e for e in table_indexes if e["kind"] == HASH],
        "other_indexes": [e for e in table_indexes if e["kind"] not in (DELETION_VECTORS, HASH)],
        "unread_files": heads.unread,
        "damages": [damage.shown() for damage in damages],
    }


def _by_bucket(vectors: Sequence[Mapping[str, Any]], live: LiveFiles | None) -> list[dict[str, Any]]:
    """What deletion vectors take from each bucket that has some; None where a writer did not say."""
    if live is None or not vectors:
        return []
    sums = live.table.group_by(["partition", "bucket"]).aggregate([("rows", "sum"), ("rows", "count")])
    rows = {(r["partition"], r["bucket"]): (r["rows_sum"], r["rows_count"]) for r in sums.to_pylist()}
    grouped: dict[tuple[str, int], list[Mapping[str, Any]]] = defaultdict(list)
    for entry in vectors:
        grouped[entry["partition"], entry["bucket"]].append(entry)
    return [
        {
            "partition": partition,
            "bucket": bucket,
            "index_files": len(found),
            "index_bytes": sum(entry["bytes"] for entry in found),
            "files": sum(entry["files"] for entry in found),
            "live_files": rows.get((partition, bucket), (0, 0))[1],
            "deleted_rows": _sum_known([entry["deleted_rows"] for entry in found]),
            "rows": rows.get((partition, bucket), (0, 0))[0],
        }
        for (partition, bucket), found in sorted(grouped.items())
    ]


def _sum_known(counts: Sequence[int | None]) -> int | None:
    return None if None in counts else sum(count or 0 for count in counts)


File = Mapping[str, int]  # bytes and level


def _uses(heads: Sequence[Head], files: Mapping[int, File]) -> list[dict[str, Any]]:
    grouped: dict[tuple[str, str], list[Head]] = defaultdict(list)
    for head in heads:
        grouped[head[1], head[2]].append(head)
    return [
        {
            "column": column,
            "type": kind,
            "files": len(found),
            "bytes_covered": sum(files[position]["bytes"] for position, *_ in found),
            "index_bytes": sum(head[3] for head in found),
            "storage": storages.pop() if len(storages := {head[4] for head in found}) == 1 else "both",
        }
        for (column, kind), found in sorted(grouped.items())
    ]


def _bytes_by_level(live: LiveFiles) -> dict[int, int]:
    sums = live.table.group_by("level").aggregate([("bytes", "sum")]).to_pylist()
    return {row["level"]: row["bytes_sum"] for row in sums}


def _coverage(
    heads: Sequence[Head], files: Mapping[int, File], total: Mapping[int, int]
) -> list[dict[str, Any]]:
    """For each index and level, the share of the level's bytes that have it."""
    indexes = {(head[1], head[2]) for head in heads}
    covered = {(column, kind, level): 0 for column, kind in indexes for level in total}
    for position, column, kind, *_ in heads:
        covered[column, kind, files[position]["level"]] += files[position]["bytes"]
    return [
        {
            "column": column,
            "type": kind,
            "level": level,
            "share": size / total[level] if total[level] else 0.0,
        }
        for (column, kind, level), size in sorted(covered.items())
    ]
