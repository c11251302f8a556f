"""Descriptions of tables for a peer to write: what `Peer.write` takes.

Values follow the JSON convention of tests/corpora/README.md. A row starts with its kind (`+I`, `-U`, `+U`,
`-D`); `insert`, `delete` and `update` add it.

    warehouse(pk=[table("t", [("id", "INT NOT NULL"), ("v", "STRING")], primary_key=["id"],
                        options={"bucket": "1"}, operations=[write(insert(1, "a")), compact()])])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Column = tuple[str, Any]  # name and type: SQL text, or the JSON form of a nested type
Row = list[Any]
Operation = dict[str, Any]


def warehouse(**databases: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A description of databases by name, each with its tables."""
    return {"databases": [{"name": name, "tables": list(tables)} for name, tables in databases.items()]}


def table(
    name: str,
    columns: Sequence[Column],
    *,
    primary_key: Sequence[str] = (),
    partition_keys: Sequence[str] = (),
    options: Mapping[str, str] | None = None,
    operations: Sequence[Operation] = (),
) -> dict[str, Any]:
    """A table to create, and what to do with it, in order."""
    return {
        "name": name,
        "fields": [list(column) for column in columns],
        "primaryKeys": list(primary_key),
        "partitionKeys": list(partition_keys),
        "options": dict(options or {}),
        "ops": list(operations),
    }


def existing(name: str, operations: Sequence[Operation]) -> dict[str, Any]:
    """A table that is already there, such as one that we wrote, and what to do with it, in order."""
    return {**table(name, [], operations=operations), "exists": True}


def write(*rows: Row, **options: Any) -> Operation:
    """One commit of rows. `overwrite={}` replaces the table, `overwrite={"p": "x"}` a partition."""
    return {"op": "write", "rows": [list(row) for row in rows], **options}


def compact(*, full: bool = True, **options: Any) -> Operation:
    """Compact every bucket, or those of `buckets=[...]`; Java only."""
    return {"op": "compact", "full": full, **options}


def alter(*changes: Sequence[Any]) -> Operation:
    """Schema changes, each such as `("add", "c", "INT")`, `("drop", "c")`, `("rename", "a", "b")`."""
    return {"op": "alter", "changes": [list(change) for change in changes]}


def tag(name: str, snapshot: int | None = None) -> Operation:
    """A tag on a snapshot, the latest by default."""
    return {"op": "tag", "name": name, "snapshot": snapshot}


def rollback(snapshot: int) -> Operation:
    """Roll back to a snapshot."""
    return {"op": "rollback", "snapshot": snapshot}


def insert(*values: Any) -> Row:
    """A row of kind +I."""
    return ["+I", *values]


def update(*values: Any) -> Row:
    """A row of kind +U."""
    return ["+U", *values]


def delete(*values: Any) -> Row:
    """A row of kind -D."""
    return ["-D", *values]
