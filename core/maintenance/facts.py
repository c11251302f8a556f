"""Plans, and what came of them, as what JSON can hold and as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Any

from core.compact import CompactionTask
from core.errors import PaimonError
from core.maintenance.notice import Notice
from core.maintenance.reach import NamedFiles
from core.maintenance.rewrite_file_index import IndexRewrite
from core.manifest import EntryColumns
from core.snapshot import Snapshot, Tag
from core.table import Table
from core.write.table_write import partition_directory

# Of plans: what they look through, and when; the inputs of what is told beside them.
_HIDDEN = ("named", "now_millis", "row", "task")
NOTICES = {"warnings": "warning", "blockers": "blocked"}
_SHOWN = 20  # parts of a list that people are shown


def facts_of(value: object, table: Table) -> Any:
    """A plan of a table, or what came of it, as what JSON can hold; of files their number and bytes."""
    match value:
        case Enum():
            return value.value
        case None | bool() | int() | str():
            return value
        case Snapshot():
            return {"snapshot": value.id, "kind": value.commit_kind.value}
        case Tag():
            return {"tag": value.name, "snapshot": value.snapshot.id}
        case NamedFiles():
            return {t.role.value: {"files": t.count, "bytes": t.size} for t in value.totals}
        case EntryColumns():
            return len(value)
        case CompactionTask():
            size = {"files": len(value.files), "bytes": value.size, "rows": value.row_count}
            return {
                "partition": _partition(table, value),
                "bucket": value.bucket,
                "reason": value.reason,
            } | size
        case IndexRewrite():
            added = [f"{column.index_type}({column.name})" for column in value.added]
            dropped = [f"{index_type}({name})" for name, index_type in value.dropped]
            return {"file": value.entry.file.file_name, "added": added, "dropped": dropped}
        case Table():
            return str(value.identifier)
        case Notice():
            return {"code": value.code, **value.fields}
        case datetime():
            return value.isoformat(sep=" ")
        case timedelta() | PaimonError():
            return str(value)
        case Mapping():
            return {str(key): facts_of(one, table) for key, one in value.items()}
        case _ if is_dataclass(value):
            names = [field.name for field in fields(value) if field.name not in _HIDDEN]
            names += [name for name in NOTICES if name not in names and hasattr(value, name)]
            return {name: facts_of(getattr(value, name), table) for name in names}
        case tuple() | list() | set() | frozenset():
            return [facts_of(one, table) for one in value]
    return str(value)


def _partition(table: Table, task: CompactionTask) -> str:
    return partition_directory(table.schema, table.options, task.partition)


def lines_of(plan: Mapping[str, Any]) -> Iterator[str]:
    """The facts of a plan, one a line, then its warnings and what forbids it."""
    for name, value in plan.items():
        if value not in (None, [], {}) and name not in NOTICES:
            yield f"{name.replace('_', ' ')}: {one_line(value)}"
    for kind, word in NOTICES.items():
        for notice in plan.get(kind, ()):
            yield f"{word}: {one_line(notice)}"


def one_line(value: object) -> str:
    """A fact in words; of long lists the first members."""
    match value:
        case dict():
            return ", ".join(
                f"{key} {one_line(one)}" for key, one in value.items() if one not in (None, [], {})
            )
        case list():
            more = [f"and {len(value) - _SHOWN} more"] if len(value) > _SHOWN else []
            return "; ".join([*(one_line(one) for one in value[:_SHOWN]), *more])
    return str(value)
