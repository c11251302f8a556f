"""Plans of every kind, as the API shows and takes them."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema_field
from rest_framework import serializers

from console.accounts.roles import Permission
from console.api.fields import AnyField, CountField, TimeField, choice, strings
from console.jobs.serializers.branch import BranchEffectsSerializer, BranchParamsSerializer
from console.jobs.serializers.compact import (
    CompactEffectsSerializer,
    CompactParamsSerializer,
    VectorsEffectsSerializer,
    VectorsParamsSerializer,
)
from console.jobs.serializers.consumer import ConsumerEffectsSerializer, ConsumerParamsSerializer
from console.jobs.serializers.expire import ExpireEffectsSerializer, ExpireParamsSerializer
from console.jobs.serializers.options import OptionsEffectsSerializer, OptionsParamsSerializer
from console.jobs.serializers.partitions import PartitionsEffectsSerializer, PartitionsParamsSerializer
from console.jobs.serializers.parts import Flag, NoticeSerializer, Serializer, Text
from console.jobs.serializers.refresh import RefreshEffectsSerializer, RefreshParamsSerializer
from console.jobs.serializers.restore import RestoreEffectsSerializer, RestoreParamsSerializer
from console.jobs.serializers.rollback import RollbackEffectsSerializer, RollbackParamsSerializer
from console.jobs.serializers.tag import TagEffectsSerializer, TagParamsSerializer
from console.jobs.serializers.upkeep import (
    AnalyzeEffectsSerializer,
    AnalyzeParamsSerializer,
    FileIndexEffectsSerializer,
    FileIndexParamsSerializer,
    ManifestsEffectsSerializer,
    ManifestsParamsSerializer,
)
from console.jobs.serializers.write import WriteEffectsSerializer, WriteParamsSerializer
from core.io.paths import MAIN_BRANCH

EFFECTS = PolymorphicProxySerializer(
    component_name="PlanEffects",
    serializers={
        "write": WriteEffectsSerializer,
        "refresh": RefreshEffectsSerializer,
        "compact": CompactEffectsSerializer,
        "vectors": VectorsEffectsSerializer,
        "rollback": RollbackEffectsSerializer,
        "restore": RestoreEffectsSerializer,
        "expire": ExpireEffectsSerializer,
        "tag": TagEffectsSerializer,
        "branch": BranchEffectsSerializer,
        "consumer": ConsumerEffectsSerializer,
        "partitions": PartitionsEffectsSerializer,
        "options": OptionsEffectsSerializer,
        "file_index": FileIndexEffectsSerializer,
        "manifests": ManifestsEffectsSerializer,
        "analyze": AnalyzeEffectsSerializer,
    },
    resource_type_field_name="kind",
)
PARAMS: dict[str, type[Serializer]] = {
    "write": WriteParamsSerializer,
    "refresh": RefreshParamsSerializer,
    "compact": CompactParamsSerializer,
    "vectors": VectorsParamsSerializer,
    "rollback": RollbackParamsSerializer,
    "restore": RestoreParamsSerializer,
    "expire": ExpireParamsSerializer,
    "tag": TagParamsSerializer,
    "branch": BranchParamsSerializer,
    "consumer": ConsumerParamsSerializer,
    "partitions": PartitionsParamsSerializer,
    "options": OptionsParamsSerializer,
    "file_index": FileIndexParamsSerializer,
    "manifests": ManifestsParamsSerializer,
    "analyze": AnalyzeParamsSerializer,
}
KINDS = tuple(PARAMS)
PARAMS_OF_KINDS = PolymorphicProxySerializer(
    component_name="PlanParams", serializers=list(PARAMS.values()), resource_type_field_name=None
)


@extend_schema_field(EFFECTS)
class EffectsField(AnyField):
    """One of the effects, by `kind`."""


@extend_schema_field(PARAMS_OF_KINDS)
class ParamsField(AnyField):
    """The parameters of the plan's kind."""


class UndoSerializer(Serializer):
    """What brings the present state back: a plan of this kind, of this branch, tag or snapshot."""

    kind = choice(
        "restore_as_commit", "restore", "rollback", "create_tag", "replace_tag", "rename_tag", "delete_tag",
        "rename_branch", "delete_branch", "reset_consumer", "alter_options",
    )  # fmt: skip
    branch = Text(allow_null=True)
    tag = Text(allow_null=True)
    rewrites_bytes = CountField(allow_null=True)
    detail = Text(help_text="The snapshot or the name that it is about.")


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


class PlanPreviewQuerySerializer(Serializer):
    """As a new plan."""

    kind = choice("expire")
    branch = Text(default="main", max_length=255)
    params = ExpireParamsSerializer()


@extend_schema_field(ExpireEffectsSerializer)
class ExpireEffectsField(AnyField):
    """The effects of an expiry, as a plan keeps them."""


class PlanPreviewSerializer(Serializer):
    """What the plan would say now."""

    effects = ExpireEffectsField()
    warnings = NoticeSerializer(many=True)
    blockers = NoticeSerializer(many=True)


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
