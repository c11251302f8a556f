"""Sessions that are set as others set theirs: another zone without ANSI, and far too many partitions."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from core.catalog import open_catalog
from core.types import DataField, parse_type
from spark_jobs import dml
from tests.interop.peers import JavaPaimon, PyPaimon
from tests.interop.values import json_rows, same_rows
from tests.spark_jobs.datasource.direct import local_table
from tests.tables import data_paths, rows_of

pytestmark = pytest.mark.spark

NEW_YORK = {"spark.sql.session.timeZone": "America/New_York", "spark.sql.ansi.enabled": "false"}
COLUMNS = {
    "k": "INT NOT NULL",
    "day": "DATE",
    "at": "TIMESTAMP(6)",
    "seen": "TIMESTAMP(6) WITH LOCAL TIME ZONE",
    "seen_millis": "TIMESTAMP(3) WITH LOCAL TIME ZONE",
    "clock": "TIME(3)",
    "large": "DECIMAL(38, 10)",
    "small": "DECIMAL(9, 2)",
    "raw": "BYTES",
    "moments": "ARRAY<TIMESTAMP(6) WITH LOCAL TIME ZONE>",
    "place": "ROW<at TIMESTAMP(6), seen TIMESTAMP(6) WITH LOCAL TIME ZONE, day DATE>",
    "prices": "MAP<STRING, DECIMAL(9, 2)>",
}
LOCAL = (  # what clocks of New York show
    "2024-03-10 01:59:59.999999",
    "2024-03-10 02:30:00.000000",  # which they skip: the offset of before holds
    "2024-03-10 03:00:00.000001",
    "2024-11-03 01:30:00.123456",  # which they show twice: the first
    "2024-11-03 02:00:00.000000",
    "1969-12-31 18:59:59.999999",
    "1945-08-14 19:00:00.500001",  # war time
    "1880-06-01 00:00:00.000001",  # four minutes and two seconds off
)
SELECTED = """
    k, cast(local AS date) AS day, cast(local AS timestamp_ntz) AS at, cast(local AS timestamp) AS seen,
    cast(local AS timestamp) AS seen_millis, cast(substring(local, 12) AS time(6)) AS clock,
    cast(concat('-123456789012345678901234567', k, '.0123456789') AS decimal(38, 10)) AS large,
    cast(-k / 4 AS decimal(9, 2)) AS small, unhex(concat('00ff0', k)) AS raw,
    array(cast(local AS timestamp), null) AS moments,
    named_struct('at', cast(local AS timestamp_ntz), 'seen', cast(local AS timestamp),
        'day', cast(local AS date)) AS place, map('a', cast(k AS decimal(9, 2)), 'b', null) AS prices
"""


@contextmanager
def set_to(spark: SparkSession, settings: dict[str, str]) -> Iterator[None]:
    before = {name: str(spark.conf.get(name)) for name in settings}
    try:
        for name, value in settings.items():
            spark.conf.set(name, value)
        yield
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)


def expected(k: int, local: str) -> list[Any]:
    """A row as JSON, by Python's own calendar."""
    at = datetime.fromisoformat(local)
    seen = at.replace(tzinfo=ZoneInfo("America/New_York")).astimezone(UTC).replace(tzinfo=None)
    there, utc = (moment.isoformat(timespec="microseconds") for moment in (at, seen))
    large = f"-123456789012345678901234567{k}.0123456789"
    raw = b64encode(bytes([0, 255, k])).decode()
    place = {"at": there, "seen": f"{utc}Z", "day": local[:10]}
    times = [there, f"{utc}Z", f"{utc[:-3]}Z", local[11:-3]]
    values = [large, f"{-k / 4:.2f}", raw, [f"{utc}Z", None], place, [["a", f"{k}.00"], ["b", None]]]
    return [k, local[:10], *times, *values]


def test_a_session_of_another_zone_writes_and_reads_the_same_moments(
    spark: SparkSession, java: JavaPaimon, pypaimon: PyPaimon, tmp_path: Path
) -> None:
    catalog = open_catalog(str(tmp_path))
    catalog.create_database("db")
    fields = [DataField(i, name, parse_type(text)) for i, (name, text) in enumerate(COLUMNS.items())]
    keyed = catalog.create_table("db.keyed", fields, primary_keys=["k"], options={"bucket": "2"})
    plain = catalog.create_table("db.plain", fields, options={"bucket": "-1"})
    locals_ = list(enumerate(LOCAL, start=1))
    rows = [*(expected(k, local) for k, local in locals_), [99, *[None] * (len(COLUMNS) - 1)]]
    with set_to(spark, NEW_YORK):
        spark.createDataFrame(locals_, "k int, local string").createOrReplaceTempView("clocks")
        nulls = ", ".join(["99", *["null"] * (len(COLUMNS) - 1)])
        given = spark.sql(f"SELECT {SELECTED} FROM clocks UNION ALL SELECT {nulls}")
        for table in (keyed, plain):
            dml.append(given, table.location)
            read = spark.read.format("lakescope").load(table.location)
            shown = read.selectExpr("k", "cast(seen AS string)", "cast(at AS string)", "unix_micros(seen)")
            assert {tuple(row) for row in shown.collect()} == {shown_row(*row) for row in rows}
    for table in (keyed, plain):
        assert same_rows(json_rows(table.to_arrow(), COLUMNS), rows)
    for peer in (java, pypaimon):
        answers = peer.dump(tmp_path)
        for table in (keyed, plain):
            answer = answers[str(table.identifier)]["latest"]
            assert same_rows(answer["rows"], rows), (peer.version, str(table.identifier))


def shown_row(k: int, _day: Any, at: str | None, seen: str | None, *_: Any) -> tuple[Any, ...]:
    """What Spark shows of a row in its zone; a moment that clocks skip as the one that they go on to."""
    if at is None or seen is None:
        return k, None, None, None
    moment = datetime.fromisoformat(seen)
    shown = moment.astimezone(ZoneInfo("America/New_York")).replace(tzinfo=None)
    micros = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    return k, _text(shown), _text(datetime.fromisoformat(at)), micros


def _text(moment: datetime) -> str:
    text = str(moment)
    return text.rstrip("0") if "." in text else text


def test_a_value_that_does_not_fit_is_refused_without_ansi_too(spark: SparkSession, tmp_path: Path) -> None:
    table = local_table(tmp_path, {"k": "INT NOT NULL", "v": "DECIMAL(5, 2)"}, ["k"])
    with set_to(spark, NEW_YORK), pytest.raises(PySparkException, match="does not fit"):
        dml.append(spark.sql("SELECT 1 AS k, cast('123456.78' AS decimal(9, 2)) AS v"), table.location)
    assert table.snapshots.latest() is None


def test_far_too_many_partitions_of_a_shuffle_make_no_more_files(spark: SparkSession, tmp_path: Path) -> None:
    table = local_table(tmp_path, {"k": "INT NOT NULL", "n": "BIGINT"}, ["k"], bucket="2")
    many = {"spark.sql.shuffle.partitions": "400", "spark.sql.adaptive.coalescePartitions.enabled": "false"}
    with set_to(spark, many):
        counted = spark.range(40).selectExpr("cast(id % 20 AS int) AS k").groupBy("k").count()
        dml.append(counted.selectExpr("k", "count AS n"), table.location)
        assert spark.read.format("lakescope").load(table.location).groupBy("n").count().collect() == [(2, 20)]
    assert rows_of(table) == sorted(((k, 2) for k in range(20)), key=repr)
    assert len(data_paths(table)) == 2
