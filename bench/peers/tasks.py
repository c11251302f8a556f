"""What is measured beside the peers: the workloads of docs/performance.md, each a task that a driver does.

A driver is given a task as a JSON file, does it some times, and prints one JSON object a run
(`wall` and `cpu` in seconds, `result`: rows, files or snapshots) and at last `peak_kib`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

EVERYBODY = ("ours", "java", "pypaimon", "rust")
QUICK = ("ours", "java", "rust")  # pypaimon merges some 100,000 rows a second


@dataclass(frozen=True, slots=True)
class Task:
    """One workload.

    Members of `what` are `do` (plan, snapshots, read, commit) and `table`; `filter` (column, is, literal);
    and of a read `columns`, `threads`, and `whole` if one Arrow table is asked for.
    """

    name: str
    what: Mapping[str, Any]
    drivers: tuple[str, ...] = EVERYBODY


def tasks() -> dict[str, Task]:
    """All workloads by name."""
    few = _filter("i", "<", 10)  # one row in a hundred
    found = (
        Task("P1 plan, spread", _plan("files_spread")),
        Task("P1 plan, clustered", _plan("files_clustered")),
        Task("P2 one partition, spread", _plan("files_spread", filter=_filter("c0", "=", 42))),
        Task("P2 one partition, clustered", _plan("files_clustered", filter=_filter("c0", "=", 42))),
        Task("P3 2,000 snapshots", MappingProxyType({"do": "snapshots", "table": "snapshots"})),
        Task("P4 deduplicate", _read("deduplicate"), QUICK),
        Task("P4 deduplicate, 1 M rows", _read("deduplicate_small")),
        Task("P4b deduplicate, whole", _read("deduplicate", whole=True), ("ours", "rust")),
        Task("P5 deduplicate, 2 columns", _read("deduplicate", columns=["k", "x"]), QUICK),
        Task("P6 aggregation", _read("aggregation"), QUICK),
        Task("P6 partial-update", _read("partial_update"), QUICK),
        Task("P7 deduplicate, string key", _read("deduplicate_string"), QUICK),
        Task("P8 append", _read("append"), (*EVERYBODY, "pyarrow")),
        Task("P9 append, 1 %", _read("append", filter=few), (*EVERYBODY, "pyarrow")),
        Task("P13 key lookup", _read("deduplicate", filter=_filter("k", "=", 1234567))),
        Task("P13 key lookup, our files", _read("ours_deduplicate", filter=_filter("k", "=", 1234567))),
        Task("P14 lookup, bloom index", _read("append", filter=_filter("k", "=", 1234567))),
        Task("P15 commit, append", _commit("commit_append"), ("ours", "pypaimon")),
        Task("P15 commit, keyed", _commit("commit_keyed"), ("ours", "pypaimon")),
    )
    return {task.name: task for task in found}


def _plan(table: str, **more: Any) -> Mapping[str, Any]:
    return MappingProxyType({"do": "plan", "table": table, **more})


def _commit(table: str) -> Mapping[str, Any]:
    return MappingProxyType({"do": "commit", "table": table})


def _read(table: str, **more: Any) -> Mapping[str, Any]:
    return MappingProxyType({"do": "read", "table": table, "threads": 2, **more})


def _filter(column: str, is_: str, literal: Any) -> dict[str, Any]:
    return {"column": column, "is": is_, "literal": literal}
