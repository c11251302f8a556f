"""File indexes and table indexes: which there are, what they cover, what their heads say."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from console.inspector.cache import in_parallel, loaded
from console.inspector.live import DELETION_VECTORS, LiveFiles, find_file, live_files
from console.inspector.manifests import index_file
from console.inspector.opening import OpenTable
from core.errors import PaimonError
from core.fileindex import IndexSlot, decode_file_index, describe_index, index_file_name, is_known_index
from core.manifest import DataFileMeta
from core.schema import TableSchema
from core.snapshot import Snapshot

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
    shown: dict[str, Any] = {"name": name, "version": None, "indexes": [], "problem": None}
    try:
        data, where = _container(opened, live, position, meta)
        if data is None:
            return shown
        index = decode_file_index(data)
        schema = opened.table.schemas.get(meta.schema_id)
        indexes = [_index(opened, schema, slot, index.payload(slot), where) for slot in index.slots]
        return shown | {"version": index.version, "indexes": indexes}
    except PaimonError as error:
        return shown | {"problem": str(error)}


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
    }


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
        if opened.may_read_data or name not in _COLUMN_FACTS
    }


def of_table(opened: OpenTable, snapshot: Snapshot | None) -> dict[str, Any]:
    """All indexes of the table at the snapshot."""
    if snapshot is None:
        return _answer(None, [], 0, None, [])
    live = live_files(opened, snapshot)
    key = ("indexes", *opened.cache_key(snapshot))
    found, unread = loaded(key, lambda: _heads(opened, live), size=lambda heads: 100 * len(heads[0]) + 100)
    table_indexes = [index_file(opened, entry) for entry in live.indexes]
    return _answer(snapshot.reference, found, unread, live, table_indexes)


Head = tuple[int, str, str, int, str]  # position, column, type, bytes, storage


def _heads(opened: OpenTable, live: LiveFiles) -> tuple[list[Head], int]:
    """The heads of all containers, and how many files have one that was not opened."""
    kinds: list[Any] = live.table.column("index").to_pylist()
    positions = [i for i, kind in enumerate(kinds) if "embedded" in kind or "index" in kind]
    chosen = positions[:MOST_OPENED]
    heads = in_parallel(lambda position: _head(opened, live, position), chosen)
    return [head for of_one in heads for head in of_one], len(positions) - len(chosen)


def _head(opened: OpenTable, live: LiveFiles, position: int) -> list[Head]:
    try:
        data, where = _container(opened, live, position, live.entries.file(position))
        slots = decode_file_index(data).slots if data is not None else ()
    except PaimonError:
        return []  # the file's own page says what is wrong with it
    return [
        (position, s.column, s.index_type, max(0, s.length), "file" if where else "manifest") for s in slots
    ]


def _answer(
    as_of: str | None,
    heads: list[Head],
    unread: int,
    live: LiveFiles | None,
    table_indexes: list[dict[str, Any]],
) -> dict[str, Any]:
    sizes: list[Any] = live.table.column("bytes").to_pylist() if heads and live else []
    levels: list[Any] = live.table.column("level").to_pylist() if heads and live else []
    return {
        "as_of": as_of,
        "file_indexes": _uses(heads, sizes),
        "coverage": _coverage(heads, sizes, levels),
        "deletion_vectors": [e for e in table_indexes if e["kind"] == DELETION_VECTORS],
        "hash_indexes": [e for e in table_indexes if e["kind"] == HASH],
        "other_indexes": [e for e in table_indexes if e["kind"] not in (DELETION_VECTORS, HASH)],
        "unread_files": unread,
    }


def _uses(heads: list[Head], sizes: list[int]) -> list[dict[str, Any]]:
    grouped: dict[tuple[str, str], list[Head]] = defaultdict(list)
    for head in heads:
        grouped[head[1], head[2]].append(head)
    return [
        {
            "column": column,
            "type": kind,
            "files": len(found),
            "bytes_covered": sum(sizes[position] for position, *_ in found),
            "index_bytes": sum(head[3] for head in found),
            "storage": storages.pop() if len(storages := {head[4] for head in found}) == 1 else "both",
        }
        for (column, kind), found in sorted(grouped.items())
    ]


def _coverage(heads: list[Head], sizes: list[int], levels: list[int]) -> list[dict[str, Any]]:
    """For each index and level, the share of the level's bytes that have it."""
    total: dict[int, int] = defaultdict(int)
    for level, size in zip(levels, sizes, strict=True):
        total[level] += size
    covered: dict[tuple[str, str, int], int] = defaultdict(int)
    for column, kind in {(h[1], h[2]) for h in heads}:
        for level in total:
            covered[column, kind, level] += 0
    for position, column, kind, *_ in heads:
        covered[column, kind, levels[position]] += sizes[position]
    return [
        {
            "column": column,
            "type": kind,
            "level": level,
            "share": size / total[level] if total[level] else 0.0,
        }
        for (column, kind, level), size in sorted(covered.items())
    ]
