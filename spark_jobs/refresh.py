"""Refresh a materialized table by Spark: its rows become the answer of its definition, as one commit.

    python -m spark_jobs.refresh --catalog warehouse=/data/wh sales.by_day --if-stale

is what a scheduler starts, as often as the freshness asks for: with `--if-stale` nothing is done while the
last commit is younger. That is the refresh mode FULL. CONTINUOUS is a stream of the engine that made the
table, and refused by name, as Spark has no continuous form of any query; `--full` refreshes such a table by
force. The definition is Flink's SQL: what Spark's parser does not take, or is no plain query, is refused.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
import uuid
from collections.abc import Mapping, Sequence

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from core import Table, open_catalog
from core.catalog import Catalog
from core.catalog.table_types import PlainTable, check_is_snapshots
from core.errors import InvalidRequestError, PaimonError, UnsupportedError
from core.identifier import Identifier
from core.jobs import QuerySource, Result, WriteJob, WriteMode
from core.schema.materialized import Definition, definition_of
from spark_jobs.datasource import register
from spark_jobs.definitions import SparkQuery, spark_query
from spark_jobs.jobs.write import write_frame
from spark_jobs.queries import run_query
from spark_jobs.report import Reporter
from spark_jobs.session import open_session

_RELATION = re.compile(r"UnresolvedRelation \[([^\]]+)\]")


def refresh(
    spark: SparkSession,
    catalog_options: Mapping[str, str],
    name: str,
    *,
    reporter: Reporter,
    if_stale: bool = False,
    by_force: bool = False,
) -> Result | None:
    """The commit of the new rows; None if it was told to look and the rows are fresh enough.

    The tables of the definition are read as they stand when each is opened. Nothing is seen of the new rows
    before all are there; a refresh that dies leaves the table as it was.

    Raises:
        InvalidRequestError: no materialized table, or a definition that is no query.
        UnsupportedError: what cannot be refreshed here, by name. NotFoundError: a table of the definition.
        CommitConflictError: somebody else has written meanwhile.
    """
    catalog = open_catalog(catalog_options)
    table = check_is_snapshots(catalog.get_data_table(name))
    definition = definition_of(table.schema)
    query = check_refreshable(definition, by_force=by_force)
    if if_stale and not is_stale(table, definition, time.time_ns() // 1_000_000):
        reporter.log("the rows are as fresh as they are to be: nothing is done")
        return None
    asked = spark_query(query, relations_of(spark, query), table.identifier.database)
    _show(spark, catalog, catalog_options, asked, table)
    frame = run_query(spark, asked.sql)
    if sorted(map(str.lower, frame.columns)) != sorted(map(str.lower, table.schema.field_names)):
        raise InvalidRequestError(
            "the definition has other columns than the table",
            columns=", ".join(table.schema.field_names),
            found=", ".join(frame.columns),
        )
    work = WriteJob(source=QuerySource(asked.sql), mode=WriteMode.OVERWRITE, static_partition={})
    return write_frame(spark, table, frame, work, user=f"refresh-{uuid.uuid4()}", reporter=reporter)


def check_refreshable(definition: Definition, *, by_force: bool = False) -> str:
    """The query; `UnsupportedError` names what keeps it from being refreshed as a whole."""
    refused = definition.refused
    if refused is None and definition.mode == "CONTINUOUS" and not by_force:
        refused = "materialized-table.refresh-mode = CONTINUOUS"
    if refused is not None or definition.query is None:
        raise UnsupportedError("this materialized table is not refreshed by Spark", feature=refused)
    return definition.query


def is_stale(table: Table, definition: Definition, now_millis: int) -> bool:
    """Whether the rows are older than the definition allows; always if it does not say."""
    latest = table.snapshots.latest()
    if latest is None or definition.freshness is None:
        return True
    return now_millis - latest.time_millis > definition.freshness.total_seconds() * 1000


def relations_of(spark: SparkSession, query: str) -> list[tuple[str, ...]]:
    """What stands for a table in a query, part by part; `InvalidRequestError` for what is no SQL of Spark."""
    try:
        parsed = spark._jsparkSession.sessionState().sqlParser().parsePlan(query)
    except PySparkException as error:
        raise InvalidRequestError(
            "the definition is no query of Spark's SQL", found=str(error)[:300]
        ) from error
    named = (tuple(found.split(", ")) for found in _RELATION.findall(parsed.treeString()))
    return list(dict.fromkeys(named))


def _show(
    spark: SparkSession, catalog: Catalog, options: Mapping[str, str], asked: SparkQuery, target: Table
) -> None:
    """Make the views. A name of one part that no table has may be one of the query's own (WITH)."""
    register(spark)
    for view, identifier in asked.views.items():
        if identifier == target.identifier:
            raise UnsupportedError(
                "a materialized table cannot be refreshed from itself", feature="a definition over itself"
            )
        if not catalog.table_exists(identifier):
            if identifier.database == target.identifier.database:
                continue
            catalog.get_table(identifier)  # says what is missing
        where = _address(catalog, options, identifier)
        spark.read.format("lakescope").options(**where).load().createOrReplaceTempView(view)


def _address(catalog: Catalog, options: Mapping[str, str], identifier: Identifier) -> dict[str, str]:
    """Options of a read. The connector knows directories; a catalog of another kind tells where they are."""
    found = catalog.get_table(identifier)
    if isinstance(found, PlainTable) and options.get("metastore", "filesystem") != "filesystem":
        raise UnsupportedError(
            "files of such a catalog are not read by a refresh", feature="format tables of this catalog"
        )
    store = {key: value for key, value in options.items() if key.startswith(("s3.", "s3a.", "fs."))}
    return {**store, "path": catalog.location(identifier)}


def main(arguments: Sequence[str] | None = None) -> int:
    """0: refreshed, or fresh; 1: refused or failed."""
    parser = argparse.ArgumentParser(prog="python -m spark_jobs.refresh", description=__doc__.split("\n")[0])
    parser.add_argument("table", help="database.table")
    parser.add_argument("--catalog", action="append", metavar="KEY=VALUE", required=True, help="its options")
    parser.add_argument("--if-stale", action="store_true", help="only if the rows are older than they may be")
    parser.add_argument("--full", action="store_true", help="also a table that is refreshed continuously")
    given = parser.parse_args(arguments)
    options = dict(text.partition("=")[::2] for text in given.catalog)
    try:
        spark = open_session(f"refresh {given.table}")
        try:
            refresh(
                spark,
                options,
                given.table,
                reporter=Reporter(sys.stdout),
                if_stale=given.if_stale,
                by_force=given.full,
            )
        finally:
            spark.stop()
    except PaimonError as error:
        print(f"refused: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
