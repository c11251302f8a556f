"""What catalogs tell: databases, tables, partitions, pages of names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.identifier import Identifier
from core.schema.table_schema import TableSchema

NO_OPTIONS: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Audit:
    """Who made a thing and who changed it, when; None where a catalog does not keep it."""

    owner: str | None = None
    created_at: int | None = None  # epoch milliseconds
    created_by: str | None = None
    updated_at: int | None = None  # epoch milliseconds
    updated_by: str | None = None


NO_AUDIT = Audit()


@dataclass(frozen=True, slots=True)
class Database:
    """A database as its catalog knows it."""

    name: str
    location: str | None = None  # where its tables lie, if the catalog tells
    options: Mapping[str, str] = field(default_factory=dict)  # its properties; never `location`
    comment: str | None = None
    uuid: str | None = None
    audit: Audit = NO_AUDIT


@dataclass(frozen=True, slots=True)
class PropertyChanges:
    """Changes of a database's properties. What is named twice is refused."""

    updates: Mapping[str, str] = field(default_factory=dict)
    removals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PropertyOutcome:
    """What became of `PropertyChanges`, each sorted."""

    updated: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()  # to be removed, and not there


@dataclass(frozen=True, slots=True)
class Page:
    """Some names, ascending, and where the next page begins."""

    names: tuple[str, ...]
    next_token: str | None = None  # None: this is the last page


@dataclass(frozen=True, slots=True)
class TableFacts:
    """A table as its catalog knows it. Nothing of its data has been looked at."""

    identifier: Identifier
    location: str
    type: str  # option `type`: table, materialized-table, format-table, object-table ... Spec: 04, C5
    schema: TableSchema
    uuid: str  # the catalog's own, or made of place and time of creation as Paimon does
    is_external: bool = False  # whether a drop leaves its files
    audit: Audit = NO_AUDIT


@dataclass(frozen=True, slots=True)
class PartitionStatistics:
    """What a partition holds, or by how much a commit changes that; -1 is not known. Spec: 04, C4."""

    spec: Mapping[str, str]  # partition key -> value as text, in the order of the keys
    record_count: int
    file_size_in_bytes: int
    file_count: int
    last_file_creation_time: int  # epoch milliseconds
    total_buckets: int = 0


@dataclass(frozen=True, slots=True)
class Partition:
    """A partition that holds files, or that the catalog keeps a record of."""

    statistics: PartitionStatistics
    done: bool = False
    audit: Audit = NO_AUDIT
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def spec(self) -> Mapping[str, str]:
        return self.statistics.spec

    @property
    def name(self) -> str:
        """`dt=20240101/hh=10`."""
        return "/".join(f"{key}={value}" for key, value in self.spec.items())
