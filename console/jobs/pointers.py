"""What a table shows of jobs that commit no rows: rollback, expiration, tags, branches, options, marks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from console.jobs.models import Job
from console.jobs.notices import notice
from console.jobs.seen import Seen, newest_first
from core.errors import FormatError, NotFoundError
from core.io.json_object import JsonObject
from core.io.paths import MAIN_BRANCH
from core.jobs import commit_user
from core.maintenance.partitions import plan_mark_done
from core.snapshot import Snapshot
from core.table import Table


def _reference(snapshot: Snapshot | None) -> str | None:
    return snapshot.reference if snapshot else None


def _rollback(job: Job, table: Table) -> Seen:
    history = list(job.spec["rollback"].get("history") or ())
    reference = _reference(table.snapshots.latest())
    if not history:
        return Seen(False, False, (), reference, notice("no-history"))
    target, base = history[0], history[-1]
    if reference == base and base != target:
        return Seen(False, False, (), reference)
    if reference == target:
        # Tags and changelogs go after the snapshots: they may still be there.
        left = [tag.name for tag in table.tags.list() if tag.snapshot.id > int(target.partition("~")[0])]
        detail = notice("tags-left", tags=", ".join(left)) if left else None
        return Seen(True, not left, (), reference, detail)
    if reference in history:
        return Seen(True, False, (), reference, notice("in-between", latest=reference, target=target))
    return _moved_on(table, history, reference)


def _moved_on(table: Table, history: list[str], reference: str | None) -> Seen:
    """Another writer has committed since: what is left of the history tells whether the rollback was done."""
    kept = {s.reference for s in newest_first(table, int(history[0].partition("~")[0]))}
    removed = [r for r in history[1:] if r not in kept]
    complete = len(removed) == len(history) - 1
    return Seen(bool(removed), complete, (), reference, notice("moved-on", latest=reference))


def _expire(job: Job, table: Table) -> Seen:
    """Which of the snapshots that were to go are gone."""
    latest, effects = _reference(table.snapshots.latest()), _effects(job)
    wanted = {row["id"]: row["ref"] for row in effects.get("snapshots_removed", ())}
    left = [i for i in wanted.keys() & set(table.snapshots.ids()) if _reference_at(table, i) == wanted[i]]
    detail = notice("expired", gone=len(wanted) - len(left), left=len(left))
    return Seen(len(left) < len(wanted), bool(wanted) and not left, (), latest, detail)


def _reference_at(table: Table, snapshot_id: int) -> str | None:
    try:
        return table.snapshots.get(snapshot_id).reference
    except NotFoundError:
        return None


def _tag(job: Job, table: Table) -> Seen:
    effects = _effects(job)
    held = {name: _tagged(table, name) for name in (effects.get("name"), effects.get("new_name")) if name}
    return _named(table, effects, held)


def _tagged(table: Table, name: str) -> str | None:
    try:
        return table.tags.get(name).snapshot.reference
    except NotFoundError:
        return None


def _branch(job: Job, table: Table) -> Seen:
    effects = _effects(job)
    if effects.get("action") == "fast_forward":
        latest = _reference(table.snapshots.latest())
        return Seen(latest != effects["before"], latest == effects["after"], (), latest)
    names = [name for name in (effects.get("name"), effects.get("new_name")) if name]
    held = {name: _reference(table.with_branch(name).snapshots.latest()) if _is_branch(table, name) else None
            for name in names}  # fmt: skip
    there = {name: _is_branch(table, name) for name in names}
    return _named(table, effects, held, there)


def _is_branch(table: Table, name: str) -> bool:
    return name != MAIN_BRANCH and table.branches.exists(name)


def _named(
    table: Table,
    effects: dict[str, Any],
    held: Mapping[str, str | None],
    there: Mapping[str, bool] | None = None,
) -> Seen:
    """Whether a tag or branch is called, and stands, as it was to be; `held`: where each name stands."""
    there = there or {name: reference is not None for name, reference in held.items()}
    name, renamed = effects["name"], str(effects.get("new_name"))
    match effects["action"]:
        case "delete":
            done = begun = not there[name]
        case "rename":
            begun = there[renamed]
            done = begun and not there[name]
        case _:
            done = begun = there[name] and held[name] == effects["after"]
    return Seen(begun, done, (), _reference(table.snapshots.latest()))


def _consumer(job: Job, table: Table) -> Seen:
    """Where the consumer stands; a reader that goes on from where it was put has it moved, too."""
    effects, latest = _effects(job), _reference(table.snapshots.latest())
    before, after, position = effects["before"], effects["after"], _position(table, effects["name"])
    went_on = (
        None not in (position, after)
        and position > after
        and (before is None or not after < before <= position)
    )
    detail = None if position is None else notice("consumer-at", snapshot=position)
    return Seen(position != before, position == after or went_on, (), latest, detail)


def _position(table: Table, consumer: str) -> Any:
    try:
        return table.consumers.get(consumer).next_snapshot
    except NotFoundError:
        return None


def _effects(job: Job) -> dict[str, Any]:
    return dict(job.plan.effects) if job.plan else {}


def _options(job: Job, table: Table) -> Seen:
    """Whether the latest schema has the options as they were asked for."""
    asked = job.spec["alter-options"]
    latest = table.schemas.latest()
    wrong = [key for key, value in asked["set"].items() if latest.options.get(key) != value]
    wrong += [key for key in asked["remove"] if key in latest.options]
    done = not wrong and latest.id > asked["schema"]
    return Seen(done, done, (), _reference(table.snapshots.latest()), notice("schema-now", schema=latest.id))


def _marked(job: Job, table: Table) -> Seen:
    """Which of the partitions have a success file that is not older than the job."""
    specs = job.spec["mark-partitions-done"]["partitions"]
    since = (job.started_at or job.created_at).timestamp() * 1000
    paths = plan_mark_done(table, specs).files
    done = sum(_written(table, path) >= since for path in paths)
    told = notice("marked", count=done, left=len(paths) - done)
    return Seen(done > 0, done == len(paths), (), _reference(table.snapshots.latest()), told)


def _written(table: Table, path: str) -> int:
    """When a success file was last written, epoch milliseconds; 0 where there is none."""
    try:
        return JsonObject.parse(table.io.read(path)).integer("modificationTime")
    except (NotFoundError, FormatError):
        return 0


def _refresh(job: Job, table: Table) -> Seen:
    """The commits of the job, or of the stream whose checkpoint it went on with."""
    users = {commit_user(job.public_id)}
    checkpoint = job.spec["refresh"].get("checkpoint")
    if checkpoint is not None:
        users |= {stream for stream in map(_stream_id, Path(checkpoint).glob("stream-*/metadata")) if stream}
    base = job.plan.base if job.plan else None
    first = int(base.partition("~")[0]) + 1 if base else 1
    mine = [s.reference for s in newest_first(table, first) if s.commit_user in users]
    return Seen(bool(mine), bool(mine), tuple(reversed(mine)), _reference(table.snapshots.latest()))


def _stream_id(metadata: Path) -> str | None:
    """The id of a stream of Spark, by which its commits go."""
    try:
        return str(JsonObject.parse(metadata.read_bytes()).text("id"))
    except (OSError, FormatError):
        return None


POINTER_JOBS: Mapping[str, Callable[[Job, Table], Seen]] = MappingProxyType(
    {
        "rollback": _rollback,
        "expire": _expire,
        "tag": _tag,
        "branch": _branch,
        "consumer": _consumer,
        "refresh": _refresh,
        "options": _options,
        "mark-partitions-done": _marked,
    }
)
"""By the kind of the plan, or by that of the job where a plan's kind has several."""
