"""The actions of `lakescope maintain`: what each is asked, what plans it, and what applies the plan.

An action is one entry of `ACTIONS`; what it may be asked stands in `ARGUMENTS`, once for all that share it.
Names are those of Paimon's procedures.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from core.cli.compacting import apply_compact, plan_compact
from core.cli.targets import epoch_millis
from core.compact import Strategy
from core.compact.sort_order import SortStrategy
from core.maintenance import apply_rollback, branches, consumers, expire, partitions, plan_rollback, tags
from core.maintenance.analyze import apply_analyze, plan_analyze
from core.maintenance.compact_manifests import apply_compact_manifests, plan_compact_manifests
from core.maintenance.purge import apply_purge, plan_purge
from core.maintenance.reach import Progress, no_progress
from core.maintenance.remove_missing import apply_remove_missing, plan_remove_missing
from core.maintenance.remove_orphans import apply_remove_orphans, plan_remove_orphans
from core.maintenance.repair_hints import apply_repair_hints, plan_repair_hints
from core.maintenance.rescale import apply_rescale, plan_rescale
from core.maintenance.restore import apply_restore, plan_restore
from core.maintenance.rewrite_file_index import apply_rewrite_file_index, plan_rewrite_file_index
from core.options import TAG_AUTOMATIC_CREATION, TagCreation, parse_duration
from core.table import Table


@dataclass(frozen=True, slots=True)
class Asked:
    """One call of an action."""

    given: Any  # what it is asked: has the names of its arguments, as the command's namespace and jobs have
    now_millis: int
    user: str  # whose commits they are to be
    progress: Progress = no_progress

    @property
    def older_than_millis(self) -> int | None:
        return epoch_millis(self.given.older_than)

    @property
    def age(self) -> timedelta | None:
        """Raises `InvalidRequestError` for what is no duration."""
        return None if self.given.age is None else parse_duration(self.given.age)

    @property
    def now(self) -> datetime:
        """The wall clock of this machine, as partitions spell it."""
        return datetime.fromtimestamp(self.now_millis / 1000)


@dataclass(frozen=True, slots=True)
class Action:
    summary: str
    plan: Callable[[Table, Asked], Any]
    apply: Callable[[Table, Any, Asked], Any]
    arguments: tuple[str, ...] = ()  # names of `ARGUMENTS`


@dataclass(frozen=True, slots=True)
class Argument:
    """What an action may be asked; positional unless its flag begins with a dash."""

    flag: str
    help: str
    settings: Mapping[str, Any]


def _argument(flag: str, help: str, **settings: Any) -> Argument:
    return Argument(flag, help, settings)


def _positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"not a positive number: {text!r}")
    return int(text)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _partition(text: str) -> dict[str, str]:
    """`dt=2024-05-14,hh=7` as values by key; in quotes, as in a line of CSV, a value may hold a comma."""
    try:
        pairs = [part.partition("=") for part in next(csv.reader([text], strict=True), [])]
    except csv.Error:
        pairs = []
    if not pairs or not all(key.strip() and sign for key, sign, _ in pairs):
        raise argparse.ArgumentTypeError(f'not key=value[,key=value] or "key=a,b"[,key=value]: {text!r}')
    return {key.strip(): value for key, _, value in pairs}


_TIME = "ISO 8601 (local without a zone) or epoch millis"
_ID: dict[str, Any] = {"metavar": "ID", "type": _positive}
_COUNT: dict[str, Any] = {"metavar": "N", "type": _positive}
_SPECS: dict[str, Any] = {
    "dest": "partitions",
    "metavar": "KEY=VALUE,...",
    "type": _partition,
    "action": "append",
}

ARGUMENTS: dict[str, Argument] = {
    "name": _argument("name", "of the tag or branch"),
    "names": _argument("names", "of a tag", nargs="+", metavar="name"),
    "new_name": _argument("new_name", "how it is called then"),
    "consumer": _argument("consumer", "the id of the consumer"),
    "partitions": _argument(
        "partitions", "such as dt=2024-05-14,hh=7", nargs="+", type=_partition, metavar="partition"
    ),
    "scope": _argument("--partition", "only this one; may be given several times", **_SPECS),
    "strategy": _argument(
        "--strategy", "everything, or what the options would pick", choices=list(Strategy), default="full"
    ),
    "order_strategy": _argument(
        "--order-strategy", "put the rows of each partition in order", choices=list(SortStrategy)
    ),
    "order_by": _argument("--order-by", "the columns of that order", metavar="A,B", type=_names),
    "buckets": _argument("--buckets", "how many (default: the table's option bucket)", **_COUNT),
    "columns": _argument(
        "--columns", "only these columns; an empty list counts rows alone", metavar="A,B", type=_names
    ),
    "snapshot": _argument("--snapshot", "the id of a snapshot", **_ID),
    "tag": _argument("--tag", "the name of a tag", metavar="NAME"),
    "branch": _argument("--branch", "the head of a branch, as to undo a rollback", metavar="NAME"),
    "at": _argument("--at", f"the last snapshot up to a time: {_TIME}", metavar="TIME"),
    "next": _argument("--next", "the snapshot that it reads next; without it the consumer goes", **_ID),
    "age": _argument("--age", "in place of what the table's options say, such as '7 d'", metavar="AGE"),
    "older_than": _argument("--older-than", f"only what is older: {_TIME}", metavar="TIME"),
    "retain_min": _argument("--retain-min", "how many stay whatever their age", **_COUNT),
    "retain_max": _argument("--retain-max", "how many stay at most", **_COUNT),
    "max_deletes": _argument("--max-deletes", "how many go at once", **_COUNT),
    "all": _argument("--all", "all of them", action="store_true"),
    "external": _argument(
        "--external-paths",
        "look through data-file.external-paths, too: no other table may write there",
        action="store_true",
    ),
    "including": _argument("--including", "ids that match as a whole", metavar="REGEX", default=".*"),
    "excluding": _argument("--excluding", "but for ids that match this", metavar="REGEX"),
    "earliest": _argument("--earliest", "the first snapshot behind a gap in the ids", **_ID),
}
_WINDOW = ("retain_min", "retain_max", "older_than", "max_deletes")


def _window(asked: Asked) -> dict[str, Any]:
    given = asked.given
    return {
        "now_millis": asked.now_millis,
        "retain_min": given.retain_min,
        "retain_max": given.retain_max,
        "older_than_millis": asked.older_than_millis,
        "max_deletes": given.max_deletes,
    }


def _automatic_tags(table: Table, asked: Asked) -> tags.AutoTagPlan:
    """Those that are due; where batch jobs leave a tag, that of the last one."""
    by_job = table.options.get(TAG_AUTOMATIC_CREATION) is TagCreation.BATCH
    plan = tags.plan_batch_tag if by_job else tags.plan_auto_tags
    return plan(table, now_millis=asked.now_millis)


ACTIONS: dict[str, Action] = {
    "expire-snapshots": Action(
        "let old snapshots go, with the files that only they need",
        lambda table, asked: expire.plan_expire_snapshots(table, **_window(asked)),
        lambda table, plan, asked: expire.apply_expire_snapshots(table, plan, progress=asked.progress),
        _WINDOW,
    ),
    "expire-changelogs": Action(
        "let old long-lived changelogs go",
        lambda table, asked: expire.plan_expire_changelogs(
            table, delete_all=asked.given.all, **_window(asked)
        ),
        lambda table, plan, asked: expire.apply_expire_changelogs(table, plan, progress=asked.progress),
        (*_WINDOW, "all"),
    ),
    "remove-orphan-files": Action(
        "delete files that nothing reaches",
        lambda table, asked: plan_remove_orphans(
            table,
            now_millis=asked.now_millis,
            older_than_millis=asked.older_than_millis,
            external_paths=asked.given.external_paths,
        ),
        lambda table, plan, asked: apply_remove_orphans(table, plan, progress=asked.progress),
        ("older_than", "external"),
    ),
    "create-tag": Action(
        "give a snapshot a name that keeps it",
        lambda table, asked: tags.plan_create_tag(
            table,
            asked.given.name,
            now_millis=asked.now_millis,
            snapshot_id=asked.given.snapshot,
            time_retained=asked.age,
        ),
        lambda table, plan, asked: tags.apply_create_tag(table, plan),
        ("name", "snapshot", "age"),
    ),
    "replace-tag": Action(
        "let a tag name another snapshot",
        lambda table, asked: tags.plan_replace_tag(
            table,
            asked.given.name,
            now_millis=asked.now_millis,
            snapshot_id=asked.given.snapshot,
            time_retained=asked.age,
        ),
        lambda table, plan, asked: tags.apply_replace_tag(table, plan, progress=asked.progress),
        ("name", "snapshot", "age"),
    ),
    "rename-tag": Action(
        "give a tag another name",
        lambda table, asked: tags.plan_rename_tag(table, asked.given.name, asked.given.new_name),
        lambda table, plan, asked: tags.apply_rename_tag(table, plan),
        ("name", "new_name"),
    ),
    "delete-tags": Action(
        "delete tags, and the files that only they held",
        lambda table, asked: tags.plan_delete_tags(table, asked.given.names),
        lambda table, plan, asked: tags.apply_delete_tags(table, plan, progress=asked.progress),
        ("names",),
    ),
    "expire-tags": Action(
        "delete tags whose time is over",
        lambda table, asked: tags.plan_expire_tags(
            table, now_millis=asked.now_millis, older_than_millis=asked.older_than_millis
        ),
        lambda table, plan, asked: tags.apply_delete_tags(table, plan, progress=asked.progress),
        ("older_than",),
    ),
    "auto-tags": Action(
        "make the tags that the table makes of itself",
        _automatic_tags,
        lambda table, plan, asked: tags.apply_auto_tags(table, plan, progress=asked.progress),
    ),
    "create-branch": Action(
        "make a branch, empty or of a tag or snapshot",
        lambda table, asked: branches.plan_create_branch(
            table, asked.given.name, tag=asked.given.tag, snapshot_id=asked.given.snapshot
        ),
        lambda table, plan, asked: branches.apply_create_branch(table, plan),
        ("name", "tag", "snapshot"),
    ),
    "rename-branch": Action(
        "give a branch another name",
        lambda table, asked: branches.plan_rename_branch(table, asked.given.name, asked.given.new_name),
        lambda table, plan, asked: branches.apply_rename_branch(table, plan),
        ("name", "new_name"),
    ),
    "delete-branch": Action(
        "delete a branch",
        lambda table, asked: branches.plan_delete_branch(table, asked.given.name),
        lambda table, plan, asked: branches.apply_delete_branch(table, plan),
        ("name",),
    ),
    "fast-forward": Action(
        "make the head of a branch that of main",
        lambda table, asked: branches.plan_fast_forward(table, asked.given.name, now_millis=asked.now_millis),
        lambda table, plan, asked: branches.apply_fast_forward(table, plan),
        ("name",),
    ),
    "reset-consumer": Action(
        "move a consumer to a snapshot, or forget it",
        lambda table, asked: consumers.plan_reset_consumer(table, asked.given.consumer, asked.given.next),
        lambda table, plan, asked: consumers.apply_reset_consumer(table, plan),
        ("consumer", "next"),
    ),
    "clear-consumers": Action(
        "forget consumers by their ids",
        lambda table, asked: consumers.plan_clear_consumers(
            table, including=asked.given.including, excluding=asked.given.excluding
        ),
        lambda table, plan, asked: consumers.apply_delete_consumers(table, plan),
        ("including", "excluding"),
    ),
    "expire-consumers": Action(
        "forget consumers that have not read for long",
        lambda table, asked: consumers.plan_expire_consumers(
            table, now_millis=asked.now_millis, expiration_time=asked.age
        ),
        lambda table, plan, asked: consumers.apply_delete_consumers(table, plan),
        ("age",),
    ),
    "rollback": Action(
        "go back to a snapshot; newer ones go for good",
        lambda table, asked: plan_rollback(
            table,
            asked.given.snapshot,
            asked.given.tag,
            timestamp_millis=epoch_millis(asked.given.at),
            now_millis=asked.now_millis,
        ),
        lambda table, plan, asked: apply_rollback(table, plan),
        ("snapshot", "tag", "at"),
    ),
    "restore": Action(
        "commit the state of an old snapshot again",
        lambda table, asked: plan_restore(
            table,
            asked.given.snapshot,
            asked.given.tag,
            branch=asked.given.branch,
            now_millis=asked.now_millis,
        ),
        lambda table, plan, asked: apply_restore(table, plan, asked.user),
        ("snapshot", "tag", "branch"),
    ),
    "drop-partitions": Action(
        "drop partitions, each told by all keys or some",
        lambda table, asked: partitions.plan_drop_partitions(table, asked.given.partitions),
        lambda table, plan, asked: partitions.apply_drop_partitions(table, plan, asked.user),
        ("partitions",),
    ),
    "expire-partitions": Action(
        "drop partitions whose time has come",
        lambda table, asked: partitions.plan_expire_partitions(
            table, now=asked.now, expiration_time=asked.age
        ),
        lambda table, plan, asked: partitions.apply_drop_partitions(table, plan, asked.user),
        ("age",),
    ),
    "mark-partitions-done": Action(
        "write the success files of partitions",
        lambda table, asked: partitions.plan_mark_done(table, asked.given.partitions),
        lambda table, plan, asked: partitions.apply_mark_done(table, plan, now_millis=asked.now_millis),
        ("partitions",),
    ),
    "analyze": Action(
        "compute the statistics of rows and columns",
        lambda table, asked: plan_analyze(table, asked.given.columns),
        lambda table, plan, asked: apply_analyze(table, plan, asked.user, progress=asked.progress),
        ("columns",),
    ),
    "compact-manifests": Action(
        "write as few manifests as hold the live files",
        lambda table, asked: plan_compact_manifests(table),
        lambda table, plan, asked: apply_compact_manifests(table, plan, asked.user),
    ),
    "compact": Action(
        "merge runs and small files, or sort an append table",
        lambda table, asked: plan_compact(table, asked.given),
        lambda table, plan, asked: apply_compact(table, plan, asked.user),
        ("strategy", "order_strategy", "order_by", "scope"),
    ),
    "rescale": Action(
        "give partitions another number of buckets",
        lambda table, asked: plan_rescale(table, asked.given.buckets, asked.given.partitions),
        lambda table, plan, asked: apply_rescale(table, plan, asked.user),
        ("buckets", "scope"),
    ),
    "rewrite-file-index": Action(
        "give files the indexes that the table asks for by now",
        lambda table, asked: plan_rewrite_file_index(table, asked.given.partitions),
        lambda table, plan, asked: apply_rewrite_file_index(table, plan, asked.user),
        ("scope",),
    ),
    "remove-missing-files": Action(
        "take files that are lost out of the table",
        lambda table, asked: plan_remove_missing(table),
        lambda table, plan, asked: apply_remove_missing(table, plan, asked.user),
    ),
    "repair-hints": Action(
        "write wrong hint files anew",
        lambda table, asked: plan_repair_hints(table, earliest=asked.given.earliest),
        lambda table, plan, asked: apply_repair_hints(table, plan),
        ("earliest",),
    ),
    "purge": Action(
        "empty the table for good: rows, history, tags, branches and consumers",
        lambda table, asked: plan_purge(table, now_millis=asked.now_millis),
        lambda table, plan, asked: apply_purge(table, plan, asked.user),
    ),
}
