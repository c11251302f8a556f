"""The session of a thread: where Spark looks for formats that are written in Python."""

from __future__ import annotations

from pyspark.sql import SparkSession


def make_active(spark: SparkSession) -> None:
    """Spark finds the session's formats in this thread, as it does in the one that made the session.

    Each thread of Python has one in the JVM, in which no session is active at first; Spark looks nowhere
    else for a format, and says that there is none.
    """
    sessions = SparkSession._get_j_spark_session_class(spark._jvm)  # what createDataFrame does, too
    sessions.setActiveSession(spark._jsparkSession)
