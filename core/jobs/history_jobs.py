"""Jobs on what is remembered of a table, snapshots, tags, branches, consumers: what they are asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from core.errors import InvalidRequestError
from core.jobs.values import Count, Duration, Expression, Moment, OneOrMore, SnapshotId
from core.jobs.work import Work


@dataclass(frozen=True, slots=True)
class RollbackJob(Work):
    """Remove the snapshots newer than the target. Exactly one of `snapshot`, `tag` and `at` is given."""

    snapshot: Annotated[SnapshotId | None, "id of the target"] = None
    tag: Annotated[str | None, "name of the target"] = None
    guard: Annotated[bool, "first keep the present state in the branch guard-JOB_ID"] = True
    history: Annotated[
        tuple[str, ...] | None,
        "references id~identity of the target and of all that is removed, oldest first, as a plan showed "
        "them; the job refuses to remove anything else",
    ] = None
    at: Annotated[Moment | None, "the target is the last snapshot up to this time"] = None
    reset_consumers: Annotated[
        bool, "consumers that are to read on from what is removed read on from the next commit"
    ] = False

    def __post_init__(self) -> None:
        if sum(target is not None for target in (self.snapshot, self.tag, self.at)) != 1:
            raise InvalidRequestError(
                "give exactly one of snapshot, tag and at as the target", field="snapshot"
            )


@dataclass(frozen=True, slots=True)
class RestoreJob(Work):
    """Commit the state of an old snapshot again, on top of all others: nothing is lost."""

    snapshot: Annotated[SnapshotId | None, "id of the target"] = None
    tag: Annotated[str | None, "name of the target"] = None
    branch: Annotated[str | None, "the target is the head of this branch, as to undo a rollback"] = None
    base: Annotated[
        str | None,
        "reference id~identity of the latest snapshot, as a plan showed it; the job refuses to restore over "
        "any other",
    ] = None

    def __post_init__(self) -> None:
        if sum(target is not None for target in (self.snapshot, self.tag, self.branch)) != 1:
            raise InvalidRequestError(
                "give exactly one of snapshot, tag and branch as the target", field="snapshot"
            )


@dataclass(frozen=True, slots=True)
class _Window(Work):
    retain_min: Annotated[Count | None, "how many stay whatever their age"] = None
    retain_max: Annotated[Count | None, "how many stay at most"] = None
    older_than: Annotated[Moment | None, "only what is older"] = None
    max_deletes: Annotated[Count | None, "how many go at once"] = None


@dataclass(frozen=True, slots=True)
class ExpireSnapshotsJob(_Window):
    """Let old snapshots go, with the files that only they need."""


@dataclass(frozen=True, slots=True)
class ExpireChangelogsJob(_Window):
    """Let old long-lived changelogs go."""

    all: Annotated[bool, "all of them"] = False


_RETAINED = "how long it is kept, such as '30 d', in place of what the table's options say"


@dataclass(frozen=True, slots=True)
class CreateTagJob(Work):
    """Give a snapshot a name that keeps it."""

    name: Annotated[str, "of the tag"]
    snapshot: Annotated[SnapshotId | None, "id; without it the latest"] = None
    age: Annotated[Duration | None, _RETAINED] = None


@dataclass(frozen=True, slots=True)
class ReplaceTagJob(Work):
    """Let a tag name another snapshot."""

    name: Annotated[str, "of the tag"]
    snapshot: Annotated[SnapshotId | None, "id; without it the latest"] = None
    age: Annotated[Duration | None, _RETAINED] = None


@dataclass(frozen=True, slots=True)
class RenameTagJob(Work):
    """Give a tag another name."""

    name: Annotated[str, "of the tag"]
    new_name: Annotated[str, "how it is called then"]


@dataclass(frozen=True, slots=True)
class DeleteTagsJob(Work):
    """Delete tags, and the files that only they held."""

    names: Annotated[OneOrMore, "of the tags; those that are not there are passed over"]


@dataclass(frozen=True, slots=True)
class ExpireTagsJob(Work):
    """Delete tags whose time is over."""

    older_than: Annotated[Moment | None, "and all that are older, those meant to stay among them"] = None


@dataclass(frozen=True, slots=True)
class AutoTagsJob(Work):
    """Make the tags that the table makes of itself."""


@dataclass(frozen=True, slots=True)
class CreateBranchJob(Work):
    """Make a branch, empty or of a tag or snapshot."""

    name: Annotated[str, "of the branch"]
    tag: Annotated[str | None, "where it starts"] = None
    snapshot: Annotated[SnapshotId | None, "where it starts; a tag is made that keeps it"] = None


@dataclass(frozen=True, slots=True)
class RenameBranchJob(Work):
    """Give a branch another name."""

    name: Annotated[str, "of the branch"]
    new_name: Annotated[str, "how it is called then"]


@dataclass(frozen=True, slots=True)
class DeleteBranchJob(Work):
    """Delete a branch."""

    name: Annotated[str, "of the branch"]


@dataclass(frozen=True, slots=True)
class FastForwardJob(Work):
    """Make the head of a branch that of main."""

    name: Annotated[str, "of the branch"]
    history: Annotated[
        tuple[str, ...] | None,
        "references id~identity of all snapshots that go or come, oldest first, as a plan showed them; the "
        "job refuses to remove anything else",
    ] = None


@dataclass(frozen=True, slots=True)
class ResetConsumerJob(Work):
    """Move a consumer to a snapshot, or forget it."""

    consumer: Annotated[str, "its id"]
    next: Annotated[SnapshotId | None, "the snapshot that it reads next; without it the consumer goes"] = None


@dataclass(frozen=True, slots=True)
class ClearConsumersJob(Work):
    """Forget consumers by their ids."""

    including: Annotated[Expression, "ids that match as a whole"] = ".*"
    excluding: Annotated[Expression | None, "but for ids that match this"] = None


@dataclass(frozen=True, slots=True)
class ExpireConsumersJob(Work):
    """Forget consumers that have not read for long."""

    age: Annotated[Duration | None, "in place of consumer.expiration-time, such as '7 d'"] = None
