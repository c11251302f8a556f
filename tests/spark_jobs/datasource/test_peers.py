"""What Spark wrote by our sink, and changed by our statements, as real Paimon reads it; buckets of keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that all of Spark's documentation uses

from core.catalog import open_catalog
from core.dml import Literal
from core.types import DataField, parse_type, type_to_text
from spark_jobs import dml
from spark_jobs.row_hash import row_hash
from tests.interop import describe
from tests.interop.peers import JavaPaimon, PyPaimon
from tests.interop.values import differences

pytestmark = pytest.mark.spark

COLUMNS = {
    "p": "STRING NOT NULL",
    "k": "INT NOT NULL",
    "day": "DATE",
    "at": "TIMESTAMP(3)",
    "price": "DECIMAL(9, 2)",
    "tags": "ARRAY<STRING>",
    "place": "ROW<city STRING, zip INT>",
}
ROWS = """
    SELECT concat('p', k % 2) AS p, k, date_add(date '2024-02-27', k) AS day,
        timestamp_ntz '1969-12-31 23:59:59.123456' AS at, cast(k / 4 AS decimal(9, 2)) AS price,
        array('a', null) AS tags, if(k = 3, null, named_struct('city', 'Oslo', 'zip', k)) AS place
    FROM (SELECT cast(id AS int) AS k FROM range(20))
"""
KEYED = {"primary_keys": ["p", "k"], "partition_keys": ["p"]}


def test_java_and_pypaimon_read_what_spark_wrote(
    spark: SparkSession, java: JavaPaimon, pypaimon: PyPaimon, tmp_path: Path
) -> None:
    catalog = open_catalog(str(tmp_path))
    catalog.create_database("db")
    fields = [DataField(i, name, parse_type(text)) for i, (name, text) in enumerate(COLUMNS.items())]
    fixed = catalog.create_table("db.fixed", fields, options={"bucket": "2"}, **KEYED)
    dynamic = catalog.create_table("db.dynamic", fields, options={"bucket": "-1"}, **KEYED)
    plain = catalog.create_table("db.plain", fields, partition_keys=["p"], options={"bucket": "-1"})
    for table in (fixed, dynamic, plain):
        dml.append(spark.sql(ROWS), table.location)
    dml.update(spark, fixed, {"price": Literal(None)}, "k < 5")
    dml.delete(spark, plain, "k BETWEEN 5 AND 9")
    types = {field.name: type_to_text(field.type) for field in fields}
    for peer in (java, pypaimon):
        answers = peer.dump(tmp_path)
        for table in (fixed, dynamic, plain):
            answer = answers[str(table.identifier)]["latest"]
            assert differences(table.to_arrow(), answer, types) == {}, (peer.version, str(table.identifier))
            assert len(answer["rows"]) == (15 if table is plain else 20)


# --- the buckets of keys -----------------------------------------------------------

BUCKETS = 7
KEYS: dict[str, tuple[str, list[Any]]] = {
    "n": ("INT NOT NULL", [-(2**31), -1, 0, 1, 2**31 - 1]),
    "long": ("BIGINT", [-(2**63), -1, 0, None, 2**63 - 1]),
    "flag": ("BOOLEAN", [True, False, None, True, False]),
    "price": ("DECIMAL(18, 3)", ["-999999999999999.999", "0.000", "0.001", None, "999999999999999.999"]),
    "day": ("DATE NOT NULL", ["0001-01-01", "1969-12-31", "1970-01-01", "1582-10-04", "9999-12-31"]),
    "text": ("STRING", ["", "中文", "12345678", None, "😀" * 20]),
    "raw": ("BYTES NOT NULL", ["", "AA==", "AAECAwQFBgc=", "AAECAwQFBgcI", "/////////////////////w=="]),
}
BUCKET_KEYS = [*((name,) for name in KEYS), ("text", "n"), tuple(KEYS)]


def keyed_tables() -> list[dict[str, Any]]:
    rows = [
        [i, *(values[i * (1 + step % 4) % 5] for step, (_, values) in enumerate(KEYS.values()))]
        for i in range(5)
    ]
    return [
        describe.table(
            "_".join(names),
            [("i", "INT"), *((name, kind) for name, (kind, _) in KEYS.items())],
            options={"bucket": str(BUCKETS), "bucket-key": ",".join(names)},
            operations=[describe.write(*(describe.insert(*row) for row in rows))],
        )
        for names in BUCKET_KEYS
    ]


@pytest.mark.parametrize("peer", ["java", "pypaimon"])
def test_spark_finds_the_buckets_to_which_real_paimon_writes(
    spark: SparkSession, peer: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    request.getfixturevalue(peer).write(describe.warehouse(db=keyed_tables()), tmp_path)
    tables = {n: open_catalog(str(tmp_path)).get_table(f"db.{'_'.join(n)}") for n in BUCKET_KEYS}
    table = tables[tuple(KEYS)]
    types = {field.name: field.type for field in table.schema.fields}
    frame = spark.createDataFrame(table.to_arrow())
    hashes = [row_hash([frame[name] for name in names], [types[name] for name in names]) for names in tables]
    found = frame.select(
        "i", *(F.abs(h % BUCKETS).alias("_".join(names)) for names, h in zip(tables, hashes, strict=True))
    )
    rows = found.collect()
    for names, written in tables.items():
        ours = {row["i"]: row["_".join(names)] for row in rows}
        theirs = {
            i: split.bucket
            for split in written.plan().splits
            for batch in written.read_split(split)
            for i in batch.column("i").to_pylist()
        }
        assert ours == theirs, names
