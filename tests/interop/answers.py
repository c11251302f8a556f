"""What real Paimon says of the reference tables, in the form of the newest; `tests/corpora` keeps it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tests.interop.normalise import Answer, TableFacts, normalised

CORPORA = Path(__file__).parents[1] / "corpora"
WRITERS: Mapping[str, str] = {
    "java09": "java09",
    "java09bsi": "java09",
    "pypaimon21": "pypaimon21",
    "rust04": "rust04",
}
# Java 0.9.0 plans $files as a batch read, which skips level 0 with these tables; we show every live file.
LEVEL_0_LEFT_OUT = ("dv.pk_dv_l0", "merge.first_row_l0")
# All its files wait for a bucket: pypaimon lists them here, the newest Java in $buckets alone.
WAITING = "py.pk_postpone"
# Java 0.9.0 follows the wrong hint and fails; the table is a copy of this one.
_COPIES = {"ops.hints_beyond": "ops.hints_base"}


class NoAnswerError(Exception):
    """That reader itself fails on the system table; the message is its own."""


def reference_tables() -> list[tuple[str, str]]:
    """Warehouse and `database.table` of each table that a real Paimon wrote, in order."""
    return [
        (warehouse, path.stem)
        for warehouse in WRITERS
        for path in sorted((CORPORA / "expected" / warehouse).glob("*.*.json"))
    ]


@cache
def expected_of(warehouse: str, name: str) -> Mapping[str, Any]:
    """The whole expected file of a table; tests/corpora/README.md tells its layout."""
    expected: Mapping[str, Any] = json.loads(
        (CORPORA / "expected" / warehouse / f"{name}.json").read_text(encoding="utf-8")
    )
    return expected


def answer_of(warehouse: str, name: str, system: str) -> Answer:
    """A real Paimon's answer about a system table, in the newest form.

    Raises:
        NoAnswerError: it has none that could be compared with.
    """
    expected = expected_of(warehouse, name)
    if "error" in expected["system"][system] and name in _COPIES:
        text = json.dumps(expected_of(warehouse, _COPIES[name]))
        expected = json.loads(text.replace(_COPIES[name].split(".")[1], name.split(".")[1]))
    answer = expected["system"][system]
    if "error" in answer:
        raise NoAnswerError(answer["error"])
    return normalised(WRITERS[warehouse], system, answer, TableFacts.of(expected, CORPORA / warehouse))


def rows_of(answer: Answer) -> list[dict[str, Any]]:
    """The rows of an answer by column."""
    return [dict(zip(answer["columns"], row, strict=True)) for row in answer["rows"]]


def manifest_entries(warehouse: str, name: str, manifest_list: str) -> list[dict[str, Any]]:
    """The entries of a list's manifests, as Java Paimon decoded them.

    Raises:
        NoAnswerError: another one wrote the table.
    """
    expected = expected_of(warehouse, name)
    if "metadata" not in expected:
        raise NoAnswerError("the corpora have decoded manifests of Java Paimon alone")
    lists, manifests = expected["metadata"]["manifestLists"], expected["metadata"]["manifests"]
    return [entry for manifest in lists[manifest_list] for entry in manifests[manifest["file"]]]


def live_entries(warehouse: str, name: str, snapshot: int) -> list[dict[str, Any]]:
    """The entries of the files that a snapshot has, from its own manifests.

    Raises:
        NoAnswerError: another one than Java Paimon wrote the table.
    """
    standing: dict[tuple[Any, ...], dict[str, Any]] = {}
    [row] = [
        row for row in rows_of(answer_of(warehouse, name, "snapshots")) if row["snapshot_id"] == snapshot
    ]
    for kind in ("base", "delta"):
        for entry in manifest_entries(warehouse, name, row[f"{kind}_manifest_list"]):
            key = (*entry["partition"], entry["bucket"], entry["file"])
            if entry["kind"] == "ADD":
                standing[key] = entry
            else:  # a file that moves to another level is deleted first
                standing.pop(key, None)
    return list(standing.values())
