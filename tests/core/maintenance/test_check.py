"""`check_table` names each fault of the damaged tables, and nothing in the good ones."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.catalog import open_catalog
from core.maintenance.check import CheckReport, FindingKind, Severity, check_table

CORPORA = Path(__file__).parents[2] / "corpora"
GAP, HINT, MISSING = FindingKind.GAP, FindingKind.HINT, FindingKind.MISSING
SIZE, UNREADABLE = FindingKind.WRONG_SIZE, FindingKind.UNREADABLE

# Table -> (kind, damaged file or a part of its name, words that the finding must hold).
FAULTS: dict[str, list[tuple[FindingKind, str, str]]] = {
    "bad_consumer": [(UNREADABLE, "consumer/consumer-job-a", "an empty file")],
    "bad_tag": [
        (UNREADABLE, "tag/tag-v1", "not valid JSON"),
        (MISSING, "manifest/manifest-list-00000000-0000-0000-0000-000000000000-0", "tag same-a"),
    ],
    "corrupt_manifest_list": [(UNREADABLE, "manifest/manifest-list-12eccf4f", "snapshot 4")],
    "empty_parquet": [
        (SIZE, "bucket-0/data-004418ec", "found 0"),
        (UNREADABLE, "bucket-0/data-004418ec", "not a parquet file"),
    ],
    "garbage_dv_index": [
        (SIZE, "index/index-fc02b847", "expected 71, found 141"),
        (UNREADABLE, "index/index-fc02b847", "unknown version"),
    ],
    "garbage_file_index": [(UNREADABLE, "bucket-0/data-07110bf3", "wrong magic")],
    "garbage_index_manifest": [(UNREADABLE, "manifest/index-manifest-17055055", "snapshot 4")],
    "missing_data_file": [
        (MISSING, "bucket-1/data-12f5ae7a", "partition {}, bucket 1, level 0, rows 2"),
    ],
    "missing_manifest_list": [(MISSING, "manifest/manifest-list-59e0987f", "snapshot 7")],
    "orphan_files": [],
    "schema_garbage": [(UNREADABLE, "schema/schema-0", "not valid JSON")],
    "schema_missing": [
        (MISSING, "schema/schema-0", "data files of snapshot 1"),
        (MISSING, "schema/schema-2", "snapshot 3"),
    ],
    "snapshot_cut_short": [
        (UNREADABLE, "snapshot/snapshot-4", "the last good snapshot is 3"),
    ],
    "snapshot_hole": [(GAP, "snapshot/snapshot-3", "missing between")],
    "truncated_manifest": [
        (UNREADABLE, "manifest/manifest-9eff90c6", "snapshot 4"),
        (SIZE, "manifest/manifest-9eff90c6", "found 926"),
    ],
    "wrong_size": [
        (SIZE, "bucket-0/data-d0e307bb", "expected 950, found 1050"),
        (UNREADABLE, "bucket-0/data-d0e307bb", "not an orc file"),
    ],
}

# Tables whose hint files were damaged on purpose: severity of EARLIEST and LATEST.
HINTS = {
    "ops.hints_beyond": [Severity.ERROR, Severity.WARNING],
    "ops.hints_garbage": [Severity.WARNING, Severity.WARNING],
    "ops.hints_stale": [Severity.WARNING, Severity.WARNING],
}


def report_of(warehouse: Path, name: str) -> CheckReport:
    return check_table(open_catalog(str(warehouse)).get_table(name))


def good_tables() -> Iterator[tuple[str, str]]:
    for warehouse in ("java09", "java09bsi", "pypaimon21", "rust04"):
        catalog = open_catalog(str(CORPORA / warehouse))
        for database in catalog.list_databases():
            yield from ((warehouse, f"{database}.{table}") for table in catalog.list_tables(database))


def test_every_damaged_table_is_in_this_list() -> None:
    assert sorted(FAULTS) == sorted(path.name for path in (CORPORA / "damaged/broken.db").iterdir())


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_named_and_nothing_else(name: str) -> None:
    report = report_of(CORPORA / "damaged", f"broken.{name}")
    assert len(report.findings) == len(FAULTS[name])
    for kind, path, words in FAULTS[name]:
        matching = [f for f in report.findings if f.kind is kind and f.path.startswith(path)]
        assert len(matching) == 1, report.findings
        assert words in str(matching[0])


@pytest.mark.parametrize("name", FAULTS)
def test_every_file_that_was_damaged_is_among_the_paths(name: str) -> None:
    expected = json.loads((CORPORA / f"expected/damaged/broken.{name}.json").read_text())
    report = report_of(CORPORA / "damaged", f"broken.{name}")
    named = {finding.path for finding in report.findings} | {orphan.path for orphan in report.orphans}
    if name == "bad_tag":
        expected["files"].remove("tag/tag-same-a")  # legal JSON: what it names is missing
    assert set(expected["files"]) <= named


@pytest.mark.parametrize(("warehouse", "name"), list(good_tables()))
def test_a_good_table_has_neither_findings_nor_orphans(warehouse: str, name: str) -> None:
    report = report_of(CORPORA / warehouse, name)
    assert [f.severity for f in report.findings] == HINTS.get(name, [])
    assert all(f.kind is HINT for f in report.findings)
    assert report.orphans == ()
    assert report.orphans_unknown is None


def test_orphans_are_listed_apart() -> None:
    report = report_of(CORPORA / "damaged", "broken.orphan_files")
    assert [orphan.path for orphan in report.orphans] == [
        "bucket-0/data-00000000-dead-beef-0000-000000000000-0.parquet",
        "index/index-00000000-dead-beef-0000-000000000000-0",
        "manifest/manifest-00000000-dead-beef-0000-000000000000-0",
        "snapshot/.snapshot-9.tmp",
    ]


def test_no_orphan_is_named_while_a_manifest_is_unreadable() -> None:
    report = report_of(CORPORA / "damaged", "broken.truncated_manifest")
    assert report.orphans == ()
    assert report.orphans_unknown is not None


def test_the_snapshots_that_need_a_missing_file_are_named() -> None:
    (finding,) = report_of(CORPORA / "damaged", "broken.missing_data_file").findings
    assert finding.pointed_by == ("snapshot 4 to 7",)


def test_without_reading_files_the_listing_still_tells_sizes(tmp_path: Path) -> None:
    table = open_catalog(str(CORPORA / "damaged")).get_table("broken.empty_parquet")
    report = check_table(table, read_files=False)
    assert [finding.kind for finding in report.findings] == [SIZE]


def test_a_damaged_branch_is_named_as_such(tmp_path: Path) -> None:
    shutil.copytree(CORPORA / "java09", tmp_path / "wh", ignore=lambda _, names: _others(names))
    branch = next((tmp_path / "wh/ops.db/branches/branch").iterdir())
    snapshot = max((branch / "snapshot").glob("snapshot-*"), default=None)
    assert snapshot is not None
    snapshot.write_bytes(b"{")
    (finding,) = report_of(tmp_path / "wh", "ops.branches").findings
    assert finding.path == f"branch/{branch.name}/snapshot/{snapshot.name}"


def _others(names: list[str]) -> list[str]:
    """All databases and tables but `ops.branches`, where these names are such."""
    databases = [name for name in names if name.endswith(".db") and name != "ops.db"]
    tables = [name for name in names if name != "branches"] if "hints_base" in names else []
    return databases + tables


def cut_4_bytes(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-4])


def cut_1_byte(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def flip_last_byte(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 0xFF]))


def blank_first_bytes(path: Path) -> None:
    path.write_bytes(bytes(4) + path.read_bytes()[4:])


CONTENT = FindingKind.WRONG_CONTENT
# Good table -> what is done to the first file of a pattern, and the kinds and words that follow from it.
DAMAGES: list[tuple[str, str, Callable[[Path], None], list[tuple[FindingKind, str]]]] = [
    ("pk.dyn_hash", "index/*", cut_4_bytes, [(SIZE, "HASH index"), (CONTENT, "another number of entries")]),
    ("pk.dyn_hash", "index/*", cut_1_byte, [(SIZE, "HASH index"), (UNREADABLE, "is cut")]),
    ("dv.append_dv", "index/*", flip_last_byte, [(UNREADABLE, "wrong checksum")]),
    ("dv.append_dv", "index/*", Path.unlink, [(MISSING, "DELETION_VECTORS index")]),
    ("idx.bloom_file", "bucket-0/*.index", Path.unlink, [(MISSING, "file index")]),
    ("types.atomic_avro", "bucket-0/*.avro", blank_first_bytes, [(UNREADABLE, "is not an avro file")]),
    (
        "types.atomic_orc",
        "bucket-0/*.orc",
        flip_last_byte,
        [],
    ),  # the postscript's length: told by reading only
    ("ops.analyzed", "statistics/*", Path.unlink, [(MISSING, "statistics")]),
    ("ops.analyzed", "statistics/*", blank_first_bytes, [(UNREADABLE, "not valid JSON")]),
    ("changelog.input", "bucket-0/changelog-*", Path.unlink, [(MISSING, "changelog file")]),
    ("ops.manifest_orc", "manifest/manifest-list-*", blank_first_bytes, [(UNREADABLE, "manifest list")]),
]


@pytest.mark.parametrize(("name", "pattern", "damage", "faults"), DAMAGES)
def test_a_fresh_damage_is_named(
    tmp_path: Path,
    name: str,
    pattern: str,
    damage: Callable[[Path], None],
    faults: list[tuple[FindingKind, str]],
) -> None:
    database, table = name.split(".")
    copy = tmp_path / f"{database}.db" / table
    shutil.copytree(CORPORA / "java09" / f"{database}.db" / table, copy)
    victim = min(copy.glob(pattern))
    damage(victim)
    report = report_of(tmp_path, name)
    assert [finding.kind for finding in report.findings] == [kind for kind, _ in faults]
    for finding, (_, words) in zip(report.findings, faults, strict=True):
        assert finding.path == str(victim.relative_to(copy))
        assert words in str(finding)


def test_a_file_index_of_an_unknown_type_is_named_and_no_fault(tmp_path: Path) -> None:
    copy = tmp_path / "idx.db" / "bloom_file"
    shutil.copytree(CORPORA / "java09/idx.db/bloom_file", copy)
    victim = min(copy.glob("bucket-0/*.index"))
    victim.write_bytes(victim.read_bytes().replace(b"bloom-filter", b"lumina-graph"))
    report = report_of(tmp_path, "idx.bloom_file")
    assert report.findings == ()
    assert report.checked["file index of unknown type lumina-graph, not used"] > 0
