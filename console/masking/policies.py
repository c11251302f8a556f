"""What a masking policy says, and which columns of a table it means. Pure: no database, no files."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from console.accounts.roles import Permission, Scope
from core.schema import TableSchema
from core.types import ArrayType, DataField, DataType, MapType, MultisetType, RowType, VectorType

Path = tuple[str, ...]
"""A column, then members of rows inside it, in small letters: who queries may spell names as they like."""


class Kind(StrEnum):
    """How a value is told, the mildest first."""

    SENSITIVE = "sensitive"  # as it is, to those who may read data; for partition values
    PARTIAL = "partial"  # its last characters
    HASH = "hash"  # equal values look equal
    HIDE = "hide"  # not at all


_STRICTNESS = {kind: place for place, kind in enumerate(Kind)}
_SEES_THROUGH: dict[Kind, frozenset[Permission]] = {
    kind: frozenset({Permission.DATA_READ})
    | (frozenset() if kind is Kind.SENSITIVE else {Permission.DATA_UNMASKED})
    for kind in Kind
}


@dataclass(frozen=True, slots=True)
class Policy:
    """A column of some tables whose values are told in a certain way."""

    scope: Scope  # its table is a pattern
    column: Path
    kind: Kind
    keep: int = 0  # of `partial`: characters that stay
    key: bytes = b""  # of the hashes, and of what stands in for partition values

    def is_of(self, table: Scope) -> bool:
        """Whether the table is meant; letters may be large or small."""
        return _small(self.scope).covers(_small(table))

    def touches(self, place: Scope) -> bool:
        """Whether something in the place is meant."""
        return _small(self.scope).touches(_small(place))

    def is_open_to(self, held: frozenset[Permission]) -> bool:
        """Whether these permissions see through it."""
        return _SEES_THROUGH[self.kind] <= held


@dataclass(frozen=True, slots=True)
class Mask:
    """A policy over one table: every name under which the column was ever known there."""

    policy: Policy
    paths: frozenset[Path]

    @property
    def columns(self) -> frozenset[str]:
        return frozenset(path[0] for path in self.paths)


def masks_of(policies: Iterable[Policy], schemas: Sequence[TableSchema]) -> tuple[Mask, ...]:
    """The policies over a table with that history of schemas, the strictest first.

    A column is known by its field id as soon as any schema had it under the policy's name, so that renaming
    it opens nothing; and by its name alone, so that a table made again is masked from its first row.
    """
    named = ((policy, paths_of(policy.column, schemas)) for policy in policies)
    found = [Mask(policy, paths) for policy, paths in named if paths]
    return tuple(sorted(found, key=lambda mask: _STRICTNESS[mask.policy.kind], reverse=True))


def paths_of(column: Path, schemas: Sequence[TableSchema]) -> frozenset[Path]:
    """The column and every name that its field ids had in any of the schemas; none if no schema has it.

    Where a value has no members that are known, as a map of texts or a JSON text, a policy over one of them
    is over all of it. Without schemas, as of a table that cannot be opened, it is the column alone.
    """
    members = [member for schema in schemas for member in _members(schema.fields)]
    ids = {member.ids for member in members if member.is_meant_by(column)}
    if schemas and not ids:
        return frozenset()
    return frozenset({column, *(member.path for member in members if member.ids in ids)})


@dataclass(frozen=True, slots=True)
class _Member:
    """A column, or a member of a row inside one."""

    path: Path
    ids: tuple[int, ...]
    has_members: bool

    def is_meant_by(self, column: Path) -> bool:
        own, asked = ".".join(self.path), ".".join(column)  # a name may hold a dot itself
        return asked == own or (asked.startswith(f"{own}.") and not self.has_members)


def _members(fields: Sequence[DataField]) -> Iterator[_Member]:
    for field in fields:
        inside = _rows_in(field.type)
        yield _Member((field.name.lower(),), (field.id,), bool(inside))
        for member in _members(inside):
            yield replace(member, path=(field.name.lower(), *member.path), ids=(field.id, *member.ids))


def _rows_in(data_type: DataType) -> tuple[DataField, ...]:
    """The members of the rows that a value holds, also inside arrays and maps, which have no names."""
    match data_type:
        case RowType():
            return data_type.fields
        case ArrayType() | MultisetType() | VectorType():
            return _rows_in(data_type.element)
        case MapType():
            return (*_rows_in(data_type.key), *_rows_in(data_type.value))
        case _:
            return ()


DOTS = "•••"


def stand_in(key: bytes, column: str, text: str) -> str:
    """What is shown in place of a text: the same for the same one, and of no use without the key."""
    digest = hmac.new(key, f"{column}\0{text}".encode(), hashlib.sha256).hexdigest()
    return f"{DOTS}{digest[:12]}"


def _small(scope: Scope) -> Scope:
    parts = (scope.warehouse, scope.database, scope.table)
    return Scope(*(part if part is None else part.lower() for part in parts))
