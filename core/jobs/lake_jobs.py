"""Jobs whose SQL names tables of the catalog: what they are asked, and what that SQL may read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Annotated

from core.errors import InvalidRequestError
from core.identifier import Identifier
from core.jobs.values import AnyText, Columns, Count
from core.jobs.work import Work

MOST_ROWS = 1000
MOST_SECONDS = 600


@dataclass(frozen=True, slots=True)
class Readable:
    """Tables and views that SQL may name: all of a catalog, of a database, or those of a pattern."""

    database: Annotated[str | None, "in which; without it every one"] = None
    table: Annotated[str | None, "which, as a pattern with * and ?; without it every one"] = None
    but: Annotated[
        tuple[AnyText, ...], "not these, as patterns `database.table`: something in them is masked"
    ] = ()

    def covers(self, name: Identifier) -> bool:
        """Whether the table, also of a branch or a system table of it, is one of these."""
        is_meant = self.database in (None, name.database) and (
            self.table is None or _fits(name.table, self.table)
        )
        full = f"{name.database}.{name.table}".lower()
        return is_meant and not any(_fits(full, pattern.lower()) for pattern in self.but)


def _fits(name: str, pattern: str) -> bool:
    return fnmatchcase(name, pattern.replace("[", "[[]"))  # a bracket is only itself


@dataclass(frozen=True, slots=True)
class KeptView:
    """A view that the catalog itself does not keep."""

    sql: Annotated[str, "its query, as Spark is to read it"]
    columns: Annotated[Columns, "what its columns are called"] = ()

    @property
    def digest(self) -> str:
        """What tells whether it still says what it said."""
        return hashlib.sha256(json.dumps([self.sql, *self.columns]).encode()).hexdigest()


ReadableTables = Annotated[
    tuple[Readable, ...] | None, "which tables and views the query may name; without it all of the catalog"
]
FilesWithin = Annotated[
    str | None,
    "format and object tables are read only where their files lie below this place; without it anywhere",
]
KeptViews = Annotated[
    Mapping[AnyText, KeptView], "views that the catalog does not keep, by their names, database.view"
]


@dataclass(frozen=True, slots=True)
class ReadViewJob(Work):
    """Run the query of a view and report its first rows; nothing is written."""

    limit: Annotated[Count, f"how many rows at most; no more than {MOST_ROWS}"] = 100
    seconds: Annotated[Count, f"how long it may take; no more than {MOST_SECONDS}"] = 120
    readable: ReadableTables = None
    files_within: FilesWithin = None
    views: KeptViews = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, most in (("limit", MOST_ROWS), ("seconds", MOST_SECONDS)):
            if getattr(self, name) > most:
                raise InvalidRequestError(
                    "more than is allowed", field=name, expected=f"at most {most}", found=getattr(self, name)
                )


@dataclass(frozen=True, slots=True)
class RefreshJob(Work):
    """Refresh a materialized table: its rows become the answer of its definition."""

    full: Annotated[
        bool, "as a whole, also a table that is refreshed continuously, whose stream then starts anew"
    ] = False
    if_stale: Annotated[bool, "do nothing while the rows are as fresh as the definition asks for"] = False
    checkpoint: Annotated[
        str | None, "folder in which a continuous refresh keeps how far it has come; the same for each run"
    ] = None
    query: Annotated[str | None, "the definition that was looked at; another one by now is refused"] = None
    looked_at: Annotated[
        Mapping[AnyText, AnyText] | None,
        "digests of the views that were looked at, by their names; what is another one by now is refused",
    ] = None
    readable: ReadableTables = None
    files_within: FilesWithin = None
    views: KeptViews = field(default_factory=dict)
