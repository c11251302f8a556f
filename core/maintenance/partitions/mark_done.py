"""Tells those who wait for a partition that it is complete. Spec: 08, 13; 10, 5."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import FormatError, InvalidRequestError, NotFoundError
from core.io.json_object import JsonObject
from core.maintenance.notice import Notice, refuse_blocked
from core.options import PARTITION_DEFAULT_NAME, PARTITION_LEGACY_NAME, PARTITION_MARK_DONE_ACTION
from core.partition import parse_value, partition_path
from core.table import Table
from core.write.partition_spec import PartitionSpec

_SUCCESS_FILE = "success-file"


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkDonePlan:
    files: tuple[str, ...]  # paths of the success files, one a partition
    blockers: tuple[Notice, ...] = ()


def plan_mark_done(table: Table, partitions: Sequence[PartitionSpec]) -> MarkDonePlan:
    """The success files that would be written.

    Args:
        table: the table.
        partitions: each with a value for every partition key.

    Raises:
        InvalidRequestError: a key is missing or unknown, or a value is none of its type.
    """
    others = [a for a in table.options.get(PARTITION_MARK_DONE_ACTION) if a != _SUCCESS_FILE]
    return MarkDonePlan(
        files=tuple(f"{table.paths.partition_dir(_path(table, spec))}/_SUCCESS" for spec in partitions),
        # They need a metastore, a server or a class of Java's.
        blockers=tuple(Notice("action-unsupported", {"action": action}) for action in others),
    )


def apply_mark_done(table: Table, plan: MarkDonePlan, *, now_millis: int) -> None:
    """Write the success files; one that is there keeps the time of its creation.

    Raises:
        InvalidRequestError: the plan has blockers.
    """
    refuse_blocked("marking partitions as done", plan.blockers)
    for path in plan.files:
        times = {"creationTime": _created(table, path) or now_millis, "modificationTime": now_millis}
        table.io.write(path, json.dumps(times, indent=2).encode())


def _created(table: Table, path: str) -> int | None:
    try:
        return JsonObject.parse(table.io.read(path)).integer("creationTime")
    except (NotFoundError, FormatError):
        return None


def _path(table: Table, spec: PartitionSpec) -> str:
    schema, options = table.schema, table.options
    if not schema.partition_keys or set(spec) != set(schema.partition_keys):
        raise InvalidRequestError(
            "a partition has a value for each partition key",
            found=", ".join(spec) or "none",
            partition_keys=", ".join(schema.partition_keys) or "none",
        )
    return partition_path(
        schema.partition_keys,
        schema.partition_types,
        [parse_value(field.type, spec[field.name]) for field in schema.partition_fields],
        options.get(PARTITION_DEFAULT_NAME),
        options.get(PARTITION_LEGACY_NAME),
    )
