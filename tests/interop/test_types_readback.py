"""VARIANT, VECTOR and BLOB columns, files outside of their table and settings of encoders, read by others.

pypaimon reads all of it, and Java 0.9.0 what there was in its time; Spark SQL of the newest Paimon reads
and goes on in `test_newest_types.py`.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from core.catalog import open_catalog
from core.table import Table
from core.types import DataField, parse_type, type_to_text
from tests.interop.peers import Dump, JavaPaimon, PyPaimon
from tests.interop.values import differences, same_rows
from tests.tables import compact, put, remove

pytestmark = pytest.mark.interop

NUMBER = (b"\x0c\x01", b"\x01\x00\x00")
OBJECT = (bytes.fromhex("020200010002040c050c07"), b"\x01\x02\x00\x01\x02ab")  # {"a": 5, "b": 7}
VECTORS = [(1, [1.5, 2.5, -1.0]), (2, None), (3, [0.0, 0.25, 9.0])]
VARIANTS = [(1, NUMBER, [OBJECT, None]), (2, None, None), (3, OBJECT, [])]
# The driver of pypaimon shows what a VARIANT means, and the parts of one inside of another column.
OBJECT_PARTS = dict(zip(("value", "metadata"), (b64encode(part).decode() for part in OBJECT), strict=True))
VARIANTS_SHOWN = [[1, 1, [OBJECT_PARTS, None]], [2, None, None], [3, {"a": 5, "b": 7}, []]]
BLOBS = [(1, b"x" * 3000, "a"), (2, None, "b"), (3, b"", None)]
TEXTS = [(i, f"v{i % 5}") for i in range(3000)]
KEYED = {"bucket": "1"}
EVOLVING = {"bucket": "-1", "row-tracking.enabled": "true", "data-evolution.enabled": "true"}
PARQUET = {
    "bucket": "1",
    "parquet.page.row.count.limit": "100",
    "parquet.writer.version": "v2",
    "parquet.bloom.filter.enabled": "true",
    "parquet.enable.dictionary#id": "true",
    "parquet.block.size": "20000",
    "parquet.compression": "snappy",
}
Shape = tuple[dict[str, str], Sequence[tuple[Any, ...]], dict[str, str]]
TABLES: dict[str, Shape] = {
    "vectors": ({"id": "INT", "e": "VECTOR<FLOAT, 3>"}, VECTORS, {"bucket": "-1"}),
    "vectors_avro": ({"id": "INT", "e": "VECTOR<FLOAT, 3>"}, VECTORS, {**KEYED, "file.format": "avro"}),
    "variants": ({"id": "INT", "v": "VARIANT", "a": "ARRAY<VARIANT>"}, VARIANTS, {"bucket": "-1"}),
    "variants_keyed": ({"id": "INT", "v": "VARIANT", "a": "ARRAY<VARIANT>"}, VARIANTS, KEYED),
    "blobs": (
        {"id": "INT", "b": "BLOB", "s": "STRING"},
        BLOBS,
        {**EVOLVING, "blob.target-file-size": "1 kb"},
    ),
    "parquet_settings": ({"id": "INT", "s": "STRING"}, TEXTS, PARQUET),
    "orc_settings": (
        {"id": "INT", "s": "STRING"},
        TEXTS,
        {"bucket": "1", "file.format": "orc", "orc.row.index.stride": "100", "orc.stripe.size": "70000"},
    ),
}


def outside(root: Path, strategy: str) -> dict[str, str]:
    return {
        "bucket": "1",
        "deletion-vectors.enabled": "true",
        "index-file-in-data-file-dir": "true",
        "data-file.external-paths": f"file://{root}/one,file://{root}/two",
        "data-file.external-paths.strategy": strategy,
    }


def make(root: Path) -> None:
    """All tables, each of some commits and a compaction where there may be one."""
    catalog = open_catalog(str(root / "wh"))
    catalog.create_database("ours")
    places = {f"outside_{s.partition('-')[0]}": outside(root, s) for s in ("round-robin", "entropy-inject")}
    shapes = {**TABLES, **{n: ({"id": "INT", "s": "STRING"}, TEXTS, o) for n, o in places.items()}}
    for name, (columns, rows, options) in shapes.items():
        fields = [DataField(i, column, parse_type(kind)) for i, (column, kind) in enumerate(columns.items())]
        keys = () if options["bucket"] == "-1" else ("id",)
        table = catalog.create_table(f"ours.{name}", fields, primary_keys=keys, options=options)
        assert isinstance(table, Table)
        put(table, *rows[:2])
        put(table, *rows[2:])
        if keys:
            remove(table, rows[0])
        if options != TABLES["blobs"][2]:
            compact(table)


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("types")
    make(root)
    return root / "wh"


NAMES = [*(name for name in TABLES if "variants" not in name), "outside_round", "outside_entropy"]
OLD = ["parquet_settings", "orc_settings"]  # that Java 0.9.0 knows


@pytest.fixture(scope="module")
def pypaimon_dump(pypaimon: PyPaimon, warehouse: Path) -> Dump:
    return pypaimon.dump(warehouse)


def assert_read(answers: Dump, warehouse: Path, name: str) -> None:
    table = open_catalog(str(warehouse)).get_table(f"ours.{name}")
    assert isinstance(table, Table)
    types = {field.name: type_to_text(field.type) for field in table.schema.fields}
    answer = answers[f"ours.{name}"]["latest"]
    assert answer.get("rows"), answer
    assert differences(table.to_arrow(), answer, types) == {}


@pytest.mark.parametrize("name", NAMES)
def test_pypaimon_reads_it(name: str, pypaimon_dump: Dump, warehouse: Path) -> None:
    assert_read(pypaimon_dump, warehouse, name)


@pytest.mark.parametrize(
    ("name", "rows"), [("variants", VARIANTS_SHOWN), ("variants_keyed", VARIANTS_SHOWN[1:])]
)
def test_pypaimon_reads_variants(name: str, rows: list[Any], pypaimon_dump: Dump) -> None:
    assert same_rows(pypaimon_dump[f"ours.{name}"]["latest"]["rows"], rows)


def test_java_reads_what_its_encoders_are_told(java: JavaPaimon, tmp_path: Path, warehouse: Path) -> None:
    old = tmp_path / "wh"
    for name in OLD:
        (old / "ours.db").mkdir(parents=True, exist_ok=True)
        (old / f"ours.db/{name}").symlink_to(warehouse / f"ours.db/{name}")
    answers = java.dump(old)
    for name in OLD:
        assert_read(answers, old, name)
