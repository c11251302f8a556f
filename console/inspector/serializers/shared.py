"""What the modules of this package share: short names of fields, and a base for members called `from`."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

Serializer = serializers.Serializer[Any]
Text = serializers.CharField
Flag = serializers.BooleanField
Int = serializers.IntegerField
Float = serializers.FloatField

SNAPSHOT_KINDS = ("append", "compact", "overwrite", "analyze", "unknown")
LISTS = ("base", "delta", "changelog", "index")


class FromTo(Serializer):
    """Has a member `from`, which no class attribute can be called: it is declared as `from_`."""

    def get_fields(self) -> dict[str, Any]:
        return {name.rstrip("_"): field for name, field in super().get_fields().items()}
