"""Paimon tables as sources and sinks of Spark: `spark.read.format("lakescope")`."""

from __future__ import annotations

from pyspark.sql import SparkSession

from spark_jobs.datasource.active import make_active
from spark_jobs.datasource.distribution import distributed
from spark_jobs.datasource.source import LakescopeSource

__all__ = ["LakescopeSource", "distributed", "register"]

PUSHDOWN = "spark.sql.python.filterPushdown.enabled"


def register(spark: SparkSession) -> None:
    """Make `lakescope` known to a session, and let it push filters down; `open_session` does it.

    Each other thread that writes calls it, too: Spark looks for the format in the thread's own session.
    The Python of driver and executors has to find `spark_jobs` and `core`: installed, on PYTHONPATH,
    or shipped (docs/spark.md).
    """
    spark.conf.set(PUSHDOWN, "true")
    spark.dataSource.register(LakescopeSource)
    make_active(spark)
