"""The warehouse that the budgets speak of: 10,000 tables, among them *big*, *wide*, *deep* and two more.

Only metadata is written: no page that is measured reads a row.

| table | holds |
| --- | --- |
| `ref.big` | 5,000 snapshots, 100,000 live files, 2,000 partitions x 16 buckets, 400 manifests |
| `ref.wide` | two schemas of 1,000 fields, a tenth of them renamed, retyped or new |
| `ref.deep` | one bucket with 5,000 files in level 0 |
| `ref.levels` | one bucket with 2,000 files in six levels |
| `ref.heat` | 200 partitions x 16 buckets, one file each |
| `ref.tower` | one bucket with 100,000 files in levels 1 to 5, which no budget of an answer is about |
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from bench.plan import first_snapshot
from core.binary import BinaryRow, encode_row
from core.catalog import Catalog, open_catalog
from core.manifest import (
    DataFileMeta,
    EntryColumns,
    FileKind,
    FileSource,
    ManifestEntry,
    ManifestFileMeta,
    ManifestWriter,
)
from core.snapshot import Snapshot
from core.snapshot.codec import encode_snapshot
from core.stats.simple_stats import SimpleStats
from core.table import Table
from core.types import DataField, parse_type

TABLES = 10_000
DATABASES = 20  # of the tables that are only there to be many
COMMITS, FILES_A_COMMIT = 5_000, 20
COMMITS_A_MANIFEST = 12.5
PARTITIONS, BUCKETS = 2_000, 16
ROWS = 1_000  # of each file
WAITING = "waiting"  # a folder of the warehouse, which no database is
_BEGAN = 1_700_000_000_000  # epoch milliseconds of the first commit; one a minute
_TYPES = tuple(map(parse_type, ["INT NOT NULL", "BIGINT NOT NULL", "DOUBLE", "STRING"]))
_FIELDS = [DataField(i, name, type_) for i, (name, type_) in enumerate(zip("pkvn", _TYPES, strict=True))]


def make(warehouse: Path) -> None:
    """Write the whole set below an empty folder."""
    catalog = open_catalog(str(warehouse))
    catalog.create_database("ref")
    _waiting(_big(catalog), warehouse / WAITING)
    _one_commit(catalog, "deep", [_entry(i, 0, 0, 1, level=0) for i in range(5_000)], buckets=1)
    _one_commit(catalog, "levels", [_entry(i, 0, 0, 1, level=_level(i)) for i in range(2_000)], buckets=1)
    places = [(p, b) for p in range(200) for b in range(BUCKETS)]
    _one_commit(catalog, "heat", [_entry(i, p, b, BUCKETS, level=0) for i, (p, b) in enumerate(places)])
    _wide(catalog)
    _many(warehouse, TABLES - 5)


def make_tower(warehouse: Path) -> None:
    """The bucket that is only drawn."""
    files = range(COMMITS * FILES_A_COMMIT)
    catalog = open_catalog(str(warehouse))
    _one_commit(catalog, "tower", (_entry(i, 0, 0, 1, level=1 + i % 5) for i in files), buckets=1)


def make_tall(warehouse: Path) -> None:
    """The tables of many files, without the history of *big* and the many: seconds to make."""
    catalog = open_catalog(str(warehouse))
    catalog.create_database("ref")
    files = range(COMMITS * FILES_A_COMMIT)
    _one_commit(catalog, "big", (_spread(i) for i in files))
    _one_commit(catalog, "deep", [_entry(i, 0, 0, 1, level=0) for i in range(5_000)], buckets=1)
    _one_commit(catalog, "levels", [_entry(i, 0, 0, 1, level=_level(i)) for i in range(2_000)], buckets=1)
    _wide(catalog)


def _spread(number: int) -> ManifestEntry:
    """A file of *big*: they go to all buckets of all partitions in turn."""
    return _entry(number, number // BUCKETS % PARTITIONS, number % BUCKETS, BUCKETS, level=0)


def names_of_many() -> Iterator[tuple[str, str]]:
    """Database and name of each table that is only there to be many."""
    return ((f"d{i % DATABASES:02d}", f"orders_of_team_{i:05d}") for i in range(TABLES - 5))


def _keyed(catalog: Catalog, name: str, buckets: int) -> Table:
    options = {"bucket": str(buckets), "write-only": "true"}
    return catalog.create_table(
        f"ref.{name}", _FIELDS, partition_keys=["p"], primary_keys=["p", "k"], options=options
    )


def _writer(table: Table) -> ManifestWriter:
    return ManifestWriter(table.io, table.paths, table.schema.partition_types, table.options)


def _big(catalog: Catalog) -> Table:
    """Each commit's delta is a manifest of its own; every twelve or thirteen are merged into one."""
    table = _keyed(catalog, "big", BUCKETS)
    writer = _writer(table)
    count = COMMITS * FILES_A_COMMIT
    entries = EntryColumns.of(map(_spread, range(count)))
    merged: list[ManifestFileMeta] = []
    recent: list[ManifestFileMeta] = []
    merged_until = 0
    for commit in range(1, COMMITS + 1):
        base = writer.write_list([*merged, *recent]).name
        [delta] = writer.write_manifests(_between(entries, commit - 1, commit))
        table.snapshots.create(_snapshot(commit, base, writer.write_list([delta]).name))
        recent.append(delta)
        if commit >= (len(merged) + 1) * COMMITS_A_MANIFEST:
            merged += writer.write_manifests(_between(entries, merged_until, commit))
            recent, merged_until = [], commit
    _hints(table, COMMITS)
    return table


def _hints(table: Table, latest: int) -> None:
    """What every writer leaves beside its snapshots."""
    table.snapshots.write_earliest_hint(1)
    table.snapshots.write_hint(latest)


def _waiting(table: Table, folder: Path) -> None:
    """Further commits of *big*, whose snapshots lie aside until a benchmark puts them into place."""
    folder.mkdir()
    writer = _writer(table)
    latest = table.snapshots.get(COMMITS)
    known = list(table.manifests.manifests(latest))
    for commit in range(COMMITS + 1, COMMITS + 11):
        numbers = range((commit - 1) * FILES_A_COMMIT, commit * FILES_A_COMMIT)
        entries = EntryColumns.of(map(_spread, numbers))
        base = writer.write_list(known).name
        delta = writer.write_manifests(entries)
        known += delta
        snapshot = _snapshot(commit, base, writer.write_list(delta).name)
        (folder / f"snapshot-{commit}").write_bytes(encode_snapshot(snapshot))


def _between(entries: EntryColumns, first: int, last: int) -> EntryColumns:
    return entries.slice(first * FILES_A_COMMIT, last * FILES_A_COMMIT)


def _snapshot(commit: int, base: str, delta: str) -> Snapshot:
    rows = FILES_A_COMMIT * ROWS
    return replace(
        first_snapshot(base, delta, 0),
        id=commit,
        commit_identifier=commit,
        time_millis=_BEGAN + commit * 60_000,
        total_record_count=commit * rows,
        delta_record_count=rows,
    )


def _one_commit(
    catalog: Catalog, name: str, entries: Iterable[ManifestEntry], *, buckets: int = BUCKETS
) -> None:
    table = _keyed(catalog, name, buckets)
    writer = _writer(table)
    columns = EntryColumns.of(entries)
    lists = writer.write_list([]).name, writer.write_list(writer.write_manifests(columns)).name
    total = len(columns) * ROWS
    snapshot = replace(first_snapshot(*lists, 0), total_record_count=total, delta_record_count=total)
    table.snapshots.create(snapshot)
    _hints(table, 1)


def _level(number: int) -> int:
    """Forty files in level 0, and five times as many in each level as in the one above."""
    for level, until in enumerate((40, 60, 140, 400, 900)):
        if number < until:
            return level
    return 5


def _entry(number: int, partition: int, bucket: int, buckets: int, *, level: int) -> ManifestEntry:
    file = _file(number, partition, level)
    return ManifestEntry(FileKind.ADD, encode_row(_TYPES[:1], [partition]), bucket, buckets, file)


def _file(number: int, partition: int, level: int) -> DataFileMeta:
    low = number % 977 * 1000
    keys = [_key(low), _key(low + (50_000 if level == 0 else 999))]
    values = [
        encode_row(_TYPES, [partition, low, number / 7, f"note of {number:09d}"]),
        encode_row(_TYPES, [partition, low + 999, number / 3, f"note of {number + 9:09d}"]),
    ]
    return DataFileMeta(
        file_name=f"data-{number * 2654435761 % 2**32:08x}-4c1e-4f7b-9a55-{number:012x}-0.parquet",
        file_size=1_000_000 + number % 99_991,
        row_count=ROWS,
        min_key=keys[0],
        max_key=keys[1],
        key_stats=SimpleStats(keys[0], keys[1], (0,)),
        value_stats=SimpleStats(values[0], values[1], (0,) * len(_TYPES)),
        min_sequence_number=number * ROWS,
        max_sequence_number=number * ROWS + ROWS - 1,
        schema_id=0,
        level=level,
        creation_time_millis=_BEGAN + number,
        delete_row_count=0,
        file_source=FileSource.APPEND if level == 0 else FileSource.COMPACT,
    )


def _key(value: int) -> BinaryRow:
    return encode_row(_TYPES[1:2], [value])


def _wide(catalog: Catalog) -> None:
    types = [parse_type(name) for name in ("INT", "STRING", "DOUBLE", "TIMESTAMP(6)")]
    fields = [DataField(i, f"column_{i:04d}", types[i % 4]) for i in range(1_000)]
    table = catalog.create_table("ref.wide", fields, options={"bucket": "-1"})
    changed = [_changed(field) for field in fields[:-20]]
    changed += [DataField(1_000 + i, f"new_{i:02d}", types[0]) for i in range(20)]
    first = table.schema
    table.schemas.create(replace(first, id=1, fields=tuple(changed), highest_field_id=1_019))
    writer = _writer(table)
    lists = writer.write_list([]).name, writer.write_list([]).name
    table.snapshots.create(first_snapshot(*lists, 0))


def _changed(field: DataField) -> DataField:
    """Every thirteenth field is renamed; of the numbers, every seventeenth is widened."""
    if field.id % 13 == 0:
        return replace(field, name=f"{field.name}_renamed")
    if field.id % 68 == 4:
        return replace(field, type=parse_type("BIGINT"))
    return field


def _many(warehouse: Path, count: int) -> None:
    """Tables of one schema and no snapshot: only lists and searches meet them."""
    catalog = open_catalog(str(warehouse))
    catalog.create_database("d00")
    catalog.create_table("d00.pattern", _FIELDS, options={"bucket": "-1"})
    schema = (warehouse / "d00.db/pattern/schema/schema-0").read_bytes()
    catalog.drop_table("d00.pattern")
    for database, name in names_of_many():
        folder = warehouse / f"{database}.db" / name / "schema"
        folder.mkdir(parents=True)
        (folder / "schema-0").write_bytes(schema)


if __name__ == "__main__":
    make(Path("build/bench/console/warehouse").absolute())
