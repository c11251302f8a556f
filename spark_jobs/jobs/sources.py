"""The rows that a write takes."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession

from core.jobs import PathSource, QuerySource
from spark_jobs.queries import run_query


def read_source(spark: SparkSession, source: PathSource | QuerySource) -> DataFrame:
    """The rows that a job is to write."""
    if isinstance(source, PathSource):
        options = {"inferSchema": "true", **source.options} if source.format == "csv" else source.options
        return spark.read.format(source.format.value).options(**options).load(source.path)
    for name, view in source.views.items():
        read_source(spark, view).createOrReplaceTempView(name)
    return run_query(spark, source.sql)
