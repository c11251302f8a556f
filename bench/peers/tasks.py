"""What is measured beside the peers: the workloads of docs/performance.md, each a task that a driver does.

A driver is given a task as a JSON file, does it some times, and prints one JSON object a run
(`wall` and `cpu` in seconds, `result`: rows, files or snapshots) and at last `peak_kib`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

EVERYBODY = ("ours", "java", "pypaimon", "rust")
QUICK = ("ours", "java", "rust")  # pypaimon merges some 100,000 rows a second, and writes half as many
ROWS = 10_000_000


@dataclass(frozen=True, slots=True)
class Goal:
    """How many times less than a peer we are to need."""

    peer: str
    times: float
    stretch: float | None = None
    measure: str = "cpu"  # or warm, cold: seconds of the clock


@dataclass(frozen=True, slots=True)
class Task:
    """One workload.

    Members of `what` are `do` (plan, snapshots, read, commit, write, compact) and `table`; `filter` (column,
    is, literal); of a read `columns`, `threads`, and `whole` if its rows are to be held all together. Of a
    write `rows` and the Arrow file `source` that has them, and how many `writers` we have, each in a thread;
    the peers have one. Java makes its own rows, as it does for its tables.
    A write and a compaction are done once a process, to a table of its own.
    """

    name: str
    what: Mapping[str, Any]
    drivers: tuple[str, ...] = EVERYBODY
    goals: tuple[Goal, ...] = ()
    most_mib: int | None = None  # that our process may need

    @property
    def number(self) -> str:
        """Such as P4."""
        return self.name.split()[0]

    @property
    def changes_table(self) -> bool:
        return self.what["do"] in ("write", "compact")


def tasks() -> dict[str, Task]:
    """All workloads by name."""
    found = (*_metadata(), *_merges(), *_appends(), *_changes(), *_lookups())
    return {task.name: task for task in found}


def _metadata() -> Iterator[Task]:
    for how in ("spread", "clustered"):
        table, one = f"files_{how}", _filter("c0", "=", 42)
        whole = (Goal("pypaimon", 12, 20), Goal("rust", 0, 0.5))
        yield Task(f"P1 plan, {how}", _plan(table), goals=whole, most_mib=300)
        part = (Goal("pypaimon", 3, 5), Goal("java", 0, 1))
        yield Task(f"P2 one partition, {how}", _plan(table, filter=one), goals=part)
    what = MappingProxyType({"do": "snapshots", "table": "snapshots"})
    yield Task("P3 2,000 snapshots", what, goals=(Goal("pypaimon", 1 / 0.7, 2),))


def _merges() -> Iterator[Task]:
    streamed = (
        *(Goal("java", 1.8, 2.3), Goal("java", 2, measure="warm"), Goal("java", 3, measure="cold")),
        *(Goal("rust", 1.3), Goal("rust", 1.8, measure="warm")),
    )
    combined, small = (Goal("java", 1.7, 2.2), Goal("rust", 4)), (Goal("pypaimon", 25),)
    yield Task("P4 deduplicate", _read("deduplicate"), QUICK, streamed, 800)
    yield Task("P4 deduplicate, 1 M rows", _read("deduplicate_small"), goals=small)
    held = (Goal("java", 1.5, 1.9), Goal("rust", 1.2))
    yield Task("P4b deduplicate, whole", _read("deduplicate", whole=True), QUICK, held)
    two = (Goal("java", 2.5, 3), Goal("rust", 1.7, 2.2))
    yield Task("P5 deduplicate, 2 columns", _read("deduplicate", columns=["k", "x"]), QUICK, two)
    yield Task("P6 aggregation", _read("aggregation"), QUICK, combined)
    yield Task("P6 partial-update", _read("partial_update"), QUICK, combined)
    yield Task("P6 aggregation, 1 M rows", _read("aggregation_small"), goals=small)
    yield Task("P6 partial-update, 1 M rows", _read("partial_update_small"), goals=small)
    texts = (Goal("java", 1.5), Goal("rust", 1, 1.3))
    yield Task("P7 deduplicate, string key", _read("deduplicate_string"), QUICK, texts)


def _appends() -> Iterator[Task]:
    drivers = (*EVERYBODY, "pyarrow")
    all_rows = (Goal("pyarrow", 1 / 1.25, 1 / 1.1), Goal("pypaimon", 1.6))
    yield Task("P8 append", _read("append"), drivers, all_rows)
    few = _filter("i", "<", 10)  # one row in a hundred
    few_rows = (Goal("pypaimon", 2.5), Goal("pyarrow", 1), Goal("rust", 0, 1 / 1.3))
    yield Task("P9 append, 1 %", _read("append", filter=few), drivers, few_rows)


def _changes() -> Iterator[Task]:
    keyed = (Goal("rust", 2, 3), Goal("java", 4))
    yield Task("P10 write, keyed", _write("written_keyed", ROWS), QUICK, keyed)
    small = (Goal("pypaimon", 25),)
    yield Task("P10 write, keyed, 1 M rows", _write("written_keyed", ROWS // 10), goals=small)
    appended = (Goal("rust", 1.2, 1.6), Goal("pypaimon", 1.5), Goal("java", 3))
    yield Task("P11 write, append", _write("written_append", ROWS), goals=appended)
    clocked = tuple(replace(goal, measure="warm") for goal in appended)
    yield Task("P11 write, append, two writers", _write("written_append", ROWS, writers=2), goals=clocked)
    compacted = (Goal("java", 2.5, 4, measure="cold"),)
    yield Task("P12 full compaction", _compact("deduplicate"), ("ours", "java"), compacted, 1024)
    yield Task("P12 full compaction, 20 M rows", _compact("deduplicate_large"), ("ours",), most_mib=1024)
    told = (Goal("java", 2, 3),)
    for engine in ("aggregation", "partial_update"):
        name = f"P16 compaction with lookup, {engine.replace('_', '-')}"
        yield Task(name, _compact(f"lookup_{engine}"), ("ours", "java"), told, 1024)
    # Neither reads anything of an append table, and only ours makes what it wrote durable.
    for kind, times in (("append", 1 / 2.5), ("keyed", 3)):
        goals = (Goal("pypaimon", times),)
        yield Task(f"P15 commit, {kind}", _commit(f"commit_{kind}"), ("ours", "pypaimon"), goals)


def _lookups() -> Iterator[Task]:
    key = _filter("k", "=", 1234567)
    yield Task("P13 key lookup", _read("deduplicate", filter=key), goals=(Goal("pypaimon", 4),))
    ours = _read("ours_deduplicate", filter=key)
    yield Task("P13 key lookup, our files", ours, goals=(Goal("rust", 1 / 4, 1 / 2),))
    indexed = (Goal("pypaimon", 8), Goal("java", 1 / 1.2, 2))
    yield Task("P14 lookup, bloom index", _read("append", filter=key), goals=indexed)


def _plan(table: str, **more: Any) -> Mapping[str, Any]:
    return MappingProxyType({"do": "plan", "table": table, **more})


def _commit(table: str) -> Mapping[str, Any]:
    return MappingProxyType({"do": "commit", "table": table})


def _read(table: str, **more: Any) -> Mapping[str, Any]:
    return MappingProxyType({"do": "read", "table": table, "threads": 2, **more})


def _write(table: str, rows: int, writers: int = 1) -> Mapping[str, Any]:
    rows_of_java = {"rows": rows, "key": "bigint", "null_percent": 0}
    return MappingProxyType({"do": "write", "table": table, **rows_of_java, "threads": 2, "writers": writers})


def _compact(table: str) -> Mapping[str, Any]:
    return MappingProxyType({"do": "compact", "table": "compacted", "copy_of": table, "threads": 2})


def _filter(column: str, is_: str, literal: Any) -> dict[str, Any]:
    return {"column": column, "is": is_, "literal": literal}
