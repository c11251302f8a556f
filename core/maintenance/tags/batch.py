"""The tag that a batch job leaves: `tag.automatic-creation` = batch. Spec: 08, 8.

It is of the latest snapshot, and is named for the day of it, or as `tag.batch.customized-name` says. A job
of the same day takes the name over. `tag.num-retained-max` counts all tags here, the oldest snapshots' first.
"""

from __future__ import annotations

from core.errors import NotFoundError
from core.maintenance.tags.automatic import AutoTagPlan, wall_clock_of
from core.maintenance.tags.create import tag_of
from core.maintenance.tags.replace import plan_replace_tag
from core.options import TAG_BATCH_NAME, TAG_NUM_RETAINED_MAX
from core.table import Table

_PREFIX = "batch-write-"


def plan_batch_tag(table: Table, *, now_millis: int) -> AutoTagPlan:
    """The tag of the latest snapshot, and those that are too many then; empty where there is no snapshot.

    Raises:
        InvalidRequestError: the options make no sense.
    """
    latest = table.snapshots.latest()
    if latest is None:
        return AutoTagPlan(created=(), removed=(), now_millis=now_millis)
    name = table.options.get(TAG_BATCH_NAME) or f"{_PREFIX}{wall_clock_of(table, latest):%Y-%m-%d}"
    tag = tag_of(table, name, latest, now_millis, None)
    try:
        is_new, is_made = False, table.tags.get(name).snapshot.identity == latest.identity
    except NotFoundError:
        is_new, is_made = True, False
    old = None if is_new or is_made else plan_replace_tag(table, name, now_millis=now_millis)
    others = sorted((t for t in table.tags.list() if t.name != name), key=lambda t: (t.snapshot.id, t.name))
    most = table.options.get(TAG_NUM_RETAINED_MAX)
    too_many = 0 if most is None else max(len(others) + 1 - most, 0)
    return AutoTagPlan(
        created=(tag,) if is_new else (),
        removed=tuple(other.name for other in others[:too_many]),
        now_millis=now_millis,
        replaced=old,
    )
