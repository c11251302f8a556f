"""What a plan of Spark is made of: its nodes, and the names of tables that stand in it.

Spark's plans are trees of the JVM, subqueries and CTEs included, which are walked here. The text that they
print of themselves is cut where it grows long, and quotes no names.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame

from core.errors import InvalidRequestError

SOURCE = "lakescope"

_LEAVES = frozenset(
    {
        "CTERelationRef", "DataSourceV2Relation", "EmptyRelation", "LocalRelation", "OneRowRelation", "Range",
        "StreamingDataSourceV2Relation", "StreamingDataSourceV2ScanRelation", "StreamingRelationV2",
    }
)  # fmt: skip
_CATALYST = "org.apache.spark.sql.catalyst."
_REFUSED_EXPRESSIONS = frozenset(
    {
        "CallMethodViaReflection", "TryReflect", "ScalaUDF", "ScalaUDAF", "PythonUDF", "PythonUDAF",
        "FromAvro", "ToAvro", "SchemaOfAvro", "FromProtobuf", "ToProtobuf",
    }
)  # fmt: skip


def nodes_of(plan: Any) -> Iterator[Any]:
    """The nodes of a plan, those of its subqueries and CTEs too."""
    yield plan
    inner = plan.innerChildren() if kind_of(plan) == "UnresolvedWith" else plan.subqueries()
    for part in (plan.children(), inner):
        for place in range(part.size()):
            yield from nodes_of(part.apply(place))


def kind_of(node: Any) -> str:
    """The name of the node's class."""
    return str(node.getClass().getSimpleName())


def relations_of(plan: Any) -> list[tuple[str, ...]]:
    """What stands for a table in a parsed plan, part by part, in order."""
    named = []
    for node in nodes_of(plan):
        if kind_of(node) == "UnresolvedRelation":
            parts = node.multipartIdentifier()
            named.append(tuple(str(parts.apply(place)) for place in range(parts.size())))
    return list(dict.fromkeys(named))


def own_names_of(plan: Any) -> frozenset[str]:
    """The names that a parsed query gives to parts of itself (WITH), in small letters."""
    parts = [node.innerChildren() for node in nodes_of(plan) if kind_of(node) == "UnresolvedWith"]
    return frozenset(str(part.apply(place).alias()).lower() for part in parts for place in range(part.size()))


def check_reads(frame: DataFrame) -> None:
    """Nothing, if all that the analysed query reads are tables of ours, and it calls no code but Spark's.

    What a text seems to say does not count: this looks at what Spark has made of it.

    Raises:
        InvalidRequestError: names what it would read or call besides.
    """
    for node in nodes_of(frame._jdf.queryExecution().analyzed()):
        kind = kind_of(node)
        if node.children().isEmpty() and kind not in _LEAVES:
            raise InvalidRequestError("a query reads tables of the catalog, and nothing else", found=kind)
        if kind == "DataSourceV2Relation" and not str(node.table().name()).startswith(SOURCE):
            raise InvalidRequestError(
                "a query reads tables of the catalog, and nothing else", found=str(node.table().name())
            )
        expressions = node.expressions()
        for place in range(expressions.size()):
            _check_calls(expressions.apply(place))


def _check_calls(expression: Any) -> None:
    name = str(expression.getClass().getName())
    kind = kind_of(expression)
    if not name.startswith(_CATALYST) or kind in _REFUSED_EXPRESSIONS:
        raise InvalidRequestError("a query calls no code but Spark's own functions", found=kind)
    children = expression.children()
    for place in range(children.size()):
        _check_calls(children.apply(place))
