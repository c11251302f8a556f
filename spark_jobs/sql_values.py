"""New values of UPDATE and MERGE INTO that expressions of Spark's SQL make.

Spark computes them in DataFrames, of the rows as they are in the snapshot that is changed; to core they
are columns of a merge's source. So where an expression asks for columns of the table, the rows have to be
told apart: by the primary key, or by `_ROW_ID` where rows have ids.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import pyarrow as pa
from pyspark.errors import AnalysisException
from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that all of Spark's documentation uses

from core import Table
from core.arguments import check_argument, is_list
from core.datafile.system_fields import ROW_ID, select_fields, tracks_rows
from core.dml import Column, Expression, Matched, MergeClause, NotMatched, NotMatchedBySource
from core.dml.expressions import SOURCE
from core.errors import UnsupportedError
from core.options import SCAN_SNAPSHOT_ID
from core.predicate import Predicate
from core.snapshot import Snapshot
from spark_jobs.datasource.batch_read import TableReader
from spark_jobs.datasource.rows import TableRows
from spark_jobs.spark_types import spark_schema, spark_type
from spark_jobs.transforms import quoted, strict_casts

_MADE = "__lakescope_made_"  # before the number of a column that Spark makes


@dataclass(frozen=True, slots=True)
class Sql:
    """What an expression of Spark's SQL makes of a row: `v + 1`, in a merge also `v + source.v`."""

    text: str


Value: TypeAlias = "Expression | Sql"


def row_key(table: Table) -> tuple[str, ...]:
    """The columns that tell rows of a table apart.

    Raises:
        UnsupportedError: there are none.
    """
    schema = table.schema
    if schema.primary_keys:
        return schema.primary_keys
    if tracks_rows(schema):
        return (ROW_ID.name,)
    raise UnsupportedError(
        "an SQL expression over columns of a table needs a primary key, or row-tracking.enabled",
        feature="SQL of rows that cannot be told apart",
        table=str(table.identifier),
    )


def rows_at(
    spark: SparkSession,
    table: Table,
    snapshot: Snapshot,
    columns: Sequence[str],
    filter: Predicate | str | None = None,
) -> DataFrame:
    """The rows of a snapshot that satisfy `filter`, a split a task."""
    pinned = table.with_options({SCAN_SNAPSHOT_ID.key: str(snapshot.id)})
    schema = spark_schema(select_fields(table.schema, columns))
    reader = TableReader(TableRows(pinned), schema, filter, None)
    parts = reader.partitions()

    def read(numbers: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in numbers:
            for number in batch.column(0).to_numpy():  # one
                yield from reader.read(parts[int(number)])

    return spark.range(0, len(parts), 1, max(len(parts), 1)).mapInArrow(read, schema)


def made_of_rows(
    rows: DataFrame, table: Table, key: Sequence[str], assignments: Mapping[str, Value]
) -> tuple[DataFrame, dict[str, Expression]]:
    """The key and the values that SQL makes of rows of the table, and the assignments that take them.

    Raises:
        AnalysisException, ParseException: an expression does not fit the rows.
    """
    maker = _Maker(table)
    found = maker.replaced(assignments)
    return maker.made(rows, *(rows[quoted(name)] for name in key)), found


def made_of_pairs(
    source: DataFrame,
    table: Table,
    snapshot: Snapshot | None,
    on: Mapping[str, str],
    clauses: Sequence[MergeClause],
) -> tuple[DataFrame, list[MergeClause]]:
    """The source with the values that SQL makes of it and of the table's rows that it joins, and the clauses.

    Args:
        source: rows.
        table: into which they are merged.
        snapshot: of the table.
        on: names of the source to names of the table.
        clauses: whose assignments may be `Sql`.

    Raises as `made_of_rows`, and:
        UnsupportedError: an expression asks for columns of the table, and the merge does not join its key;
            or it is of rows that the source has not.
    """
    kinds = Matched | NotMatched | NotMatchedBySource
    check_argument(is_list(clauses, kinds), "clauses are Matched, NotMatched or NotMatchedBySource", clauses)
    maker = _Maker(table)
    replaced = [_with_values(clause, maker) for clause in clauses]
    if not maker.texts:
        return source, replaced
    own = F.struct(*(source[quoted(name)] for name in source.columns)).alias("source")
    try:
        return maker.made_beside_source(source.select(own)), replaced
    except AnalysisException as error:
        if snapshot is None or not set(row_key(table)) <= set(on.values()):
            raise UnsupportedError(
                "SQL over columns of the table needs a merge that joins its primary key or _ROW_ID; "
                "over columns of the source alone it takes source.NAME",
                feature="SQL over columns of the table",
                cause=str(error).splitlines()[0],
            ) from error
    hidden = [name for name in on.values() if name not in table.schema.field_names]
    rows = rows_at(source.sparkSession, table, snapshot, [*table.schema.field_names, *hidden])
    joins = [F.col(f"source.{quoted(theirs)}") == rows[quoted(ours)] for theirs, ours in on.items()]
    pairs = source.select(own).join(rows, joins, "left")
    return maker.made_beside_source(pairs), replaced


def _with_values(clause: MergeClause, maker: _Maker) -> MergeClause:
    if isinstance(clause, NotMatched):
        return replace(clause, insert=maker.replaced(clause.insert)) if clause.insert else clause
    if isinstance(clause, Matched):
        return replace(clause, update=maker.replaced(clause.update)) if clause.update else clause
    if any(isinstance(value, Sql) for value in (clause.update or {}).values()):
        raise UnsupportedError(
            "rows that the source has not are changed by values and columns alone",
            feature="SQL in a clause for rows that are not in the source",
        )
    return clause


@dataclass(slots=True)
class _Maker:
    """Gathers expressions, each of which becomes a column of a source."""

    table: Table
    texts: list[tuple[str, str]] = field(default_factory=list)  # column of the table, and what it becomes

    def replaced(self, assignments: Mapping[str, Value]) -> dict[str, Expression]:
        """The assignments, with columns of the source in place of expressions."""
        found: dict[str, Expression] = {}
        for name, value in assignments.items():
            if isinstance(value, Sql):
                found[name] = Column(f"{SOURCE}{_MADE}{len(self.texts)}")
                self.texts.append((name, value.text))
            else:
                found[name] = value
        return found

    def made_beside_source(self, rows: DataFrame) -> DataFrame:
        """The columns of the struct `source`, and what Spark makes of the rows.

        The struct is unpacked afterwards: in one SELECT with it Spark takes `v` for an alias of `source.v`.
        """
        found = self.made(rows, "source")
        return found.select("source.*", *(name for name in found.columns if name != "source"))

    def made(self, rows: DataFrame, *kept: SparkColumn | str) -> DataFrame:
        """Some columns of the rows, and what Spark makes of them in the types of the table's columns.

        The session says how Spark computes; a value that does not fit its column is an error in any session.
        """
        names = [f"{_MADE}{number}" for number in range(len(self.texts))]
        found = rows.select(
            *kept, *(F.expr(text).alias(n) for n, (_, text) in zip(names, self.texts, strict=True))
        )
        kinds = [spark_type(self.table.schema.field(column).type) for column, _ in self.texts]
        with strict_casts(found.sparkSession):
            return found.withColumns({n: found[n].cast(kind) for n, kind in zip(names, kinds, strict=True)})
