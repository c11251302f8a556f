"""Takes back the newest schemas of a table, as long as nothing was committed with them. Spec: 04, C4.

Theory. The newest schema file goes last, so the table has its schema until all is done: what a crash leaves
lacks schemas in between, which nothing was written with. Whoever committed with one of them meanwhile is
found by looking again behind that, and then they are put back.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from core.errors import AlreadyExistsError, CommitConflictError, InvalidRequestError, NotFoundError
from core.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaRollbackPlan:
    target: int
    removed: tuple[int, ...]  # ids, ascending


def plan_rollback_schema(table: Table, schema_id: int) -> SchemaRollbackPlan:
    """What goes so that a schema is the latest of the table or branch.

    Raises:
        NotFoundError: there is no such schema.
        InvalidRequestError: a snapshot, tag or changelog has a later one.
    """
    ids = table.schemas.ids()
    if schema_id not in ids:
        raise NotFoundError("schema not found", schema_id=schema_id, table=str(table.identifier))
    used = next(_users(table, schema_id), None)
    if used is not None:
        raise InvalidRequestError(
            "a later schema is in use: roll the table back first, or change the schema forwards",
            schema_id=schema_id,
            used=used[1],
            by=used[0],
        )
    return SchemaRollbackPlan(target=schema_id, removed=tuple(i for i in ids if i > schema_id))


def apply_rollback_schema(table: Table, plan: SchemaRollbackPlan) -> None:
    """Take them away.

    Raises:
        CommitConflictError: the table has got another schema since the plan, or a commit with one of those
            that were to go; they are there as before.
    """
    newest = table.schemas.ids()[-1]
    if newest != (plan.target, *plan.removed)[-1]:
        raise CommitConflictError(
            "the schema was changed since the plan", found=newest, table=str(table.identifier)
        )
    paths = [table.paths.schema_file(schema_id) for schema_id in plan.removed]
    kept = {path: table.io.read(path) for path in paths}
    for path in paths:
        table.io.delete(path)
    used = next(_users(table, plan.target), None)
    if used is not None:
        for path, data in kept.items():
            with suppress(AlreadyExistsError):
                table.io.create(path, data)
        raise CommitConflictError(
            "somebody has committed with a later schema meanwhile; nothing was changed",
            used=used[1],
            by=used[0],
        )


def _users(table: Table, target: int) -> Iterator[tuple[str, int]]:
    """What has a later schema than the target: its name, and the schema's id."""
    named = (
        *((f"snapshot {s.id}", s) for s in table.snapshots.iter_all()),
        *((f"tag {tag.name}", tag.snapshot) for tag in table.tags.list()),
        *((f"changelog {s.id}", s) for s in table.changelogs.iter_all()),
    )
    yield from ((name, s.schema_id) for name, s in named if s.schema_id > target)
