"""Sets and removes options of a table: what the next schema would be, and that schema made. Spec: 09, 1."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.errors import CommitConflictError, InvalidRequestError
from core.schema import TableSchema
from core.schema.alter import apply_changes
from core.schema.changes import RemoveOption, SetOption
from core.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class AlterOptionsPlan:
    schema: int  # the id of the one that was looked at
    before: Mapping[str, str]  # its options, secrets among them
    after: Mapping[str, str]
    asked: tuple[SetOption | RemoveOption, ...]

    @property
    def changes_nothing(self) -> bool:
        return self.before == self.after


def plan_alter_options(
    table: Table, set_options: Mapping[str, str], removed: Sequence[str] = ()
) -> AlterOptionsPlan:
    """What the latest schema would become, held against the rules of a schema; nothing is written.

    Raises:
        InvalidRequestError: a key that is both set and removed, an option that may not change, or what the
            changed schema breaks of the rules of page 09, 5.
        UnsupportedError: the changed table could not be read.
    """
    both = sorted(set_options.keys() & set(removed))
    if both:
        raise InvalidRequestError("an option is set or removed, not both", option=both[0])
    asked: tuple[SetOption | RemoveOption, ...] = (
        *(SetOption(key, value) for key, value in set_options.items()),
        *(RemoveOption(key) for key in removed),
    )
    latest = table.schemas.latest()
    after = _changed(table, latest, asked)
    return AlterOptionsPlan(schema=latest.id, before=latest.options, after=after.options, asked=asked)


def apply_alter_options(table: Table, plan: AlterOptionsPlan) -> TableSchema:
    """The schema with the options; the latest one where that changes nothing.

    Raises:
        CommitConflictError: somebody has changed the schema since the plan; nothing is done.
        InvalidRequestError: as `plan_alter_options`.
    """
    found = table.schemas.latest().id
    if found != plan.schema:
        raise CommitConflictError("the schema has changed since the plan", base=plan.schema, winner=found)
    table.alter(plan.asked)
    return table.schemas.latest()


def _changed(table: Table, latest: TableSchema, asked: Sequence[SetOption | RemoveOption]) -> TableSchema:
    has_snapshots = table.snapshots.latest_id() is not None
    return apply_changes(latest, asked, has_snapshots=has_snapshots, time_millis=time.time_ns() // 1_000_000)
