"""Names in catalogs: what they may be, which of many fit, and pages of them. All pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeAlias

from core.arguments import is_whole_number
from core.catalog.facts import Page
from core.errors import InvalidRequestError
from core.identifier import SYSTEM_DATABASE, Identifier, check_name

_MOST_BYTES = 255  # of a name in a directory

TableName: TypeAlias = Identifier | str
"""`database.table`, as text or parsed; with `$branch_<name>` where a branch is meant."""


def identifier_of(name: TableName) -> Identifier:
    """The identifier that a caller gave.

    Raises:
        InvalidRequestError: it is none, or its parts are no names.
    """
    if isinstance(name, Identifier):
        check_name("database", name.database)
        check_name("table", name.table)
        return name
    if not isinstance(name, str):
        raise InvalidRequestError("a table is named by a text or an Identifier", found=repr(name))
    return Identifier.parse(name)


def main_table(name: TableName) -> Identifier:
    """The identifier of a table itself, where branches and system tables make no sense.

    Raises:
        InvalidRequestError: the name is that of a branch or a system table, or none.
    """
    identifier = identifier_of(name)
    if identifier.branch or identifier.system:
        raise InvalidRequestError("name the table itself", table=str(identifier))
    if identifier.database == SYSTEM_DATABASE:
        raise InvalidRequestError("the tables of sys are not made or changed", table=str(identifier))
    return identifier


def new_name(name: TableName) -> Identifier:
    """The identifier of a table or view that is to get this name; raises as `main_table`, and for a long one.

    A name is that of a directory, and of a column of 255 characters in many a database.
    """
    identifier = main_table(name)
    _check_length("table, view or function", identifier.table, _MOST_BYTES)
    return identifier


def check_new_database(name: str) -> None:
    """Raises `InvalidRequestError` for what no database can be called."""
    check_own_database(check_name("database", name))
    _check_length("database", name, _MOST_BYTES - len(".db"))


def _check_length(what: str, name: str, most: int) -> None:
    size = len(name.encode("utf-8", "surrogatepass"))
    if size > most:
        raise InvalidRequestError(
            f"the name of a {what} is too long", begins=name[:40], bytes=size, most_bytes=most
        )


def check_own_database(database: str) -> None:
    """Raises `InvalidRequestError` for `sys`, which is the catalog's own. Spec: 04, B2."""
    if database == SYSTEM_DATABASE:
        raise InvalidRequestError(
            "the database of system tables is not made, changed or dropped", database=database
        )


def fits(name: str, pattern: str | None) -> bool:
    """Whether a name is like a pattern of SQL: `%` is any text, `_` one letter, `\\%` and `\\_` are they."""
    if not pattern:
        return True
    first, *others = _between_percents(pattern)
    if not others:
        return re.fullmatch(first, name, re.DOTALL) is not None
    # Each text is taken where it first stands, and never again: a pattern of many `%` takes no more time.
    *middle, last = others
    expression = first + "".join(f"(?>.*?{text})" for text in middle) + f".*{last}"
    return re.fullmatch(expression, name, re.DOTALL) is not None


def page_of(names: Iterable[str], limit: int | None, after: str | None, pattern: str | None = None) -> Page:
    """Up to `limit` of the names behind `after` that fit, ascending; all of them without a limit.

    A token is the last name of the page before it, so names that come or go in between do no harm.

    Raises:
        InvalidRequestError: a limit that is no number, or is negative; 0 means none, as with Paimon.
    """
    if limit is not None and (not is_whole_number(limit) or limit < 0):
        raise InvalidRequestError("a page has at least one name", limit=repr(limit))
    found = sorted(name for name in names if fits(name, pattern) and (after is None or name > after))
    if not limit or len(found) <= limit:
        return Page(tuple(found))
    return Page(tuple(found[:limit]), found[limit - 1])


def _between_percents(pattern: str) -> list[str]:
    """Regular expressions of what stands before, between and behind the `%` of a pattern."""
    texts = [""]
    for part in re.findall(r"\\.|.", pattern, re.DOTALL):
        if part == "%":
            texts.append("")
        else:
            texts[-1] += "." if part == "_" else re.escape(part[-1])
    return texts
