"""Plans and jobs as the API shows and takes them."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema_field
from rest_framework import serializers

from console.accounts.roles import Permission
from console.api.fields import AnyField, CountField, TimeField, choice, string_map, strings
from console.inspector.serializers import SNAPSHOT_KINDS
from console.jobs.states import State
from core.jobs import CompactStrategy, SourceFormat, WriteMode
from core.write.fit import FitKind

Serializer = serializers.Serializer[Any]
Text = serializers.CharField
Flag = serializers.BooleanField
KINDS = ("write", "compact", "rollback")


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
    mode = choice(*(m.value for m in WriteMode))
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
        "compact": CompactEffectsSerializer,
        "write": WriteEffectsSerializer,
    },
    resource_type_field_name="kind",
)


@extend_schema_field(EFFECTS)
class EffectsField(AnyField):
    """One of the effects, by `kind`."""


class UndoSerializer(Serializer):
    kind = choice("restore_as_commit")
    branch = Text()
    tag = Text()
    rewrites_bytes = CountField()
    detail = Text()


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
    mode = choice(*(m.value for m in WriteMode), default="append")
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


PARAMS: dict[str, type[Serializer]] = {
    "write": WriteParamsSerializer,
    "compact": CompactParamsSerializer,
    "rollback": RollbackParamsSerializer,
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


class JobProblemSerializer(Serializer):
    code = Text()
    message = Text()
    fields = string_map()  # type: ignore[assignment]  # the reply has a member of this name
    transient = Flag()


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
