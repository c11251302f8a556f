"""What is done to tags."""

from __future__ import annotations

from console.api.fields import TimeField, choice
from console.jobs.planning.tag import TAG_ACTIONS
from console.jobs.serializers.parts import FreedSerializer, NamedActionSerializer, Serializer, Text


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


class TagParamsSerializer(NamedActionSerializer):
    action = choice(*TAG_ACTIONS)
    snapshot = Text(required=False, allow_null=True, help_text="id or id~identity. Default: the latest.")
    retain = Text(
        required=False, allow_null=True, allow_blank=True, max_length=40, help_text="How long, as 30 d."
    )
