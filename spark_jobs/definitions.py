"""A query over tables of a catalog in terms of Spark: full names of tables become names of views. Pure.

A definition names tables as `catalog`.`database`.`table`; Spark's views have names of one part. So each full
name, where it stands for a table or before a column, becomes that of the table alone; of two tables of one
name the second gets its database before it.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.catalog.query_names import pieces_of
from core.errors import InvalidRequestError
from core.identifier import Identifier


@dataclass(frozen=True, slots=True)
class SparkQuery:
    sql: str
    views: Mapping[str, Identifier]  # by name, what each is to show


def spark_query(
    sql: str, relations: Sequence[tuple[str, ...]], database: str, own: Container[str] = ()
) -> SparkQuery:
    """The query over views of one name each.

    Args:
        sql: the definition.
        relations: what stands for a table in it, part by part, as Spark's parser tells.
        database: where names of one part are.
        own: names that the query gives to parts of itself, in small letters: a table of that name is another.

    Raises:
        InvalidRequestError: a name of more than three parts, or one that is not found in the text.
    """
    views: dict[str, Identifier] = {}
    full: dict[tuple[str, ...], str] = {}
    for parts in sorted(relations, key=len):  # names of one part stay as they are
        if len(parts) > 3:
            raise InvalidRequestError("a table is named by catalog, database and name", found=".".join(parts))
        found = Identifier.parse(f"{parts[-2] if len(parts) > 1 else database}.{parts[-1]}")
        name = _free_name(views, parts[-1], found, own if len(parts) > 1 else ())
        views[name] = found
        if len(parts) > 1 or name != parts[-1]:
            full[parts] = name
    seen: set[tuple[str, ...]] = set()
    text = "".join(_pieces(sql, full, seen))
    missing = set(full) - seen
    if missing:
        raise InvalidRequestError("a table is not found in its definition", table=".".join(min(missing)))
    return SparkQuery(text, views)


def _free_name(views: Mapping[str, Identifier], name: str, found: Identifier, own: Container[str]) -> str:
    """A name that nothing else has, as Spark compares them: without regard to case."""
    taken = {view.lower(): identifier for view, identifier in views.items()}
    while name.lower() in own or taken.get(name.lower(), found) != found:
        name = f"{found.database}__{name}"
    return name


def _pieces(sql: str, full: Mapping[tuple[str, ...], str], seen: set[tuple[str, ...]]) -> Iterator[str]:
    for piece, parts in pieces_of(sql):
        known = next((parts[:size] for size in (3, 2, 1) if parts[:size] in full), None)
        if known is None:
            yield piece
            continue
        seen.add(known)
        yield ".".join(f"`{part.replace('`', '``')}`" for part in (full[known], *parts[len(known) :]))
