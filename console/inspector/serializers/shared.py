"""What the modules of this package share: short names of fields, and a base for members called `from`."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from console.api.damage import CODES, OBJECTS
from console.api.fields import choice
from console.api.writing import RowSerializer

Serializer = RowSerializer
Text = serializers.CharField
Flag = serializers.BooleanField
Int = serializers.IntegerField
Float = serializers.FloatField

SNAPSHOT_KINDS = ("append", "compact", "overwrite", "analyze", "unknown")
LISTS = ("base", "delta", "changelog", "index")


class PointerToSerializer(Serializer):
    """What names a damaged object."""

    kind = choice(*OBJECTS)
    name = Text()
    role = Text(allow_null=True, help_text="Of a list to its snapshot: base, delta, changelog, index.")


class DamageSerializer(Serializer):
    """An object that cannot be used: in codes for programs, and as a sentence for people."""

    code = choice(*CODES)
    object = choice(*OBJECTS)
    name = Text()
    path = Text(allow_null=True)
    reason = Text(allow_null=True, help_text="What the reader met, in English.")
    expected = Text(allow_null=True)
    found = Text(allow_null=True)
    named_by = PointerToSerializer(many=True)
    readable = Text(allow_null=True, help_text="The newest snapshot before that can be read, where known.")
    detail = Text(help_text="The whole sentence, by Accept-Language.")


class FromTo(Serializer):
    """Has a member `from`, which no class attribute can be called: it is declared as `from_`."""

    def get_fields(self) -> dict[str, Any]:
        return {name.rstrip("_"): field for name, field in super().get_fields().items()}
