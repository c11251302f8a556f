"""What changed between two schemas, field by field. Design: 6.10.

Fields are matched by id, never by name: a column that was dropped and added again under
its old name has a new id, and its values in old files cannot be read under it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.inspect.field_tree import FieldNode, flatten
from core.inspect.type_change import TypeChange, classify_type_change
from core.schema import TableSchema

MASK = "******"
_SENSITIVE = re.compile(r"secret|password|token|credential|(access|account|private)[-._]?key|sas\b", re.I)


class ChangeKind(StrEnum):
    ADDED = "added"
    DROPPED = "dropped"
    RECREATED = "recreated"
    RENAMED = "renamed"
    RETYPED = "retyped"
    NULLABILITY = "nullability"
    COMMENT = "comment"
    DEFAULT = "default"
    MOVED = "moved"


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One mark on a field; `before` and `after` are the values the mark speaks of."""

    kind: ChangeKind
    before: str | int | bool | None = None
    after: str | int | bool | None = None
    type_change: TypeChange | None = None  # of RETYPED
    other_id: int | None = None  # of RECREATED: the id of the same name on the other side


@dataclass(frozen=True, slots=True)
class FieldSide:
    """A field as one of the two schemas has it."""

    name: str
    path: str
    type: str  # SQL text, members of rows left out
    nullable: bool
    comment: str | None
    default: str | None
    position: int  # among its siblings, from 0
    is_primary_key: bool
    is_partition_key: bool


@dataclass(frozen=True, slots=True)
class FieldDiff:
    """One field id, on either or both sides."""

    id: int
    parent_id: int | None
    depth: int
    before: FieldSide | None
    after: FieldSide | None
    changes: tuple[FieldChange, ...]


@dataclass(frozen=True, slots=True)
class OptionChange:
    """An option that was added (no `before`), removed (no `after`) or changed; secrets are masked."""

    key: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class KeyChange:
    """Primary, partition or bucket keys that differ."""

    what: str
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SchemaDiff:
    """All differences; `fields` has every field of both sides, aligned for two columns."""

    from_id: int
    to_id: int
    fields: tuple[FieldDiff, ...]
    keys: tuple[KeyChange, ...]
    options: tuple[OptionChange, ...]
    comment: tuple[str | None, str | None] | None  # None: unchanged
    counts: Mapping[ChangeKind, int]  # fields a kind of change


def diff_schemas(before: TableSchema, after: TableSchema) -> SchemaDiff:
    """What leads from `before` to `after`; the same input gives the same output."""
    old, new = _by_id(before), _by_id(after)
    recreated = _recreated(old, new)
    moved = _moved(old, new)
    fields = tuple(
        FieldDiff(
            id=node.id,
            parent_id=node.parent_id,
            depth=node.depth,
            before=_side(before, old.get(node.id)),
            after=_side(after, new.get(node.id)),
            changes=tuple(_changes(old.get(node.id), new.get(node.id), recreated, moved)),
        )
        for node in _aligned(old, new)
    )
    return SchemaDiff(
        from_id=before.id,
        to_id=after.id,
        fields=fields,
        keys=tuple(_key_changes(before, after)),
        options=diff_options(before.options, after.options),
        comment=None if before.comment == after.comment else (before.comment, after.comment),
        counts=_counts(fields),
    )


def diff_options(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[OptionChange, ...]:
    """Options that differ, by key; values of sensitive keys are masked on both sides."""
    return tuple(
        OptionChange(key, mask_option(key, before.get(key)), mask_option(key, after.get(key)))
        for key in sorted(before.keys() | after.keys())
        if before.get(key) != after.get(key)
    )


def mask_option(key: str, value: str | None) -> str | None:
    """The value, or a mask where the key names a secret."""
    return MASK if value is not None and is_secret_option(key) else value


def is_secret_option(key: str) -> bool:
    """Whether the key names a secret."""
    return _SENSITIVE.search(key) is not None


def _by_id(schema: TableSchema) -> dict[int, FieldNode]:
    return {node.id: node for node in flatten(schema)}


def _changes(
    old: FieldNode | None,
    new: FieldNode | None,
    recreated: Mapping[int, int],
    moved: Mapping[int, tuple[int, int]],
) -> Iterator[FieldChange]:
    if old is None or new is None:
        node = old or new
        assert node is not None
        kind = ChangeKind.DROPPED if new is None else ChangeKind.ADDED
        other = recreated.get(node.id)
        yield FieldChange(kind) if other is None else FieldChange(ChangeKind.RECREATED, other_id=other)
        return
    a, b = old.field, new.field
    if a.name != b.name:
        yield FieldChange(ChangeKind.RENAMED, a.name, b.name)
    if old.outline != new.outline:
        change = classify_type_change(old.outline, new.outline)
        yield FieldChange(ChangeKind.RETYPED, old.type_text, new.type_text, type_change=change)
    if a.type.nullable != b.type.nullable:
        yield FieldChange(ChangeKind.NULLABILITY, a.type.nullable, b.type.nullable)
    if a.description != b.description:
        yield FieldChange(ChangeKind.COMMENT, a.description, b.description)
    if a.default_value != b.default_value:
        yield FieldChange(ChangeKind.DEFAULT, a.default_value, b.default_value)
    if new.id in moved:
        yield FieldChange(ChangeKind.MOVED, *moved[new.id])


def _recreated(old: Mapping[int, FieldNode], new: Mapping[int, FieldNode]) -> dict[int, int]:
    """Dropped and added fields of one path, each with the other's id."""
    dropped = {node.path: node.id for node in old.values() if node.id not in new}
    added = {node.path: node.id for node in new.values() if node.id not in old}
    pairs = [(dropped[path], added[path]) for path in dropped.keys() & added.keys()]
    return {**dict(pairs), **{b: a for a, b in pairs}}


def _moved(old: Mapping[int, FieldNode], new: Mapping[int, FieldNode]) -> dict[int, tuple[int, int]]:
    """Positions before and after of the fields that left the longest common order of siblings."""
    siblings: dict[int | None, list[FieldNode]] = defaultdict(list)
    for node in new.values():
        if node.id in old and old[node.id].parent_id == node.parent_id:
            siblings[node.parent_id].append(node)
    moved = {}
    for nodes in siblings.values():
        stays = longest_ascending([old[node.id].position for node in nodes])
        for index, node in enumerate(nodes):
            if index not in stays:
                moved[node.id] = (old[node.id].position, node.position)
    return moved


def longest_ascending(values: Sequence[int]) -> set[int]:
    """Indexes of a longest ascending subsequence of distinct values.

    With both orders numbered by one of them, that is the longest common subsequence.
    """
    tails: list[int] = []  # the smallest last value of each length
    at: list[int] = []  # where that value stands
    previous: list[int | None] = []
    for index, value in enumerate(values):
        length = bisect_left(tails, value)
        previous.append(at[length - 1] if length else None)
        tails[length : length + 1] = [value]
        at[length : length + 1] = [index]
    chosen: set[int] = set()
    current = at[-1] if at else None
    while current is not None:
        chosen.add(current)
        current = previous[current]
    return chosen


def _aligned(old: Mapping[int, FieldNode], new: Mapping[int, FieldNode]) -> Iterator[FieldNode]:
    """Fields in the new order; a dropped one follows the sibling that stood before it."""
    children: dict[int | None, list[FieldNode]] = defaultdict(list)
    for node in new.values():
        children[node.parent_id].append(node)
    for node in old.values():
        if node.id not in new:
            _insert_dropped(children[node.parent_id], node, old)
    yield from _walk(children, None)


def _insert_dropped(siblings: list[FieldNode], dropped: FieldNode, old: Mapping[int, FieldNode]) -> None:
    before = {
        node.id
        for node in old.values()
        if node.parent_id == dropped.parent_id and node.position < dropped.position
    }
    last = max((i for i, node in enumerate(siblings) if node.id in before), default=-1)
    siblings.insert(last + 1, dropped)


def _walk(children: Mapping[int | None, Sequence[FieldNode]], parent: int | None) -> Iterator[FieldNode]:
    for node in children.get(parent, ()):
        yield node
        yield from _walk(children, node.id)


def _side(schema: TableSchema, node: FieldNode | None) -> FieldSide | None:
    if node is None:
        return None
    top = node.depth == 0
    return FieldSide(
        name=node.field.name,
        path=node.path,
        type=node.type_text,
        nullable=node.field.type.nullable,
        comment=node.field.description,
        default=node.field.default_value,
        position=node.position,
        is_primary_key=top and node.field.name in schema.primary_keys,
        is_partition_key=top and node.field.name in schema.partition_keys,
    )


def _key_changes(before: TableSchema, after: TableSchema) -> Iterator[KeyChange]:
    for what, old, new in (
        ("primary keys", before.primary_keys, after.primary_keys),
        ("partition keys", before.partition_keys, after.partition_keys),
        ("bucket keys", before.bucket_keys, after.bucket_keys),
    ):
        if old != new:
            yield KeyChange(what, old, new)


def _counts(fields: Iterable[FieldDiff]) -> dict[ChangeKind, int]:
    counts = dict.fromkeys(ChangeKind, 0)
    for field in fields:
        for change in field.changes:
            # A re-created field shows on both sides and is one.
            counts[change.kind] += change.kind is not ChangeKind.RECREATED or field.after is not None
    return counts
