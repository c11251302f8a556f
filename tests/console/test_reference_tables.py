"""What the API says of every reference table is what the Paimon that wrote it says of it.

What is expected comes from tests/corpora/expected, never from core. Each aspect looks at all 148 tables in
`make evidence`, which takes a minute or two; in `./test` each looks at a few, each at others.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

import pytest

from console.warehouses.models import Warehouse
from tests.console.conftest import Caller
from tests.interop.answers import (
    CORPORA,
    LEVEL_0_LEFT_OUT,
    WAITING,
    WRITERS,
    NoAnswerError,
    answer_of,
    expected_of,
    live_entries,
    manifest_entries,
    reference_tables,
    rows_of,
)

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
SHARE = 1 if LONG else 25
LINEAGES = 1000 if LONG else 3  # of the files of a table

Row = dict[str, Any]
Pair = tuple[Any, Any]  # what is shown, what Paimon says


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference table: what Paimon says, and what the API shows."""

    warehouse: str
    name: str
    caller: Caller

    def get(self, path: str = "") -> Any:
        database, _, table = self.name.partition(".")
        address = f"/warehouses/{self.warehouse}/databases/{database}/tables/{quote(table, safe='')}"
        return self.caller.json(address + path)

    def items(self, path: str) -> list[Row]:
        page = self.get(f"{path}{'&' if '?' in path else '?'}limit=1000")
        assert page["next"] is None
        items: list[Row] = page["items"]
        return items

    def theirs(self, system: str) -> list[Row]:
        return rows_of(answer_of(self.warehouse, self.name, system))

    @property
    def expected(self) -> Mapping[str, Any]:
        return expected_of(self.warehouse, self.name)

    @property
    def default_partition(self) -> str:
        set_: list[list[str]] = self.expected["system"]["options"]["rows"]
        return dict(set_).get("partition.default-name", "__DEFAULT_PARTITION__")

    def folder(self, label: str) -> str:
        """`k=a%2Cb,l=` as `$partitions` has it: `k=a,b/l=__DEFAULT_PARTITION__`."""
        pairs = [part.partition("=") for part in label.split(",")] if label != "-" else []
        values = [(key, unquote(value)) for key, _, value in pairs]
        return "/".join(
            f"{key}={value if value.strip() else self.default_partition}" for key, value in values
        )

    def needs_level_0(self) -> None:
        """
        Raises:
            NoAnswerError: Java leaves it out of what it lists of this table.
        """
        if self.name in LEVEL_0_LEFT_OUT:
            raise NoAnswerError("Java 0.9.0 lists no file of level 0")

    def live(self) -> list[Row]:
        """The live files that Paimon lists."""
        if self.name == WAITING:
            raise NoAnswerError("pypaimon lists files that wait for a bucket, Java does not")
        try:
            return self.theirs("files")
        except NoAnswerError:
            # Java's $files itself fails on it: from the manifests that it decoded.
            latest = max(s["snapshot_id"] for s in self.theirs("snapshots"))
            return [_as_listed(entry) for entry in live_entries(self.warehouse, self.name, latest)]

    def delta(self, snapshot: Row) -> list[Row]:
        return manifest_entries(self.warehouse, self.name, snapshot["delta_manifest_list"])


def _as_listed(entry: Row) -> Row:
    return {
        "file_path": entry["file"],
        "partition": json.dumps(entry["partition"]),
        "bucket": entry["bucket"],
        "level": entry["level"],
        "file_size_in_bytes": entry["size"],
        "record_count": entry["rows"],
        "min_sequence_number": entry["minSeq"],
        "max_sequence_number": entry["maxSeq"],
        "schema_id": entry["schemaId"],
    }


# --- what is compared: what the API shows beside what Paimon says -----------------------------------

FILE = ("bucket", "level", "bytes", "rows", "schema_id")
THEIR_FILE = ("bucket", "level", "file_size_in_bytes", "record_count", "schema_id")
SNAPSHOT = ("id", "schema_id", "commit_user", "total_rows", "delta_rows")
THEIR_SNAPSHOT = ("snapshot_id", "schema_id", "commit_user", "total_record_count", "delta_record_count")
MANIFEST = ("name", "bytes", "added", "deleted", "schema_id")
THEIR_MANIFEST = ("file_name", "file_size", "num_added_files", "num_deleted_files", "schema_id")
SUMS = ("rows", "bytes", "files")
THEIR_SUMS = ("record_count", "file_size_in_bytes", "file_count")


def picked(row: Row, columns: Iterable[str]) -> tuple[Any, ...]:
    return tuple(row[column] for column in columns)


def files(of: Reference) -> Pair:
    shown = [
        (f["name"], int(f["min_sequence_number"]), int(f["max_sequence_number"]), *picked(f, FILE))
        for f in of.items("/files")
        if f["level"] > 0 or of.name not in LEVEL_0_LEFT_OUT
    ]
    numbers = ("min_sequence_number", "max_sequence_number")
    said = [(_base(f["file_path"]), *picked(f, numbers), *picked(f, THEIR_FILE)) for f in of.live()]
    return sorted(shown), sorted(said)


def totals(of: Reference) -> Pair:
    """The overview's sums."""
    of.needs_level_0()
    live = of.live()
    said = {
        "files": len(live),
        "bytes": sum(f["file_size_in_bytes"] for f in live),
        "rows": sum(f["record_count"] for f in live),
        "levels": len({f["level"] for f in live}),
    }
    shape = of.get()["shape"] or dict.fromkeys(said, 0)
    return {key: shape[key] for key in said}, said


def partitions(of: Reference) -> Pair:
    """By the names of their folders: null and blank values share one."""
    of.needs_level_0()
    if of.name == WAITING:
        raise NoAnswerError("pypaimon counts files that wait for a bucket, Java does not")
    shown: dict[str, Counter[str]] = {}
    for row in of.items("/partitions"):
        _add(shown, of.folder(row["partition"]), row, SUMS)
    said: dict[str, Counter[str]] = {}
    for row in of.theirs("partitions"):
        _add(said, row["partition"] or "", row, THEIR_SUMS)
    return shown, said


def buckets(of: Reference) -> Pair:
    """$buckets where that Paimon has it; else the sums of its $files by partition and bucket."""
    of.needs_level_0()
    shown = [(b["bucket"], *picked(b, SUMS)) for b in of.items("/buckets")]
    if "buckets" in of.expected["system"]:
        said = [(b["bucket"], *picked(b, THEIR_SUMS)) for b in of.theirs("buckets")]
        return sorted(shown), sorted(said)
    sums: dict[Any, Counter[str]] = {}
    for file in of.live():
        # A value that is the name of the default partition lies in its folder, and is shown with it.
        partition = file["partition"].replace(of.default_partition, "null")
        _add(sums, (partition, file["bucket"]), file | {"file_count": 1}, THEIR_SUMS)
    return sorted(shown), sorted((bucket, *picked(s, SUMS)) for (_, bucket), s in sums.items())


def snapshots(of: Reference) -> Pair:
    shown = [
        (*picked(s, SNAPSHOT), s["kind"].upper(), int(s["commit_identifier"]), _time(s["committed_at"]))
        for s in of.items("/snapshots")
    ]
    told = ("commit_kind", "commit_identifier", "commit_time")
    said = [(*picked(s, THEIR_SNAPSHOT), *picked(s, told)) for s in of.theirs("snapshots")]
    return sorted(shown), sorted(said)


def manifests(of: Reference) -> Pair:
    """Of the latest snapshot; pypaimon leaves those of changelogs out of its list."""
    said = sorted(picked(m, THEIR_MANIFEST) for m in of.theirs("manifests"))
    latest = max((s["snapshot_id"] for s in of.theirs("snapshots")), default=None)
    if latest is None:
        return [], said
    left_out = "changelog" if of.warehouse == "pypaimon21" else ""
    lists = [one for one in of.get(f"/snapshots/{latest}/manifests")["lists"] if one["kind"] != left_out]
    return sorted(picked(m, MANIFEST) for one in lists for m in one["manifests"]), said


def schemas(of: Reference) -> Pair:
    """Keys and times of all; the fields of the latest."""
    theirs = {s["schema_id"]: s for s in of.theirs("schemas")}
    keys = ("primary_keys", "partition_keys")
    said: dict[Any, Any] = {
        number: (*(json.loads(s[k]) for k in keys), len(json.loads(s["fields"])), s["update_time"])
        for number, s in theirs.items()
    }
    shown: dict[Any, Any] = {
        s["id"]: (*picked(s, keys), s["fields"], _time(s["created_at"])) for s in of.items("/schemas")
    }
    latest = max(theirs)
    said["latest"] = [picked(f, ("id", "name")) for f in json.loads(theirs[latest]["fields"])]
    fields = of.get(f"/schemas/{latest}")["fields"]
    shown["latest"] = [picked(f, ("id", "name")) for f in fields if f["depth"] == 0]
    return shown, said


def options(of: Reference) -> Pair:
    """What is set in the latest schema."""
    shown = {o["key"]: o["value"] for o in of.items("/options") if o["schema_id"] is not None}
    return shown, {o["key"]: o["value"] for o in of.theirs("options")}


def refs(of: Reference) -> Pair:
    """Tags, branches and consumers."""
    tag = ("tag_name", "snapshot_id", "schema_id", "record_count", "commit_time")
    ours = ("name", "snapshot_id", "schema_id", "total_rows")
    said = {
        "tags": sorted(picked(t, tag) for t in of.theirs("tags")),
        "branches": sorted(["main", *(b["branch_name"] for b in of.theirs("branches"))]),
        "consumers": sorted(picked(c, ("consumer_id", "next_snapshot_id")) for c in of.theirs("consumers")),
    }
    shown = {
        "tags": sorted((*picked(t, ours), _time(t["committed_at"])) for t in of.items("/tags")),
        "branches": sorted(b["name"] for b in of.items("/branches")),
        "consumers": sorted(picked(c, ("id", "next_snapshot")) for c in of.items("/consumers")),
    }
    return shown, said


def changes(of: Reference) -> Pair:
    """What each snapshot added, deleted and moved, from the manifests of its delta."""
    shown, said = {}, {}
    for snapshot in of.theirs("snapshots"):
        number = snapshot["snapshot_id"]
        counted: Counter[str] = Counter()
        for change in of.items(f"/snapshots/{number}/changes"):
            both = change["change"] == "moved"
            counted[f"ADD {change['file']}"] += both or change["change"] == "added"
            counted[f"DELETE {change['file']}"] += both or change["change"] == "deleted"
        shown[number] = +counted
        said[number] = Counter(f"{e['kind']} {e['file']}" for e in of.delta(snapshot))
    return shown, said


def lineage(of: Reference) -> Pair:
    """The commit that brought each file, and the one that took it away."""
    born: dict[str, int] = {}
    removed: dict[str, int] = {}
    for snapshot in sorted(of.theirs("snapshots"), key=lambda s: int(s["snapshot_id"])):
        kinds: dict[str, set[str]] = {}
        for entry in of.delta(snapshot):
            kinds.setdefault(entry["file"], set()).add(entry["kind"])
        born |= {file: snapshot["snapshot_id"] for file, of_it in kinds.items() if of_it == {"ADD"}}
        removed |= {file: snapshot["snapshot_id"] for file, of_it in kinds.items() if of_it == {"DELETE"}}
    known = sorted(born)[:LINEAGES]
    said = {file: (born[file], removed.get(file)) for file in known}
    shown = {}
    for file in known:
        told = of.get(f"/files/{file}/lineage")
        shown[file] = (told["born"]["id"], told["removed"]["id"] if told["removed"] else None)
    return shown, said


Aspect = Callable[[Reference], Pair]
ASPECTS: tuple[Aspect, ...] = (
    *(files, totals, partitions, buckets, snapshots),
    *(manifests, schemas, options, refs, changes, lineage),
)


def _base(path: str) -> str:
    return path.rpartition("/")[2]


def _add(sums: dict[Any, Counter[str]], place: Hashable, row: Row, columns: Iterable[str]) -> None:
    sums.setdefault(place, Counter()).update(dict(zip(SUMS, picked(row, columns), strict=True)))


def _time(moment: str | None) -> str | None:
    return None if moment is None else moment.removesuffix("Z")


# --- the law ----------------------------------------------------------------------------------------


@pytest.fixture
def reader(alice: Caller) -> Caller:
    for warehouse in WRITERS:
        Warehouse.objects.create(name=warehouse, location=str(CORPORA / warehouse))
    return alice


@pytest.mark.parametrize("aspect", ASPECTS, ids=lambda aspect: aspect.__name__)
def test_tables_are_shown_as_real_paimon_says(aspect: Aspect, reader: Caller) -> None:
    differing, compared = {}, 0
    for warehouse, name in reference_tables()[ASPECTS.index(aspect) % SHARE :: SHARE]:
        try:
            shown, said = aspect(Reference(warehouse, name, reader))
        except NoAnswerError:
            continue
        compared += 1
        if shown != said:
            differing[warehouse, name] = (shown, said)
    assert compared
    assert differing == {}


def test_tables_without_an_answer_are_few() -> None:
    """What no Paimon could tell is known by name."""
    silent = [
        (name, system)
        for warehouse, name in reference_tables()
        for system in ("files", "snapshots", "manifests", "partitions")
        if "error" in expected_of(warehouse, name)["system"][system]
    ]
    assert len(silent) < 8
