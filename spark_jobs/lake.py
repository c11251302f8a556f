"""A query over the tables and views of a catalog: its names become views of Spark, and nothing else is seen.

The text comes from a person, and so do the texts of the views that it names. A table is looked for only after
it is known that it may be read. What a name means is decided by the catalog: tables are opened through it, in
every kind of catalog, and a view is run as its own query is, one inside the other.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - Spark's own name for them

from core.catalog import Catalog
from core.catalog.errors import TableNotFoundError, ViewNotFoundError
from core.catalog.plain_places import check_is_own_place
from core.catalog.table_types import PlainTable
from core.catalog.views import ViewSchema
from core.errors import InvalidRequestError, NotFoundError, UnsupportedError
from core.identifier import Identifier
from core.io.open import absolute_path
from core.jobs import KeptView, Readable
from spark_jobs.datasource import register
from spark_jobs.datasource.address import options_of
from spark_jobs.definitions import spark_query
from spark_jobs.failures import shortened
from spark_jobs.plans import SOURCE, check_reads, own_names_of, relations_of
from spark_jobs.queries import run_query
from spark_jobs.spark_types import spark_schema
from spark_jobs.transforms import quoted

DIALECT = "spark"
DEEPEST = 20  # views inside views


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a query may read."""

    readable: Sequence[Readable] | None = None  # None: all of the catalog
    files_within: str | None = None  # where files of tables without snapshots have to lie
    views: Mapping[str, KeptView] = field(default_factory=dict)  # that the catalog does not keep
    looked_at: Mapping[str, str] | None = None  # digests of the catalog's views; None: none was looked at

    def check_looked_at(self, view: Identifier, schema: ViewSchema) -> None:
        """`InvalidRequestError` if the view is none that was looked at, or says something else by now."""
        if self.looked_at is None:
            return
        seen = self._seen(view)
        if seen != schema.digest_for(DIALECT):
            raise InvalidRequestError(
                "a view of the query was not looked at"
                if seen is None
                else "a view of the query says something else than when it was looked at",
                view=str(view),
                advice="look at the definition and its views, and ask for the refresh anew",
            )

    def check_is_no_view(self, table: Identifier) -> None:
        """`InvalidRequestError` if the name of a table was that of a view when it was looked at."""
        if self._seen(table) is not None:
            raise InvalidRequestError(
                "a name of the query was a view when it was looked at, and is a table by now",
                table=str(table),
            )

    def _seen(self, name: Identifier) -> str | None:
        """By the catalog's own spelling, or by another one that it takes for the same."""
        seen, text = self.looked_at or {}, str(name)
        small = {known.lower(): digest for known, digest in seen.items()}
        return seen.get(text, small.get(text.lower()))


@dataclass(frozen=True, slots=True)
class Reads:
    """How the tables of a query are read."""

    options: Mapping[str, str] = field(default_factory=dict)  # such as the snapshot
    streams: bool = False  # by their changes


class Lake:
    """Runs queries over a catalog, for one job."""

    def __init__(
        self, spark: SparkSession, catalog: Catalog, options: Mapping[str, str], bounds: Bounds
    ) -> None:
        """`options` are what the catalog was opened by: executors open it again."""
        register(spark)
        self._spark = spark
        self._catalog = catalog
        self._options = options
        self._bounds = bounds
        self._inside: list[Identifier] = []  # views that are being resolved, the outermost first
        self.read: dict[str, None] = {}  # full names of the tables and views that were named, in order
        self.opened: dict[Identifier, None] = {}  # the tables as they were named: branches, system tables
        self.said: dict[str, str] = {}  # digests of the views that were named

    def view(self, name: Identifier, reads: Reads | None = None) -> DataFrame:
        """The rows of a view, under the names and types of its columns.

        Raises:
            ViewNotFoundError: there is none. And as `query`.
        """
        kept = self._bounds.views.get(str(name))
        if kept is not None:
            self.said[str(name)] = kept.digest
            return self._columns_of(name, self._resolved(name, kept.sql, reads), kept.columns)
        found = self._catalog.get_view(name).schema
        self._bounds.check_looked_at(name, found)
        self.said[str(name)] = found.digest_for(DIALECT)
        frame = self._resolved(name, found.query_for(DIALECT), reads)
        renamed = self._columns_of(name, frame, [column.name for column in found.fields])
        if not found.fields:
            return renamed
        wanted = spark_schema(found.fields)
        try:
            return renamed.select([F.col(quoted(c.name)).cast(c.dataType) for c in wanted])
        except PySparkException as error:
            raise _cannot(name, "the view's columns have other types than its query gives", error) from error

    def query(self, sql: str, name: Identifier, reads: Reads | None = None) -> DataFrame:
        """The rows of a query that stands in the view or table `name`: names of one part are of its database.

        Args:
            reads: how tables are read, also those of the views in it.

        Raises:
            InvalidRequestError: no SQL of Spark, more than a query, or one over what may not be read.
            NotFoundError: a table or column of it is not there. UnsupportedError: two names that cannot be
                told apart, or views inside one another without end.
        """
        try:
            parsed = self._spark._jsparkSession.sessionState().sqlParser().parsePlan(sql)
        except PySparkException as error:
            raise _cannot(name, "Spark cannot read the query", error) from error
        own = own_names_of(parsed)
        asked = spark_query(sql, relations_of(parsed), name.database, own)
        frames: dict[str, DataFrame] = {}
        for view, identifier in asked.views.items():
            frame = self._frame(identifier, name, view.lower() in own, reads)
            if frame is not None:
                frames[view] = frame
        for view, frame in frames.items():
            frame.createOrReplaceTempView(quoted(view))
        try:
            frame = run_query(self._spark, asked.sql)
        except PySparkException as error:
            raise _cannot(name, "Spark cannot run the query", error) from error
        finally:
            for view in frames:
                self._spark.catalog.dropTempView(view)
        check_reads(frame)
        return frame

    def _resolved(self, name: Identifier, sql: str, reads: Reads | None) -> DataFrame:
        if name in self._inside or len(self._inside) == DEEPEST:
            path = " > ".join(str(view) for view in (*self._inside, name))
            raise UnsupportedError("a view is made of itself", feature="views without an end", found=path)
        self.read[str(name)] = None
        self._inside.append(name)
        try:
            return self.query(sql, name, reads)
        finally:
            self._inside.pop()

    def _columns_of(self, name: Identifier, frame: DataFrame, columns: Sequence[str]) -> DataFrame:
        if not columns:
            return frame
        if len(columns) != len(frame.columns):
            raise InvalidRequestError(
                "the view has another number of columns than its query gives",
                view=str(name),
                columns=", ".join(columns),
                found=", ".join(frame.columns),
            )
        return frame.toDF(*columns)

    def _frame(
        self, found: Identifier, asking: Identifier, may_be_own: bool, reads: Reads | None
    ) -> DataFrame | None:
        """The rows that a name stands for; None for what is the query's own (WITH), as far as can be told."""
        if found == asking:
            raise UnsupportedError("a query over its own name", feature="a definition over itself")
        readable = self._bounds.readable
        if readable is not None and not any(one.covers(found) for one in readable):
            if may_be_own:
                return None  # if it was no name of the query's own after all, Spark does not find it
            raise InvalidRequestError(
                "the query names a table that who asks may not read", table=str(found), needed="data:read"
            )
        if self._catalog.table_exists(found.base):
            self._bounds.check_is_no_view(found.base)
            self.read[str(found.base)] = None
            self.opened[found] = None
            return self._table(found, reads or Reads())
        try:
            return self.view(found, reads)
        except ViewNotFoundError as error:
            if error.fields.get("view") != str(found):
                raise
            if may_be_own:
                return None
            raise TableNotFoundError("the query names a table that is not there", table=str(found)) from error

    def _table(self, found: Identifier, reads: Reads) -> DataFrame:
        within = self._bounds.files_within
        if within is not None and found.system is None:
            table = self._catalog.get_table(found)
            if isinstance(table, PlainTable) and not _is_below(table.location, within):
                raise UnsupportedError(
                    "no files outside of the warehouse are read",
                    feature="a table whose files lie outside of its warehouse",
                    where=str(found),
                )
            if isinstance(table, PlainTable):
                place, root = _one_spelling(table.location), _one_spelling(within)
                check_is_own_place(found, place, root, self._catalog.table_exists)
        reader = self._spark.readStream if reads.streams else self._spark.read
        where = options_of(self._options, str(found))
        return reader.format(SOURCE).options(**where, **reads.options).load()


def _is_below(location: str, root: str) -> bool:
    place, root = _one_spelling(location), _one_spelling(root)
    return place == root or place.startswith(f"{root.rstrip('/')}/")


def _one_spelling(location: str) -> str:
    """Local links followed; one scheme for S3."""
    place = absolute_path(location)
    scheme, address, rest = place.partition("://")
    if not address:
        return os.path.realpath(place)
    return f"{'s3' if scheme.lower() in ('s3a', 's3n') else scheme.lower()}://{rest.rstrip('/')}"


def _cannot(name: Identifier, what: str, error: PySparkException) -> InvalidRequestError | NotFoundError:
    """Spark's own reason, in one sentence of ours."""
    told = shortened(error).split("\n", 1)[0].split(" SQLSTATE:", 1)[0]
    kind = NotFoundError if (error.getCondition() or "").startswith("TABLE_OR_VIEW") else InvalidRequestError
    return kind(what, of=str(name), found=told[:500])
