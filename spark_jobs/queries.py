"""Which SQL a write may take its rows from: one query over its views, and nothing that acts.

Spark's SQL does much more than select: it runs programs, calls Java methods, reads any file by name
and writes folders, all with the rights of the job. So the parsed statement is checked before
anything of it runs, against the operators that only compute rows.
"""

from __future__ import annotations

import re

from pyspark.sql import DataFrame, SparkSession

from core.errors import InvalidRequestError

OPERATORS = frozenset(
    {
        "Aggregate", "CTE", "Deduplicate", "Distinct", "Except", "Expand", "Filter", "Generate",
        "GlobalLimit", "GroupingSets", "Intersect", "Join", "LateralJoin", "LocalLimit", "LocalRelation",
        "Offset", "OneRowRelation", "ParameterizedQuery", "Pivot", "Project", "Range", "Sample", "Sort",
        "SubqueryAlias", "Tail", "Union", "UnresolvedHaving", "UnresolvedHint", "UnresolvedInlineTable",
        "UnresolvedOrdinal", "UnresolvedRelation", "UnresolvedSubqueryColumnAliases",
        "UnresolvedTableValuedFunction", "UnresolvedTVFAliases", "UnresolvedWith", "Unpivot",
        "UnpivotTransformer", "Values", "View", "Window", "WithCTE", "WithWindowDefinition",
    }
)  # fmt: skip
"""Names of Catalyst's nodes that compute rows from rows."""

_CALLS_OF_JAVA = ("reflect", "java_method", "try_reflect")
_FILES_BY_NAME = "spark.sql.runSQLOnFiles"
_NODE = re.compile(r"^[\s:+\-*!()\d]*'?([A-Za-z]\w*)")


def run_query(spark: SparkSession, sql: str) -> DataFrame:
    """The rows of a query, which is checked first.

    Raises:
        InvalidRequestError: a statement that is no plain query.
    """
    check_query(spark, sql)
    return spark.sql(sql)


def check_query(spark: SparkSession, sql: str) -> None:
    """Nothing, if the statement only computes rows from the session's views.

    Raises:
        InvalidRequestError: names what it would do besides.
    """
    state = spark._jsparkSession.sessionState()  # Spark's parser has no name in Python
    _close_side_doors(spark, state)
    for operator in _operators(state.sqlParser().parsePlan(sql)):
        if operator not in OPERATORS:
            raise InvalidRequestError("a source is one SELECT over the views of the job", found=operator)


def _close_side_doors(spark: SparkSession, state: object) -> None:
    """For this session: no file as a table, and no function that calls any Java method."""
    spark.conf.set(_FILES_BY_NAME, "false")
    registry = state.functionRegistry()  # type: ignore[attr-defined]
    known = registry.listFunction()
    for identifier in [known.apply(i) for i in range(known.size())]:
        if identifier.funcName() in _CALLS_OF_JAVA:
            registry.dropFunction(identifier)


def _operators(plan: object) -> set[str]:
    """The names of all nodes of a parsed plan, those of subqueries and CTEs included."""
    lines = plan.treeString().splitlines()  # type: ignore[attr-defined]
    return {match[1] for line in lines if (match := _NODE.match(line))}
