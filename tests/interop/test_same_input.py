"""The same rows, written by Java Paimon and by us: what manifests and indexes say of them has the same bytes.

Names, sizes and times of files differ, and the files of columns themselves (another encoder wrote them).
Everything else of an entry is compared as it is stored: partition, bucket, keys and statistics as binary
rows, sequence numbers, counts; indexes of files, deletion vectors, and the hashes of a HASH index as a set.
By the newest Paimon too, see CONTRIBUTING.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from core.binary import decode_row
from core.catalog import open_catalog
from core.deletionvectors import decode_index_file, encode_vector
from core.fileindex import decode_file_index
from core.fileindex.bitmap import decode_bitmap_index, encode_bitmap_index
from core.fileindex.keys import key_form
from core.manifest import ManifestEntry
from core.table import Table
from core.tableindex import decode_hash_index
from core.types import parse_type
from tests.core.fileindex.test_corpora import keys_of_v1
from tests.interop import describe
from tests.interop.case import Case, Statement, described
from tests.interop.describe import insert
from tests.interop.ours import make
from tests.interop.peers import JavaPaimon

pytestmark = pytest.mark.interop

COLUMNS = (
    ("id", "INT NOT NULL"),
    ("tiny", "TINYINT"),
    ("long", "BIGINT"),
    ("float", "FLOAT"),
    ("double", "DOUBLE"),
    ("yes", "BOOLEAN"),
    ("text", "STRING"),
    ("short", "CHAR(2)"),
    ("small", "DECIMAL(9, 2)"),
    ("large", "DECIMAL(30, 4)"),
    ("day", "DATE"),
    ("ms", "TIMESTAMP(3)"),
    ("us", "TIMESTAMP(6)"),
    ("utc", "TIMESTAMP(6) WITH LOCAL TIME ZONE"),
    ("bytes", "BYTES"),
    ("list", "ARRAY<INT>"),
    ("nothing", "STRING"),
    ("none_large", "DECIMAL(30, 4)"),
)
ROWS = [
    insert(7, -3, 2**40, -1.5, 1e300, True, "longer than sixteen characters", "ab", "-12345.67", "1.5000",
           "1969-12-31", "2024-05-14T01:02:03.456", "2024-05-14T01:02:03.456789",
           "2024-05-14T01:02:03.456789Z", "AAECAwQF", [1, None], None, None),
    insert(-5, 127, -(2**40), 3.25, -0.25, False, "中文字符测试 and more of it, to be cut", "c", "0.01",
           "-99999999999999999999999999.9999", "2024-02-29", "1970-01-01T00:00:00.001",
           "1970-01-01T00:00:00.000001", "1970-01-01T00:00:00.000001Z", "/////////////////////////w==",
           [], None, None),
    insert(2**31 - 1, *[None] * 17),
    insert(0, 0, 0, 0.5, 0.5, True, "", "", "0.00", "0.0000", "1970-01-01", "1970-01-01T00:00:00.000",
           "1970-01-01T00:00:00.000000", "1970-01-01T00:00:00.000000Z", "", None, None, None),
]  # fmt: skip
MODES: Mapping[str, Mapping[str, str]] = {
    "default": {},
    "none": {"metadata.stats-mode": "none"},
    "counts": {"metadata.stats-mode": "counts"},
    "full": {"metadata.stats-mode": "full"},
    "cut": {"metadata.stats-mode": "truncate(3)"},
    "mixed": {
        "metadata.stats-mode": "counts",
        "fields.text.stats-mode": "full",
        "fields.large.stats-mode": "none",
        "fields.bytes.stats-mode": "truncate(2)",
    },
}
MANY = [insert(i * 7 % 3000, f"v{i % 9}") for i in range(3000)]
# Runs, every other row (more than fit into a list of numbers), and single ones.
MARKED = [[insert(i, i % 1000 < 900) for i in range(3000)], [insert(i, i % 2 == 0) for i in range(10_000)],
          [insert(i, i in (1, 5, 77)) for i in range(100)], [insert(1, False)]]  # fmt: skip
INDEXED = {  # one index a column: of two, 0.9.0 writes one alone
    "file-index.bloom-filter.columns": "id,w",
    "file-index.bloom-filter.id.items": "5000",
    "file-index.bloom-filter.w.items": "20",
    "file-index.bitmap.columns": "v",
    "file-index.bitmap.v.version": "1",
    "file-index.in-manifest-threshold": "1 mb",
}
INDEXED_BY_THE_NEWEST = {
    **INDEXED,
    "file-index.bitmap.v.version": "2",
    "file-index.bsi.columns": "id",
    "file-index.range-bitmap.columns": "id,v",
}


def of_statistics(dense: bool) -> Iterator[tuple[str, Case]]:
    """Each mode in each format, on append; and a keyed table of each format. Avro has its own statistics."""
    kept = {"bucket": "-1", "metadata.stats-dense-store": str(dense).lower(), "write-only": "true"}
    for form in ("parquet", "orc", "avro"):
        for mode, options in MODES.items():
            named = {**kept, **options, "file.format": form}
            yield f"append_{form}_{mode}", Case(COLUMNS, [ROWS, ROWS[1:3]], options=named)
        named = {**kept, "bucket": "2", "file.format": form}
        deletes = [["-D", *ROWS[0][1:]], ["-U", *ROWS[1][1:]], insert(99, *ROWS[1][2:])]
        yield f"pk_{form}", Case(COLUMNS, [ROWS, deletes], ("id",), options=named)


def cases(*, newest: bool) -> dict[str, Case]:
    """What both make; the newest knows more."""
    unordered = {"bucket": "-1", "write-only": "true"}
    found = dict(of_statistics(dense=newest))
    parts = (("p", "STRING"), ("q", "DECIMAL(30, 4)"), ("v", "INT"))
    some = [insert("a/b", "1.0000", 1), insert(None, None, 2), insert("中 longer than seven", None, 3)]
    found["parts"] = Case(parts, [some, some[:1]], (), ("p", "q"), unordered)
    hashed = {"bucket": "-1", "dynamic-bucket.target-row-num": "700", "write-only": "true"}
    found["hashed"] = Case((("id", "INT NOT NULL"), ("v", "STRING")), [MANY], ("id",), (), hashed)
    indexes = INDEXED_BY_THE_NEWEST if newest else INDEXED
    texts = [[*row, row[2] + " and more"] for row in MANY]
    nulls = [insert(None, None, None), insert(5, None, "w")]
    indexed = {**unordered, **indexes}
    found["indexed"] = Case(
        (("id", "INT"), ("v", "STRING"), ("w", "STRING")), [texts, nulls], options=indexed
    )
    marked = {**unordered, "deletion-vectors.enabled": "true"}
    found["marked"] = Case((("id", "INT"), ("gone", "BOOLEAN")), list(MARKED), options=marked)
    return found


GONE = {"op": "dvdelete", "col": "gone", "in": [True]}
DELETED = Statement(lambda t: t.plan_delete("gone = true"), [])


@dataclass(frozen=True)
class Made:
    """The same tables, of both writers."""

    ours: Path
    theirs: Path
    is_newest: bool

    def tables(self, name: str) -> tuple[Table, Table]:
        ours, theirs = (open_catalog(str(folder)) for folder in (self.ours, self.theirs))
        return ours.get_data_table(f"ours.{name}"), theirs.get_data_table(f"ours.{name}")


@pytest.fixture(scope="module", params=["java", pytest.param("newest", marks=pytest.mark.newest)])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Made:
    peer: JavaPaimon = request.getfixturevalue(request.param)
    root = tmp_path_factory.mktemp("same")
    asked = cases(newest=request.param == "newest")
    tables = {name: described(case, name) for name, case in asked.items()}
    tables["marked"]["ops"].append(GONE)
    peer.write(describe.warehouse(ours=list(tables.values())), root / "theirs")
    make(root / "ours", asked | {"marked": replace(asked["marked"], steps=[*MARKED, DELETED])})
    return Made(root / "ours", root / "theirs", is_newest=request.param == "newest")


def entries(table: Table) -> list[list[ManifestEntry]]:
    """The entries of each commit, by partition and bucket."""
    found = []
    for snapshot in map(table.snapshots.get, table.snapshots.ids()):
        lists = table.manifests.read_list(snapshot.delta_manifest_list)
        read = table.manifests.read_entries([meta.file_name for meta in lists]).entries()
        found.append(sorted(read, key=lambda e: (e.partition.data, e.bucket)))
    return found


def shown(entry: ManifestEntry) -> dict[str, Any]:
    """What an entry says, but for what differs between two runs of one program."""
    file = entry.file
    return {
        "kind": entry.kind,
        "partition": entry.partition,
        "bucket": (entry.bucket, entry.total_buckets),
        "rows": (file.row_count, file.delete_row_count),
        "keys": (file.min_key, file.max_key),
        "key statistics": file.key_stats,
        "value statistics": file.value_stats,
        "columns": (file.value_stats_cols, file.write_cols),
        "sequence": (file.min_sequence_number, file.max_sequence_number),
        "level": (file.level, file.schema_id, file.file_source),
    }


def by_column(table: Table, entry: ManifestEntry) -> dict[str, list[Any]]:
    """Least and largest value and number of nulls of each column that statistics are of."""
    named = entry.file.value_stats_cols
    names = table.schema.field_names if named is None else named
    types = [table.schema.field(name).type for name in names]
    stats = entry.file.value_stats
    low, high = (decode_row(types, row) for row in (stats.min_values, stats.max_values))
    return {name: list(found) for name, *found in zip(names, low, high, stats.null_counts, strict=True)}


# Statistics of 0.9.0 have no area for a null of many bytes (spec 03, 1.2), and never bounds of BYTES.
COMPARED = [*dict(of_statistics(dense=True)), "parts", "hashed", "indexed", "marked"]


@pytest.mark.parametrize("name", COMPARED)
def test_entries_say_the_same_byte_for_byte(name: str, made: Made) -> None:
    our_table, their_table = made.tables(name)
    ours, theirs = entries(our_table), entries(their_table)
    assert [len(commit) for commit in ours] == [len(commit) for commit in theirs]
    for our_entry, their_entry in zip(chain(*ours), chain(*theirs), strict=True):
        our_says, their_says = shown(our_entry), shown(their_entry)
        if not made.is_newest or name.startswith(FILLED_UP):
            del our_says["value statistics"], their_says["value statistics"]
            assert values(our_table, our_entry, made) == values(their_table, their_entry, made)
        assert our_says == their_says


FILLED_UP = ("append_orc", "pk_orc")  # bounds of CHAR by Java, see docs/spec-notes.md


def values(table: Table, entry: ManifestEntry, made: Made) -> dict[str, list[Any]]:
    """Statistics by column, but for what is known to differ."""
    found = by_column(table, entry)
    if "short" in found and table.identifier.table.startswith(FILLED_UP):
        found["short"] = [v.rstrip() if isinstance(v, str) else v for v in found["short"]]
    if "bytes" in found and not made.is_newest:
        found["bytes"][:2] = [None, None]
    return found


def test_buckets_hold_the_hashes_of_the_same_keys(made: Made) -> None:
    ours, theirs = ({b: sorted(h) for b, h in hashes(table)} for table in made.tables("hashed"))
    assert ours == theirs
    assert len(ours) == 5


def hashes(table: Table) -> Iterator[tuple[int, list[int]]]:
    for entry, data in index_files(table):
        yield entry.bucket, decode_hash_index(data).tolist()


def index_files(table: Table) -> Iterator[tuple[Any, bytes]]:
    snapshot = table.snapshots.latest()
    assert snapshot is not None
    for entry in table.manifests.index_entries(snapshot):
        yield entry, table.io.read(table.paths.index_file(entry.file_name))


def test_deletion_vectors_have_the_same_bytes(made: Made) -> None:
    ours, theirs = (vectors(table) for table in made.tables("marked"))
    assert ours == theirs
    assert len(ours[0]) == 3


def vectors(table: Table) -> tuple[dict[int, bytes], int]:
    """The block of each data file, by the commit that it came with, and the size of all."""
    commits = {e.file.file_name: i for i, commit in enumerate(entries(table)) for e in commit}
    ((entry, data),) = index_files(table)
    found = decode_index_file(data, entry.deletion_vector_ranges or ())
    starts = {r.data_file: r.offset for r in entry.deletion_vector_ranges or ()}
    blocks = {}
    for file, vector in found.items():
        block = encode_vector(vector)
        assert data[starts[file] : starts[file] + len(block)] == block
        blocks[commits[file]] = block
    return blocks, len(data)


def test_indexes_of_files_have_the_same_bytes(made: Made) -> None:
    ours, theirs = (
        [payloads(table, e) for c in entries(table) for e in c] for table in made.tables("indexed")
    )
    assert ours == theirs
    assert len(ours[0]) == (6 if made.is_newest else 3)


def payloads(table: Table, entry: ManifestEntry) -> dict[tuple[str, str], bytes]:
    """The indexes that an entry embeds, by column and type."""
    assert entry.file.embedded_index is not None
    index = decode_file_index(entry.file.embedded_index)
    found = {(slot.column, slot.index_type): index.payload(slot) for slot in index.slots}
    bitmaps = {slot for slot in found if slot[1] == "bitmap"}
    return {slot: in_order(data) if slot in bitmaps else data for slot, data in found.items()}


def in_order(payload: bytes) -> bytes:
    """A bitmap index of texts with its values in order: they stand in that of Java's hash table."""
    kind = parse_type("STRING")
    index = decode_bitmap_index(payload, key_form(kind))
    keys = keys_of_v1(payload, kind) if index.version == 1 else TEXTS
    rows = {key: index.find(key) for key in keys}
    rows = {key: found for key, found in rows.items() if found}
    assert len(rows) == index.distinct_count
    made = encode_bitmap_index(
        index.version, index.row_count, dict(sorted(rows.items())), index.null_rows, key_form(kind)
    )
    assert len(made) == len(payload)
    return made


TEXTS = [key_form(parse_type("STRING")).of(f"v{i}")[0] for i in range(9)]
