"""`lakescope maintain`: keeps a table in order. What an action would do is shown; `--yes` does it."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Any

from core.cli.actions import ACTIONS, Asked
from core.cli.targets import table_of
from core.commit import new_commit_user
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
_NOTICES = {"warnings": "warning", "blockers": "blocked"}
_SHOWN = 20  # parts of a list that people are shown


def run_maintain(given: argparse.Namespace) -> int:
    action = ACTIONS[given.action]
    table = table_of(given, given.table)
    asked = Asked(given, time.time_ns() // 1_000_000, new_commit_user(table.options))
    plan = action.plan(table, asked)
    told: dict[str, Any] = {
        "table": str(table.identifier),
        "action": given.action,
        "plan": facts_of(plan, table),
    }
    if given.yes:
        told["done"] = facts_of(action.apply(table, plan, asked), table)
    if given.format == "json":
        print(json.dumps(told, ensure_ascii=False))
    else:
        _print_text(told, applied=given.yes)
    return 0


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
            names += [name for name in _NOTICES if name not in names and hasattr(value, name)]
            return {name: facts_of(getattr(value, name), table) for name in names}
        case tuple() | list() | set() | frozenset():
            return [facts_of(one, table) for one in value]
    return str(value)


def _partition(table: Table, task: CompactionTask) -> str:
    return partition_directory(table.schema, table.options, task.partition)


def _print_text(told: Mapping[str, Any], *, applied: bool) -> None:
    plan = told["plan"]
    print(f"{told['action']} of {told['table']}")
    for name, value in plan.items():
        if value not in (None, [], {}) and name not in _NOTICES:
            print(f"  {name.replace('_', ' ')}: {_one_line(value)}")
    for kind, word in _NOTICES.items():
        for notice in plan.get(kind, ()):
            print(f"  {word}: {_one_line(notice)}")
    if applied:
        print(f"done: {_one_line(told['done'])}" if told["done"] else "done")
    else:
        print("nothing has been done: --yes applies this plan", file=sys.stderr)


def _one_line(value: object) -> str:
    match value:
        case dict():
            return ", ".join(
                f"{key} {_one_line(one)}" for key, one in value.items() if one not in (None, [], {})
            )
        case list():
            more = [f"and {len(value) - _SHOWN} more"] if len(value) > _SHOWN else []
            return "; ".join([*(_one_line(one) for one in value[:_SHOWN]), *more])
    return str(value)
