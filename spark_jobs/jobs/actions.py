"""Jobs that are actions of `core.cli.actions`: metadata only, so the driver does them and starts no Spark.

What is planned and done stands there, under the same name; a row here says what is looked at afterwards,
and how a later run finds that there is nothing left to do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from core import Table
from core.cli.actions import ACTIONS, Asked
from core.errors import NotFoundError
from core.maintenance.partitions import DropPartitionsPlan
from core.maintenance.reach import NamedFiles
from core.maintenance.repair_hints import plan_repair_hints
from core.maintenance.tags.create import snapshot_for_tag
from core.snapshot import Snapshot
from core.system.placement import Partitions
from core.write.partition_spec import partition_test
from spark_jobs.jobs.steps import Job, Outcome, Run, check_history
from spark_jobs.jobs.verified import Facts, Layout, made_snapshots, not_true, nothing_lost

_Verify = Callable[[Table, Any, Outcome, Any], Facts]  # the table anew, plan, outcome, what was asked


def action_job(
    name: str,
    verify: _Verify,
    *,
    commits: bool = False,
    finished: Callable[[Run], str | None] = lambda run: None,
    check: Callable[[Any, Any], None] = lambda plan, work: None,
    narrow: Callable[[Run, Any], Any] = lambda run, plan: plan,
) -> Job:
    """The job that is the action of this name.

    `check` refuses a plan that is not the one confirmed; `narrow` leaves of it what was.
    """
    action = ACTIONS[name]

    def plan(run: Run) -> Any:
        found = action.plan(run.table, _asked(run))
        check(found, run.work)
        return narrow(run, found)

    def apply(run: Run, plan: Any) -> Outcome:
        done = action.apply(run.table, plan, _asked(run))
        return _outcome(done, run.user)

    return Job(
        plan=plan,
        apply=apply,
        verify=lambda run, plan, outcome: verify(run.table_now(), plan, outcome, run.work),
        commits=commits,
        finished=finished,
    )


def _asked(run: Run) -> Asked:
    return Asked(run.work, run.now_millis, run.user, run.told(run.spec.kind, "files"))


def _outcome(done: object, user: str) -> Outcome:
    """What an action gave back, as every job tells it."""
    match done:
        case NamedFiles():
            metrics = {"files_deleted": len(done), "bytes_deleted": done.size}
            return Outcome(metrics=metrics, deleted=done)
        case Snapshot() if done.commit_user == user:
            return Outcome(snapshots=(done,))
        case list():
            return Outcome(snapshots=tuple(done))
    return Outcome()


def _expired(table: Table, plan: Any, outcome: Outcome, work: Any) -> Facts:
    ids = table.snapshots.ids()
    left = [s.id for s in plan.expired if s.id in ids]
    if left:
        not_true("a snapshot that was to go is there", snapshot=left[0])
    return {
        "earliest": ids[0] if ids else None,
        "snapshots_left": len(ids),
        **nothing_lost(table, outcome.deleted),
    }


def _changelogs_expired(table: Table, plan: Any, outcome: Outcome, work: Any) -> Facts:
    ids = table.changelogs.ids()
    left = [s.id for s in plan.expired if s.id in ids]
    if left:
        not_true("a changelog that was to go is there", changelog=left[0])
    return {"changelogs_left": len(ids), **nothing_lost(table, outcome.deleted)}


def _tag_made(table: Table, plan: Any, outcome: Outcome, work: Any) -> Facts:
    found = table.tags.get(plan.tag.name).snapshot
    if found.identity != plan.tag.snapshot.identity:
        not_true("the tag names another snapshot", tag=plan.tag.name, found=found.reference)
    kept = Layout.of(table, found)
    facts = {"tag": plan.tag.name, "snapshot": found.reference, "files_kept": len(kept.names)}
    return {**facts, **nothing_lost(table, outcome.deleted)}


def _tag_renamed(table: Table, plan: Any, outcome: Outcome, work: Any) -> Facts:
    if table.tags.exists(plan.tag.name):
        not_true("the old tag is there", tag=plan.tag.name)
    return _tag_made(table, replace(plan, tag=replace(plan.tag, name=plan.name)), outcome, work)


def _tags_deleted(table: Table, plan: Any, outcome: Outcome, work: Any) -> Facts:
    left = [tag.name for tag in plan.tags if table.tags.exists(tag.name)]
    if left:
        not_true("a tag that was to go is there", tag=left[0])
    return {"tags_deleted": [tag.name for tag in plan.tags], **nothing_lost(table, outcome.deleted)}


def _auto_tags_made(table: Table, plan: Any, outcome: Outcome, work: Any) -> Facts:
    names = set(table.tags.names())
    missing = [tag.name for tag in plan.created if tag.name not in names]
    if missing:
        not_true("a tag that was to be made is missing", tag=missing[0])
    return {"tags_made": [t.name for t in plan.created], **nothing_lost(table, outcome.deleted)}


def _branch_made(table: Table, plan: Any, outcome: Outcome, work: Any) -> Facts:
    head = table.with_branch(plan.name).snapshots.latest()
    return {"branch": plan.name, "stands_at": head.reference if head else None}


def _branch_renamed(table: Table, plan: Any, outcome: Outcome, work: Any) -> Facts:
    if table.branches.exists(plan.name):
        not_true("the old branch is there", branch=plan.name)
    return _branch_made(table, replace(plan, name=plan.new_name), outcome, work)


def _branch_deleted(table: Table, plan: Any, outcome: Outcome, work: Any) -> Facts:
    if table.branches.exists(plan.name):
        not_true("the branch is there", branch=plan.name)
    return {"branches": table.branches.names()}


def _fast_forwarded(table: Table, plan: Any, outcome: Outcome, work: Any) -> Facts:
    head = plan.head
    if head is None or table.snapshots.get(head.id).identity != head.identity:
        not_true("main does not hold the head of the branch", branch=plan.branch)
    return {"main_holds": head.reference, "rows_in_files": Layout.of(table, head).rows}


def _consumer_moved(table: Table, plan: Any, outcome: Outcome, work: Any) -> Facts:
    there = plan.consumer in table.consumers.ids()
    if there != (plan.after is not None):
        not_true("the consumer is not as it was asked for", consumer=plan.consumer)
    found = table.consumers.get(plan.consumer).next_snapshot if there else None
    return {"consumer": plan.consumer, "next_snapshot": found}


def _consumers_gone(table: Table, plan: Any, outcome: Outcome, work: Any) -> Facts:
    left = sorted(set(plan.consumers) & set(table.consumers.ids()))
    if left:
        not_true("a consumer that was to go is there", consumer=left[0])
    return {"consumers_forgotten": list(plan.consumers), "consumers_left": table.consumers.ids()}


def _check_base(plan: Any, work: Any) -> None:
    check_history([plan.base.reference], None if work.base is None else [work.base])


def _check_snapshots(plan: Any, work: Any) -> None:
    check_history(plan.history, work.history)


def _dropped_at_base(run: Run, plan: Any) -> Any:
    """The plan, if the rows that go are those that were seen when it was confirmed."""
    latest = run.table.snapshots.latest()
    check_history([latest.reference] if latest else [], None if run.work.base is None else [run.work.base])
    return plan


def _only_confirmed(run: Run, plan: DropPartitionsPlan) -> DropPartitionsPlan:
    """Of the partitions whose time has come those that were confirmed."""
    if run.work.only is None:
        return plan
    wanted = partition_test(run.table.schema, run.work.only)
    return replace(plan, partitions=tuple(p for p in plan.partitions if run.work.only and wanted(p.row)))


def _restored(table: Table, plan: Any, outcome: Outcome, work: Any) -> Facts:
    wanted = Layout.of(table, plan.target)
    found = Layout.of(table, outcome.snapshots[-1] if outcome.snapshots else plan.base)
    if not found.has_files_of(wanted):
        not_true("other files are live than the target has", target=plan.target.reference)
    return {
        "state_of": plan.target.reference,
        "files": len(found.names),
        "rows_in_files": found.rows,
        **made_snapshots(table, outcome.snapshots),
    }


def _partitions_dropped(table: Table, plan: Any, outcome: Outcome, work: Any) -> Facts:
    wanted = {partition.row for partition in plan.partitions}
    if outcome.snapshots:
        live = table.manifests.live_entries(outcome.snapshots[-1])
        left = wanted & set(Partitions.of(table.schema, live.column("partition")).rows)
        if left and not plan.while_idle:
            not_true("a partition that was to go has files", partitions=len(left))
    names = [partition.name for partition in plan.partitions]
    return {"partitions_dropped": names, **made_snapshots(table, outcome.snapshots)}


def _marked_done(table: Table, plan: Any, outcome: Outcome, work: Any) -> Facts:
    missing = [path for path in plan.files if not table.io.exists(path)]
    if missing:
        not_true("a success file is missing", path=missing[0])
    return {"success_files": len(plan.files)}


def _manifests_compacted(table: Table, plan: Any, outcome: Outcome, work: Any) -> Facts:
    facts: dict[str, Any] = {"manifests_before": plan.manifests}
    for snapshot in outcome.snapshots:
        before, after = (Layout.of(table, s) for s in (table.snapshots.get(snapshot.id - 1), snapshot))
        if not after.has_files_of(before):
            not_true("other files are live than before", snapshot=snapshot.reference)
        facts["manifests_after"] = len(table.manifests.manifests(snapshot))
        facts["files"] = len(after.names)
    return {**facts, **made_snapshots(table, outcome.snapshots)}


def _missing_removed(table: Table, plan: Any, outcome: Outcome, work: Any) -> Facts:
    return {"files_taken_out": len(plan.paths), **made_snapshots(table, outcome.snapshots)}


def _hints_repaired(table: Table, plan: Any, outcome: Outcome, work: Any) -> Facts:
    wrong = plan_repair_hints(table).repairs
    theirs = {(r.what, r.hint) for r in wrong} - {("snapshot", "EARLIEST")} if work.earliest else wrong
    if theirs and plan.repairs:
        not_true("a hint is still wrong", hints=len(theirs))
    return {"hints_written": [f"{r.what} {r.hint}: {r.found} -> {r.wanted}" for r in plan.repairs]}


def _purged(table: Table, plan: Any, outcome: Outcome, work: Any) -> Facts:
    latest = table.snapshots.latest()
    if latest is None:
        return {"snapshots": 0, "files": 0}
    for what, names in (
        ("branches", table.branches.names()),
        ("tags", table.tags.names()),
        ("consumers", table.consumers.ids()),
    ):
        if names:
            not_true(f"the table still has {what}", first=names[0])
    return {"snapshots": len(table.snapshots.ids()), "files": len(Layout.of(table, latest).names)}


def _tag_is_there(run: Run) -> str | None:
    """A tag of the name that names the snapshot that is asked for."""
    work, tags = run.work, run.table.tags
    if not tags.exists(work.name):
        return None
    try:
        wanted = snapshot_for_tag(run.table, work.snapshot, None, None)
    except NotFoundError:
        return None
    same = tags.get(work.name).snapshot.identity == wanted.identity
    return f"the tag {work.name} names {wanted.reference} already" if same else None


def _renamed(exists: Callable[[Table, str], bool]) -> Callable[[Run], str | None]:
    def finished(run: Run) -> str | None:
        old, new = run.work.name, run.work.new_name
        is_done = exists(run.table, new) and not exists(run.table, old)
        return f"{new} is there, and {old} is not" if is_done else None

    return finished


def _branch_is_there(run: Run) -> str | None:
    """A branch of the name that begins where it is asked to."""
    work, table = run.work, run.table
    if not table.branches.exists(work.name):
        return None
    plan = ACTIONS["create-branch"].plan(table, _asked(run))
    if plan.remakes:
        return None
    view = table.with_branch(work.name)
    begins = {snapshot.identity for snapshot in view.snapshots.iter_all()}
    wanted = plan.tag.snapshot.identity if plan.tag else None
    return f"the branch {work.name} is there" if wanted is None or wanted in begins else None


def _branch_is_gone(run: Run) -> str | None:
    name = run.work.name
    return None if run.table.branches.exists(name) else f"there is no branch {name}"


def _is_purged(run: Run) -> str | None:
    """Only a purge leaves its own snapshot the first one, with nothing before it."""
    ids = run.table.snapshots.ids()
    if not ids or run.table.snapshots.get(ids[0]).commit_user != run.user:
        return None
    return f"the history of the table begins with this job, at snapshot {ids[0]}"


ACTION_JOBS: Mapping[str, Job] = {
    "expire-snapshots": action_job("expire-snapshots", _expired),
    "expire-changelogs": action_job("expire-changelogs", _changelogs_expired),
    "create-tag": action_job("create-tag", _tag_made, finished=_tag_is_there),
    "replace-tag": action_job("replace-tag", _tag_made),
    "rename-tag": action_job(
        "rename-tag", _tag_renamed, finished=_renamed(lambda table, name: table.tags.exists(name))
    ),
    "delete-tags": action_job("delete-tags", _tags_deleted),
    "expire-tags": action_job("expire-tags", _tags_deleted),
    "auto-tags": action_job("auto-tags", _auto_tags_made),
    "create-branch": action_job("create-branch", _branch_made, finished=_branch_is_there),
    "rename-branch": action_job(
        "rename-branch", _branch_renamed, finished=_renamed(lambda table, name: table.branches.exists(name))
    ),
    "delete-branch": action_job("delete-branch", _branch_deleted, finished=_branch_is_gone),
    "fast-forward": action_job("fast-forward", _fast_forwarded, check=_check_snapshots),
    "reset-consumer": action_job("reset-consumer", _consumer_moved),
    "clear-consumers": action_job("clear-consumers", _consumers_gone),
    "expire-consumers": action_job("expire-consumers", _consumers_gone),
    "restore": action_job("restore", _restored, commits=True, check=_check_base),
    "drop-partitions": action_job(
        "drop-partitions", _partitions_dropped, commits=True, narrow=_dropped_at_base
    ),
    # A snapshot a batch, so an earlier run may have done some of it: what is over is found anew.
    "expire-partitions": action_job("expire-partitions", _partitions_dropped, narrow=_only_confirmed),
    "mark-partitions-done": action_job("mark-partitions-done", _marked_done),
    "compact-manifests": action_job("compact-manifests", _manifests_compacted, commits=True),
    "remove-missing-files": action_job("remove-missing-files", _missing_removed, commits=True),
    "repair-hints": action_job("repair-hints", _hints_repaired),
    "purge": action_job("purge", _purged, finished=_is_purged),
}
"""The jobs, by the name that the action has, too."""
