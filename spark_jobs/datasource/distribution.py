"""Rows where the sink wants them: Spark hands a Python sink the partitions of a DataFrame as they are."""

from __future__ import annotations

from pyspark.sql import DataFrame

from spark_jobs.datasource.active import make_active
from spark_jobs.datasource.address import Address
from spark_jobs.datasource.options import PATH
from spark_jobs.placement import by_bucket


def distributed(
    frame: DataFrame, path: str | None = None, *, tasks: int | None = None, **options: str
) -> DataFrame:
    """The same rows, those of one partition and bucket of the table in one task; batch or streaming.

    Append tables without buckets take any partitions: theirs are left as they are. The thread finds the
    format `lakescope` from then on, whichever one has made the session.

    Args:
        frame: the rows to be written.
        path: the directory of the table, or options that name it (`warehouse`, `table`).
        tasks: how many tasks write at most; one for each core of the cluster by default.
        options: as `save` gets them.

    Raises:
        InvalidRequestError: the rows lack a key, or hold one of another type.
        NotFoundError: there is no such table.
    """
    given = options if path is None else {**options, PATH: path}
    table = Address.of(given).open_for_writes()
    make_active(frame.sparkSession)
    return by_bucket(frame, table.schema, tasks or frame.sparkSession.sparkContext.defaultParallelism)
