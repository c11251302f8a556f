"""Every action of maintenance on a table that gives it something to do, for tests of crashes."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from core.commit import TableCommit
from core.maintenance import Guard, apply_rollback, plan_rollback
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
from core.maintenance.rewrite_file_index import apply_rewrite_file_index, plan_rewrite_file_index
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
from core.schema.changes import SetOption
from core.snapshot import Consumer, Tag
from core.table import Table
from tests.core.maintenance.tables import later, tag
from tests.crashes import Case, new_table
from tests.crashes.writes import elsewhere, told_by_lookup
from tests.tables import compact, data_paths, prepare, put

# --- tables ----------------------------------------------------------------------------------------


def three() -> Table:
    """Snapshots 1 to 3, the last a compaction; a tag on the first."""
    table = new_table({"id": "INT NOT NULL", "v": "STRING"}, ["id"])
    put(table, (1, "a"))
    put(table, (1, "b"))
    compact(table)
    tag(table, "first", 1)
    return table


def decoupled() -> Table:
    """The same with changelogs that outlive snapshots."""
    longer = {"changelog__num_retained__min": "50", "changelog__num_retained__max": "50"}
    table = new_table({"id": "INT NOT NULL", "v": "STRING"}, ["id"], **longer)
    put(table, (1, "a"))
    put(table, (1, "b"))
    compact(table)
    return table


def changelogs() -> Table:
    """Changelogs 1 and 2, snapshot 3."""
    table = decoupled()
    expire_snapshots(table)
    return table


def littered() -> Table:
    """A table with files that were never committed, and with those of a snapshot that is gone."""
    table = three()
    prepare(table, [(2, "lost")])
    table.snapshots.delete(3)
    table.snapshots.write_hint(2)
    return table


def littered_elsewhere() -> Table:
    table = elsewhere()
    prepare(table, [(2, "lost")])
    return table


def only_tagged() -> Table:
    """Snapshot 3; a tag on the first, which is gone."""
    table = three()
    expire_snapshots(table)
    return table


def mortal_tags() -> Table:
    """Snapshot 3; two tags, one of which does not live long."""
    table = only_tagged()
    long_ago = datetime(2020, 1, 1)
    table.tags.create(Tag("short", table.snapshots.get(3), long_ago, timedelta(days=1)))
    return table


def past_the_tag() -> Table:
    """Snapshots 2 and 3; the first is in its tag alone."""
    table = three()
    table.snapshots.delete(1)
    table.snapshots.write_earliest_hint(2)
    return table


def branched() -> Table:
    """Main at 3, branch dev at 2 of its own; both have 1."""
    table = three()
    table.branches.create("dev", from_tag="first")
    put(table.with_branch("dev"), (7, "b"))
    return table


def consumed() -> Table:
    """Two consumers on the second snapshot."""
    table = three()
    for name in ("one", "two"):
        table.consumers.put(Consumer(name, 2))
    return table


def partitioned() -> Table:
    """Four days, of which the first two are old; two go at once."""
    columns = {"dt": "STRING NOT NULL", "v": "STRING"}
    batches = {"partition__expiration_time": "10 d", "partition__expiration_batch_size": "1"}
    table = new_table(columns, bucket="-1", partition=["dt"], **batches)
    put(table, *((f"2024-05-{day}", "a") for day in ("01", "02", "20", "21")))
    return table


def daily() -> Table:
    """Makes a tag a day of itself, and keeps one; an old one is there."""
    kept = {"tag__automatic_creation": "process-time", "tag__num_retained_max": "1"}
    table = new_table({"id": "INT NOT NULL", "v": "STRING"}, ["id"], sink__process_time_zone="UTC", **kept)
    put(table, (1, "a"))
    tag(table, "2020-01-01", 1)
    put(table, (1, "b"))
    compact(table)
    table.snapshots.delete(1)
    table.snapshots.write_earliest_hint(2)
    return table


def bucketed() -> Table:
    """Two days in two buckets each."""
    table = new_table(
        {"dt": "STRING NOT NULL", "id": "INT NOT NULL"}, ["dt", "id"], partition=["dt"], bucket="2"
    )
    put(table, *((day, i) for day in ("d1", "d2") for i in range(4)))
    return table


def unindexed() -> Table:
    """Two files without the indexes that the table asks for by now."""
    table = new_table({"id": "INT", "v": "STRING"}, bucket="-1")
    for i in range(2):
        put(table, (i, "a"))
    indexed = {"file-index.bitmap.columns": "v", "file-index.in-manifest-threshold": "1 B"}
    return table.alter([SetOption(key, value) for key, value in indexed.items()])


def lossy() -> Table:
    """One of three files is lost."""
    table = new_table({"id": "INT", "v": "STRING"}, bucket="-1")
    for i in range(3):
        put(table, (i, "a"))
    table.io.delete(min(data_paths(table)))
    return table


def misled() -> Table:
    """Both hints are wrong."""
    table = three()
    table.snapshots.write_hint(9)
    table.snapshots.write_earliest_hint(9)
    return table


# --- actions ---------------------------------------------------------------------------------------


def expire_snapshots(table: Table) -> None:
    plan = plan_expire_snapshots(table, now_millis=later(table), retain_min=1)
    apply_expire_snapshots(table, plan)


def expire_changelogs(table: Table) -> None:
    plan = plan_expire_changelogs(table, now_millis=later(table), retain_min=1, retain_max=50)
    apply_expire_changelogs(table, plan)


def remove_orphans(table: Table) -> None:
    apply_remove_orphans(table, plan_remove_orphans(table, now_millis=later(table, 48)))


def remove_orphans_elsewhere(table: Table) -> None:
    plan = plan_remove_orphans(table, now_millis=later(table, 48), external_paths=True)
    apply_remove_orphans(table, plan)


def create_tag(table: Table) -> None:
    plan = plan_create_tag(table, "new", now_millis=0, snapshot_id=2)
    if not plan.blockers:
        apply_create_tag(table, plan)


def delete_tag(table: Table) -> None:
    apply_delete_tags(table, plan_delete_tags(table, ["first"]))


def replace_tag(table: Table) -> None:
    apply_replace_tag(table, plan_replace_tag(table, "first", now_millis=0))


def rename_tag(table: Table) -> None:
    if table.tags.exists("first"):
        apply_rename_tag(table, plan_rename_tag(table, "first", "renamed"))


def expire_tags(table: Table) -> None:
    apply_delete_tags(table, plan_expire_tags(table, now_millis=later(table)))


def auto_tags(table: Table) -> None:
    apply_auto_tags(table, plan_auto_tags(table, now_millis=later(table, 48)))


def create_branch(table: Table) -> None:
    plan = plan_create_branch(table, "new", tag="first")
    if not plan.blockers:
        apply_create_branch(table, plan)


def create_branch_of_a_snapshot(table: Table) -> None:
    plan = plan_create_branch(table, "new", snapshot_id=2)
    if not table.branches.exists("new") or plan.remakes:
        apply_create_branch(table, replace(plan, blockers=()))


def rename_branch(table: Table) -> None:
    if table.branches.exists("dev"):
        apply_rename_branch(table, plan_rename_branch(table, "dev", "renamed"))


def delete_branch(table: Table) -> None:
    if table.branches.exists("dev"):
        apply_delete_branch(table, plan_delete_branch(table, "dev"))


def fast_forward(table: Table) -> None:
    apply_fast_forward(table, plan_fast_forward(table, "dev"))


def reset_consumer(table: Table) -> None:
    apply_reset_consumer(table, plan_reset_consumer(table, "one", 3))


def clear_consumers(table: Table) -> None:
    apply_delete_consumers(table, plan_clear_consumers(table))


def expire_consumers(table: Table) -> None:
    rest = timedelta(hours=1)
    plan = plan_expire_consumers(table, now_millis=later(table), expiration_time=rest)
    apply_delete_consumers(table, plan)


def drop_partitions(table: Table) -> None:
    plan = plan_drop_partitions(table, [{"dt": "2024-05-20"}])
    apply_drop_partitions(table, plan, "dropper")


def expire_partitions(table: Table) -> None:
    plan = plan_expire_partitions(table, now=datetime(2024, 5, 22))
    apply_drop_partitions(table, plan, "expirer")


def mark_done(table: Table) -> None:
    plan = plan_mark_done(table, [{"dt": "2024-05-20"}, {"dt": "2024-05-21"}])
    apply_mark_done(table, plan, now_millis=0)


def remove_missing(table: Table) -> None:
    apply_remove_missing(table, plan_remove_missing(table), "remover")


def repair_hints(table: Table) -> None:
    apply_repair_hints(table, plan_repair_hints(table))


def compact_manifests(table: Table) -> None:
    apply_compact_manifests(table, plan_compact_manifests(table), "compactor")


def rescale(table: Table) -> None:
    apply_rescale(table, plan_rescale(table, 3), "rescaler")


def rewrite_file_index(table: Table) -> None:
    apply_rewrite_file_index(table, plan_rewrite_file_index(table), "indexer")


def restore(table: Table) -> None:
    commit = TableCommit(table, "restorer")
    if commit.filter_committed([5]):
        apply_restore(table, plan_restore(table, 2, now_millis=0), "restorer", 5)


def roll_back_to_a_time(table: Table) -> None:
    second = table.snapshots.get(2).time_millis
    apply_rollback(table, plan_rollback(table, timestamp_millis=second))


def roll_back_with_a_guard(table: Table) -> None:
    apply_rollback(table, plan_rollback(table, 1), guard=Guard("guard"))


def roll_back_to_a_tag(table: Table) -> None:
    apply_rollback(table, plan_rollback(table, tag="first"))


def analyze(table: Table) -> None:
    if TableCommit(table, "analyst").filter_committed([5]):
        apply_analyze(table, plan_analyze(table), "analyst", 5)


def purge(table: Table) -> None:
    apply_purge(table, plan_purge(table, now_millis=later(table)), "purger")


CASES = [
    Case(three, expire_snapshots),
    Case(decoupled, expire_snapshots),
    Case(elsewhere, expire_snapshots),
    Case(told_by_lookup, expire_snapshots),
    Case(changelogs, expire_changelogs),
    Case(littered, remove_orphans),
    Case(littered_elsewhere, remove_orphans_elsewhere),
    Case(three, create_tag),
    Case(only_tagged, delete_tag),
    Case(only_tagged, replace_tag),
    Case(only_tagged, rename_tag),
    Case(mortal_tags, expire_tags),
    Case(daily, auto_tags),
    Case(three, create_branch),
    Case(three, create_branch_of_a_snapshot),
    Case(branched, rename_branch),
    Case(branched, delete_branch),
    Case(branched, fast_forward),
    Case(consumed, reset_consumer),
    Case(consumed, clear_consumers),
    Case(consumed, expire_consumers),
    Case(partitioned, drop_partitions),
    Case(partitioned, expire_partitions),
    Case(partitioned, mark_done),
    Case(lossy, remove_missing),
    Case(misled, repair_hints),
    Case(three, compact_manifests),
    Case(bucketed, rescale),
    Case(unindexed, rewrite_file_index),
    Case(branched, restore),
    Case(three, roll_back_to_a_time),
    Case(three, roll_back_with_a_guard),
    Case(past_the_tag, roll_back_to_a_tag),
    Case(three, analyze),
    Case(branched, purge),
]
