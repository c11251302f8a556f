"""Tables of ours with a past, each maintained in one way: what peers read, write to and expire."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from core.arrow import arrow_schema
from core.catalog import Catalog, open_catalog
from core.commit import TableCommit
from core.maintenance import apply_rollback, plan_rollback
from core.maintenance.analyze import apply_analyze, plan_analyze
from core.maintenance.branches import (
    apply_create_branch,
    apply_delete_branch,
    apply_fast_forward,
    apply_rename_branch,
    plan_create_branch,
    plan_delete_branch,
    plan_fast_forward,
    plan_rename_branch,
)
from core.maintenance.compact_manifests import apply_compact_manifests, plan_compact_manifests
from core.maintenance.consumers import (
    apply_delete_consumers,
    apply_reset_consumer,
    plan_clear_consumers,
    plan_expire_consumers,
    plan_reset_consumer,
)
from core.maintenance.expire import (
    apply_expire_changelogs,
    apply_expire_snapshots,
    plan_expire_changelogs,
    plan_expire_snapshots,
)
from core.maintenance.partitions import (
    apply_drop_partitions,
    apply_mark_done,
    plan_drop_partitions,
    plan_expire_partitions,
    plan_mark_done,
)
from core.maintenance.purge import apply_purge, plan_purge
from core.maintenance.remove_missing import apply_remove_missing, plan_remove_missing
from core.maintenance.remove_orphans import apply_remove_orphans, plan_remove_orphans
from core.maintenance.repair_hints import apply_repair_hints, plan_repair_hints
from core.maintenance.rescale import apply_rescale, plan_rescale
from core.maintenance.restore import apply_restore, plan_restore
from core.maintenance.tags import (
    apply_auto_tags,
    apply_create_tag,
    apply_delete_tags,
    apply_rename_tag,
    apply_replace_tag,
    plan_auto_tags,
    plan_create_tag,
    plan_delete_tags,
    plan_expire_tags,
    plan_rename_tag,
    plan_replace_tag,
)
from core.options import PartitionExpireStrategy
from core.table import Table
from core.types import DataField, parse_type
from core.write import TableWrite, plan_compaction, run_task
from tests.interop.values import arrow_table

COLUMNS = {"id": "INT NOT NULL", "v": "STRING", "dt": "STRING NOT NULL"}
DAY = 86_400_000  # milliseconds
USER = "ours"


def put(table: Table, *rows: tuple[int, str]) -> None:
    """Rows by id and value; the day of a row is `d0` or `d1`, by its id."""
    values = [[k, v, f"d{k % 2}"] for k, v in rows]
    with TableWrite(table) as writer:
        writer.write(arrow_table(values, arrow_schema(table.schema.fields)))
        TableCommit(table, USER).commit(writer.prepare_commit())


def compact(table: Table) -> None:
    plan = plan_compaction(table)
    TableCommit(table, USER).commit([run_task(table, task) for task in plan.tasks])


def later(table: Table) -> int:
    latest = table.snapshots.latest()
    assert latest is not None
    return latest.time_millis + 2 * DAY


def expire(table: Table, keep: int = 1) -> None:
    plan = plan_expire_snapshots(table, now_millis=later(table), retain_min=keep)
    assert plan.expired
    apply_expire_snapshots(table, plan)


def clean(table: Table) -> None:
    apply_remove_orphans(table, plan_remove_orphans(table, now_millis=later(table)))


# --- ways to maintain a table ----------------------------------------------------------------------


def expired(table: Table) -> None:
    expire(table, 2)


def expired_with_tags(table: Table) -> None:
    for i in (1, 2, 4):
        apply_create_tag(table, plan_create_tag(table, f"v{i}", now_millis=0, snapshot_id=i))
    expire(table)
    apply_delete_tags(table, plan_delete_tags(table, ["v4"]))
    apply_replace_tag(table, plan_replace_tag(table, "v2", now_millis=0))
    apply_rename_tag(table, plan_rename_tag(table, "v1", "first"))


def changelogs(table: Table) -> None:
    expire(table)
    plan = plan_expire_changelogs(table, now_millis=later(table), retain_min=3, retain_max=4)
    assert plan.expired
    apply_expire_changelogs(table, plan)


def cleaned(table: Table) -> None:
    apply_rollback(table, plan_rollback(table, 3))
    clean(table)


def rolled_back_to_a_time(table: Table) -> None:
    fourth = table.snapshots.get(4)
    apply_rollback(table, plan_rollback(table, timestamp_millis=fourth.time_millis))


def branched(table: Table) -> None:
    branch = apply_create_branch(table, plan_create_branch(table, "dev", snapshot_id=2))
    put(branch, (7, "branch"))
    apply_rename_branch(table, plan_rename_branch(table, "dev", "renamed"))
    expire(table)
    clean(table)


def forwarded(table: Table) -> None:
    put(apply_create_branch(table, plan_create_branch(table, "dev", snapshot_id=2)), (7, "branch"))
    apply_fast_forward(table, plan_fast_forward(table, "dev"))
    # Java's expiration of main does not see what the branch now shares with it.
    apply_delete_branch(table, plan_delete_branch(table, "dev"))
    clean(table)


def restored(table: Table) -> None:
    apply_restore(table, plan_restore(table, 2, now_millis=0), USER)
    expire(table)


def consumed(table: Table) -> None:
    for consumer, snapshot in (("one", 2), ("two", 4)):
        apply_reset_consumer(table, plan_reset_consumer(table, consumer, snapshot))
    apply_reset_consumer(table, plan_reset_consumer(table, "one"))
    expire(table)
    assert table.snapshots.ids() == [4, 5]
    apply_delete_consumers(table, plan_clear_consumers(table))
    apply_reset_consumer(table, plan_reset_consumer(table, "late", 5))
    late = plan_expire_consumers(table, now_millis=later(table), expiration_time=timedelta(days=1))
    apply_delete_consumers(table, late)
    assert table.consumers.list() == []


def partitions_gone(table: Table) -> None:
    apply_drop_partitions(table, plan_drop_partitions(table, [{"dt": "d0"}]), USER)
    apply_mark_done(table, plan_mark_done(table, [{"dt": "d1"}]), now_millis=0)
    expire(table)


def partitions_expired(table: Table) -> None:
    now = datetime.fromtimestamp(later(table) / 1000)
    age, strategy = timedelta(days=1), PartitionExpireStrategy.UPDATE_TIME
    plan = plan_expire_partitions(table, now=now, expiration_time=age, strategy=strategy)
    apply_drop_partitions(table, plan, USER)
    assert table.to_arrow().num_rows == 0
    put(table, (1, "since"))


def tags_of_themselves(table: Table) -> None:
    apply_auto_tags(table, plan_auto_tags(table, now_millis=later(table)))
    hour = timedelta(hours=1)
    apply_create_tag(table, plan_create_tag(table, "short", now_millis=0, snapshot_id=2, time_retained=hour))
    made = table.tags.names()
    apply_delete_tags(table, plan_expire_tags(table, now_millis=later(table)))
    assert [*table.tags.names(), "short"] == made
    expire(table)


def manifests_compacted(table: Table) -> None:
    apply_compact_manifests(table, plan_compact_manifests(table), USER)
    expire(table)


def analyzed(table: Table) -> None:
    apply_analyze(table, plan_analyze(table), USER)
    put(table, (1, "since"))


def rescaled(table: Table) -> None:
    apply_rescale(table, plan_rescale(table, 3), USER)


def mended(table: Table) -> None:
    """A file is lost and taken out, and both hints are put right."""
    latest = table.snapshots.latest()
    assert latest is not None
    file = next(e.file for e in table.manifests.live_entries(latest).entries() if e.file.level == 0)
    (path,) = [s.path for s in table.io.iter_tree(table.location) if s.path.endswith(file.file_name)]
    table.io.delete(path)
    apply_remove_missing(table, plan_remove_missing(table), USER)
    expire(table)
    table.snapshots.write_hint(99)
    table.snapshots.write_earliest_hint(99)
    apply_repair_hints(table, plan_repair_hints(table))


def purged(table: Table) -> None:
    apply_purge(table, plan_purge(table, now_millis=later(table)), USER)
    put(table, (1, "again"))


WAYS: dict[str, Callable[[Table], None]] = {
    way.__name__: way
    for way in (
        *(expired, expired_with_tags, changelogs, cleaned, rolled_back_to_a_time, branched, forwarded),
        *(restored, consumed, partitions_gone, partitions_expired, tags_of_themselves, manifests_compacted),
        *(analyzed, rescaled, mended, purged),
    )
}
_OPTIONS = {
    "changelogs": {"changelog.num-retained.min": "20", "changelog.num-retained.max": "30"},
    "tags_of_themselves": {"tag.automatic-creation": "process-time", "sink.process-time-zone": "UTC"},
}


def make(catalog: Catalog, name: str) -> Table:
    """Snapshots 1 to 5, the third a compaction."""
    fields = [DataField(i, column, parse_type(text)) for i, (column, text) in enumerate(COLUMNS.items())]
    table = catalog.create_table(
        f"ours.{name}",
        fields,
        primary_keys=["dt", "id"],
        partition_keys=["dt"],
        options={"bucket": "2", "write-only": "true", **_OPTIONS.get(name, {})},
    )
    for i in (1, 2):
        put(table, *((k, f"v{i}") for k in range(i, i + 5)))
    compact(table)
    for i in (4, 5):
        put(table, *((k, f"v{i}") for k in range(i, i + 5)))
    return table


def maintain_all(folder: Path) -> None:
    """A warehouse with a table of each way."""
    catalog = open_catalog(str(folder))
    catalog.create_database("ours")
    for name, way in WAYS.items():
        way(make(catalog, name))
