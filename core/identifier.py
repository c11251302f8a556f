"""Names of tables: `database.table$branch_name$system`. Spec: 01, 5; 04, B."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from core.arguments import is_a
from core.errors import InvalidRequestError

MAIN_BRANCH = "main"
SYSTEM_DATABASE = "sys"
_BRANCH_PREFIX = "branch_"
_FORBIDDEN = frozenset("/\\$\0")


@dataclass(frozen=True, slots=True)
class Identifier:
    """A table, possibly one of its branches, possibly one of its system tables."""

    database: str
    table: str
    branch: str | None = None  # None is the main branch
    system: str | None = None  # lower case

    @classmethod
    def parse(cls, text: str) -> Self:
        """The identifier that `text` spells.

        Raises:
            InvalidRequestError: not `database.table`, or more or other `$` parts than a
            branch and a system table.
        """
        database, dot, rest = text.partition(".")
        table, *suffixes = rest.split("$")
        if not dot or not _is_name(database) or not _is_name(table):
            raise _bad(text)
        branch = None
        if suffixes and suffixes[0].lower().startswith(_BRANCH_PREFIX):
            branch = suffixes.pop(0)[len(_BRANCH_PREFIX) :]
            if not branch:
                raise _bad(text)
        if len(suffixes) > 1 or (suffixes and not suffixes[0]):
            raise _bad(text)
        system = suffixes[0].lower() if suffixes else None
        return cls(database, table, None if branch == MAIN_BRANCH else branch, system)

    @property
    def base(self) -> Identifier:
        """The table itself: main branch, no system table."""
        return Identifier(self.database, self.table)

    def with_branch(self, branch: str | None) -> Identifier:
        return replace(self, branch=None if branch == MAIN_BRANCH else branch)

    def with_system(self, system: str | None) -> Identifier:
        return replace(self, system=system)

    def __str__(self) -> str:
        branch = f"${_BRANCH_PREFIX}{self.branch}" if self.branch else ""
        system = f"${self.system}" if self.system else ""
        return f"{self.database}.{self.table}{branch}{system}"


def check_name(kind: str, name: str) -> str:
    """`name`, if it can be the directory of a database or table and be addressed.

    Raises:
        InvalidRequestError: empty, `.` or `..`, or with a slash or `$` in it.
    """
    if not _is_name(name) or (kind == "database" and "." in name):
        raise InvalidRequestError(f"not a name for a {kind}", name=repr(name))
    return name


def _is_name(name: str) -> bool:
    if not is_a(name, str) or not name.strip() or name in (".", "..") or _FORBIDDEN & set(name):
        return False
    return not any("\ud800" <= letter <= "\udfff" for letter in name)  # half of a pair, of no file's name


def _bad(text: str) -> InvalidRequestError:
    return InvalidRequestError(
        "not a table name", found=repr(text), expected="database.table[$branch_name][$system_table]"
    )
