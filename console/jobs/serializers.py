"""Plans and jobs as the API shows and takes them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema_field
from rest_framework import serializers

from console.accounts.roles import Permission
from console.api.fields import AnyField, CountField, TimeField, choice, rfc3339, string_map, strings
from console.inspector.serializers import SNAPSHOT_KINDS
from console.jobs.planning.branch import BRANCH_ACTIONS
from console.jobs.planning.consumer import CONSUMER_ACTIONS
from console.jobs.planning.tag import TAG_ACTIONS
from console.jobs.states import State
from core.io.paths import MAIN_BRANCH
from core.jobs import CompactStrategy, SourceFormat, WriteMode
from core.maintenance.reach import FileRole
from core.write.fit import FitKind

Serializer = serializers.Serializer[Any]
Text = serializers.CharField
Flag = serializers.BooleanField
KINDS = ("write", "compact", "rollback", "restore", "expire", "tag", "branch", "consumer")
WRITE_MODES = (WriteMode.APPEND.value, WriteMode.OVERWRITE.value)


class NoticeSerializer(Serializer):
    """A warning or a blocker of a plan."""

    code = Text()
    detail = Text(help_text="The whole sentence, by Accept-Language.")
    ref = Text(allow_null=True)
    values = string_map(help_text="What the sentence is made of, for who has words of their own.")


class AmountSerializer(Serializer):
    """Null where the latest snapshot is damaged: not known."""

    count = CountField(allow_null=True)
    bytes = CountField(allow_null=True)


class RemovedSnapshotSerializer(Serializer):
    id = CountField()
    ref = Text()
    kind = choice(*SNAPSHOT_KINDS)
    committed_at = TimeField()
    commit_user = Text()


class ReturningSerializer(AmountSerializer):
    missing = CountField()


class PartitionDeltaSerializer(Serializer):
    partition = Text()
    rows_delta = CountField(allow_null=True)
    bytes_delta = CountField(allow_null=True)


class RollbackEffectsSerializer(Serializer):
    """What a rewind removes and brings back."""

    kind = choice("rollback")
    to = Text()
    snapshots_removed = RemovedSnapshotSerializer(many=True)
    tags_removed = strings()
    changelogs_removed = serializers.ListField(child=CountField())
    files_leaving = AmountSerializer()
    files_returning = ReturningSerializer()
    rows_delta = CountField(allow_null=True)
    bytes_delta = CountField(allow_null=True)
    partitions = PartitionDeltaSerializer(many=True, help_text="Empty where what changes is not known.")
    consumers_affected = strings()
    branches_affected = strings()
    schema_stays = CountField()
    next_id = CountField(help_text="The id that the next commit will use again.")
    unreferenced_bytes = CountField(allow_null=True)


class RestoreEffectsSerializer(Serializer):
    """What a restoration takes away and brings back, on top of a history that stays."""

    kind = choice("restore")
    to = Text()
    to_branch = Text(allow_null=True, help_text="The branch whose head is the target, as to undo a rollback.")
    files_leaving = AmountSerializer()
    files_returning = ReturningSerializer()
    rows_delta = CountField(allow_null=True)
    bytes_delta = CountField(allow_null=True)
    partitions = PartitionDeltaSerializer(many=True, help_text="Empty where what changes is not known.")
    tag_made = Text(allow_null=True, help_text="A tag that keeps the files of the target.")
    next_id = CountField(help_text="The id of the new snapshot, if nobody commits before.")


class FileRoleSerializer(AmountSerializer):
    role = choice(*(role.value for role in FileRole))


class FreedSerializer(AmountSerializer):
    """Files that nothing reaches afterwards, and that are deleted."""

    roles = FileRoleSerializer(many=True)


class ConsumerAtSerializer(Serializer):
    id = Text()
    next_snapshot = CountField()


class ExpireEffectsSerializer(Serializer):
    """Which snapshots go, by which rules, and what that frees."""

    kind = choice("expire")
    snapshots_removed = RemovedSnapshotSerializer(many=True)
    snapshots_kept = CountField()
    first_kept = CountField(allow_null=True)
    becomes_changelog = Flag(help_text="What goes is kept as long-lived changelogs.")
    files_freed = FreedSerializer()
    retain_min = CountField(help_text="So many stay whatever their age.")
    retain_max = CountField(help_text="What is above goes whatever its age.")
    older_than = TimeField(help_text="In between, what is older goes.")
    max_deletes = CountField(help_text="So many go at once.")
    consumers = ConsumerAtSerializer(many=True, help_text="What they still have to read stays.")


class TagEffectsSerializer(Serializer):
    """What becomes of a tag."""

    kind = choice("tag")
    action = choice(*TAG_ACTIONS)
    name = Text()
    new_name = Text(allow_null=True)
    before = Text(allow_null=True, help_text="The snapshot that it holds now.")
    after = Text(allow_null=True, help_text="The snapshot that it will hold.")
    retained_until = TimeField(allow_null=True, help_text="Null: until it is deleted.")
    files_freed = FreedSerializer()


class BranchEffectsSerializer(Serializer):
    """What becomes of a branch; of main, where that is fast-forwarded to it."""

    kind = choice("branch")
    action = choice(*BRANCH_ACTIONS)
    name = Text()
    new_name = Text(allow_null=True)
    before = Text(allow_null=True, help_text="Where it (or main) stands now.")
    after = Text(allow_null=True, help_text="Where it (or main) will stand.")
    snapshots_removed = RemovedSnapshotSerializer(many=True)
    snapshots_added = RemovedSnapshotSerializer(many=True)
    tags_removed = strings()
    tags_made = strings()
    consumers_removed = strings()


class ConsumerEffectsSerializer(Serializer):
    """From where to where a consumer goes, and what that lets expire."""

    kind = choice("consumer")
    action = choice(*CONSUMER_ACTIONS)
    name = Text()
    before = CountField(allow_null=True, help_text="What it reads next; null: it is damaged.")
    after = CountField(allow_null=True, help_text="What it will read next; null: it is forgotten.")
    skipped = CountField(help_text="Kept snapshots that it will not read.")
    repeated = CountField(help_text="Kept snapshots that it will read once more.")
    held_before = CountField(
        allow_null=True, help_text="The first snapshot that a consumer keeps from expiring."
    )
    held_after = CountField(allow_null=True, help_text="The same afterwards; null: no consumer keeps any.")
    released = serializers.IntegerField(
        help_text="Kept snapshots that no consumer keeps any more; below 0: more."
    )


class CompactBucketSerializer(Serializer):
    partition = Text()
    bucket = serializers.IntegerField()
    runs_before = CountField(allow_null=True)
    runs_after = CountField(allow_null=True)
    files_before = CountField()
    files_after = CountField(allow_null=True)
    bytes = CountField()
    reason = Text()


class CompactEffectsSerializer(Serializer):
    """What a compaction rewrites."""

    kind = choice("compact")
    buckets = CompactBucketSerializer(many=True, help_text="The first 200, most bytes first.")
    buckets_in_scope = CountField()
    files_before = CountField()
    files_after = CountField(allow_null=True, help_text="An estimate.")
    bytes_rewritten = CountField()
    est_seconds = CountField(allow_null=True)
    est_reason = Text(allow_null=True, help_text="Why there is no estimate, by Accept-Language.")
    est_reason_code = Text(allow_null=True)


class FitSerializer(Serializer):
    """How a column of the source fits the table."""

    column = Text()
    source_type = Text(allow_null=True)
    table_type = Text(allow_null=True)
    verdict = choice("ok", "cast", "missing", "extra", "incompatible", "unknown")
    reason = choice(*(kind.value for kind in FitKind), allow_null=True)
    detail = Text(allow_null=True, help_text="The reason in words, by Accept-Language.")


class WriteEffectsSerializer(Serializer):
    """What a write adds and replaces; null is what is known only once the source is read."""

    kind = choice("write")
    mode = choice(*WRITE_MODES)
    schema_fit = FitSerializer(many=True)
    source_files = CountField(allow_null=True)
    source_rows = CountField(allow_null=True)
    source_bytes = CountField(allow_null=True)
    partitions = strings(allow_null=True)
    files_removed = CountField(allow_null=True)
    bytes_removed = CountField(allow_null=True)
    rows_removed = CountField(allow_null=True)


EFFECTS = PolymorphicProxySerializer(
    component_name="PlanEffects",
    serializers={
        "rollback": RollbackEffectsSerializer,
        "restore": RestoreEffectsSerializer,
        "expire": ExpireEffectsSerializer,
        "tag": TagEffectsSerializer,
        "branch": BranchEffectsSerializer,
        "consumer": ConsumerEffectsSerializer,
        "compact": CompactEffectsSerializer,
        "write": WriteEffectsSerializer,
    },
    resource_type_field_name="kind",
)


@extend_schema_field(EFFECTS)
class EffectsField(AnyField):
    """One of the effects, by `kind`."""


class UndoSerializer(Serializer):
    """What brings the present state back: a plan of this kind, of this branch, tag or snapshot."""

    kind = choice(
        "restore_as_commit", "restore", "create_tag", "replace_tag", "rename_tag", "delete_tag",
        "rename_branch", "delete_branch", "reset_consumer",
    )  # fmt: skip
    branch = Text(allow_null=True)
    tag = Text(allow_null=True)
    rewrites_bytes = CountField(allow_null=True)
    detail = Text(help_text="The snapshot or the name that it is about.")


class QueryViewSerializer(Serializer):
    path = Text(max_length=2000)
    format = choice(*(f.value for f in SourceFormat))
    options = string_map(required=False)


class SourceSerializer(Serializer):
    """`kind` `path`: path and format. `kind` `query`: query, and views over paths."""

    kind = choice("path", "query")
    path = Text(max_length=2000, required=False)
    format = choice(*(f.value for f in SourceFormat), required=False)
    options = string_map(required=False)
    query = Text(max_length=20_000, required=False)
    views = serializers.DictField(child=QueryViewSerializer(), required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        needed = ("path", "format") if attrs["kind"] == "path" else ("query",)
        missing = {name: "This is needed here." for name in needed if name not in attrs}
        if missing:
            raise serializers.ValidationError(missing)
        return attrs


class WriteParamsSerializer(Serializer):
    source = SourceSerializer()  # type: ignore[assignment]  # the reply has a member of this name
    mode = choice(*WRITE_MODES, default="append")
    partition = string_map(
        required=False,
        allow_null=True,
        help_text="Overwrite: null replaces the partitions that the rows touch, {} the whole table.",
    )
    row_kind_column = Text(required=False, allow_null=True)


class CompactParamsSerializer(Serializer):
    strategy = choice(*(s.value for s in CompactStrategy), default="full")
    partitions = strings(required=False, allow_null=True, help_text="Texts as lists show them.")
    buckets = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=2**31 - 1), required=False, allow_null=True
    )


def _count() -> serializers.IntegerField:
    return serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=2**31 - 1)


class RollbackTargetSerializer(Serializer):
    """Exactly one of these."""

    snapshot = Text(required=False, help_text="id or id~identity")
    tag = Text(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if len(attrs) != 1:
            raise serializers.ValidationError("Give exactly one of snapshot and tag.")
        return attrs


class RollbackParamsSerializer(Serializer):
    to = RollbackTargetSerializer()
    guard = Flag(default=True)


class RestoreTargetSerializer(RollbackTargetSerializer):
    """Exactly one of these."""

    branch = Text(required=False, help_text="The latest snapshot of this branch.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if len(attrs) != 1:
            raise serializers.ValidationError("Give exactly one of snapshot, tag and branch.")
        return attrs


class RestoreParamsSerializer(Serializer):
    to = RestoreTargetSerializer()


class ExpireParamsSerializer(Serializer):
    """In place of what the table's options say; null: as they say."""

    retain_min = _count()
    retain_max = _count()
    older_than = serializers.DateTimeField(required=False, allow_null=True)
    max_deletes = _count()

    def validate_older_than(self, value: datetime | None) -> str | None:
        """As a plan keeps it."""
        return rfc3339(value)


class NamedActionSerializer(Serializer):
    """What is done to something that has a name."""

    name = Text(max_length=255)
    new_name = Text(max_length=255, required=False, allow_null=True, help_text="Of a rename.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["action"] == "rename" and not attrs.get("new_name"):
            raise serializers.ValidationError({"new_name": "This is needed here."})
        return attrs


class TagParamsSerializer(NamedActionSerializer):
    action = choice(*TAG_ACTIONS)
    snapshot = Text(required=False, allow_null=True, help_text="id or id~identity. Default: the latest.")
    retain = Text(
        required=False, allow_null=True, allow_blank=True, max_length=40, help_text="How long, as 30 d."
    )


class BranchStartSerializer(Serializer):
    """At most one of these."""

    snapshot = Text(required=False, help_text="id or id~identity")
    tag = Text(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if len(attrs) > 1:
            raise serializers.ValidationError("Give at most one of snapshot and tag.")
        return attrs


class BranchParamsSerializer(NamedActionSerializer):
    action = choice(*BRANCH_ACTIONS)
    start = BranchStartSerializer(
        required=False, allow_null=True, help_text="Of a new branch; without it, it is empty."
    )


class ConsumerParamsSerializer(Serializer):
    action = choice(*CONSUMER_ACTIONS)
    name = Text(max_length=255, help_text="The id of the consumer.")
    snapshot = Text(
        required=False, allow_null=True, help_text="Of a reset: what it reads next, id or id~identity."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["action"] == "reset" and not attrs.get("snapshot"):
            raise serializers.ValidationError({"snapshot": "This is needed here."})
        return attrs


PARAMS: dict[str, type[Serializer]] = {
    "write": WriteParamsSerializer,
    "compact": CompactParamsSerializer,
    "rollback": RollbackParamsSerializer,
    "restore": RestoreParamsSerializer,
    "expire": ExpireParamsSerializer,
    "tag": TagParamsSerializer,
    "branch": BranchParamsSerializer,
    "consumer": ConsumerParamsSerializer,
}


def _params_schema() -> PolymorphicProxySerializer:
    return PolymorphicProxySerializer(
        component_name="PlanParams", serializers=list(PARAMS.values()), resource_type_field_name=None
    )


@extend_schema_field(_params_schema())
class ParamsField(AnyField):
    """The parameters of the plan's kind."""


class NewPlanSerializer(Serializer):
    kind = choice(*KINDS)
    branch = Text(default="main", max_length=255)
    params = ParamsField()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        params = PARAMS[attrs["kind"]](data=attrs["params"])
        if not params.is_valid():
            raise serializers.ValidationError({"params": params.errors})
        if attrs["kind"] == "branch" and attrs["branch"] != MAIN_BRANCH:
            raise serializers.ValidationError({"branch": "Branches are made, renamed and deleted from main."})
        return attrs | {"params": params.validated_data}


class PlanSerializer(Serializer):
    id = Text(source="public_id")
    kind = choice(*KINDS)
    level = serializers.IntegerField(min_value=0, max_value=2)
    state = choice("ready", "used", "expired")
    warehouse = Text(source="warehouse.name")
    database = Text()
    table = Text()
    branch = Text()
    base = Text(allow_null=True)
    created_at = TimeField()
    created_by = Text(source="created_by.username")
    expires_at = TimeField()
    requires = choice(*(p.value for p in Permission))
    permitted = Flag(help_text="Whether the caller may start the job.")
    confirmation = Text(allow_null=True, help_text="What has to be typed; null: nothing.")
    reason_required = Flag()
    params = ParamsField()
    effects = EffectsField()
    kept = strings()
    undo = UndoSerializer(allow_null=True)
    warnings = NoticeSerializer(many=True)
    blockers = NoticeSerializer(many=True)
    job = Text(allow_null=True)


class NewJobSerializer(Serializer):
    plan_id = Text(max_length=40)
    confirmation = Text(default="", allow_blank=True, max_length=1000)
    reason = Text(default="", allow_blank=True, max_length=1000)


class RetrySerializer(Serializer):
    """What a plan of level 2 asks for; empty for others."""

    confirmation = Text(default="", allow_blank=True, max_length=1000)
    reason = Text(default="", allow_blank=True, max_length=1000)


class PhaseSerializer(Serializer):
    state = choice(*(s.value for s in State))
    at = Text()


class ProgressSerializer(Serializer):
    phase = Text()
    done = CountField()
    total = CountField(allow_null=True)
    unit = Text()


class JobResultSerializer(Serializer):
    """What the table shows after the job."""

    snapshots = strings(help_text="References of the snapshots that the job made, oldest first.")
    latest = Text(allow_null=True)
    detail = Text(allow_null=True)
    metrics = serializers.DictField(child=CountField())


class ConflictSerializer(Serializer):
    """The commit that a job lost: over the id of the snapshot, or over files."""

    kind = choice("snapshot_id", "files")
    tries = CountField(allow_null=True, help_text="How often other commits were faster.")
    base = Text(allow_null=True, help_text="The latest snapshot when the job was planned.")
    winner = Text(allow_null=True, help_text="The first commit since that changed the file; null: not known.")
    winner_kind = choice(*SNAPSHOT_KINDS, allow_null=True)
    winner_user = Text(allow_null=True)
    winner_job = Text(allow_null=True, help_text="Of this console, if it was one.")
    file = Text(allow_null=True, help_text="The first file that both were to change.")
    detail = Text(help_text="All that in a sentence, by Accept-Language.")
    advice = Text(help_text="What keeps it from happening again, by Accept-Language.")


class JobProblemSerializer(Serializer):
    code = Text()
    message = Text()
    fields = string_map()  # type: ignore[assignment]  # the reply has a member of this name
    transient = Flag()
    conflict = ConflictSerializer(allow_null=True)


class EngineSerializer(Serializer):
    name = Text()
    version = Text()
    application_id = Text()
    ui_url = Text(allow_null=True)


class JobSerializer(Serializer):
    id = Text(source="public_id")
    kind = choice(*KINDS, "demo")
    level = serializers.IntegerField()
    state = choice(*(s.value for s in State))
    warehouse = Text(source="warehouse.name")
    database = Text()
    table = Text()
    branch = Text()
    requested_by = Text(allow_null=True)
    cancelled_by = Text(allow_null=True)
    reason = Text()
    plan_id = Text(allow_null=True)
    retry_of = Text(allow_null=True)
    created_at = TimeField()
    started_at = TimeField(allow_null=True)
    ended_at = TimeField(allow_null=True)
    heartbeat_at = TimeField(allow_null=True)
    phases = PhaseSerializer(many=True)
    progress = ProgressSerializer(allow_null=True)
    engine = EngineSerializer(allow_null=True)
    result = JobResultSerializer(allow_null=True)
    problem = JobProblemSerializer(allow_null=True)
    log_bytes = CountField()
    trace_id = Text()
    actions = serializers.ListField(child=choice("cancel", "retry"), help_text="What the caller may do now.")


class JobEventSerializer(Serializer):
    seq = CountField()
    at = TimeField()
    type = choice("state", "progress", "metric", "log", "warning", "commit")
    data = serializers.DictField(child=AnyField())  # type: ignore[assignment]  # the reply has a member of this name


class JobLogSerializer(Serializer):
    """Some bytes of the log, cut at a line's end where there is one."""

    text = Text()
    offset = CountField()
    next_offset = CountField()
    size = CountField()
    end = Flag(help_text="The job has ended and nothing follows.")
