"""Jobs that change rows: what they are asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

from core.errors import InvalidRequestError
from core.jobs.declared import NotEmpty, Pattern
from core.jobs.values import AnyText, OneOrMore, Partition, Scalar
from core.jobs.work import Work


class SourceFormat(StrEnum):
    PARQUET = "parquet"
    ORC = "orc"
    CSV = "csv"
    JSON = "json"


class WriteMode(StrEnum):
    APPEND = "append"  # on a primary-key table: upsert
    OVERWRITE = "overwrite"


_ViewName = Annotated[str, Pattern("[A-Za-z_][A-Za-z0-9_]{0,127}", "names of letters, digits and _")]


@dataclass(frozen=True, slots=True)
class PathSource:
    """Files that Spark reads: one file, a folder or a glob."""

    path: Annotated[str, "where they are"]
    format: Annotated[SourceFormat, "what they are"]
    options: Annotated[Mapping[AnyText, AnyText], "of Spark's reader, such as header for csv"] = field(
        default_factory=dict
    )


@dataclass(frozen=True, slots=True)
class QuerySource:
    """A Spark SQL query over the given views; no catalog is visible to it."""

    sql: Annotated[str, "one SELECT; what would act besides is refused before anything runs"]
    views: Annotated[Mapping[_ViewName, PathSource], "what the query may read, by name"] = field(
        default_factory=dict
    )


@dataclass(frozen=True, slots=True)
class WriteJob(Work):
    """Add the rows of `source` to the table, or replace partitions by them."""

    source: Annotated[PathSource | QuerySource, "of the rows: a path, or a query over paths"]
    mode: Annotated[WriteMode, "append: on a primary-key table an upsert; or overwrite"] = WriteMode.APPEND
    static_partition: Annotated[
        Partition | None,
        "for overwrite: the partition to replace, {} for the whole table; without it exactly those that "
        "get new rows",
    ] = None
    row_kind_column: Annotated[str | None, "column of the source that holds +I, -U, +U or -D"] = None
    merge_schema: Annotated[bool, "columns that the table lacks are added to it first"] = False
    type_widening: Annotated[bool, "with merge_schema: columns take the wider type of the rows"] = False
    explicit_casts: Annotated[bool, "with type_widening: also types that may change values"] = False

    def __post_init__(self) -> None:
        for name, needed in (("type_widening", "merge_schema"), ("explicit_casts", "type_widening")):
            if getattr(self, name) and not getattr(self, needed):
                raise InvalidRequestError(
                    "one option of merging goes with another", field=name, expected=f"{needed}: true"
                )
        if self.static_partition is not None and self.mode is not WriteMode.OVERWRITE:
            raise InvalidRequestError(
                "a static partition belongs to mode overwrite",
                field="static_partition",
                found=f"mode {self.mode.value}",
            )


@dataclass(frozen=True, slots=True)
class DeleteJob(Work):
    """Delete the rows for which a condition holds."""

    where: Annotated[str, "as in SQL's WHERE; true deletes all rows"]


@dataclass(frozen=True, slots=True)
class UpdateJob(Work):
    """Give columns new values in the rows for which a condition holds."""

    where: Annotated[str, "as in SQL's WHERE; true changes all rows"]
    set: Annotated[Mapping[str, Scalar], "values by column"] = field(default_factory=dict)
    copy: Annotated[Mapping[str, str], "columns that values are taken from, by column"] = field(
        default_factory=dict
    )
    sql: Annotated[Mapping[str, str], "expressions of Spark's SQL over the columns of the row, by column"] = (
        field(default_factory=dict)
    )

    def __post_init__(self) -> None:
        _check_given(self.set, self.copy, self.sql)
        _check_once(self.set, self.copy, self.sql)


class MergeWhen(StrEnum):
    MATCHED = "matched"  # rows of the table that the source has, too
    NOT_MATCHED = "not-matched"  # rows of the source that the table has not
    NOT_MATCHED_BY_SOURCE = "not-matched-by-source"  # rows of the table that the source has not


class MergeAction(StrEnum):
    UPDATE = "update"
    DELETE = "delete"
    INSERT = "insert"


_ACTIONS = {
    MergeWhen.MATCHED: (MergeAction.UPDATE, MergeAction.DELETE),
    MergeWhen.NOT_MATCHED: (MergeAction.INSERT,),
    MergeWhen.NOT_MATCHED_BY_SOURCE: (MergeAction.UPDATE, MergeAction.DELETE),
}


@dataclass(frozen=True, slots=True)
class Clause:
    """One WHEN of a merge; of several the first that holds for a row counts."""

    when: Annotated[MergeWhen, "which rows it is about"]
    action: Annotated[MergeAction, "what becomes of them: insert goes with not-matched, the others do not"]
    condition: Annotated[
        str | None, "rows for which it holds, as in SQL; columns of the source are `source.NAME`"
    ] = None
    set: Annotated[Mapping[str, Scalar], "values by column"] = field(default_factory=dict)
    copy: Annotated[
        Mapping[str, str],
        "columns that values are taken from, by column, those of the source as source.NAME; without set, "
        "copy and sql every column comes from that of the source with its name",
    ] = field(default_factory=dict)
    sql: Annotated[
        Mapping[str, str],
        "expressions of Spark's SQL by column, over source.NAME, and over the columns of the table where the "
        "merge joins its primary key or _ROW_ID",
    ] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.action not in _ACTIONS[self.when]:
            raise InvalidRequestError(
                f"rows that are {self.when.value} cannot get this",
                field="action",
                expected=" or ".join(_ACTIONS[self.when]),
                found=self.action.value,
            )
        if self.action is MergeAction.DELETE and (self.set or self.copy or self.sql):
            given = [name for name in ("set", "copy", "sql") if getattr(self, name)]
            raise InvalidRequestError("a delete assigns nothing", field=given[0])
        if self.when is MergeWhen.NOT_MATCHED_BY_SOURCE:
            if self.sql:
                raise InvalidRequestError("only rows that the source has are changed by SQL", field="sql")
            if self.action is MergeAction.UPDATE:
                _check_given(self.set, self.copy)
        _check_once(self.set, self.copy, self.sql)


@dataclass(frozen=True, slots=True)
class MergeIntoJob(Work):
    """Join rows of a source to those of the table, and update, delete or insert."""

    source: Annotated[PathSource | QuerySource, "of the rows, as of write"]
    on: Annotated[OneOrMore, "columns that are equal in joined rows"]
    clauses: Annotated[tuple[Clause, ...], NotEmpty(), "what becomes of rows, in order"]


def _check_given(*assigned: Mapping[str, object]) -> None:
    if not any(assigned):
        raise InvalidRequestError("an update assigns no column", field="set")


def _check_once(
    values: Mapping[str, object], columns: Mapping[str, str], expressions: Mapping[str, str]
) -> None:
    for name, known, more in (
        ("copy", values.keys(), columns),
        ("sql", values.keys() | columns.keys(), expressions),
    ):
        both = sorted(known & more.keys())
        if both:
            raise InvalidRequestError("a column gets two values", field=f"{name}.{both[0]}")
