"""What the plans of several kinds are made of."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from console.api.fields import CountField, TimeField, choice, string_map, strings
from console.inspector.serializers import SNAPSHOT_KINDS
from core.maintenance.reach import FileRole

Serializer = serializers.Serializer[Any]
Text = serializers.CharField
Flag = serializers.BooleanField


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


class PartitionDeltaSerializer(Serializer):
    partition = Text()
    rows_delta = CountField(allow_null=True)
    bytes_delta = CountField(allow_null=True)


class FileRoleSerializer(AmountSerializer):
    role = choice(*(role.value for role in FileRole))


class FreedSerializer(AmountSerializer):
    """Files that nothing reaches afterwards, and that are deleted."""

    roles = FileRoleSerializer(many=True)


class ConcernedSerializer(Serializer):
    """Who reads the branch as a stream, and who has just written it."""

    consumers_affected = strings(help_text="Consumers of the branch: their readers see the commit next.")
    writers_affected = strings(help_text="Who committed in the last 10 minutes and may do so again.")


class NamedActionSerializer(Serializer):
    """What is done to something that has a name."""

    name = Text(max_length=255)
    new_name = Text(max_length=255, required=False, allow_null=True, help_text="Of a rename.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["action"] == "rename" and not attrs.get("new_name"):
            raise serializers.ValidationError({"new_name": "This is needed here."})
        return attrs
