"""The names in a text of SQL, as far as they are told without its grammar, and the views that it is made of.

A text is cut into strings, comments and dotted names. What of these names is a table, a column or a word of
the language only the engine that runs it knows, so what is found here is never too little and often too much.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from core.catalog.views import ViewSchema
from core.errors import NotFoundError, UnsupportedError
from core.identifier import Identifier

Parts: TypeAlias = tuple[str, ...]

_ONE = r"(?:`(?:[^`]|``)+`|\w+)"
_TOKEN = re.compile(
    r"(?P<string>\b[rR](?:'[^']*'|\"[^\"]*\")|'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.|\"\")*\")"
    r"|(?P<comment>--[^\r\n]*|/\*.*?\*/)"
    rf"|(?P<name>{_ONE}(?:\s*\.\s*{_ONE})*)"
    r"|(?P<other>.)",
    re.DOTALL,
)
_PART = re.compile(r"`((?:[^`]|``)+)`|(\w+)")
MOST_VIEWS = 1000


def pieces_of(sql: str) -> Iterator[tuple[str, Parts]]:
    """The text, piece by piece, each with its parts if it is a name; without quotes, as it is meant."""
    for match in _TOKEN.finditer(sql):
        named = _PART.findall(match[0]) if match.lastgroup == "name" else ()
        yield match[0], tuple((quoted or bare).replace("``", "`") for quoted, bare in named)


def names_in(sql: str, database: str) -> set[tuple[str, str]]:
    """What the names of the text may stand for, as database and table in small letters.

    Args:
        sql: a query.
        database: whose tables names of one part are.
    """
    found: set[tuple[str, str]] = set()
    for _, parts in pieces_of(sql):
        if len(parts) == 1:
            found.add((database.lower(), parts[0].lower()))
        found |= {(before.lower(), name.lower()) for before, name in pairwise(parts)}
    return found


def views_in(
    sql: str,
    database: str,
    dialect: str,
    databases: Callable[[], Sequence[str]],
    names: Callable[[str], Sequence[str]],
    get: Callable[[Identifier], ViewSchema],
) -> Mapping[Identifier, ViewSchema]:
    """The views that the text may name, those that their texts may name, and so on.

    Args:
        sql: a query of somebody's.
        database: whose tables its names of one part are.
        dialect: of the texts of views.
        databases: all there are.
        names: the views of one.
        get: one of these.

    Raises:
        UnsupportedError: more views than anybody looks at.
    """
    listed = {name.lower(): name for name in databases()}
    views: dict[str, list[str]] = {}
    found: dict[Identifier, ViewSchema] = {}
    texts = [(sql, database)]
    while texts:
        for place, wanted in sorted(names_in(*texts.pop())):
            own = listed.get(place)
            if own is None:
                continue
            if place not in views:
                views[place] = _named(names, own)
            for name in views[place]:
                view = Identifier(own, name)
                if name.lower() != wanted or view in found:
                    continue
                schema = _schema(get, view)
                if schema is None:
                    continue
                if len(found) == MOST_VIEWS:
                    raise UnsupportedError(
                        "a query is made of too many views", feature=f"more than {MOST_VIEWS} views"
                    )
                found[view] = schema
                texts.append((schema.query_for(dialect), own))
    return found


def _named(names: Callable[[str], Sequence[str]], database: str) -> list[str]:
    try:
        return list(names(database))
    except (NotFoundError, UnsupportedError):
        return []  # dropped meanwhile, or of a catalog that has none


def _schema(get: Callable[[Identifier], ViewSchema], view: Identifier) -> ViewSchema | None:
    """None where the view is gone, or none that is read: a query that does name it cannot be run either."""
    try:
        return get(view)
    except (NotFoundError, UnsupportedError):
        return None
