"""The query of a materialized table in terms of Spark: full names of tables become names of views. Pure.

A definition names tables as `catalog`.`database`.`table`; Spark's views have names of one part. So each full
name, where it stands for a table or before a column, becomes that of the table alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.errors import InvalidRequestError, UnsupportedError
from core.identifier import Identifier

_TOKEN = re.compile(
    r"(?P<string>'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.)*\")"
    r"|(?P<comment>--[^\n]*|/\*.*?\*/)"
    r"|(?P<name>(?:`(?:[^`]|``)+`|[A-Za-z_]\w*)(?:\s*\.\s*(?:`(?:[^`]|``)+`|[A-Za-z_]\w*))*)"
    r"|(?P<other>.)",
    re.DOTALL,
)
_PART = re.compile(r"`((?:[^`]|``)+)`|([A-Za-z_]\w*)")


@dataclass(frozen=True, slots=True)
class SparkQuery:
    sql: str
    views: Mapping[str, Identifier]  # by name, what each is to show


def spark_query(sql: str, relations: Sequence[tuple[str, ...]], database: str) -> SparkQuery:
    """The query over views of one name each.

    Args:
        sql: the definition.
        relations: what stands for a table in it, part by part, as Spark's parser tells.
        database: of the materialized table: where names of one part are.

    Raises:
        UnsupportedError: two tables of one name in different databases. InvalidRequestError: a name of
            more than three parts, or one that is not found in the text.
    """
    views: dict[str, Identifier] = {}
    full: dict[tuple[str, ...], str] = {}
    for parts in relations:
        if len(parts) > 3:
            raise InvalidRequestError("a table is named by catalog, database and name", found=".".join(parts))
        found = Identifier.parse(f"{parts[-2] if len(parts) > 1 else database}.{parts[-1]}")
        if views.setdefault(parts[-1], found) != found:
            raise UnsupportedError(
                "two tables of one name cannot be told apart in Spark's views",
                feature="a definition over tables of one name in two databases",
                found=f"{views[parts[-1]]}, {found}",
            )
        if len(parts) > 1:
            full[parts] = parts[-1]
    seen: set[tuple[str, ...]] = set()
    text = "".join(_pieces(sql, full, seen))
    missing = set(full) - seen
    if missing:
        raise InvalidRequestError("a table is not found in its definition", table=".".join(min(missing)))
    return SparkQuery(text, views)


def _pieces(sql: str, full: Mapping[tuple[str, ...], str], seen: set[tuple[str, ...]]) -> Iterator[str]:
    for match in _TOKEN.finditer(sql):
        if match.lastgroup != "name":
            yield match[0]
            continue
        parts = tuple((quoted or bare).replace("``", "`") for quoted, bare in _PART.findall(match[0]))
        known = next((parts[:size] for size in (3, 2) if parts[:size] in full), None)
        if known is None:
            yield match[0]
            continue
        seen.add(known)
        yield ".".join(f"`{part.replace('`', '``')}`" for part in (full[known], *parts[len(known) :]))
