"""What Spark wrote by our sink, and changed by our statements, as real Paimon reads it."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from core.catalog import open_catalog
from core.dml import Literal
from core.types import DataField, parse_type, type_to_text
from spark_jobs import dml
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
